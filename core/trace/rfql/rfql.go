// Package rfql reads requests for quotation as XML: one document is one
// auction, with one or more units.
//
//	<RFQ xmlns="https://parley.dev/rfql">
//	  <Request>
//	    <CPUHourCost>70</CPUHourCost>
//	    <EndDate>2016-01-01</EndDate>
//	    <EndTime>06:00:00</EndTime>
//	    <TotalCores>16</TotalCores>
//	  </Request>
//	</RFQ>
//
// The terms are those of package core/rfql, in any order; assets/rfql.xsd is their
// schema. The paper's own schema is not published, so the names of the elements
// around the terms are ours. A document type is refused: nothing in it could be
// wanted here, and entities that grow or point elsewhere hide in it.
package rfql

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"parley/core/rfql"
	"parley/core/trace"
	"parley/core/trace/markup"
	"parley/core/unit"
)

// Limits of a file.
const (
	maxBytes = 1 << 20
	maxUnits = 1000
	maxText  = 200 // bytes of a term
)

// Read reads a document; name is its name in errors. Errors are *trace.Error with
// the line.
func Read(name string, r io.Reader) ([]rfql.Unit, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	d := &reader{file: name, xml: markup.Open(name, bufio.NewReader(limited))}
	units, err := d.document()
	switch {
	case limited.N <= 0:
		return nil, d.fail(trace.TooLarge, 0, fmt.Sprintf("is longer than %d MiB", maxBytes>>20),
			"split it into several requests")
	case err != nil:
		return nil, err
	}
	return units, nil
}

type reader struct {
	file string
	xml  *markup.Reader
	line int // of the present token
}

func (d *reader) fail(kind trace.ErrorKind, line int, reason, hint string) error {
	return &trace.Error{Kind: kind, File: d.file, Line: int64(line), Reason: reason, Hint: hint}
}

// Namespace is that of the documents; one that names none is read as well.
const Namespace = "https://parley.dev/rfql"

// foreign refuses an element of another language.
func (d *reader) foreign(e xml.StartElement) error {
	if e.Name.Space == "" || e.Name.Space == Namespace {
		return nil
	}
	return d.fail(trace.BadLine, d.line, fmt.Sprintf("<%s> is of the namespace %q, and requests are of %q",
		markup.Cut(e.Name.Local), markup.Cut(e.Name.Space), Namespace), "correct the namespace or leave the element out")
}

// next returns the next token that is not a comment, and refuses document types.
func (d *reader) next() (xml.Token, error) {
	for {
		token, err := d.xml.Next()
		d.line = d.xml.Line
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.Comment:
		case xml.Directive:
			return nil, d.fail(trace.BadLine, d.line,
				"it has a document type, and requests have none: entities are not expanded", "leave it out")
		case xml.ProcInst:
			if token.Target != "xml" {
				return nil, d.fail(trace.BadLine, d.line,
					fmt.Sprintf("the instruction %q is for another program", markup.Cut(token.Target)), "leave it out")
			}
		case xml.StartElement:
			return token, d.foreign(token)
		default:
			return token, nil
		}
	}
}

// document reads <RFQ> and the units in it, one for each <Request>: 1 to maxUnits.
func (d *reader) document() ([]rfql.Unit, error) {
	if err := d.root(); err != nil {
		return nil, err
	}
	var units []rfql.Unit
	for {
		start, end, err := d.element("RFQ")
		switch {
		case err != nil:
			return nil, err
		case end:
			if len(units) == 0 {
				return nil, d.fail(trace.Empty, d.line, "is a document without a request", "give it a <Request>")
			}
			return units, d.after()
		case start.Name.Local != "Request":
			return nil, d.fail(trace.BadLine, d.line,
				fmt.Sprintf("<%s> stands where a <Request> should", markup.Cut(start.Name.Local)), "correct the line")
		case len(units) == maxUnits:
			return nil, d.fail(trace.TooLarge, d.line, fmt.Sprintf("it has more than %d units", maxUnits),
				"split it into several requests")
		}
		unit, err := d.unit()
		if err != nil {
			return nil, err
		}
		units = append(units, unit)
	}
}

