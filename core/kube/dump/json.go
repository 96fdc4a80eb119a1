package dump

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"parley/core/strict"
)

// longest limits the bytes of one object without the spaces between its parts. The API server takes
// objects of 1.5 MiB.
const longest = 8 << 20

// scanner reads JSON documents as a stream and hands out the objects in their lists one
// by one, without the spaces between their parts.
type scanner struct {
	file   string
	in     io.Reader
	buf    []byte
	pos    int
	line   int64
	object []byte                     // the value that capture is reading
	ended  error                      // the error that ended reading, io.EOF at the end
	kinds  func(doc int, kind string) // if not nil, objects are skipped, and it gets the kind of each document
	doc    int                        // documents begun
	kind   string                     // of the document being read, as far as it is known
	each   func(object []byte, line int64) error
	field  string                             // the field that holds the list, in quotes
	inner  string                             // a field whose object may hold the list, "" if there is none
	listed func(kind string, metadata []byte) // is called with each list that was read; may be nil
}

func newScanner(file string, in io.Reader) *scanner {
	return &scanner{file: file, in: in, buf: make([]byte, 0, 1<<20), line: 1, doc: -1, field: `"items"`}
}

// fill reads more into the buffer and reports whether there is any.
func (s *scanner) fill() bool {
	for s.ended == nil {
		n, err := s.in.Read(s.buf[:cap(s.buf)])
		s.buf, s.pos, s.ended = s.buf[:n], 0, err
		if n > 0 {
			return true
		}
	}
	s.buf, s.pos = s.buf[:0], 0
	return false
}

// peek passes over spaces and returns the next byte without taking it, 0 at the end.
func (s *scanner) peek() byte {
	for {
		for s.pos < len(s.buf) {
			switch c := s.buf[s.pos]; c {
			case '\n':
				s.line++
				fallthrough
			case ' ', '\t', '\r':
				s.pos++
			default:
				return c
			}
		}
		if !s.fill() {
			return 0
		}
	}
}

// cut is the error of a document that ends too early.
func (s *scanner) cut() error {
	if s.ended != io.EOF {
		return s.ended
	}
	return s.broken("the document ends in the middle: the file was cut off", hintAgain)
}

func (s *scanner) broken(reason, hint string) error {
	return &Error{File: s.file, Line: s.line, Reason: reason, Hint: hint}
}

// documents reads all documents of the file, in which lists and objects may follow one another, and hands
// out their objects.
func (s *scanner) documents() error {
	for {
		switch c := s.peek(); {
		case c == 0 && s.ended == io.EOF:
			return nil
		case c == 0:
			return s.ended
		case c == '{':
			s.pos++
			s.doc, s.kind = s.doc+1, ""
			if err := s.document(true); err != nil {
				return err
			}
			if s.kinds != nil {
				s.kinds(s.doc, s.kind)
			}
		case c == '[':
			s.pos++
			s.doc, s.kind = s.doc+1, ""
			if err := s.list(); err != nil {
				return err
			}
		case c == '=' && s.logs():
		case c == '`' && s.doc >= 0: // the end of a block of Markdown
			s.lineHead()
		case s.doc >= 0 && c >= 'A' && c != '[' && c != '{':
			line := s.line
			head, _ := s.lineHead()
			switch message, fails := isMessage([]byte(head)); {
			case fails: // of kubectl, whose both outputs went into one file
				return failure(s.file, line, []byte(head))
			case !message:
				return &Error{File: s.file, Line: line, Reason: "a document begins with " + strconv.Quote(head[:1]) + " where an object should begin", Hint: hintDump}
			}
		default:
			return s.broken("a document begins with "+strconv.Quote(string(rune(c)))+" where an object should begin", hintDump)
		}
	}
}

// document reads the rest of a document whose brace is taken: a list, whose objects are handed out as they
// are read, or one object, which is handed out at its end. top is false for the object of the field inner:
// a list may be in it, but in nothing below it.
func (s *scanner) document(top bool) error {
	at, isList, metadata := s.line, false, []byte(nil)
	whole := []byte{'{'}
	for {
		switch c := s.peek(); c {
		case '}':
			s.pos++
			if isList && s.listed != nil {
				s.listed(s.kind, metadata)
			}
			if isList || len(whole) == 1 {
				return nil
			}
			return s.hand(append(whole, '}'), at)
		case ',':
			s.pos++
		case '"':
			s.object = s.object[:0]
			if err := s.capture(); err != nil {
				return err
			}
			name := string(s.object)
			if s.peek() != ':' {
				return s.broken("a field's name is not followed by a colon", hintAgain)
			}
			s.pos++
			if top && name == s.inner && s.peek() == '{' {
				s.pos++
				isList = true
				if err := s.document(false); err != nil {
					return err
				}
				continue
			}
			if name == s.field && s.peek() == '[' {
				s.pos++
				isList = true
				if err := s.list(); err != nil {
					return err
				}
				continue
			}
			s.object = s.object[:0]
			if err := s.capture(); err != nil {
				return err
			}
			if name == s.field && string(s.object) == "null" {
				isList = true
			}
			if name == `"metadata"` {
				metadata = bytes.Clone(s.object)
			}
			if name == `"kind"` && len(s.object) < 100 {
				s.kind = strings.Trim(string(s.object), `"`)
			}
			if len(whole) > 1 {
				whole = append(whole, ',')
			}
			whole = append(append(append(whole, name...), ':'), s.object...)
			if len(whole) > longest {
				return s.tooLong()
			}
		case 0:
			return s.cut()
		default:
			return s.broken(strconv.Quote(string(rune(c)))+" is where a field should begin", hintAgain)
		}
	}
}

