package study_test

import (
	"testing"

	"parley/core/scenario"
	"parley/core/study"
)

// TestBeside: scenarios stand side by side with the same seeds, each with what it differs by
// from the first, seed by seed.
func TestBeside(t *testing.T) {
	var sides []*scenario.Scenario
	for _, doc := range []string{`{"v":1,"system":"central","cluster":{"nodes":100}}`, `{"v":1,"system":"negotiation","cluster":{"nodes":150}}`, `{"v":1,"system":"central","cluster":{"nodes":80}}`} {
		s, err := scenario.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, s)
	}
	s := study.Beside(sides, []uint64{4, 7})
	have := study.NewResults(engine)
	runs, err := finish(s, have, study.Shard{Of: 1}, 100)
	if err != nil || len(runs) != 6 || runs[3].Scenario.System != "negotiation" || runs[3].Seed != 7 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	if r, err := s.Run(1, 7, engine); err != nil || r.ID != runs[3].ID {
		t.Errorf("%v %v", r, err)
	}
	tab, err := s.Tabulate(have)
	if err != nil || len(tab.Rows) != 3 || len(tab.Rows[0].Differences) != 0 {
		t.Fatalf("%+v: %v", tab, err)
	}
	for i, want := range []float64{100, 150, 80} {
		f, _ := study.Find(tab.Rows[i].Figures, "nodes")
		d, differs := study.Find(tab.Rows[i].Differences, "nodes")
		if f.Mean != want || f.N != 2 || differs != (i > 0) || i > 0 && (d.Mean != want-100 || d.N != 2) {
			t.Errorf("%d: %+v %+v", i, f, d)
		}
	}
}
