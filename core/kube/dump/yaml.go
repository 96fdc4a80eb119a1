package dump

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"parley/core/strict"
	"parley/core/trace"
)

// blocks reads YAML documents as kubectl prints them, line by line, and hands out the
// objects of their lists one by one as JSON: only one object is held at a time.
type blocks struct {
	file  string
	in    *bufio.Reader
	line  int64 // of the last line read
	kind  string
	kinds func(doc int, kind string) // as in scanner
	doc   int
	each  func(object []byte, line int64) error

	text    []byte // of the document or the object that is being gathered
	begins  int64
	indent  int  // of the list's objects, -1 outside of a list, -2 before the first line below items:
	listed  bool // the document has its items in lines of their own, or none
	version bool // the document has its apiVersion
}

func newBlocks(file string, in io.Reader) *blocks {
	return &blocks{file: file, in: bufio.NewReaderSize(in, 256<<10), indent: -1}
}

// documents reads the file to its end, line by line, and hands out its objects. An error ends it.
func (b *blocks) documents() error {
	for {
		line, err := b.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			var long []byte
			for errors.Is(err, bufio.ErrBufferFull) && len(long) < longest {
				long = append(long, line...)
				line, err = b.in.ReadSlice('\n')
			}
			line = append(long, line...)
		}
		if len(line) > 0 {
			b.line++
			if b.line == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if err := b.take(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return b.endDocument()
		}
		if err != nil {
			return err
		}
	}
}

// take reads one line and decides by its indent whether it begins an object of the list below items:,
// continues one, ends the list, or is of the document itself. The line is valid until the next one is read.
func (b *blocks) take(line []byte) error {
	trimmed := bytes.TrimRight(line, " \t\r\n")
	if string(trimmed) == "---" || string(trimmed) == "..." || bytes.HasPrefix(trimmed, []byte(fence)) {
		return b.endDocument()
	}
	content := bytes.TrimLeft(trimmed, " ")
	indent := len(trimmed) - len(content)
	if len(content) == 0 || content[0] == '#' && indent == 0 {
		return b.keep(line)
	}
	if b.indent == -2 { // the first line below items:
		b.indent = -1
		if content[0] == '-' {
			b.indent = indent
		}
	}
	if b.indent >= 0 {
		switch {
		case indent == b.indent && content[0] == '-' && (len(content) == 1 || content[1] == ' '):
			if err := b.endObject(); err != nil {
				return err
			}
			b.begins = b.line
			// The dash becomes a space, so the rest is a mapping of its own.
			return b.keep(append(append(bytes.Repeat([]byte(" "), indent+1), content[1:]...), '\n'))
		case indent > b.indent:
			return b.keep(line)
		}
		if err := b.endObject(); err != nil {
			return err
		}
		b.indent = -1
	}
	if indent == 0 {
		name, value, _ := bytes.Cut(trimmed, []byte(":"))
		switch string(bytes.Trim(name, `"'`)) {
		case "apiVersion": // kubectl's output begins with it: another one was appended without a line of ---
			if b.version {
				if err := b.endDocument(); err != nil {
					return err
				}
			}
			b.version = true
		case "items":
			b.listed = true
			if len(bytes.TrimSpace(value)) == 0 {
				b.indent, b.text = -2, b.text[:0]
				return nil
			}
			if v := string(bytes.TrimSpace(value)); v == "[]" || v == "null" {
				return nil
			}
			b.listed = false // written in one line: read as a whole
		case "kind":
			b.kind = strings.Trim(string(bytes.TrimSpace(value)), `"'`)
		}
	}
	if len(b.text) == 0 {
		b.begins = b.line
	}
	return b.keep(line)
}

// keep appends a line to the text being gathered. It fails if an object becomes longer than the API server
// would take.
func (b *blocks) keep(line []byte) error {
	if b.kinds != nil {
		return nil
	}
	if b.text = append(b.text, line...); len(b.text) > 2*longest {
		return &Error{File: b.file, Line: b.begins, Reason: "an object has more than " + strconv.Itoa(2*longest>>20) + " MiB, which the API server would not take", Hint: hintAgain}
	}
	return nil
}

// endObject hands out the list's object that was gathered, as JSON, and begins a new one. It does nothing
// if no text was gathered, or if only kinds are wanted.
func (b *blocks) endObject() error {
	text := b.text
	b.text = b.text[:0]
	if len(bytes.TrimSpace(text)) == 0 || b.kinds != nil {
		return nil
	}
	object, err := b.toJSON(text)
	if err != nil {
		return err
	}
	if len(object) == 0 || object[0] != '{' {
		return &Error{File: b.file, Line: b.begins, Value: shown(string(object)), Reason: "is no object", Hint: hintDump}
	}
	return b.each(object, b.begins)
}

// endDocument hands out the last object of a list, or a document that is one object or a list in one line,
// and begins a new document. The lines around a list's items, its frame, are dropped.
func (b *blocks) endDocument() error {
	if b.listed && b.version && b.kind == "" && b.kinds == nil { // kubectl writes the kind of a list behind its items
		return &Error{File: b.file, Line: b.line, Reason: "the list ends in the middle, without its kind: the file was cut off", Hint: hintAgain}
	}
	var err error
	switch {
	case b.indent >= 0:
		err = b.endObject()
	case !b.listed && len(bytes.TrimSpace(b.text)) > 0 && b.kinds == nil:
		var whole []byte
		if whole, err = b.toJSON(b.text); err == nil && string(whole) != "null" {
			s := newScanner(b.file, bytes.NewReader(whole)) // a list in one line, or an object
			s.each = func(object []byte, _ int64) error {
				b.kind = s.kind
				return b.each(object, b.begins)
			}
			err = s.documents()
		}
	}
	if b.kinds != nil {
		b.kinds(b.doc, b.kind)
	}
	b.text, b.indent, b.listed, b.version, b.kind = b.text[:0], -1, false, false, ""
	b.doc++
	return err
}

// toJSON returns gathered YAML as JSON, or an *Error with the line on which it begins.
func (b *blocks) toJSON(text []byte) ([]byte, error) {
	object, why := ToJSON(text)
	if reason, hint := notYAML(text, why); why != "" && reason != "" {
		return nil, &Error{File: b.file, Line: b.begins, Reason: reason, Hint: hint}
	}
	if why != "" {
		return nil, &Error{File: b.file, Line: b.begins, Reason: why, Hint: hintAgain}
	}
	return object, nil
}

// ToJSON returns a YAML document as JSON, or the reason why it is invalid. A text that nests deeper
// than strict.Depth does not reach the parser, which is recursive.
func ToJSON(text []byte) (document []byte, reason string) {
	defer func() {
		if recover() != nil {
			document, reason = nil, "is no YAML"
		}
	}()
	if yamlTooDeep(text) {
		return nil, strict.TooDeep
	}
	document, err := yaml.YAMLToJSON(text)
	if err != nil {
		detail := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: "), "\n", " ")
		return nil, "is no YAML (" + trace.Shorten(detail) + ")"
	}
	return document, ""
}