// list hands out the objects of a list whose bracket is taken. Other values than objects are an error.
func (s *scanner) list() error {
	for {
		switch c := s.peek(); c {
		case ']':
			s.pos++
			return nil
		case ',':
			s.pos++
		case '{':
			at := s.line
			s.object = s.object[:0]
			if err := s.capture(); err != nil {
				return err
			}
			if err := s.hand(s.object, at); err != nil {
				return err
			}
		case 0:
			return s.cut()
		default:
			return s.broken("the list holds "+strconv.Quote(string(rune(c)))+" where an object should begin", hintDump)
		}
	}
}

func (s *scanner) hand(object []byte, line int64) error {
	if s.kinds != nil {
		return nil
	}
	return s.each(object, line)
}

func (s *scanner) tooLong() error {
	return s.broken("an object has more than "+strconv.Itoa(longest>>20)+" MiB, which the API server would not take", hintAgain)
}

// capture appends the next value to s.object, without the spaces between its parts. The caller empties
// s.object. A value without quotes or brackets ends before the comma, brace or bracket that follows. It
// fails above longest bytes or strict.Depth.
func (s *scanner) capture() error {
	depth := 0
	if s.peek() == 0 {
		return s.cut()
	}
	for {
		ended, err := s.piece(&depth)
		if ended || err != nil {
			return err
		}
		if len(s.object) > longest {
			return s.tooLong()
		}
		if !s.fill() {
			if depth == 0 && len(s.object) > 0 {
				return nil // a bare number ends with the file
			}
			return s.cut()
		}
	}
}

// piece appends the part of a value that is in the buffer, and reports whether the value ended there. depth
// counts the brackets that are open.
func (s *scanner) piece(depth *int) (ended bool, err error) {
	buf := s.buf
	from := s.pos // of the bytes that are appended
	for i := from; i < len(buf); {
		switch c := buf[i]; c {
		case '\n', ' ', '\t', '\r':
			s.object = append(s.object, buf[from:i]...)
			if len(s.object) > longest {
				return false, s.tooLong()
			}
			i = s.spaces(i)
			from = i
			continue
		case '"':
			end, closed, escapes := textEnd(buf, i+1)
			if !closed {
				s.object = append(s.object, buf[from:]...)
				if err := s.restOfText(escapes); err != nil {
					return false, err
				}
				buf, end, from = s.buf, s.pos, s.pos
			}
			if i = end; *depth > 0 {
				continue
			}
			s.object, s.pos = append(s.object, buf[from:i]...), i
			return true, nil
		case '{', '[':
			if *depth++; *depth > strict.Depth {
				return false, s.broken(strict.TooDeep, hintAgain)
			}
		case '}', ']', ',':
			if *depth == 0 { // the end of a bare value
				s.object, s.pos = append(s.object, buf[from:i]...), i
				return true, nil
			}
			if c == ',' {
				break
			}
			if *depth--; *depth == 0 {
				s.object, s.pos = append(s.object, buf[from:i+1]...), i+1
				return true, nil
			}
		}
		i++
	}
	s.object, s.pos = append(s.object, buf[from:]...), len(buf)
	return false, nil
}

// spaces returns the index in the buffer of the first byte from i on that is not a space, and counts lines.
func (s *scanner) spaces(i int) int {
	const eight = 0x0101010101010101 * ' '
	for buf := s.buf; i < len(buf); i++ {
		switch buf[i] {
		case '\n':
			s.line++
			for i+9 <= len(buf) && binary.LittleEndian.Uint64(buf[i+1:]) == eight {
				i += 8 // the indent
			}
		case ' ', '\t', '\r':
		default:
			return i
		}
	}
	return i
}

// restOfText appends the rest of a text whose beginning the buffer had; escaped means that the buffer ended
// with a backslash.
func (s *scanner) restOfText(escaped bool) error {
	for {
		if len(s.object) > longest {
			return s.tooLong()
		}
		if !s.fill() {
			return s.cut()
		}
		i := 0
		if escaped {
			i = 1
		}
		end, closed, escapes := textEnd(s.buf, i)
		s.object, s.pos = append(s.object, s.buf[:end]...), end
		if closed {
			return nil
		}
		escaped = escapes
	}
}

// textEnd returns the index after the closing quote of a text that continues at i. If the text continues
// beyond buf, closed is false, end is len(buf), and escapes reports whether the last byte is a backslash that
// escapes the next.
func textEnd(buf []byte, i int) (end int, closed, escapes bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i < len(buf) {
		if i+8 <= len(buf) { // passes over eight bytes that are neither quotes nor backslashes
			x := binary.LittleEndian.Uint64(buf[i:])
			quote, back := x^ones*'"', x^ones*'\\'
			found := ((quote-ones)&^quote | (back-ones)&^back) & highs
			if i += bits.TrailingZeros64(found) / 8; found == 0 {
				continue
			}
		}
		switch buf[i] {
		case '"':
			return i + 1, true, false
		case '\\':
			i++
		}
		i++
	}
	return len(buf), false, i > len(buf)
}
