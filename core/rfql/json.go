package rfql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// UnmarshalJSON reads a unit of a scenario: an object whose names are terms and
// whose values are texts or numbers.
//
//	{"CPUHourCost": 70, "EndDate": "2016-01-01", "EndTime": "06:00:00", "TotalCores": 16}
func (u *Unit) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("a unit is an object of terms, such as {\"TotalCores\": 16}")
	}
	var terms []Given
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return err
		}
		text := ""
		switch v := value.(type) {
		case string:
			text = v
		case json.Number:
			text = v.String()
		default:
			return fmt.Errorf("the term %v of a unit is neither a text nor a number", name)
		}
		if terms = append(terms, Given{Name: name.(string), Text: text}); len(terms) > 100 {
			return errors.New("a unit has more than 100 terms")
		}
	}
	parsed, problem := Parse(terms)
	if problem != nil {
		return problem
	}
	*u = parsed
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (u Unit) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, g := range u.Given() {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(g.Name)
		text := []byte(g.Text)
		t := slices.IndexFunc(Terms, func(t Term) bool { return t.Name == g.Name })
		if kind := Terms[t].Type; kind != "xs:decimal" && kind != "xs:positiveInteger" {
			text, _ = json.Marshal(g.Text)
		}
		out = append(append(append(out, name...), ':'), text...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads a price in credits: a number with up to three decimals.
func (p *Price) UnmarshalJSON(raw []byte) error {
	price, reason := parsePrice(string(raw))
	if reason != "" {
		return fmt.Errorf("the price %s %s", cut(string(raw)), reason)
	}
	*p = price
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (p Price) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }
