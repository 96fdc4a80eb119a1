package run_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"parley/core/run"
	"parley/core/unit"
)

// TestReport: the fields that scripts rely on are there, and agree with the
// cluster.
func TestReport(t *testing.T) {
	for _, id := range systems {
		r := open(t, fmt.Sprintf(`{"v":1,"system":%q,"cluster":{"nodes":50},"until":"20m"}`, id))
		advance(t, r, unit.Forever)
		raw, err := json.Marshal(r.Report())
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Engine, Digest string
			SimulatedS     float64 `json:"simulated_s"`
			Events         uint64
			Metrics        map[string]float64
			System         map[string]any
			Warnings       []string
		}
		if err := json.Unmarshal(raw, &told); err != nil {
			t.Fatal(err)
		}
		totals := r.View().Totals()
		if told.Engine != run.Engine || told.Digest != r.Digest().String() || told.SimulatedS != 1200 || told.Events != r.Events() || told.Warnings == nil {
			t.Errorf("%s reports %s", id, raw)
		}
		classes := 0.0
		for _, name := range []string{"sta_pct", "ta_pct", "pa_pct", "da_pct"} {
			classes += told.System[name].(float64)
		}
		if classes < 99.99 || classes > 100.01 {
			t.Errorf("%s: the four classes add up to %v %%", id, classes)
		}
		want := map[string]float64{
			"tasks_submitted": float64(totals.Submitted), "tasks_waiting": float64(totals.Waiting), "tasks_placed": float64(totals.Placements),
			"migrations": float64(totals.Migrations), "migrations_forced": float64(totals.Forced), "placements_forced": float64(totals.ForcedPlacements),
		}
		names := []string{"idle_pct", "overloaded_pct", "migration_mb", "rus_breaches_per_min"}
		if id == "negotiation" {
			names = append(names, "migration_attempts", "migration_rejected", "messages")
		}
		for name, value := range want {
			if told.System[name] != value {
				t.Errorf("%s: %s is %v, want %v", id, name, told.System[name], value)
			}
		}
		for _, name := range names {
			if _, ok := told.System[name].(float64); !ok {
				t.Errorf("%s: %s is %v", id, name, told.System[name])
			}
		}
	}
}

// TestCountsAreNotMeans: of a column that counts from the beginning of a run, the report has the
// latest count and not the mean over time.
func TestCountsAreNotMeans(t *testing.T) {
	counted := 0
	for _, file := range []string{"market-auction", "board-ready"} {
		document, err := os.ReadFile("../../assets/scenarios/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, string(document))
		advance(t, r, 20*unit.Minute)
		report := r.Report()
		for _, c := range r.Table().Columns() {
			value, is := report.Metrics[c.ID]
			if own, of := report.System[c.ID].(float64); of {
				value, is = own, true
			}
			if !c.SoFar() || !is {
				continue
			}
			if value != report.AtEnd[c.ID] || value != math.Trunc(value) {
				t.Errorf("%s: %s is %v, and %v at the end", file, c.ID, value, report.AtEnd[c.ID])
			}
			if value > 0 {
				counted++
			}
		}
	}
	if counted < 2 {
		t.Errorf("%d columns counted anything", counted)
	}
}
