package accounting

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"sigs.k8s.io/yaml"
)

// isYAML recognises a list of jobs as sacct --yaml and squeue --yaml print it.
func isYAML(head []byte) bool { return inYAML(head) != nil }

// inYAML returns the format of a document in YAML whose jobs are those of a log in JSON; nil if there is none.
func inYAML(head []byte) *Log {
	if !bytes.HasPrefix(head, []byte("---")) && !bytes.HasPrefix(head, []byte("jobs:")) {
		return nil
	}
	objects, err := io.ReadAll(&items{in: bufio.NewReader(bytes.NewReader(head))})
	if err != nil {
		return nil
	}
	log := document(objects)
	if log != nil {
		log.yaml = true
	}
	return log
}

// items reads the list under jobs: as JSON, an object on the line that ends its text.
type items struct {
	in     *bufio.Reader
	within bool // the list has begun
	indent int  // of its items; -1 before the first
	item   []byte
	out    []byte
	err    error
}

// Read implements io.Reader: it returns one line for each line of the file, empty except on those that end an item.
func (y *items) Read(p []byte) (int, error) {
	for len(y.out) == 0 {
		if y.err != nil {
			return 0, y.err
		}
		line, err := y.in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) && len(line) < longestLine {
			rest, more := y.in.ReadSlice('\n')
			line, err = append(bytes.Clone(line), rest...), more
		}
		y.out = y.out[:0]
		if len(line) > 0 {
			y.line(line)
		}
		if y.err = err; err != nil {
			y.end()
		}
		if bytes.HasSuffix(line, []byte("\n")) {
			y.out = append(y.out, '\n')
		}
	}
	n := copy(p, y.out)
	y.out = y.out[n:]
	return n, nil
}

// line takes a line: one before the list, one that begins or continues an item by its indent, or one that ends the
// list. An item longer than a few lines is cut.
func (y *items) line(line []byte) {
	text := bytes.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch begins := bytes.HasPrefix(text, []byte("- ")); {
	case !y.within:
		y.within, y.indent = bytes.HasPrefix(line, []byte("jobs:")), -1
	case begins && (y.indent < 0 || indent == y.indent):
		y.end()
		y.indent = indent
		y.item = append(append(y.item, ' ', ' '), text[2:]...)
	case y.indent >= 0 && (indent > y.indent || len(bytes.TrimSpace(text)) == 0):
		if len(y.item) < 4*longestLine {
			y.item = append(y.item, line[min(y.indent, indent):]...)
		}
	default: // the list has ended
		y.end()
		y.within = false
	}
}

// end appends the present item as an object.
func (y *items) end() {
	if len(y.item) == 0 {
		return
	}
	object, err := yaml.YAMLToJSON(y.item)
	if err != nil || len(object) == 0 || object[0] != '{' {
		object = []byte("{no YAML}")
	}
	y.out = append(y.out, object...)
	y.item = y.item[:0]
}
