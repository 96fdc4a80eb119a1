package accounting

import (
	"bytes"
	"html"
	"strings"
)

// isXMLAds recognises HTCondor's ads in XML.
func isXMLAds(head []byte) bool {
	return bytes.Contains(head, []byte("<classads>")) && bytes.Contains(head, []byte("<c>"))
}

// isQstatXML recognises the output of qstat -x of Torque.
func isQstatXML(head []byte) bool {
	return bytes.Contains(head, []byte("<Job><Job_Id>")) || bytes.Contains(head, []byte("<Job>")) &&
		bytes.Contains(head, []byte("<Job_Id>"))
}

// elements reads records that are elements of XML of one name, on one line or on several.
type elements struct {
	begins, ends string
	of           func(map[string]string) (row, bool)
	rest         func() []byte // returns the remaining rows at the end; nil: there are none
	text         []byte
	row          []byte
}

// inParts is implemented by records that take a long line in several parts.
type inParts interface{ part(line []byte) []byte }

func (e *elements) line(line []byte) []byte {
	rows := e.part(line)
	e.text = append(e.text, ' ')
	return rows
}

// part takes a part of the file and returns the rows of the records that end in it.
func (e *elements) part(part []byte) []byte {
	e.row = e.row[:0]
	e.text = append(e.text, part...)
	rest := e.text
	for {
		begin := bytes.Index(rest, []byte(e.begins))
		if begin < 0 {
			rest = rest[max(0, len(rest)-len(e.begins)):]
			break
		}
		rest = rest[begin:]
		end := bytes.Index(rest, []byte(e.ends))
		if end < 0 {
			if len(rest) > 4*longestLine { // too few columns: the table says so
				e.next(append([]byte(nil), "a record of more than 4 MB"...))
				rest = nil
			}
			break
		}
		if r, is := e.of(leaves(string(rest[:end]))); is {
			e.next(r.append(nil))
		}
		rest = rest[end+len(e.ends):]
	}
	e.text = append(e.text[:0], rest...)
	return e.row
}

// next appends a row.
func (e *elements) next(row []byte) {
	if len(e.row) > 0 {
		e.row = append(e.row, '\n')
	}
	e.row = append(e.row, row...)
}

func (e *elements) last() []byte {
	if e.rest == nil {
		return nil
	}
	return e.rest()
}

// leaves returns the texts of an element by the names of the elements around them, without that of the
// outermost. An attribute n names the element, as in <a n="Cpus"><i>4</i></a>.
func leaves(text string) map[string]string {
	of := map[string]string{}
	var path []string
	for len(text) > 0 && len(of) < maxPairs {
		value, after, is := strings.Cut(text, "<")
		if !is {
			break
		}
		tag, rest, is := strings.Cut(after, ">")
		if !is {
			break
		}
		if value = strings.TrimSpace(value); value != "" && len(path) > 1 {
			of[strings.Join(path[1:], ".")] = html.UnescapeString(value)
		}
		text = rest
		switch name, attributes, _ := strings.Cut(tag, " "); {
		case strings.HasPrefix(tag, "/"):
			path = path[:max(0, len(path)-1)]
		case strings.HasPrefix(tag, "?"), strings.HasPrefix(tag, "!"):
		case strings.HasSuffix(tag, "/"): // <b v="t"/>
			if _, v, is := strings.Cut(attributes, `v="`); is && len(path) > 1 {
				v, _, _ = strings.Cut(v, `"`)
				of[strings.Join(path[1:], ".")] = map[string]string{"t": "true", "f": "false"}[v]
			}
		case len(path) > 30:
			return of
		case len(name) == 1 && len(path) > 1 && !strings.Contains(attributes, "n="): // the type of a value
			path = append(path, "")
		default:
			if _, n, is := strings.Cut(attributes, `n="`); is {
				name, _, _ = strings.Cut(n, `"`)
			}
			path = append(path, name)
		}
	}
	for name, value := range of { // Cpus. of <a n="Cpus"><i>
		if bare := strings.TrimRight(name, "."); bare != name {
			delete(of, name)
			of[bare] = value
		}
	}
	return of
}
