package study_test

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/core/study"
)

// TestTold: a player tells each call before it makes it. A name stands for the axes that
// take their values together with it.
func TestTold(t *testing.T) {
	s, err := study.Parse([]byte(`{"v":1,"function":"f","axes":{"scale":[1,2],"system":["a","b"],"name":["one","two"]},"zip":[["system","name"]],"labels":{"scale":{"2":"twice"}},"seeds":[7]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	p := study.Player{
		Functions: study.Functions{"f": func(uint64, json.RawMessage) (map[string]float64, error) { return nil, nil }},
		Report:    func(doing string) error { told = append(told, doing); return nil },
	}
	if err := p.Play(s, study.NewResults(engine)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"scale 1, one, seed 7", "scale 1, two, seed 7", "scale twice, one, seed 7", "scale twice, two, seed 7"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
}
