package system

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// Setting describes one setting of a system: its meaning and its range. A system describes its
// Settings once, in a method that also holds each value: the defaults give the description, and
// Check checks a scenario's values.
//
//	{ID: "brokers", Name: "Brokers", Value: s.Brokers, Range: Between(1, 64), About: "broker agents"}
type Setting struct {
	ID      string   `json:"id"`              // its path in the settings document: "later.quota"
	Name    string   `json:"name"`            // as a form spells it
	About   string   `json:"about"`           // its meaning, in one sentence or half of one
	Unit    string   `json:"unit,omitempty"`  // "MB", "µs"; empty: a plain number, or none
	Group   string   `json:"group,omitempty"` // its heading; empty: the settings that are tried most
	Value   any      `json:"default"`         // a bool, a text, a whole number, a unit.Time or a float64
	Whole   bool     `json:"whole,omitempty"` // only whole numbers are taken
	Range   *Range   `json:"range,omitempty"` // of a number
	Choices []string `json:"choices,omitempty"`
	// For is the work that a choice is for, if that is not all that the system schedules.
	For map[string]workload.Shape `json:"for,omitempty"`
	// Devices are the choices that need nodes with devices, such as GPUs.
	Devices []string `json:"devices,omitempty"`
	// Recorded are the choices that replay recorded placements.
	Recorded []string  `json:"recorded,omitempty"`
	Stops    []float64 `json:"stops,omitempty"` // values worth trying, lowest first: a form shows a slider
	// Formula is which formula a text is: "where", a condition of nodes; "score", a number of
	// nodes; "order", a number of jobs. The policy that reads it has the name of the ID's
	// first part.
	Formula string `json:"formula,omitempty"`
}

// Range is the allowed range of a number: from Min to Max, both included unless Above or Below
// is set, and also 0 if Zero is set.
type Range struct {
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Above bool    `json:"above,omitempty"` // above Min
	Below bool    `json:"below,omitempty"` // below Max
	Zero  bool    `json:"zero,omitempty"`  // or 0, below Min
}

// Between returns the range from low to high, both included.
func Between(low, high float64) *Range { return &Range{Min: low, Max: high} }

// Until returns the range from low up to high, which it excludes.
func Until(low, high float64) *Range { return &Range{Min: low, Max: high, Below: true} }

// Over returns the range above low, up to high.
func Over(low, high float64) *Range { return &Range{Min: low, Max: high, Above: true} }

// ZeroOr returns the range of 0 (off) and the numbers from low to high.
func ZeroOr(low, high float64) *Range { return &Range{Min: low, Max: high, Zero: true} }

// Holds reports whether x is in the range.
func (r *Range) Holds(x float64) bool {
	if r.Zero && x == 0 {
		return true
	}
	return x >= r.Min && x <= r.Max && !(r.Above && x == r.Min) && !(r.Below && x == r.Max)
}

// String returns the allowed values: "1 to 64", "0 or more, below 1".
func (r *Range) String() string {
	minimum, largest := decimal(r.Min), decimal(r.Max)
	switch {
	case r.Above && r.Below:
		return "above " + minimum + ", below " + largest
	case r.Above:
		return "above " + minimum + ", up to " + largest
	case r.Below:
		return minimum + " or more, below " + largest
	case r.Zero:
		return "0, or " + minimum + " to " + largest
	}
	return minimum + " to " + largest
}

// Describe completes settings with Whole and Unit, which follow from the types of their values.
func Describe(settings ...Setting) []Setting {
	for i := range settings {
		s := &settings[i]
		kind := reflect.TypeOf(s.Value).Kind()
		s.Whole = kind >= reflect.Int && kind <= reflect.Uint64
		if _, isTime := s.Value.(unit.Time); isTime {
			s.Unit = "µs"
		}
	}
	return settings
}

// Defaults returns the settings document with every default written out; a dot in the ID of a setting is
// a level of the document.
func (d Description) Defaults() json.RawMessage {
	tree := map[string]any{}
	for _, s := range d.Settings {
		path, branch := strings.Split(s.ID, "."), tree
		for _, name := range path[:len(path)-1] {
			inner, ok := branch[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				branch[name] = inner
			}
			branch = inner
		}
		branch[path[len(path)-1]] = s.Value
	}
	document, err := json.Marshal(tree)
	if err != nil {
		panic("system: " + err.Error()) // values are texts, bools and numbers of the program itself
	}
	return document
}

// Check returns one sentence about the first setting whose value is not one
// that its description allows, or nil.
func Check(settings []Setting) error {
	for _, s := range settings {
		if text, isText := s.Value.(string); isText && s.Choices != nil && !slices.Contains(s.Choices, text) {
			return fmt.Errorf("settings: %s is %q: choose one of %s", s.ID, text, strings.Join(s.Choices, ", "))
		}
		if x, isNumber := asNumber(s.Value); isNumber && s.Range != nil && !s.Range.Holds(x) {
			return fmt.Errorf("settings: %s is %s: choose %s", s.ID, decimal(x), s.Allowed())
		}
	}
	return nil
}

// Allowed returns in words which values are allowed, if the description limits them.
func (s Setting) Allowed() string {
	if s.Range == nil {
		if _, isSwitch := s.Value.(bool); isSwitch {
			return "true or false"
		}
		return strings.Join(s.Choices, ", ")
	}
	words := s.Range.String()
	if s.Unit != "" {
		words += " " + s.Unit
	}
	if _, isTime := s.Value.(unit.Time); isTime {
		words += fmt.Sprintf(", %v to %v", unit.Time(s.Range.Min), unit.Time(s.Range.Max))
	}
	return words
}

// in returns the setting's value in a settings document, or the default if the document omits it.
func (s Setting) in(document json.RawMessage) any {
	rest := document
	for _, name := range strings.Split(s.ID, ".") {
		var fields map[string]json.RawMessage
		if json.Unmarshal(rest, &fields) != nil || fields[name] == nil {
			return s.Value
		}
		rest = fields[name]
	}
	var value any
	if json.Unmarshal(rest, &value) != nil || value == nil {
		return s.Value
	}
	return value
}

// asNumber returns a setting's value as a number, if it is one.
func asNumber(value any) (float64, bool) {
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// Decimal writes a number of a description in full: no exponent but for huge ones.
func Decimal(value any) string {
	x, ok := asNumber(value)
	if !ok {
		return fmt.Sprint(value)
	}
	return decimal(x)
}

func decimal(x float64) string {
	if math.Abs(x) >= 1e15 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
