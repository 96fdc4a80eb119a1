package systemtest_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/graph"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

// played is a short schedule as a cluster plays it: two subtasks on node 0, a third
// that needs both on node 1.
func played(t *testing.T) (events []cluster.Event, check func([]cluster.Event) error) {
	g, err := graph.New(
		[]graph.Vertex{{Name: "a", Work: 2}, {Name: "b", Work: 3}, {Name: "c", Work: 4, Type: "x"}},
		[]graph.Arc{{From: 0, To: 2, Bytes: 5}, {From: 1, To: 2, Bytes: 6}},
	)
	if err != nil {
		t.Fatal(err)
	}
	kinds := func(name string) workload.SubtaskType { return workload.SubtaskType(len(name)) }
	s, err := workload.NewSubtasks(g, kinds, []workload.GraphArc{{From: 2, To: workload.Home, Bytes: 7}})
	if err != nil {
		t.Fatal(err)
	}
	k := des.New()
	physical := cluster.Default()
	c := cluster.New(physical, k)
	for n, speeds := range [][]unit.Work{{unit.WorkUnit}, {unit.WorkUnit, unit.WorkUnit}} {
		c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Worker: &workload.Worker{Speeds: speeds, Channel: 1}})
	}
	job := &workload.Graph{Subtasks: s, Deadline: unit.Minute, Bonus: 100}
	id, err := c.SubmitGraph(workload.Key{Job: 1}, job)
	if err != nil {
		t.Fatal(err)
	}
	act := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	act(c.Assign(id, 0, 0))
	act(c.Assign(id, 1, 0))
	act(c.Assign(id, 2, 1))
	collect := func() {
		_ = c.Deliver(func(e cluster.Event) error {
			events = append(events, e)
			if e.Kind == cluster.SubtaskFinished {
				first, _ := s.Out(e.Subtask())
				to := unit.NodeID(1)
				if e.Subtask() == 2 {
					to = unit.NoNode
				}
				act(c.Transfer(id, first, to))
			}
			return nil
		})
	}
	collect()
	for k.Step(unit.Minute) {
		collect()
	}
	machines := []workload.Worker{}
	for n := range unit.NodeID(2) {
		w, _ := c.View().Worker(n)
		machines = append(machines, w)
	}
	return events, func(events []cluster.Event) error {
		check := systemtest.Schedule{
			Graph:   func(unit.GraphID) (workload.Graph, bool) { return *job, true },
			Machine: func(n unit.NodeID) (workload.Worker, bool) { return machines[n], true }, OnePort: true,
		}
		for _, e := range events {
			if err := check.Observe(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestScheduleCatches plants one fault of each kind into a schedule that is right.
func TestScheduleCatches(t *testing.T) {
	good, check := played(t)
	if err := check(good); err != nil {
		t.Fatal(err)
	}
	if good[len(good)-1].Kind != cluster.GraphDone {
		t.Fatalf("the schedule ends with %v", good[len(good)-1])
	}
	find := func(k cluster.Kind, number int64) int {
		return slices.IndexFunc(good, func(e cluster.Event) bool { return e.Kind == k && e.Amount == number })
	}
	for name, plant := range map[string]struct {
		at     int
		change func(*cluster.Event)
		says   string
	}{
		"another node":         {find(cluster.SubtaskStarted, 2), func(e *cluster.Event) { e.Node = 0 }, "cannot do"},
		"no input":             {find(cluster.TransferEnded, 1), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "without the result"},
		"too fast":             {find(cluster.SubtaskFinished, 2), func(e *cluster.Event) { e.At -= unit.Second }, "but needs"},
		"a fast transfer":      {find(cluster.TransferEnded, 0), func(e *cluster.Event) { e.At -= unit.Second }, "but needs"},
		"two at once":          {find(cluster.SubtaskFinished, 0), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "busy true"},
		"two on a channel":     {find(cluster.TransferEnded, 0), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "while the channel"},
		"never computed":       {find(cluster.SubtaskStarted, 1), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "not computed there"},
		"from where it is not": {find(cluster.TransferBegan, 0), func(e *cluster.Event) { e.Other = 1 }, "does not lie there"},
		"not home":             {find(cluster.TransferEnded, 2), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "is not home"},
		"not done":             {find(cluster.SubtaskFinished, 2), func(e *cluster.Event) { e.Kind = cluster.UsageSwept }, "does not lie there"},
		"a wrong judgement":    {len(good) - 1, func(e *cluster.Event) { e.Detail = 1 }, "is said to be late"},
		"late after all":       {len(good) - 1, func(e *cluster.Event) { e.At += unit.Hour }, "is said to be late"},
		"a stranger":           {find(cluster.SubtaskStarted, 0), func(e *cluster.Event) { e.Task++ }, "unknown"},
	} {
		if plant.at < 0 {
			t.Errorf("%s: there is no such event", name)
			continue
		}
		bad := slices.Clone(good)
		plant.change(&bad[plant.at])
		if err := check(bad); err == nil || !strings.Contains(err.Error(), plant.says) {
			t.Errorf("%s: the checker says %v, not %q", name, err, plant.says)
		}
	}
}
