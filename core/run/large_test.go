package run_test

import (
	"fmt"
	"testing"

	"parley/core/frame"
	"parley/core/unit"
)

// TestLargeCell plays a cell of a quarter of a million nodes, as many as a tab may
// have: sums, numbers, frame and layout hold that many. Larger ones are limited by
// memory alone.
func TestLargeCell(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a large cell takes 1.3 GB and some seconds")
	}
	const nodes = 250_000
	for system, want := range map[string]struct {
		after unit.Time
		run   int // at least
	}{
		"central":     {unit.Minute, 11 * nodes},
		"negotiation": {5 * unit.Second, nodes / 2}, // its broker places one task in 20 µs
	} {
		r := open(t, fmt.Sprintf(`{"v":1,"system":%q,"seed":7,"cluster":{"nodes":%d}}`, system, nodes))
		if err := r.Advance(want.after); err != nil {
			t.Fatal(err)
		}
		if err := r.Audit(); err != nil {
			t.Fatal(err)
		}
		total := r.View().Totals()
		if total.NodesUp != nodes || total.Running < want.run {
			t.Errorf("%s: %d nodes up, %d tasks run", system, total.NodesUp, total.Running)
		}
		var f frame.Frame
		if err := frame.Decode(r.Frame(nil), &f); err != nil || f.Cells != nodes {
			t.Errorf("%s: a frame of %d cells: %v", system, f.Cells, err)
		}
		layout := r.Layout()
		if err := layout.Check(); err != nil || len(layout.X) != nodes {
			t.Errorf("%s: a layout of %d cells: %v", system, len(layout.X), err)
		}
	}
}
