package cluster_test

import (
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestUsageWindows: every minute one of five groups of tasks enters its next
// window of five minutes, for one event; each task uses what its model says of
// consecutive windows, each for five minutes.
func TestUsageWindows(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	v := c.View()
	n := c.Join(1, workload.Node{Capacity: unit.Vec{100 * unit.Whole, 100 * unit.Whole}, Rack: -1, Site: -1})
	const tasks = 7000 // more than five blocks of slots
	ids := make([]unit.TaskID, tasks)
	models := make([]workload.UsageModel, tasks)
	request := unit.Vec{10_000, 10_000}
	for i := range ids {
		key := workload.Key{Job: 1, Index: uint32(i)}
		synthesis := workload.DefaultSynthesis()
		models[i] = synthesis.Model(key, workload.Batch)
		ids[i] = c.Submit(key, &workload.Task{Request: request, Usage: models[i]})
		if err := c.Place(ids[i], n, cluster.ByTotal); err != nil {
			t.Fatal(err)
		}
	}
	use := func(i int) unit.Vec {
		task, _ := v.Task(ids[i])
		return task.Usage
	}
	before := make([]unit.Vec, tasks)
	changedAt := make([]unit.Time, tasks)
	window := make([]int64, tasks)
	for i := range ids {
		before[i], changedAt[i] = use(i), -1
		for window[i] = -2; models[i].In(request, window[i]) != use(i); window[i]++ {
			if window[i] == 2 {
				t.Fatalf("task %d begins with %v, which its model never says", i, use(i))
			}
		}
	}
	if err := c.Deliver(func(cluster.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for minute := unit.Time(1); minute <= 20; minute++ {
		sweeps := 0
		for k.Step(minute*unit.Minute + 1) {
			if err := c.Deliver(func(e cluster.Event) error {
				if e.Kind != cluster.UsageSwept {
					return fmt.Errorf("a sweep caused %v", e.Kind)
				}
				sweeps++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if sweeps != 1 {
			t.Fatalf("minute %d told %d sweeps", minute, sweeps)
		}
		moved := 0
		for i := range ids {
			if use(i) == before[i] {
				continue
			}
			moved++
			before[i] = use(i)
			if window[i]++; use(i) != models[i].In(request, window[i]) {
				t.Fatalf("task %d in minute %d uses %v, not what its model says of its next window", i, minute, use(i))
			}
			if changedAt[i] >= 0 && k.Now()-changedAt[i] != workload.UsageWindow {
				t.Fatalf("task %d kept its usage for %v", i, k.Now()-changedAt[i])
			}
			changedAt[i] = k.Now()
		}
		if moved < 500 || moved > 3000 {
			t.Errorf("minute %d changed %d of %d tasks, want about a fifth", minute, moved, tasks)
		}
		if err := c.Audit(); err != nil {
			t.Fatal(err)
		}
	}
}

// A slot that is used again takes part in the sweep as its new task.
func TestUsageOfAReusedSlot(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	n := c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	old := c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{100_000, 100_000}})
	c.End(old, workload.Killed)
	again := c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{100_000, 100_000}, Usage: workload.UsageModel{Key: 9, Mean: [unit.Resources]uint16{40000, 40000}, Swing: [unit.Resources]uint16{40000, 40000}}})
	if old.Slot() != again.Slot() || old == again {
		t.Fatalf("the slot of task %x was not used again by %x under a new use", old, again)
	}
	if err := c.Place(old, n, cluster.ByUse); err != cluster.ErrGone {
		t.Fatalf("placing a task that ended answers %v", err)
	}
	if err := c.Place(again, n, cluster.ByUse); err != nil {
		t.Fatal(err)
	}
	first := c.View().Used(n)
	for k.Step(5*unit.Minute + 1) {
	}
	if c.View().Used(n) == first {
		t.Error("usage stood still for five minutes")
	}
}
