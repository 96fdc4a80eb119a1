package workflow

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"parley/core/trace/markup"
)

func detectDAX(head []byte) bool { return bytes.Contains(head, []byte("<adag")) }

// daxReader is the state of reading a DAX.
type daxReader struct {
	*builder
	xml     *markup.Reader
	line    int
	jobs    int64 // that the file says it has; -1: it does not
	job     int32 // the open one; -1 if none
	runtime bool  // the open job has said how long it runs
	profile bool  // the open element holds the run time of the open job
	cores   bool  // it holds the number of cores on which the job ran
	child   string
	space   string // the namespace of the file
	foreign int    // elements of another one that are open
	pairs   []pair // parents by name: jobs may follow them
}

type pair struct {
	parent, child string
	line          int
}

// readDAX reads a directed acyclic graph in XML: <job> with its <uses> of files,
// <child> with its <parent>s.
func readDAX(name string, doc []byte) (*builder, error) {
	rd := &daxReader{builder: newBuilder(name), xml: markup.Open(name, bytes.NewReader(doc)), jobs: -1, job: -1}
	for {
		token, err := rd.xml.Next()
		rd.line = rd.xml.Line
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if rd.xml.Depth == 1 {
				if rd.space = token.Name.Space; rd.space != "" &&
					!strings.HasSuffix(strings.ToUpper(rd.space), "/DAX") {
					rd.note(noteSpace)
				}
			}
			for _, a := range token.Attr {
				if rd.foreign == 0 && rd.xml.Depth > 1 && markup.Foreign(a) {
					rd.note(noteForeignAttribute)
				}
			}
			if rd.foreign > 0 || token.Name.Space != rd.space {
				if rd.foreign++; rd.foreign == 1 {
					rd.note(noteForeign)
				}
				continue
			}
			if err := rd.start(token); err != nil {
				return nil, err
			}
		case xml.EndElement:
			if rd.foreign > 0 {
				rd.foreign--
				continue
			}
			if err := rd.end(token.Name.Local); err != nil {
				return nil, err
			}
		case xml.CharData:
			if n, err := strconv.ParseFloat(strings.TrimSpace(string(token)), 64); rd.cores && rd.foreign == 0 &&
				err == nil && n > 1 {
				rd.note(noteCores)
			}
			if rd.profile && rd.foreign == 0 {
				if err := rd.setRuntime("runtime", strings.TrimSpace(string(token))); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, p := range rd.pairs {
		from, to, err := rd.resolvePair(p)
		if err != nil {
			return nil, err
		}
		if err := rd.arc(from, to, p.line); err != nil {
			return nil, err
		}
	}
	if rd.jobs >= 0 && rd.jobs != int64(len(rd.tasks)) {
		rd.note(noteCount)
	}
	return rd.builder, nil
}

// start handles the start of an element: it adds a job, a file of the open job or a dependency. Elements of other
// names are ignored.
func (rd *daxReader) start(e xml.StartElement) error {
	attr := func(name string) (string, bool) {
		for _, a := range e.Attr {
			if a.Name.Local == name && a.Name.Space == "" {
				return a.Value, true
			}
		}
		return "", false
	}
	switch e.Name.Local {
	case "adag":
		if text, given := attr("jobCount"); given {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				return fault(rd.name, rd.line, "jobCount", text, "is not a whole number of at least 0",
					"correct the line")
			}
			rd.jobs = n
		}
	case "job":
		id, _ := attr("id")
		kind, _ := attr("name")
		if rd.job >= 0 {
			return fault(rd.name, rd.line, "id", id, "is a job within a job", "correct the file")
		}
		var t task
		t.Type = kind
		v, err := rd.add(id, rd.line, t)
		if err != nil {
			return err
		}
		rd.job, rd.runtime = v, false
		if text, given := attr("runtime"); given {
			return rd.setRuntime("runtime", text)
		}
	case "profile":
		key, _ := attr("key")
		rd.profile, rd.cores = rd.job >= 0 && key == "runtime", rd.job >= 0 && key == "cores"
	case "uses":
		return rd.uses(attr)
	case "child":
		rd.child, _ = attr("ref")
	case "parent":
		ref, _ := attr("ref")
		if rd.child == "" {
			return fault(rd.name, rd.line, "ref", ref, "is a parent outside of a child", "correct the file")
		}
		rd.pairs = append(rd.pairs, pair{ref, rd.child, rd.line})
	}
	return nil
}

// end handles the end of an element. A job without a run time is noted.
func (rd *daxReader) end(name string) error {
	switch name {
	case "job":
		if !rd.runtime {
			rd.note(noteNoRuntime)
		}
		rd.job = -1
	case "profile":
		rd.profile, rd.cores = false, false
	case "child":
		rd.child = ""
	}
	return nil
}

// setRuntime sets the run time of the open job, in seconds. column is where the text was, for the error.
func (rd *daxReader) setRuntime(column, text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
		return fault(rd.name, rd.line, column, text, "is not a number of seconds of at least 0", "correct the line")
	}
	rd.tasks[rd.job].Work, rd.runtime = x, true
	return nil
}

// uses reads one file of the open job.
func (rd *daxReader) uses(attr func(string) (string, bool)) error {
	name, given := attr("file")
	if !given {
		name, _ = attr("name") // version 3
	}
	if rd.job < 0 || name == "" {
		return nil // it belongs to an executable or has no name
	}
	f := file{name: name, bytes: -1}
	if text, given := attr("size"); given {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= -math.MaxFloat64 && x <= math.MaxFloat64) {
			return fault(rd.name, rd.line, "size", text, "is not a number of bytes", "correct the line")
		}
		if f.bytes = x; x < 0 { // counted in 32 bits, as some of WorkflowSim's are
			rd.note(noteBelowZero)
			f.bytes = -1
		}
	} else {
		rd.note(noteNoSize)
	}
	t := &rd.tasks[rd.job]
	switch link, _ := attr("link"); link {
	case "input":
		t.in = append(t.in, f)
	case "output":
		t.out = append(t.out, f)
	case "inout":
		t.in, t.out = append(t.in, f), append(t.out, f)
	case "none", "":
	default:
		return fault(rd.name, rd.line, "link", link, "is not input, output or inout", "correct the line")
	}
	return nil
}

func (rd *daxReader) resolvePair(p pair) (from, to int32, err error) {
	for _, end := range []struct {
		id    string
		into  *int32
		place string
	}{{p.parent, &from, "parent"}, {p.child, &to, "child"}} {
		v, known := rd.index[end.id]
		if !known {
			return 0, 0, fault(rd.name, p.line, end.place, end.id, "is no job of the file", "correct the line")
		}
		*end.into = v
	}
	return from, to, nil
}
