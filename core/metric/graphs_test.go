package metric_test

import (
	"math"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/graph"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// TestGraphs: three graphs whose figures are worked out by hand, on two machines of
// speeds 1 and 2, of which the slow one is down for a while. Each graph is a (40 s of
// work) before b (20 s), with 10 bytes at 1 byte a second between them.
//
//	0   A: a on the slow machine, done at 40, sent until 50; b on the fast one, done at
//	    60. Its ideal is 30 s.
//	60  B: a on the slow machine from 60; it goes down at 70, what it did is lost. a on
//	    the fast one from 70 to 90, b there until 100.
//	100 C: a on the fast machine until 120; given up at 125 while b is under way.
func TestGraphs(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	m := metric.NewGraphs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { m.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(until unit.Time) {
		for until *= unit.Second; k.Next() <= until; {
			k.Step(k.Next() + 1)
			settle()
		}
		k.Step(until)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		settle()
	}
	for machine, speed := range []float64{1, 2} {
		c.Join(uint64(machine), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Worker: &workload.Worker{Speed: unit.WorkOf(speed), Channel: 1}})
	}
	if settle(); m.Report(0) != nil {
		t.Fatal("a run without graphs reports some")
	}
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 40}, {Name: "b", Work: 20}}, []graph.Arc{{From: 0, To: 1, Bytes: 10}})
	must(err)
	tasks, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
	must(err)
	submit := func(user uint32, deadline unit.Time) unit.GraphID {
		id, err := c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: tasks, User: user, Deadline: deadline * unit.Second, Bonus: 7 * unit.MoneyUnit})
		must(err)
		return id
	}
	a := submit(1, 60)
	must(c.Assign(a, 0, 0))
	must(c.Assign(a, 1, 1))
	pass(40)
	must(c.Transfer(a, 0, 1))
	pass(60)
	b := submit(2, 39)
	must(c.Assign(b, 0, 0))
	pass(70)
	c.Leave(0)
	must(c.Assign(b, 0, 1))
	must(c.Assign(b, 1, 1))
	pass(100)
	d := submit(2, 0)
	must(c.Assign(d, 0, 1))
	must(c.Assign(d, 1, 1))
	pass(110)
	c.Restore(0)
	pass(125)
	must(c.Abort(d))
	pass(200)
	r := m.Report(k.Now())
	row := make([]float64, len(metric.GraphColumns()))
	if m.Measure(row); len(row) != 1 || row[0] != 1 {
		t.Errorf("%v: %v, want 1", metric.GraphColumns(), row)
	}
	near := func(subject string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v, want %v", subject, got, want)
		}
	}
	if r.Arrived != 3 || r.Done != 2 || r.Aborted != 1 || r.Open != 0 || r.Deadlines != 2 || r.Met != 1 || r.Missed != 1 || r.Subtasks != 5 || r.Lost != 1 || r.Transfers != 1 {
		t.Errorf("%+v", r)
	}
	near("makespan", r.MakespanS, 100)
	near("met", r.MetPct, 50)
	near("bonus", r.Bonus, 7)
	near("mean response", r.ResponseS.Mean, 50)
	near("mean wait", r.WaitS.Mean, 0)
	near("largest length ratio", r.LengthRatio.Max, 2)
	near("mean slowdown", r.BoundedSlowdown.Mean, (60/30.0+40/30.0)/2)
	near("user 2's response", r.ByUser["2"].ResponseS, 40)
	near("busy", r.BusyPct, 100*(40+10+10+20+10+20+5)/360.0)
	near("useful", r.UsefulPct, 100*(40+10+20+10)/360.0)
	near("megabytes", r.Transferred, 10e-6)
	if len(r.ByClass) != 1 || r.ByClass["with a deadline"].Met != 1 || r.ByUser["1"].Graphs != 1 {
		t.Errorf("classes %+v, users %+v", r.ByClass, r.ByUser)
	}
}

// TestGraphsBeginLate: the makespan counts from the first graph, not from the start of
// the run. Two of one user, each of 20 s: the first waits 10 s and meets its deadline,
// the second has none and waits 50 s.
func TestGraphsBeginLate(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	m := metric.NewGraphs(c.View())
	pass := func(until unit.Time) {
		for k.Step(until * unit.Second) {
			if err := c.Deliver(func(e cluster.Event) error { m.Observe(e); return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Worker: &workload.Worker{Speed: unit.WorkOf(1), Channel: 1}})
	pass(100)
	shape, err := graph.New([]graph.Vertex{{Name: "a", Work: 20}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := workload.NewSubtasks(shape, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ deadline, begins, ends unit.Time }{{30, 110, 150}, {0, 200, 300}} {
		id, err := c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: tasks, User: 3, Deadline: one.deadline * unit.Second, Bonus: 7 * unit.MoneyUnit})
		if err != nil {
			t.Fatal(err)
		}
		if pass(one.begins); c.Assign(id, 0, 0) != nil {
			t.Fatal("the subtask cannot be assigned")
		}
		pass(one.ends)
	}
	r := m.Report(k.Now())
	if r.MakespanS != 120 || r.Met != 1 || r.Missed != 0 || r.Bonus != 7 {
		t.Errorf("%+v", r)
	}
	if u := r.ByUser["3"]; u.Graphs != 2 || u.WaitS != 30 || u.ResponseS != 50 || u.BoundedSlowdown != 2.5 || u.Met != 1 {
		t.Errorf("of the user %+v", u)
	}
	if len(r.ByClass) != 2 || r.ByClass["with a deadline"].ResponseS != 30 || r.ByClass["without"].ResponseS != 70 {
		t.Errorf("classes %+v", r.ByClass)
	}
}

// TestDeadlinesThatHavePassed: of two graphs with one deadline of 100 s the first is done at
// 10 s and the other never, nor is a third that has 20 s. A run that ends at 50 s must not
// count the early success alone: of the graphs whose deadline has passed none was met. Nor
// must one that ends at 100 s, because the failure is noticed a microsecond later.
func TestDeadlinesThatHavePassed(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	m := metric.NewGraphs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { m.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Worker: &workload.Worker{Speed: unit.WorkUnit}})
	settle()
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 10}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, deadline := range []unit.Time{100, 100, 20} {
		id, err := c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: tasks, Deadline: deadline * unit.Second})
		if err == nil && i == 0 {
			err = c.Assign(id, 0, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		settle()
	}
	for _, at := range []struct {
		seconds           unit.Time
		met, passed, miss int64
		pct               float64
	}{{5, 0, 0, 0, 100}, {15, 1, 0, 0, 100}, {50, 1, 1, 1, 0}, {99, 1, 1, 1, 0}, {100, 1, 1, 1, 0}, {101, 1, 3, 2, 100. / 3}} {
		for until := at.seconds * unit.Second; k.Now() < until; {
			k.Step(min(until, k.Next()+1))
			settle()
		}
		r := m.Report(k.Now())
		if r.Met != at.met || r.Passed != at.passed || r.Missed != at.miss || r.MetPct != at.pct {
			t.Errorf("at %d s: met %d, passed %d, missed %d, %v %%; want %+v", at.seconds, r.Met, r.Passed, r.Missed, r.MetPct, at)
		}
	}
}
