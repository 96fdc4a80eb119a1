package simgrid

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
)

// What a file may hold before the reading ends with class TooLarge.
const (
	maxBytes = 256 << 20
	maxHosts = 1 << 19
	maxNotes = 20
)

// Read reads the platform in r; name is what errors call it. Errors are
// *trace.Error with the line, the element's attribute and its value.
func Read(name string, r io.Reader) (*Platform, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	rd := &reader{
		file: name,
		xml:  xml.NewDecoder(&withoutComments{in: bufio.NewReader(limited)}),
		p: &Platform{
			points: map[string]int32{}, zoneNodes: map[string]int32{}, links: map[string]stretch{},
		},
		line: 1,
	}
	rd.xml.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		rd.charset = charset
		return nil, errors.ErrUnsupported
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
	file  string
	xml   *xml.Decoder
	p     *Platform
	line  int      // of the present element
	open  []string // elements that are not yet closed
	zones []int32  // zones that are not yet closed
	route *pending // the route that is not yet closed
	first int      // the first host of the element that has or had hosts last

	begun   bool   // <platform> was there
	watts   bool   // hosts have watts
	charset string // an encoding that is not read here
}

// element is a start tag.
type element struct {
	name  string
	line  int
	attrs []xml.Attr
}

func (rd *reader) all() error {
	for {
		rd.line, _ = rd.xml.InputPos() // the end of the last token is where this one begins
		token, err := rd.xml.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return rd.broken(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, rd.line, token.Attr}
			if space := token.Name.Space; space != "" {
				return rd.fail(trace.BadLine, "the element <"+cut(e.name)+"> is of the namespace "+
					strconv.Quote(cut(space))+", and platforms have none", "leave the element out")
			}
			for _, a := range e.attrs {
				if space := a.Name.Space; space != "" && space != "http://www.w3.org/XML/1998/namespace" &&
					space != "xmlns" {
					return rd.bad(e, cut(a.Name.Local), a.Value,
						"is of the namespace "+strconv.Quote(cut(space))+", and platforms have none")
				}
			}
			if len(rd.open) == strict.Depth {
				return rd.fail(trace.TooLarge, "elements lie more than "+strconv.Itoa(strict.Depth)+
					" deep in each other", "flatten them")
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
	rd.line = 0 // what follows is about the file as a whole
	if !rd.begun {
		return rd.fail(trace.Unknown, "is not a SimGrid platform: it has no <platform>", "choose a file with one")
	}
	if len(rd.p.Hosts) == 0 {
		return rd.fail(trace.Empty, "is a platform without hosts", "choose one that has a host or a cluster")
	}
	return nil
}

// broken turns an error of the decoder into a sentence.
func (rd *reader) broken(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		rd.line = syntax.Line
		class, hint := trace.BadLine, "correct the line"
		if strings.Contains(syntax.Msg, "unexpected EOF") {
			class, hint = trace.Damaged, "download it again"
		}
		return rd.fail(class, "the XML is broken ("+trace.Shorten(syntax.Msg)+")", hint)
	}
	if rd.charset != "" {
		return rd.fail(trace.BadLine, "the encoding "+strconv.Quote(cut(rd.charset))+" is not read here",
			"save the file as UTF-8")
	}
	return rd.fail(trace.Damaged, "it cannot be read ("+trace.Shorten(err.Error())+")", "download it again")
}

func (rd *reader) fail(class trace.ErrorKind, why, hint string) error {
	return &trace.Error{Kind: class, File: rd.file, Line: int64(rd.line), Why: why, Hint: hint}
}

// bad is about one attribute of an element.
func (rd *reader) bad(e element, attribute, value, why string) error {
	return &trace.Error{
		Kind: trace.BadLine, File: rd.file, Line: int64(e.line), Column: e.name + " " + attribute,
		Value: cut(value), Why: why, Hint: "correct the line",
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
	value, why := measure(text, scales)
	if why == "" {
		why = notPositive(value)
	}
	if why != "" {
		return 0, rd.bad(e, attribute, text, why)
	}
	return value, nil
}

func notPositive(value float64) (why string) {
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
	value, why := measure(text, times)
	switch {
	case why != "":
	case value < 0:
		why = "is negative"
	case value > math.MaxFloat64:
		why = "is too large"
	}
	if why != "" {
		return 0, rd.bad(e, attribute, text, why)
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
