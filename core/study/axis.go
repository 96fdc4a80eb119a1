package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// axes are the fields under axes, in the order of the document: the last one varies
// fastest in the table.
type axes []axis

type axis struct {
	path string
	span[json.RawMessage]
}

// span is a list of values, or a range {"from":0.8,"to":1.2,"step":0.1}.
type span[T any] struct {
	values []T
	steps  *steps
}

// steps is a range: from, from + step, … up to to.
type steps struct {
	From *float64 `json:"from"`
	To   *float64 `json:"to"`
	Step *float64 `json:"step,omitempty"` // 1 if left out
}

// UnmarshalJSON implements json.Unmarshaler. It refuses a field that stands there twice,
// of which package json would keep the last.
func (a *axes) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return &json.UnmarshalTypeError{Value: kindOf(text), Type: reflect.TypeFor[axes]()}
	}
	*a = nil
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := axis{path: name.(string)}
		if one.path == "" || len(one.path) > maxText {
			return fmt.Errorf("axes has the field %q: write the path of a scenario's field, such as settings.policy",
				shorten(one.path))
		}
		for _, other := range *a {
			if other.path == one.path {
				return fmt.Errorf("axes has %q twice", shorten(one.path))
			}
		}
		var values json.RawMessage
		if err := d.Decode(&values); err != nil {
			return err
		}
		if err := one.read(values); err != nil {
			return fmt.Errorf("axes: %q: %w", shorten(one.path), err)
		}
		*a = append(*a, one)
	}
	return nil
}

// JSONForm implements strict.Former.
func (a *axes) JSONForm() string { return "an object in braces" }

func kindOf(text []byte) string {
	switch text[0] {
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// MarshalJSON implements json.Marshaler: an object by the paths of the axes, in their order.
func (a axes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.path)
		if err != nil {
			return nil, err
		}
		values, err := one.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(values)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// read takes a list or a range.
func (s *span[T]) read(text []byte) error {
	switch text[0] {
	case '[':
		var kind *json.UnmarshalTypeError
		if err := json.Unmarshal(text, &s.values); errors.As(err, &kind) {
			return fmt.Errorf("%s is not what a list here holds", shorten(kind.Value))
		} else if err != nil {
			return err
		}
	case '{':
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		s.steps = &steps{}
		if err := d.Decode(s.steps); err != nil || s.steps.From == nil || s.steps.To == nil {
			return fmt.Errorf(`%s is no range: write one as {"from":0.8,"to":1.2,"step":0.1}`, compact(text))
		}
	default:
		return fmt.Errorf(`%s is no list: write one in brackets, or a range such as {"from":0.8,"to":1.2,"step":0.1}`,
			compact(text))
	}
	_, err := s.count()
	return err
}

// MarshalJSON is the inverse of read.
func (s span[T]) MarshalJSON() ([]byte, error) {
	if s.steps != nil {
		return json.Marshal(s.steps)
	}
	return json.Marshal(s.values)
}

// count returns how many values there are, at least one, without making them.
func (s span[T]) count() (int, error) {
	if s.steps != nil {
		return s.steps.count()
	}
	if len(s.values) == 0 {
		return 0, errors.New("the list is empty")
	}
	return len(s.values), nil
}

func (s steps) step() float64 {
	if s.Step == nil {
		return 1
	}
	return *s.Step
}

func (s steps) count() (int, error) {
	n := (*s.To - *s.From) / s.step()
	switch {
	case !(s.step() > 0):
		return 0, fmt.Errorf("step is %v: choose a number above 0", s.step())
	case *s.To < *s.From:
		return 0, fmt.Errorf("the range goes from %v to %v: write the smaller one first", *s.From, *s.To)
	case !(n < 1e9): // which fits an int of 32 bits
		return 0, fmt.Errorf("the range from %v to %v has too many steps of %v", *s.From, *s.To, s.step())
	}
	return int(math.Floor(n+1e-9)) + 1, nil
}

// at returns the i-th number of a range, in the shortest writing that 12 digits need:
// 0.3, not 0.30000000000000004.
func (s steps) at(i int) string {
	x := *s.From + float64(float64(i)*s.step())
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		short = x
	}
	if math.Abs(short) < 1e15 {
		return strconv.FormatFloat(short, 'f', -1, 64)
	}
	return strconv.FormatFloat(short, 'g', -1, 64)
}

// list returns the values of an axis.
func (a axis) list() []json.RawMessage {
	if a.steps == nil {
		return a.values
	}
	n, _ := a.steps.count() // checked when it was read
	out := make([]json.RawMessage, n)
	for i := range out {
		out[i] = json.RawMessage(a.steps.at(i))
	}
	return out
}

// seeds are whole numbers from 0 on.
type seeds struct{ span[uint64] }

// UnmarshalJSON implements json.Unmarshaler.
func (s *seeds) UnmarshalJSON(text []byte) error {
	if err := s.read(text); err != nil {
		return fmt.Errorf("seeds: %w", err)
	}
	whole := func(x float64) bool { return x >= 0 && x < 1<<53 && x == math.Trunc(x) }
	if r := s.steps; r != nil && !(whole(*r.From) && whole(*r.To) && whole(r.step())) {
		return errors.New("seeds: a range of seeds has whole numbers from 0 on")
	}
	return nil
}

// count returns how many seeds there are; one if none are given.
func (s *seeds) count() (int, error) {
	if s == nil {
		return 1, nil
	}
	return s.span.count()
}

// list returns the seeds; own if none are given.
func (s *seeds) list(own uint64) []uint64 {
	switch {
	case s == nil:
		return []uint64{own}
	case s.steps == nil:
		return s.values
	}
	n, _ := s.count()
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(*s.steps.From) + uint64(i)*uint64(s.steps.step())
	}
	return out
}
