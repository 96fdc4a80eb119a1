package study_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/core/study"
)

// functions are "line": y is a times x and a hundredth of the seed more, z twice that, w is
// x alone, and few has no value where x is 0. All hit, of 10 trials and x more.
var functions = study.Functions{"line": func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	var with struct {
		X float64 `json:"x"`
		A float64 `json:"a"`
		B struct {
			C string `json:"c"`
		} `json:"b"`
	}
	if err := json.Unmarshal(arguments, &with); err != nil {
		return nil, err
	}
	if with.B.C == "fail" {
		return nil, errors.New("it was told to")
	}
	y := with.A*with.X + float64(seed)/100
	few := with.X
	if few == 0 {
		few = math.NaN()
	}
	return map[string]float64{"y": y, "z": 2 * y, "w": with.X, "few": few, "back": -with.X, "hit": 100, "trials": 10 + with.X}, nil
}}

// judge plays a study of line and prints its rows.
func judge(s *study.Study) (string, error) {
	have := study.NewResults(engine)
	if err := (study.Player{Functions: functions}).Play(s, have); err != nil {
		return "", err
	}
	rows, err := s.Judge(have)
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s: %.4g ± %.4g %s", r.Name, r.Measured, r.Spread, r.Unit)
		if r.Trials > 0 && r.Interval != nil {
			fmt.Fprintf(&b, ", of %d %.4g … %.4g", r.Trials, r.Interval.Low, r.Interval.High)
		}
		if r.Paper != nil {
			fmt.Fprintf(&b, ", paper %v", *r.Paper)
		}
		fmt.Fprintf(&b, ": %s (%s) %s\n", strings.Replace(r.Verdict(), "–", "nothing claimed", 1)+r.Method, r.Rule, r.Note)
	}
	return b.String(), err
}

// TestStopAndGoOn: a study that is stopped keeps what is done, goes on from there, and calls
// nothing twice; what comes of it is the same.
func TestStopAndGoOn(t *testing.T) {
	const doc = `{"v":1,"function":"line","arguments":{"a":3},"axes":{"x":[0,1,2]},"seeds":{"from":1,"to":4},"rows":[{"each":"x","name":"y at {x}","figure":"y"}]}`
	s, err := study.Parse([]byte(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	have, kept, told := study.NewResults(engine), []study.Result{}, 0
	stop := errors.New("stop")
	p := study.Player{
		Functions: functions,
		Keep:      func(r study.Result) error { kept = append(kept, r); return nil },
		Report: func(doing string) error {
			if told++; told == 6 {
				return stop
			}
			return nil
		},
	}
	if err := p.Play(s, have); !errors.Is(err, stop) || have.Len() != 5 || len(kept) != 5 {
		t.Fatalf("%v after %d results, %d kept", err, have.Len(), len(kept))
	}
	again := study.NewResults(engine)
	for _, r := range kept {
		line, err := r.Line()
		if err == nil {
			_, err = again.Read("kept", strings.NewReader(string(line)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Report = func(string) error { told++; return nil }
	if err := p.Play(s, again); err != nil || again.Len() != 12 || told != 6+7 {
		t.Fatalf("%v, %d results, told %d times", err, again.Len(), told)
	}
	rows, err := s.Judge(again)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := judge(s)
	if err != nil || len(rows) != 3 || !strings.Contains(whole, fmt.Sprintf("y at 2: %.4g", rows[2].Measured)) {
		t.Errorf("%v: %v\n%s", err, rows, whole)
	}
}

// TestWith: other seeds and arguments make other runs; the rest of the document stays.
func TestWith(t *testing.T) {
	s, err := study.Parse([]byte(`{"v":1,"function":"line","arguments":{"a":3,"x":1},"rows":[{"name":"y","figure":"y","claim":{"near":5.01,"tolerance":0.5,"reason":"why"}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.With(2, map[string]json.RawMessage{"a": json.RawMessage("5")})
	if err != nil {
		t.Fatal(err)
	}
	if before, _ := judge(s); !strings.HasPrefix(before, "y: 3.01 ± 0") {
		t.Error(before)
	}
	if after, _ := judge(other); !strings.HasPrefix(after, "y: 5.015 ± 0.007071 , paper 5.01: holds") {
		t.Error(after)
	}
}
