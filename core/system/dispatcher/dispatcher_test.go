package dispatcher_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/dispatcher"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

func TestDescription(t *testing.T) {
	systemtest.Describes(t, dispatcher.Entry(), dispatcher.Default())
}

// TestConformance: tasks that no graph is made of pass it by.
func TestConformance(t *testing.T) {
	systemtest.Run(t, dispatcher.Entry(), json.RawMessage(`{"ahead":2}`), systemtest.MayWait(), systemtest.Trials(20))
}

// follower holds the independent checker to a run.
type follower struct {
	systemtest.Schedule
	err error
}

// Observe implements run.Observer.
func (f *follower) Observe(e cluster.Event) {
	if f.err == nil {
		f.err = f.Schedule.Observe(e)
	}
}

// play runs the dispatcher on 12 machines of three types, of which some fail.
func play(t *testing.T, seed int, graphs string, ahead int) *run.Run {
	t.Helper()
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"dispatcher","seed":%d,"settings":{"ahead":%d},"until":"12h","chaos":{"node_mtbf":"2h","mttr":"10m"},
		"workload":{"graphs":{"machines":[{"count":12,"types":3,"types_each":[1,3],"speed":[0.5,2],"bandwidth":[1e5,1e6]}],%s}}}`, seed, ahead, graphs))
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{}
	r, err := run.Open(s, nil, run.Watch(f))
	if err != nil {
		t.Fatal(err)
	}
	view := r.View()
	f.Schedule = systemtest.Schedule{OnePort: true, Machine: view.Worker, Graph: func(id unit.GraphID) (workload.Graph, bool) {
		g, ok := view.Graph(id)
		return g.Graph, ok
	}}
	if err := r.Advance(r.Until()); err != nil {
		t.Fatal(err)
	}
	if f.err != nil {
		t.Fatalf("seed %d: %v", seed, f.err)
	}
	return r
}

// TestSchedules: whatever fails, the schedule is one, and everything is done in the end.
func TestSchedules(t *testing.T) {
	for seed := range 10 {
		r := play(t, seed, `"generate":{"count":10,"every_s":600,"vertices":[1,40],"work":[0,60],"bytes":[0,1e6],"output":[0,1e5]}`, seed%3)
		if v := r.View().GraphTotals(); v.Arrived != 10 || v.Done != 10 {
			t.Errorf("seed %d: of %d graphs %d are done", seed, v.Arrived, v.Done)
		}
	}
}

// TestGivesUp: with deadlines that nobody can keep every graph is given up.
func TestGivesUp(t *testing.T) {
	r := play(t, 1, `"generate":{"count":10,"every_s":600,"vertices":30,"work":[60,120]},"deadline_s":60`, 1)
	if v := r.View().GraphTotals(); v.Aborted != 10 {
		t.Errorf("of 10 graphs %d are given up", v.Aborted)
	}
}
