package metric_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/estimate"
	"parley/core/metric"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// taskCell is a node and an observer of its tasks.
type taskCell struct {
	kernel  *des.Kernel
	cluster *cluster.Cluster
	tasks   *metric.Tasks
}

func newTaskCell() *taskCell {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}})
	return &taskCell{k, c, metric.NewTasks(c.View())}
}

func (c *taskCell) settle() {
	if err := c.cluster.Deliver(func(e cluster.Event) error { c.tasks.Observe(e); return nil }); err != nil {
		panic(err)
	}
}

func (c *taskCell) pass(until unit.Time) {
	for c.kernel.Step(until) {
		c.settle()
	}
}

// TestTasks: figures worked out by hand. A runs at once for 100 s; B waits 100 s and runs
// 5 s (slowdown 105/10, bounded); C loses its node after 20 s, waits 10 s and runs 50 s
// again; D ends while it waits; E still runs.
func TestTasks(t *testing.T) {
	c := newTaskCell()
	if c.settle(); c.tasks.Report() != nil {
		t.Fatal("a run without tasks reports some")
	}
	submit := func(seconds int64, user uint32, class workload.PriorityClass) unit.TaskID {
		defer c.settle()
		return c.cluster.Submit(workload.Key{}, &workload.Task{User: user, Class: class, Lifetime: unit.Time(seconds) * unit.Second})
	}
	place := func(id unit.TaskID) {
		if err := c.cluster.Place(id, 0, cluster.Unchecked); err != nil {
			t.Fatal(err)
		}
		c.settle()
	}
	a, b := submit(100, 1, workload.Production), submit(5, 2, workload.Batch)
	place(a)
	c.pass(100 * unit.Second)
	place(b)
	c.pass(110 * unit.Second)
	d, e, lost := submit(1, 9, workload.Batch), submit(0, 1, workload.Batch), submit(50, 1, workload.Batch)
	place(e)
	place(lost)
	c.pass(130 * unit.Second)
	c.cluster.Leave(0)
	c.cluster.Restore(0)
	c.cluster.End(d, workload.Killed)
	c.settle()
	c.pass(140 * unit.Second)
	place(e)
	place(lost)
	c.pass(200 * unit.Second)
	r := c.tasks.Report()
	if r.Submitted != 5 || r.Ended != 3 || r.Withdrawn != 1 || len(r.ByUser) != 2 {
		t.Errorf("%+v", r)
	}
	near := func(subject string, got, want float64) {
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("%s is %v, want %v", subject, got, want)
		}
	}
	exactly := func(subject string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", subject, got, want)
		}
	}
	exactly("makespan", r.MakespanS, 190)
	exactly("mean wait", r.WaitS.Mean, (0+100+30)/3.0)
	near("median wait", r.WaitS.Median, 30)
	exactly("largest wait", r.WaitS.Max, 100)
	exactly("mean response", r.ResponseS.Mean, (100+105+80)/3.0)
	near("95th percentile of responses", r.ResponseS.P95, 105)
	exactly("mean slowdown", r.BoundedSlowdown.Mean, (1+10.5+1.6)/3)
	exactly("slowdown of production", r.ByClass["production"].BoundedSlowdown, 1)
	exactly("wait of batch", r.ByClass["batch"].WaitS, 65)
	exactly("response of user 1", r.ByUser["1"].ResponseS, 90)
	exactly("slowdown of user 2", r.ByUser["2"].BoundedSlowdown, 10.5)
}

// A class of which no task ended is not told of, rather than with means of nothing.
func TestTasksOfOneClass(t *testing.T) {
	c := newTaskCell()
	id := c.cluster.Submit(workload.Key{}, &workload.Task{Class: workload.Production, Lifetime: unit.Second})
	c.settle()
	if err := c.cluster.Place(id, 0, cluster.Unchecked); err != nil {
		t.Fatal(err)
	}
	c.pass(unit.Minute)
	if r := c.tasks.Report(); len(r.ByClass) != 1 || r.ByClass["production"].Tasks != 1 {
		t.Errorf("%+v", r.ByClass)
	}
}

// Against sorted lists of all times: what is kept instead of them is right to a
// hundredth, and sums over users and classes are those of all.
func TestTasksAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTaskCell()
		var waits []float64
		for i := range rapid.IntRange(1, 200).Draw(t, "tasks") {
			wait := unit.Time(rapid.Int64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "bits")).Draw(t, "wait"))
			id := c.cluster.Submit(workload.Key{Job: uint64(i)}, &workload.Task{User: uint32(rapid.IntRange(0, 40).Draw(t, "user")), Lifetime: unit.Second})
			c.settle()
			c.pass(c.kernel.Now() + wait)
			if err := c.cluster.Place(id, 0, cluster.Unchecked); err != nil {
				t.Fatal(err)
			}
			c.pass(c.kernel.Now() + 2*unit.Second)
			waits = append(waits, wait.Seconds())
		}
		slices.Sort(waits)
		r := c.tasks.Report()
		for subject, pair := range map[string][2]float64{
			"median": {r.WaitS.Median, estimate.Median(waits)}, "95th percentile": {r.WaitS.P95, waits[(len(waits)*95+99)/100-1]}, "most": {r.WaitS.Max, waits[len(waits)-1]},
		} {
			if math.Abs(pair[0]-pair[1]) > pair[1]/100+1e-9 {
				t.Fatalf("%s is %v, want %v", subject, pair[0], pair[1])
			}
		}
		var sum int64
		for user, share := range r.ByUser {
			if _, err := strconv.Atoi(user); err != nil && user != "others" {
				t.Fatalf("a user is called %q", user)
			}
			sum += share.Tasks
		}
		if sum != int64(len(waits)) || len(r.ByUser) > 21 || r.ByClass["batch"].Tasks != sum {
			t.Fatalf("%d tasks of users %v, classes %v", len(waits), r.ByUser, r.ByClass)
		}
	})
}
