package board_test

import (
	"strings"
	"testing"

	"parley/core/graph"
	"parley/core/unit"
)

// fork is a graph of four subtasks of one type: the first feeds the others.
func fork() *graph.Graph {
	g, err := graph.New(
		[]graph.Vertex{{Name: "a", Type: "0", Work: 10}, {Name: "x", Type: "0", Work: 10}, {Name: "y", Type: "0", Work: 10}, {Name: "z", Type: "0", Work: 10}},
		[]graph.Arc{{From: 0, To: 1}, {From: 0, To: 2}, {From: 0, To: 3}},
	)
	if err != nil {
		panic(err)
	}
	return g
}

// TestStalled: by the paper's rule two agents take two ends of a fork and wait for its
// beginning, which nobody is left to take with the third. To the letter they wait for ever where the
// graph has no deadline, and are warned of; else the first to lose patience begins.
func TestStalled(t *testing.T) {
	for _, one := range []struct {
		settings          string
		done, stalled     int64
		deadline          unit.Time
		warned, hasMissed bool
	}{
		{settings: `{"patience_us":0}`, warned: true},
		{settings: `{"patience_us":0}`, deadline: unit.Hour, hasMissed: true},
		{settings: `{"patience_us":0,"thread_rule":"literal"}`, done: 1, warned: true}, // the first thread has the beginning
		{settings: `{"patience_us":0,"thread_rule":"ready"}`, done: 1},
		{settings: `{}`, done: 1, stalled: 1},
		{settings: `{}`, deadline: unit.Hour, done: 1, stalled: 1},
	} {
		w := listed{}
		w.machine(0, 1)
		w.machine(0, 1)
		w.post(t, 0, fork(), one.deadline, 1)
		r := w.play(t, one.settings, 2*unit.Hour)
		if err := verdict(r); err != nil {
			t.Errorf("%s: %v", one.settings, err)
		}
		if g := r.View().GraphTotals(); g.Done != one.done || (g.Missed > 0) != one.hasMissed {
			t.Errorf("%s, deadline %v: %d graphs are done and %d have missed\n%s", one.settings, one.deadline, g.Done, g.Missed, story(r))
		}
		report := r.Report()
		if report.System["stalled"] != one.stalled {
			t.Errorf("%s: %v graphs stalled", one.settings, report.System["stalled"])
		}
		if all := strings.Join(report.Warnings, "\n"); strings.Contains(all, "have no deadline") != one.warned {
			t.Errorf("%s: warned of %q", one.settings, all)
		}
	}
}
