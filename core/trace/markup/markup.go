// Package markup walks through the XML of traces: token by token, with the line of each, and with errors that have
// the reason and the remedy.
//
//	r := markup.Open("platform.xml", file)
//	for {
//		token, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		…
//	}
package markup

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
	"parley/core/words"
)

// Reader is the state of a walk.
type Reader struct {
	Line    int // where the present token begins; 0 in errors about the file as a whole
	Depth   int // elements that are open behind the present token
	file    string
	xml     *xml.Decoder
	charset string // an encoding that is not read here
}

// Open returns a walk through r; file is its name in errors. The caller limits the bytes of r.
func Open(file string, r io.Reader) *Reader {
	m := &Reader{file: file, xml: xml.NewDecoder(r), Line: 1}
	m.xml.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		m.charset = charset
		return nil, errors.ErrUnsupported
	}
	return m
}

// Next returns the next token, which is good until the next call, or io.EOF at the end of the document. Any other error
// is a *trace.Error: broken or truncated XML, an encoding other than UTF-8, or more than strict.Depth nested elements.
func (m *Reader) Next() (xml.Token, error) {
	m.Line, _ = m.xml.InputPos() // the end of the last token is where this one begins
	token, err := m.xml.Token()
	switch {
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		return nil, m.broken(err)
	}
	switch token := token.(type) {
	case xml.StartElement:
		if m.Depth++; m.Depth > strict.Depth {
			return nil, m.Fail(trace.TooLarge, fmt.Sprintf("the element <%s> lies in more than %d other elements",
				Cut(token.Name.Local), strict.Depth), "flatten them")
		}
	case xml.EndElement:
		m.Depth--
	}
	return token, nil
}

// broken turns an error of the decoder into a sentence.
func (m *Reader) broken(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		m.Line = syntax.Line
		kind, hint := trace.BadLine, "correct the line"
		if strings.Contains(syntax.Msg, "unexpected EOF") {
			kind, hint = trace.Damaged, "download it again"
		}
		return m.Fail(kind, "the XML is broken ("+trace.Shorten(syntax.Msg)+")", hint)
	case m.charset != "":
		return m.Fail(trace.BadLine, fmt.Sprintf("the encoding %q is not read here", Cut(m.charset)), "save the file as UTF-8")
	}
	return m.Fail(trace.Damaged, "it cannot be read ("+trace.Shorten(err.Error())+")", "download it again")
}

// Fail returns an error about the present line.
func (m *Reader) Fail(kind trace.ErrorKind, reason, hint string) error {
	return &trace.Error{Kind: kind, File: m.file, Line: int64(m.Line), Reason: reason, Hint: hint}
}

// Foreign reports whether an attribute is of another language than its element.
func Foreign(a xml.Attr) bool {
	return a.Name.Space != "" && a.Name.Space != "http://www.w3.org/XML/1998/namespace" && a.Name.Space != "xmlns"
}

// Cut shortens a name or a value for a sentence.
func Cut(text string) string { return words.Cut(text, 40) }
