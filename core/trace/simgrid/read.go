package simgrid

import (
	"bufio"
	"encoding/xml"
	"io"
	"math"
	"strconv"

	"parley/core/trace"
	"parley/core/trace/markup"
)

// Limits of a file; beyond them the reading ends with class TooLarge.
const (
	maxBytes = 256 << 20
	maxHosts = 1 << 19
	maxNotes = 20
)

// Read reads the platform in r; name is its name in errors. Errors are
// *trace.Error with the line, the element's attribute and its value.
func Read(name string, r io.Reader) (*Platform, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	rd := &reader{
		file: name,
		xml:  markup.Open(name, &withoutComments{in: bufio.NewReader(limited)}),
		p: &Platform{
			points: map[string]int32{}, zoneNodes: map[string]int32{}, links: map[string]stretch{},
		},
		line: 1,
	}
	err := rd.all()
	if limited.N <= 0 {
		return nil, rd.fail(trace.TooLarge, "is longer than "+strconv.Itoa(maxBytes>>20)+" MiB", "leave hosts out")
	}
	if err != nil {
		return nil, err
	}
	return rd.p, nil
}

// reader is the state of the reading.
type reader struct {
	file      string
	xml       *markup.Reader
	p         *Platform
	line      int      // of the present element
	open      []string // elements that are not yet closed
	zones     []int32  // zones that are not yet closed
	openRoute *pending // the route that is not yet closed
	first     int      // index of the first host of the latest element that has hosts

	begun bool // <platform> was there
	watts bool // hosts have watts
}

// element is a start tag.
type element struct {
	name  string
	line  int
	attrs []xml.Attr
}

// all reads the file to its end into rd.p. Elements and attributes of other namespaces are errors, and so is a
// platform without hosts.
func (rd *reader) all() error {
	for {
		token, err := rd.xml.Next()
		rd.line = rd.xml.Line
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, rd.line, token.Attr}
			if space := token.Name.Space; space != "" {
				return rd.fail(trace.BadLine, "the element <"+markup.Cut(e.name)+"> is of the namespace "+
					strconv.Quote(markup.Cut(space))+", and platforms have none", "leave the element out")
			}
			for _, a := range e.attrs {
				if markup.Foreign(a) {
					return rd.bad(e, markup.Cut(a.Name.Local), a.Value,
						"is of the namespace "+strconv.Quote(markup.Cut(a.Name.Space))+", and platforms have none")
				}
			}
			if err := rd.start(e); err != nil {
				return err
			}
			rd.open = append(rd.open, e.name)
		case xml.EndElement:
			rd.open = rd.open[:len(rd.open)-1]
			if err := rd.end(token.Name.Local); err != nil {
				return err
			}
		}
	}
	rd.line = 0 // the errors below are about the file as a whole
	if !rd.begun {
		return rd.fail(trace.Unknown, "is not a SimGrid platform: it has no <platform>", "choose a file with one")
	}
	if len(rd.p.Hosts) == 0 {
		return rd.fail(trace.Empty, "is a platform without hosts", "choose one that has a host or a cluster")
	}
	return nil
}

func (rd *reader) fail(class trace.ErrorKind, reason, hint string) error {
	return &trace.Error{Kind: class, File: rd.file, Line: int64(rd.line), Reason: reason, Hint: hint}
}

// bad is about one attribute of an element.
func (rd *reader) bad(e element, attribute, value, reason string) error {
	return &trace.Error{
		Kind: trace.BadLine, File: rd.file, Line: int64(e.line), Column: e.name + " " + attribute,
		Value: markup.Cut(value), Reason: reason, Hint: "correct the line",
	}
}

func (rd *reader) note(text string) {
	if len(rd.p.Notes) < maxNotes {
		rd.p.Notes = append(rd.p.Notes, text)
	}
}

// get returns an attribute, or instead if the file leaves it out.
func (e element) get(attribute, instead string) string {
	for _, a := range e.attrs {
		if a.Name.Local == attribute {
			return a.Value
		}
	}
	return instead
}

// need returns an attribute that the format requires.
func (rd *reader) need(e element, attribute string) (string, error) {
	for _, a := range e.attrs {
		if a.Name.Local == attribute {
			return a.Value, nil
		}
	}
	return "", rd.fail(trace.BadLine, "the element <"+e.name+"> has no "+attribute, "add the attribute")
}

// needAll returns required attributes in order.
func (rd *reader) needAll(e element, attributes ...string) ([]string, error) {
	values := make([]string, len(attributes))
	for i, a := range attributes {
		var err error
		if values[i], err = rd.need(e, a); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// positive reads a required number with a unit that must be above zero.
func (rd *reader) positive(e element, attribute string, scales []scale) (float64, error) {
	text, err := rd.need(e, attribute)
	if err != nil {
		return 0, err
	}
	value, reason := measure(text, scales)
	if reason == "" {
		reason = notPositive(value)
	}
	if reason != "" {
		return 0, rd.bad(e, attribute, text, reason)
	}
	return value, nil
}

func notPositive(value float64) (reason string) {
	switch {
	case !(value > 0):
		return "is not positive"
	case value > math.MaxFloat64:
		return "is too large"
	}
	return ""
}

// latency reads a number of seconds, 0 if the file gives none.
func (rd *reader) latency(e element, attribute string) (float64, error) {
	text := e.get(attribute, "0")
	value, reason := measure(text, times)
	switch {
	case reason != "":
	case value < 0:
		reason = "is negative"
	case value > math.MaxFloat64:
		reason = "is too large"
	}
	if reason != "" {
		return 0, rd.bad(e, attribute, text, reason)
	}
	return value, nil
}

// stretch reads a bandwidth and a latency.
func (rd *reader) stretch(e element, bandwidth, latency string) (s stretch, err error) {
	if s.bandwidth, err = rd.positive(e, bandwidth, bandwidths); err == nil {
		s.latency, err = rd.latency(e, latency)
	}
	return s, err
}
