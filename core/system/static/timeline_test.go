package static_test

import (
	"fmt"
	"math"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// intents returns what a timeline plans: where, from when and for how long, in seconds.
func intents(t *testing.T, r *run.Run) (planned, played map[string]int) {
	t.Helper()
	events, whole := r.Timeline()
	if !whole {
		t.Fatal("the timeline was cut")
	}
	planned, played = map[string]int{}, map[string]int{}
	began := map[unit.NodeID]float64{}
	last := 0.0
	key := func(node unit.NodeID, begin, length float64) string {
		return fmt.Sprintf("node %d from %.3f s for %.3f s", node, math.Abs(begin), length)
	}
	for i, e := range events {
		switch e.Kind {
		case cluster.SubtaskAssigned:
			last = e.At.Seconds() + e.Value
			if next := events[i+1]; next.Kind != cluster.SubtaskReady || next.Node != e.Node || next.Group != e.Group {
				t.Errorf("%+v is followed by %+v", e, next)
			}
		case cluster.SubtaskReady:
			planned[key(e.Node, last, e.Value)]++
		case cluster.ChunkStarted:
			began[e.Node] = e.At.Seconds()
		case cluster.ChunkDone:
			played[key(e.Node, began[e.Node], e.At.Seconds()-began[e.Node])]++
		}
	}
	return planned, played
}

// TestPlannedBesidePlayed: without contention a graph that is alone is played as its
// timeline says that it was planned, each subtask at its time on its machine.
func TestPlannedBesidePlayed(t *testing.T) {
	workload := costs("14 16 9\n13 19 18\n11 13 19\n13 8 17\n12 13 10\n13 16 9\n7 15 11\n5 11 14\n18 12 20\n21 7 16",
		"1-2 18 1-3 12 1-4 9 1-5 11 1-6 14 2-8 19 2-9 16 3-7 23 4-8 27 4-9 23 5-9 13 6-8 15 7-10 17 8-10 11 9-10 13")
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"static","cluster":{"physical":{"transfers":"contention-free"}},"workload":{"graphs":%s},"until":"10h"}`, workload))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil, run.KeepNotes(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(unit.Time(s.Until)); err != nil {
		t.Fatal(err)
	}
	planned, played := intents(t, r)
	if len(planned) != 10 {
		t.Errorf("%d subtasks are planned", len(planned))
	}
	for one, n := range planned {
		if played[one] != n {
			t.Errorf("%s is planned and not played; played are %v", one, played)
		}
	}
}

// TestAnotherPlanVoidsTheFirst: what a machine lost is planned again from that moment on.
func TestAnotherPlanVoidsTheFirst(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"static","workload":{"graphs":{"machines":[{"count":2,"speed":1,"bandwidth":0}],"list":[{"tasks":[{"name":"a","work":10},{"name":"b","work":10},{"name":"c","work":10},{"name":"d","work":10}],"arcs":[]}]}},
		"faults":[{"at":"5s","kind":"node_down","target":"node.1"}],"until":"10m"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil, run.KeepNotes(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(unit.Time(s.Until)); err != nil {
		t.Fatal(err)
	}
	events, _ := r.Timeline()
	voids, planned := []unit.Time{}, 0
	for _, e := range events {
		switch e.Kind {
		case cluster.SubtaskWithdrawn:
			voids = append(voids, e.At)
		case cluster.SubtaskAssigned:
			planned++
			if e.At > 0 && e.Node != 0 {
				t.Errorf("%+v is planned on a machine that is down", e)
			}
		}
	}
	if len(voids) != 2 || voids[0] != 0 || voids[1] != 5*unit.Second || planned != 4+3 {
		t.Errorf("plans begin at %v, and %d subtasks are planned", voids, planned)
	}
}
