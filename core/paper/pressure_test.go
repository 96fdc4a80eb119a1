package paper_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/paper"
)

// TestPressureRows: the paper's direction and window. Up to 102 % of the work the worst minute
// of agents overloads at most 0.5 % of the nodes, beyond it more; the mean stands beside it
// and is not judged. The other policies have rows without a verdict, and rows with their differences
// from the agents, seed by seed.
func TestPressureRows(t *testing.T) {
	rows := planted(t, "negotiation/pressure.json", 3, false, func(cell asked, set func(string, float64)) {
		if set("overloaded nodes", 0.2); cell.Name == "negotiation" {
			set("overloaded nodes", 0.05)
			set("overloaded nodes, worst minute", map[float64]float64{1: 0.3, 1.1: 0.3, 1.2: 0.5, 1.3: 0.9, 1.4: 2}[cell.Scale])
		}
		if cell.Nodes != 12_500 {
			t.Errorf("%d nodes", cell.Nodes)
		}
	})
	if len(rows) != 505 {
		t.Errorf("%d rows", len(rows))
	}
	for load, want := range map[string]string{"100 %": "yes", "110 %": "no", "120 %": "open", "130 %": "yes", "140 %": "yes"} {
		r := rows["negotiation, "+load+", overloaded nodes, worst minute"]
		if judged(r) != want || (r.Note != "") != (want == "no") || *r.Paper != 0.5 {
			t.Errorf("%s: %+v", load, r)
		}
	}
	for name, r := range rows {
		if (r.Rule != "") != (strings.HasPrefix(name, "negotiation") && strings.HasSuffix(name, "%, overloaded nodes, worst minute")) {
			t.Errorf("%s is judged by %q", name, r.Rule)
		}
	}
	if r := rows["kube, tuned, soft limit less negotiation, overloaded nodes, 120 %"]; r.Measured < 0.1499 || r.Measured > 0.1501 || r.Unit != "%" {
		t.Errorf("%+v", r)
	}
}

// TestCellCalls: a cell is called with what the document says of it, and bad arguments are a
// sentence.
func TestCellCalls(t *testing.T) {
	f := paper.Functions()["negotiation/cell"]
	quiet, err := f(1, json.RawMessage(`{"name":"a","system":"central","settings":{"policy":"best-fit"},"nodes":40,"until":"25m"}`))
	if err != nil || len(quiet) != len(paper.AllFigures()) {
		t.Fatalf("%d figures: %v", len(quiet), err)
	}
	loaded, err := f(1, json.RawMessage(`{"name":"a","system":"central","settings":{"policy":"best-fit"},"nodes":40,"until":"25m","scale":1.3}`))
	if err != nil || !(loaded["memory used"] > quiet["memory used"]+3) {
		t.Errorf("with 130 %% %v are used, with 100 %% %v: %v", loaded["memory used"], quiet["memory used"], err)
	}
	other, err := f(2, json.RawMessage(`{"system":"central","settings":{"policy":"best-fit"},"nodes":40,"until":"25m"}`))
	if err != nil || other["memory used"] == quiet["memory used"] {
		t.Errorf("another seed: %v, %v", other["memory used"], err)
	}
	for arguments, want := range map[string]string{
		`{"system":"central","nodes":3}`:                                "choose 10 to",
		`{"system":"central","nods":300}`:                               `unknown field "nods"`,
		`{"system":"centre","nodes":40}`:                                "centre",
		`{"system":"central","nodes":40,"until":"5m"}`:                  "take 20m0s to settle",
		`{"system":"central","nodes":40,"settings":{"polici":"x"}}`:     "polici",
		`{"system":"central","nodes":40,"settings":{"policy":"worse"}}`: "worse",
	} {
		if _, err := f(1, json.RawMessage(arguments)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
