package trace

import (
	"bufio"
	"io"
	"strconv"

	"parley/core/strict"
)

// longestObject is how many bytes a JSON object of a row has at most.
const longestObject = 64 << 20

// Objects reads JSON objects one after another: of a file with one on each line, of an array of
// them, or of objects with anything but letters between. No more than one is in memory.
type Objects struct {
	file     string
	closer   io.Closer
	in       *bufio.Reader
	text     []byte // the present one
	line, at int64  // lines read; where the present object begins
	array    bool
	ended    error

	list   *List // where the objects are; nil: the file is a sequence of them
	within int   // how deep in a document the list is; 0: before it
	name   string
}

// OpenObjects opens a file of JSON objects; m counts the bytes read.
func OpenObjects(f File, m *Meter) (*Objects, error) {
	in, err := open(f, m)
	if err != nil {
		return nil, err
	}
	return &Objects{file: f.Name, closer: in, in: bufio.NewReaderSize(in, 64<<10), line: 1}, nil
}

// Text returns the present object. It is good until the next Next.
func (o *Objects) Text() []byte { return o.text }

// Line returns the line on which the present object begins, counted from 1.
func (o *Objects) Line() int64 { return o.at }

// Close ends the reading early.
func (o *Objects) Close() error {
	if o.ended == nil {
		o.ended = io.EOF
	}
	return o.closer.Close()
}

// end keeps why the reading ends.
func (o *Objects) end(err error) error {
	o.ended = err
	return err
}

// Next reads the next object; io.EOF after the last. Other errors end the reading.
func (o *Objects) Next() error {
	if o.list != nil {
		return o.listed()
	}
	for o.ended == nil {
		c, err := o.in.ReadByte()
		switch {
		case isEnd(err) && o.array:
			return o.end(o.cut())
		case err != nil:
			return o.end(err)
		}
		switch c {
		case '\n':
			o.line++
		case '[':
			o.array = true
		case ']':
			o.array = false
		case '{':
			return o.whole()
		case ' ', '\t', '\r', ',', 0xef, 0xbb, 0xbf: // a byte order mark is passed over
		default:
			return o.end(o.strange(c))
		}
	}
	return o.ended
}

func isEnd(err error) bool { return err == io.EOF }

func (o *Objects) cut() error {
	return &Error{
		Kind: Damaged, File: o.file, Line: o.line, Reason: "the JSON ends in the middle: the file was cut off",
		Hint: "fetch it again",
	}
}

// whole reads the rest of an object whose brace was read.
func (o *Objects) whole() error {
	o.at, o.text = o.line, append(o.text[:0], '{')
	depth, quoted, escaped := 1, false, false
	for depth > 0 {
		c, err := o.in.ReadByte()
		if err == io.EOF {
			return o.end(o.cut())
		}
		if err != nil {
			return o.end(err)
		}
		if len(o.text) == longestObject {
			return o.end(&Error{Kind: TooLarge, File: o.file, Line: o.at, Reason: "a JSON object is longer than " +
				strconv.Itoa(longestObject) + " bytes", Hint: "give the file as it was published"})
		}
		o.text = append(o.text, c)
		switch {
		case c == '\n':
			o.line++
		case escaped:
			escaped = false
		case quoted:
			quoted, escaped = c != '"', c == '\\'
			continue
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			if depth++; depth > strict.Depth {
				return o.end(&Error{
					Kind: TooLarge, File: o.file, Line: o.line, Reason: strict.TooDeep,
					Hint: "give the file as it was published",
				})
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return nil
}

// FirstObject returns the first JSON object in the beginning of a file, cut off if the beginning
// ends within it.
func FirstObject(text []byte) []byte {
	for i, c := range text {
		if c != '{' {
			continue
		}
		depth, quoted := 0, false
		for k := i; k < len(text); k++ {
			switch c := text[k]; {
			case quoted && c == '\\':
				k++
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == '{', c == '[':
				if depth++; depth > strict.Depth {
					return nil // which is said when it is read
				}
			case c == '}', c == ']':
				if depth--; depth == 0 {
					return text[i : k+1]
				}
			}
		}
		return text[i:]
	}
	return nil
}
