package run_test

import (
	"strings"
	"testing"

	"parley/assets"
	"parley/core/run"
	"parley/core/scenario"
)

// TestUnplayed: a scenario that another system plays keeps its name, so the run says what
// of its workload is not played; the systems of the same kind of work play all of it.
func TestUnplayed(t *testing.T) {
	text, _ := assets.Scenario("google-calm")
	for system, want := range map[string]string{
		"market": "jobs", "rounds": "loads", "yield": "", "static": "graphs", "board": "graphs", "dispatcher": "graphs", "central": "", "negotiation": "",
	} {
		s, err := scenario.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.System, s.Settings, s.Cluster.Nodes = system, nil, 20
		r, err := run.Open(s, nil)
		if err != nil {
			t.Errorf("%s: %v", system, err)
			continue
		}
		stated := strings.Join(r.Report().Warnings, "\n")
		if want != "" {
			want = "plays " + want + " only: workload.usage of the scenario, of generated tasks, is not played"
		}
		if want == "" && strings.Contains(stated, "not played") || !strings.Contains(stated, want) {
			t.Errorf("google-calm played by %s says %q, want %q", system, stated, want)
		}
	}
	for other, want := range map[string]string{
		"market": "Auction market plays jobs only: the tasks of the scenario are not played", "central": "", "negotiation": "", "nobody": "",
	} {
		if got := run.Systems().Loses(&scenario.Scenario{System: "negotiation"}, other); got != want {
			t.Errorf("of a scenario of tasks, %s says %q, want %q", other, got, want)
		}
	}
	for _, id := range assets.Scenarios() {
		text, _ := assets.Scenario(id)
		s, err := scenario.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if s.Cluster.Nodes > 200 {
			s.Cluster.Nodes = 200
		}
		r, err := run.Open(s, nil)
		if err != nil || strings.Contains(strings.Join(r.Choices(), ""), "not played") {
			t.Errorf("%s of the gallery says %q (%v)", id, r.Choices(), err)
		}
	}
}
