package run_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// charted plays a small cell with a chart to the 30th minute; one of its racks is down.
func charted(t *testing.T, chart string) *run.Run {
	t.Helper()
	r := open(t, fmt.Sprintf(`{"v":1,"system":"central","seed":3,"chart":%q,"cluster":{"nodes":200},"faults":[{"at":"20m","kind":"rack_down","target":"rack.1"}]}`, chart))
	advance(t, r, 30*unit.Minute)
	return r
}

// TestChart holds the chart of a formula to sums over the nodes, and a run with one to the
// run without.
func TestChart(t *testing.T) {
	plain := charted(t, "")
	view := plain.View()
	var shares []float64
	tasks, free := 0.0, 0.0
	for n := range unit.NodeID(view.Nodes()) {
		if view.Up(n) {
			shares = append(shares, float64(view.Used(n)[unit.CPU])/float64(view.Capacity(n)[unit.CPU]))
			tasks += float64(view.Count(n))
			free += float64(view.Capacity(n)[unit.CPU]-view.Used(n)[unit.CPU]) / float64(unit.Whole)
		}
	}
	if len(shares) == view.Nodes() || len(shares) == 0 {
		t.Fatalf("%d of %d nodes are up", len(shares), view.Nodes())
	}
	slices.Sort(shares)
	total := 0.0
	for _, x := range shares {
		total += x
	}
	for chart, want := range map[string]float64{
		"mean(cpu.used / cpu.capacity)": total / float64(len(shares)),
		"max(cpu.used / cpu.capacity)":  shares[len(shares)-1],
		"p95(cpu.used / cpu.capacity)":  shares[int(math.Ceil(0.95*float64(len(shares))))-1],
		"sum(tasks)":                    tasks,
		"sum(1 / (tasks - tasks))":      0,                        // finite on no node
		"sum(node / node)":              float64(len(shares)) - 1, // not on node 0, which is up
		"sum(cpu.capacity - cpu.used)":  free,
	} {
		r := charted(t, chart)
		if r.Digest() != plain.Digest() || r.Events() != plain.Events() {
			t.Errorf("%s changes the run", chart)
		}
		report := r.Report()
		if got := report.AtEnd[run.ChartColumn]; math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Errorf("%s is %v, want %v", chart, got, want)
		}
		if _, has := report.Metrics[run.ChartColumn]; !has {
			t.Errorf("%s has no mean", chart)
		}
	}
}

// TestWrongChart: what is wrong with a chart is one sentence with its place.
func TestWrongChart(t *testing.T) {
	for chart, want := range map[string]string{
		"cpu.used":            "chart: a figure of all nodes is written mean(…)",
		"median(cpu.used)":    "chart: a figure of all nodes is written mean(…)",
		"mean(cpu.usde)":      `chart: column 6: "cpu.usde" is not known: did you mean cpu.used?`,
		"max(tasks) + 1":      "chart: a figure of all nodes is written mean(…)",
		"max(tasks) + (1)":    "chart: column 10: \")\" stands where the formula should end",
		"p95(after.cpu)":      "chart: column 5: after.cpu is about a task that is placed",
		"p95(cpu.used > 0.5)": "chart: column 5: the formula is a condition",
		"mean()":              "chart: column 6: the formula is empty",
	} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","cluster":{"nodes":20}}`))
		if err != nil {
			t.Fatal(err)
		}
		s.Chart = chart
		if _, err := run.Open(s, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", chart, err, want)
		}
	}
}
