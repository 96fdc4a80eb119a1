package cluster_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
	usage, _ := workload.PresetUsage(workload.CalmUsage)
	synthesis, err := workload.NewSynthesis(usage, 1)
	if err != nil {
		t.Fatal(err)
	}
	const tasks = 7000 // more than five blocks of slots
	ids := make([]unit.TaskID, tasks)
	models := make([]workload.UsageModel, tasks)
	request := unit.Vec{10_000, 10_000}
	for i := range ids {
		key := workload.Key{Job: 1, Index: uint32(i)}
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

// TestMovingUsage: what tasks that move use is what their models say of the window,
// to the bit, however many share a job, whichever came first, ended, was measured
// or changed its class; all of them change at the same moments, every five minutes.
func TestMovingUsage(t *testing.T) {
	synthesis, err := workload.NewSynthesis(workload.DefaultUsage(), 7)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		v := c.View()
		n := c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
		type one struct {
			id       unit.TaskID
			model    workload.UsageModel
			request  unit.Vec
			measured unit.Vec
		}
		var tasks []one
		submit := func() {
			key := workload.Key{Job: rapid.Uint64Range(0, 4).Draw(t, "job"), Index: rapid.Uint32().Draw(t, "index")}
			class := workload.PriorityClass(rapid.IntRange(0, 1).Draw(t, "class"))
			a := one{model: synthesis.Model(key, class), request: unit.Vec{rapid.Custom(share).Draw(t, "cpu"), rapid.Custom(share).Draw(t, "memory")}}
			if rapid.IntRange(0, 4).Draw(t, "calm") == 0 {
				a.model = workload.UsageModel{Key: key.Job, Mean: a.model.Mean} // does not swing
			}
			a.id = c.Submit(key, &workload.Task{Class: class, Request: a.request, Usage: a.model})
			if rapid.IntRange(0, 4).Draw(t, "waits") > 0 {
				if err := c.Place(a.id, n, cluster.Unchecked); err != nil {
					t.Fatal(err)
				}
			}
			tasks = append(tasks, a)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := -1
			if len(tasks) > 0 {
				at = rapid.IntRange(0, len(tasks)-1).Draw(t, "task")
			}
			switch action := rapid.IntRange(0, 9).Draw(t, "action"); {
			case action < 3 || at < 0:
				submit()
			case action == 3:
				c.End(tasks[at].id, workload.Killed)
				tasks = slices.Delete(tasks, at, at+1)
			case action == 4:
				tasks[at].measured, tasks[at].model.Measured = unit.Vec{3, 4}, true
				c.Measure(tasks[at].id, tasks[at].measured)
			case action == 5:
				tasks[at].request = unit.Vec{rapid.Custom(share).Draw(t, "cpu"), rapid.Custom(share).Draw(t, "memory")}
				c.Change(tasks[at].id, &workload.Task{Class: workload.Production, Request: tasks[at].request})
			default:
				until := k.Now() + unit.Time(rapid.Int64Range(1, int64(20*unit.Minute)).Draw(t, "span"))
				if until%workload.UsageWindow == 0 {
					until++ // the sweep of this moment is still to come
				}
				for k.Step(until) {
				}
			}
			var sum unit.Vec
			for i := range tasks {
				task, _ := v.Task(tasks[i].id)
				want := tasks[i].model.In(tasks[i].request, int64(k.Now()/workload.UsageWindow))
				switch {
				case tasks[i].model.Measured:
					want = tasks[i].measured
				case task.State == cluster.Waiting:
					want = tasks[i].model.Average(tasks[i].request)
				}
				if task.State == cluster.Running {
					sum = sum.Add(want)
				}
				if task.Usage != want {
					t.Fatalf("task %d uses %v at %v, its model says %v", i, task.Usage, k.Now(), want)
				}
			}
			if v.Used(n) != sum {
				t.Fatalf("the node uses %v, its tasks %v", v.Used(n), sum)
			}
			if err := c.Audit(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func share(t *rapid.T) unit.Share { return unit.Share(rapid.Int32Range(0, 100_000).Draw(t, "share")) }

// BenchmarkSweep is what a window costs a task in the cluster, of jobs as in the
// generated cell: with calm tasks a fifth of them every minute, with tasks that
// move all of them every five.
func BenchmarkSweep(b *testing.B) {
	for _, name := range []string{workload.CalmUsage, workload.MovingUsage} {
		b.Run(name, func(b *testing.B) {
			g := workload.DefaultGenerated()
			g.Usage, _ = workload.PresetUsage(name)
			source, err := g.New(1)
			if err != nil {
				b.Fatal(err)
			}
			k := des.New()
			c := cluster.New(cluster.Default(), k)
			var r workload.Record
			tasks := 0
			for r.At == 0 {
				if err := source.Next(&r); err != nil {
					b.Fatal(err)
				}
				switch r.Kind {
				case workload.NodeJoins:
					c.Join(r.Machine, r.Node)
				case workload.TaskArrives:
					r.Task.Lifetime = 0
					if err := c.Place(c.Submit(r.Key, &r.Task), unit.NodeID(tasks%g.Nodes), cluster.Unchecked); err != nil {
						b.Fatal(err)
					}
					tasks++
				}
			}
			for b.Loop() {
				for until := k.Now() + workload.UsageWindow; k.Step(until); {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tasks), "ns/task-window")
		})
	}
}
