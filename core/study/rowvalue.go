package study

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// place are values of axes.
type place map[string]json.RawMessage

// number is one, or a {name} that Each gives one to.
type number struct {
	value float64
	name  string
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &n.value) == nil {
		return nil
	}
	if err := json.Unmarshal(text, &n.name); err != nil || !strings.HasPrefix(n.name, "{") {
		return fmt.Errorf(`%s is no number: write one, or a name such as "{paper}" that each has`, compact(text))
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if n.name != "" {
		return json.Marshal(n.name)
	}
	return json.Marshal(n.value)
}

// JSONForm implements strict.Former.
func (n *number) JSONForm() string { return "a number, or a name in braces" }

// each lists the repetitions of a row: the name of an axis, {"name":[values]}, or a list of
// objects whose names get values together.
type each struct {
	axis string
	list []place
	text json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler. {"name":[values]} becomes a list of one place for each value.
func (e *each) UnmarshalJSON(text []byte) error {
	e.text = slices.Clone(text)
	if json.Unmarshal(text, &e.axis) == nil || json.Unmarshal(text, &e.list) == nil && len(e.list) > 0 {
		return nil
	}
	var one map[string][]json.RawMessage
	if err := json.Unmarshal(text, &one); err != nil || len(one) != 1 {
		return fmt.Errorf(`each is %s: write the name of an axis, {"name":[values]} or a list of objects`,
			compact(text))
	}
	e.list = nil
	for name, values := range one {
		for _, v := range values {
			e.list = append(e.list, place{name: v})
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (e each) MarshalJSON() ([]byte, error) { return e.text, nil }

// JSONForm implements strict.Former.
func (e *each) JSONForm() string { return "a name, an object or a list" }

// IsZero reports for package json that nothing is repeated.
func (e each) IsZero() bool { return e.text == nil }

func (n *number) at(here place) (x float64, err error) {
	if n.name == "" {
		return n.value, nil
	}
	value := here[strings.Trim(n.name, "{}")]
	if x, err = strconv.ParseFloat(string(value), 64); err != nil {
		return 0, fmt.Errorf("%s is no number here", shorten(n.name))
	}
	return x, nil
}
