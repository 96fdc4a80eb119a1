package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// shareDoc says that a row's figure is a share of trials, so that its exact interval counts.
type shareDoc struct {
	Of    trials  `json:"of"`              // trials of one run
	Whole float64 `json:"whole,omitempty"` // the figure where every trial hits; 0: 100, of percents
}

// trials are a number, a {name} that Each gives one to, the name of an argument or of an axis
// that is one, or the name of a figure of the same run.
type trials struct {
	number
	figure string
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *trials) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &t.figure) == nil && !strings.HasPrefix(t.figure, "{") {
		return nil
	}
	t.figure = ""
	return t.number.UnmarshalJSON(text)
}

// MarshalJSON implements json.Marshaler.
func (t trials) MarshalJSON() ([]byte, error) {
	if t.figure != "" {
		return json.Marshal(t.figure)
	}
	return t.number.MarshalJSON()
}

// JSONForm implements strict.Former.
func (t *trials) JSONForm() string { return "a number, the name of a figure, or a name in braces" }

// readShare finds the trials of a row that are the same for all runs.
func (s *Study) readShare(r *row) (err error) {
	if r.Share == nil {
		return nil
	}
	own := *r.Share
	if r.Share = &own; own.Whole == 0 {
		own.Whole = 100
	}
	switch of := &own.Of; {
	case r.Less != "" || r.Than != nil || r.Choose != nil:
		return errors.New("share stands beside no less, than, rises, falls or choose: a difference is no share")
	case !(own.Whole > 0):
		return fmt.Errorf("share.whole is %v: choose a number above 0", own.Whole)
	case of.figure == "":
		of.value, err = of.at(r.here)
		of.name = ""
	case json.Unmarshal(r.here[of.figure], &of.value) == nil || s.Argument(of.figure, &of.value):
		of.figure = ""
	default:
		of.figure, err = s.fill(of.figure, r.here)
	}
	if err == nil && own.Of.figure == "" && !(own.Of.value >= 1) {
		err = fmt.Errorf("share.of is %v: choose at least one trial, or name a figure", own.Of.value)
	}
	return err
}
