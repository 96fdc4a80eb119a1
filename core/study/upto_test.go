package study_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/study"
)

// TestUpTo: values above the number go, with what is linked with them and the rows about
// them; a claim is made only if what it supposes is so.
func TestUpTo(t *testing.T) {
	s, err := study.Parse([]byte(`{"v":1,"function":"f","axes":{"size":[1,10,100],"time":["a","b","c"],"k":[1,2]},"zip":[["size","time"]],"seeds":{"from":1,"to":3},
		"rows":[{"each":{"size":[1,10]},"rows":[{"each":"k","name":"{size} {k}","figure":"x","given":{"figure":"y","at_least":5,"note":"y is {mean}","otherwise":"y is low"},"claim":{"at_least":0},"why":"so"}]},
			{"each":[{"size":100}],"rows":[{"each":"k","name":"{size} {k}","figure":"x"}]}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := study.Functions{"f": func(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
		var a struct {
			Size float64
			Time string
			K    float64
		}
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		if want := map[float64]string{1: "a", 10: "b", 100: "c"}[a.Size]; a.Time != want {
			t.Errorf("size %v is played with %q, not %q", a.Size, a.Time, want)
		}
		return map[string]float64{"x": -a.Size, "y": 2.4 * a.K}, nil
	}}
	for limit, want := range map[float64]string{100: "1 1, 1 2, 10 1, 10 2, 100 1, 100 2", 99: "1 1, 1 2, 10 1, 10 2", 10: "1 1, 1 2, 10 1, 10 2", 9: "1 1, 1 2"} {
		part, err := s.UpTo("size", limit)
		if err != nil {
			t.Fatal(err)
		}
		have := study.NewResults("test")
		if err := (study.Player{Functions: f}).Play(part, have); err != nil {
			t.Fatal(err)
		}
		rows, err := part.Judge(have)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range rows {
			names = append(names, r.Name)
			note := map[bool]string{true: "y is 2; y is low", false: "y is 5; y is low"}[strings.HasSuffix(r.Name, " 1")]
			if strings.HasPrefix(r.Name, "100") {
				note = ""
			}
			if r.Note != note || r.Rule != "" || r.Holds != nil {
				t.Errorf("%+v, want the note %q", r, note)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("at most %v: %s, want %s", limit, got, want)
		}
	}
	if _, err := s.UpTo("size", 0.5); err == nil || err.Error() != "size begins with 1, so it cannot be at most 0.5" {
		t.Error(err)
	}
	if same, err := s.UpTo("none", 1); same != s || err != nil {
		t.Error("a study without the axis is another", err)
	}
}

// TestGivenHolds: a claim is made where the mean of the other figure is just as large.
func TestGivenHolds(t *testing.T) {
	for y, note := range map[float64]string{4.9: "", 5: "so", 5.1: "so"} {
		s, err := study.Parse([]byte(`{"v":1,"function":"f","seeds":{"from":1,"to":3},"rows":[{"name":"x","figure":"x","given":{"figure":"y","at_least":5},"claim":{"at_least":0},"why":"so"}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		have := study.NewResults("test")
		f := study.Functions{"f": func(seed uint64, _ json.RawMessage) (map[string]float64, error) {
			return map[string]float64{"x": -1 - float64(seed)/1000, "y": y}, nil
		}}
		if err := (study.Player{Functions: f}).Play(s, have); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Judge(have)
		if err != nil || len(rows) != 1 || rows[0].Note != note || (rows[0].Holds != nil) != (note != "") {
			t.Errorf("y is %v: %+v (%v)", y, rows, err)
		}
	}
	if _, err := study.Parse([]byte(`{"v":1,"function":"f","rows":[{"name":"x","figure":"x","given":{"figure":"y","at_least":5}}]}`), nil); err == nil || !strings.Contains(err.Error(), "given names a figure") {
		t.Error(err)
	}
}