// root reads the start tag <RFQ> and the text before it, which must be blank.
func (d *reader) root() error {
	for {
		token, err := d.next()
		if err == io.EOF {
			return d.fail(trace.Empty, 0, "is empty", "choose a file with an <RFQ>")
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local != "RFQ" {
				return d.fail(trace.Unknown, d.line, fmt.Sprintf("is no request for quotation: it begins with <%s>",
					markup.Cut(token.Name.Local)), "choose a file with an <RFQ>")
			}
			return nil
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return d.fail(trace.Unknown, d.line, "is no XML document", "choose a file with an <RFQ>")
			}
		}
	}
}

// after makes sure that nothing follows the document.
func (d *reader) after() error {
	for {
		token, err := d.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if text, blank := token.(xml.CharData); !blank || len(bytes.TrimSpace(text)) > 0 {
			return d.fail(trace.BadLine, d.line, "something follows the end of </RFQ>", "leave it out")
		}
	}
}

// element returns the next start tag within an element, or end if the element ends. Text in it is an error.
func (d *reader) element(within string) (start xml.StartElement, end bool, err error) {
	for {
		token, err := d.next()
		if err == io.EOF {
			return start, false, d.fail(trace.Damaged, d.line, "it ends in the middle of <"+within+">",
				"download it again")
		}
		if err != nil {
			return start, false, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			return token, false, nil
		case xml.EndElement:
			return start, true, nil
		case xml.CharData:
			if text := bytes.TrimSpace(token); len(text) > 0 {
				return start, false, d.fail(trace.BadLine, d.line,
					fmt.Sprintf("the text %q stands in <%s>, which holds elements", markup.Cut(string(text)), within),
					"leave it out")
			}
		}
	}
}

// unit reads the terms of a <Request>, whose start tag was read, up to its end tag.
func (d *reader) unit() (rfql.Unit, error) {
	began := d.line
	var terms []rfql.Given
	for {
		start, end, err := d.element("Request")
		if err != nil {
			return rfql.Unit{}, err
		}
		if end {
			u, problem := rfql.Parse(terms)
			if problem != nil {
				return u, d.problem(problem, began)
			}
			if u.End < 365*unit.Day {
				return u, d.fail(trace.BadLine, began,
					"the request's deadline lies in 1970, where clocks that were not set begin", "correct its EndDate")
			}
			return u, nil
		}
		if len(terms) > 2*len(rfql.Terms) {
			return rfql.Unit{}, d.fail(trace.BadLine, d.line, "the request has more terms than there are",
				"leave those out that stand twice")
		}
		given := rfql.Given{Name: start.Name.Local, Line: d.line}
		if given.Text, err = d.text(start.Name.Local); err != nil {
			return rfql.Unit{}, err
		}
		terms = append(terms, given)
	}
}

// text reads the content of a term, whose start tag was read, up to its end tag.
func (d *reader) text(term string) (string, error) {
	var text []byte
	for {
		token, err := d.next()
		if err == io.EOF {
			return "", d.fail(trace.Damaged, d.line, "it ends in the middle of <"+markup.Cut(term)+">", "download it again")
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.CharData:
			if text = append(text, token...); len(text) > maxText {
				return "", d.fail(trace.BadLine, d.line,
					fmt.Sprintf("<%s> holds more than %d bytes", markup.Cut(term), maxText), "correct the line")
			}
		case xml.EndElement:
			return string(text), nil
		case xml.StartElement:
			return "", d.fail(trace.BadLine, d.line, fmt.Sprintf("<%s> stands in the term %s, which holds a text",
				markup.Cut(token.Name.Local), markup.Cut(term)), "correct the line")
		}
	}
}

// problem converts a problem of a unit, whose request begins on line began, to an error. A problem without a term is
// about the whole request, one without a text about a term that is missing.
func (d *reader) problem(p *rfql.Problem, began int) error {
	e := &trace.Error{
		Kind: trace.BadLine, File: d.file, Line: int64(p.Line), Column: p.Term, Value: markup.Cut(p.Text),
		Reason: p.Reason, Hint: "correct the line",
	}
	switch {
	case p.Term == "":
		e.Line, e.Reason = int64(began), "the request "+p.Reason
	case p.Text == "":
		e.Column, e.Reason = "", "the term "+markup.Cut(p.Term)+" "+p.Reason
	}
	return e
}
