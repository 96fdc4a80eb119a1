package metric_test

import (
	"math"
	"slices"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// TestJobs: four jobs whose figures are worked out by hand. A runs at once for 100 s;
// B waits 100 s and runs 5 s (slowdown 105/10, bounded); C loses its node after 20 s,
// waits, and runs 50 s again; D is withdrawn while it waits and does not count.
func TestJobs(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(until unit.Time) {
		for k.Next() <= until {
			k.Step(k.Next() + 1)
			settle()
		}
		k.Step(until)
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 4})
	if settle(); j.Report() != nil {
		t.Fatal("a run without jobs reports some")
	}
	submit := func(processors int32, run, estimate unit.Time, user uint32, queue int32, deadline unit.Time) unit.JobID {
		return c.SubmitJob(workload.Key{}, &workload.Job{Processors: processors, Run: run * unit.Second, Estimate: estimate * unit.Second, User: user, Queue: queue, Deadline: deadline * unit.Second})
	}
	place := func(id unit.JobID, processors int32) {
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: processors}}); err != nil {
			t.Fatal(err)
		}
		settle()
	}
	a, b := submit(4, 100, 200, 1, 0, 100), submit(2, 9, 5, 2, 3, 1000)
	place(a, 4)
	pass(100 * unit.Second)
	place(b, 2)
	pass(110 * unit.Second)
	d := submit(1, 1, 1, 9, -1, 0)
	e := submit(1, 50, 50, 1, -1, 79)
	place(e, 1)
	pass(130 * unit.Second)
	c.Leave(0)
	c.Restore(0)
	c.EndJob(d, workload.Killed)
	settle()
	pass(140 * unit.Second)
	place(e, 1)
	pass(200 * unit.Second)
	r := j.Report()
	now := make([]float64, len(metric.JobColumns()))
	j.Measure(now)
	near := func(subject string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", subject, got, want)
		}
	}
	near("the wait of the latest jobs", now[0], r.WaitS.Mean/60)
	near("the wait of all jobs", now[1], r.WaitS.Mean/60)
	near("the slowdown of the latest jobs", now[2], r.BoundedSlowdown.Mean)
	near("the slowdown of all jobs", now[3], r.BoundedSlowdown.Mean)
	if r.Submitted != 4 || r.Ended != 3 || r.Killed != 1 || r.Waiting+r.Running != 0 || r.Displaced != 1 {
		t.Errorf("%+v", r)
	}
	// a ends at its deadline; b by it, but killed; e a second late
	if r.Deadlines != 3 || r.DeadlinesMet != 1 {
		t.Errorf("%d of %d deadlines are met", r.DeadlinesMet, r.Deadlines)
	}
	near("mean wait", r.WaitS.Mean, (0+100+30)/3.0)
	near("median wait", r.WaitS.Median, 30)
	near("largest wait", r.WaitS.Max, 100)
	near("mean response", r.ResponseS.Mean, (100+105+80)/3.0)
	near("95th percentile of responses", r.ResponseS.P95, 105)
	near("mean slowdown", r.BoundedSlowdown.Mean, (1+10.5+80/50.0)/3)
	near("makespan", r.MakespanS, 190)
	near("utilisation", r.UtilisationPct, 100*(400+10+50)/(4*190.0))
	near("user 1's mean response", r.ByUser["1"].ResponseS, 90)
	near("queue 3's slowdown", r.ByClass["queue 3"].BoundedSlowdown, 10.5)
	if len(r.ByUser) != 2 || r.ByUser["1"].Jobs != 2 || r.ByClass["queue 0"].Jobs != 1 || r.ByClass["no queue"].Jobs != 1 {
		t.Errorf("users %+v, classes %+v", r.ByUser, r.ByClass)
	}
}

// TestJobsBeginLate: the makespan counts from the first submission, not from the
// start of the run; what happens to tasks and nodes is no job's; the means of a
// group are those of all its jobs. Two jobs of user 4: a waits 20 s and runs 20 s, b
// waits 10 s and runs 40 s.
func TestJobsBeginLate(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(seconds unit.Time) {
		for k.Step(seconds * unit.Second) {
			settle()
		}
		settle()
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 4})
	if pass(1000); j.Report() != nil {
		t.Fatal("a run without jobs reports some")
	}
	submit := func(run unit.Time) unit.JobID {
		return c.SubmitJob(workload.Key{}, &workload.Job{Processors: 2, Run: run * unit.Second, Estimate: 100 * unit.Second, User: 4, Queue: 1, Deadline: 100 * unit.Second})
	}
	place := func(id unit.JobID) {
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 2}}); err != nil {
			t.Fatal(err)
		}
	}
	a := submit(20)
	pass(1010)
	b := submit(40)
	if r := j.Report(); r.Waiting != 2 || r.Ended != 0 || r.MakespanS != 0 || r.WaitS != (metric.Distribution{}) {
		t.Errorf("before anything ran: %+v", r)
	}
	pass(1020)
	place(a)
	place(b)
	c.Submit(workload.Key{Index: 7}, &workload.Task{})
	if settle(); metric.AliveJobs(j) != 2 {
		t.Errorf("%d jobs alive, want 2", metric.AliveJobs(j))
	}
	for range 5 { // a task takes another slot than jobs do
		c.Submit(workload.Key{Index: 8}, &workload.Task{})
	}
	if settle(); metric.AliveJobs(j) != 2 {
		t.Errorf("tasks are counted as jobs: %d", metric.AliveJobs(j))
	}
	pass(2000)
	r := j.Report()
	if r.MakespanS != 60 || r.ByUser["4"] != (metric.JobsShare{Jobs: 2, WaitS: 15, ResponseS: 45, BoundedSlowdown: (2 + 1.25) / 2}) || r.ByUser["4"] != r.ByClass["queue 1"] {
		t.Errorf("%+v", r)
	}
	if r.Deadlines != 2 || r.DeadlinesMet != 2 {
		t.Errorf("%d of %d deadlines are met, and both jobs end in time", r.DeadlinesMet, r.Deadlines)
	}
	if r.WaitS.Mean != 15 || r.UtilisationPct != 100*float64(2*20+2*40)/(4*60) {
		t.Errorf("%+v", r)
	}
}

// TestJobsWithin: of four jobs on four processors one comes in the warm-up and one in the
// cool-down. a (4 processors, 100 s) comes at 10 s and runs at once; b (4, 100 s) comes at
// 20 s; c (1, 50 s) at 30 s and d (1, 10 s) at 190 s. The window is 15 s after the first
// submission to 150 s. c starts at 110 s, before b, which came earlier: it is backfilled.
func TestJobsWithin(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	j.Within(metric.Window{WarmUp: 5 * unit.Second, To: 150 * unit.Second})
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(seconds unit.Time) {
		for until := seconds * unit.Second; k.Next() <= until; settle() {
			k.Step(k.Next() + 1)
		}
		k.Step(seconds * unit.Second)
		settle()
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 4})
	submit := func(processors int32, run unit.Time) unit.JobID {
		return c.SubmitJob(workload.Key{}, &workload.Job{Processors: processors, Run: run * unit.Second, Estimate: 1000 * unit.Second})
	}
	place := func(id unit.JobID, processors int32) {
		settle()
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: processors}}); err != nil {
			t.Fatal(err)
		}
		settle()
	}
	pass(10)
	place(submit(4, 100), 4)
	pass(20)
	b := submit(4, 100)
	pass(30)
	early := submit(1, 50)
	pass(110)
	place(early, 1)
	pass(160)
	place(b, 4)
	pass(190)
	d := submit(1, 10)
	pass(260)
	place(d, 1)
	pass(300)
	r := j.Report()
	if r.Submitted != 4 || r.Ended != 2 || r.Backfilled != 1 || r.WaitS.Mean != (140+80)/2.0 || r.WaitS.Max != 140 {
		t.Errorf("%+v", r)
	}
	// within 15 s to 150 s: a runs 95 s on 4 processors, c 40 s on one, b not at all
	if want := 100 * float64(95*4+40) / (4 * 135); math.Abs(r.UtilisationPct-want) > 1e-9 {
		t.Errorf("utilisation %v, want %v", r.UtilisationPct, want)
	}
	// 4 × 100 + 4 × 100 + 50 + 10 processor seconds from 10 s to 190 s
	if want := 860.0 / (4 * 180); math.Abs(r.OfferedLoad-want) > 1e-9 {
		t.Errorf("offered load %v, want %v", r.OfferedLoad, want)
	}
	if r.BySize["1"].Jobs != 1 || r.BySize["3-4"].Jobs != 1 || len(r.BySize) != 2 {
		t.Errorf("sizes %+v", r.BySize)
	}
}

// TestBackfilledAfterLoss: a job that lost its processors waits where it stood: what
// starts before it then has passed it.
func TestBackfilledAfterLoss(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 1})
	job := workload.Job{Processors: 1, Run: 10 * unit.Second, Estimate: 10 * unit.Second}
	first, second := c.SubmitJob(workload.Key{}, &job), c.SubmitJob(workload.Key{}, &job)
	for _, id := range []unit.JobID{first, second, first} {
		settle()
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 1}}); err != nil {
			t.Fatal(err)
		}
		settle()
		if id == first && j.Report().Displaced == 0 {
			c.Leave(0)
			c.Restore(0)
			continue
		}
		for k.Step(k.Now() + 11*unit.Second) {
			settle()
		}
		settle()
	}
	if r := j.Report(); r.Ended != 2 || r.Backfilled != 1 {
		t.Errorf("%+v", r)
	}
}

// TestLatestJobs: of 150 jobs that run 20 s one after the other on one processor, the
// i-th waits i × 20 s. The latest 100 of them wait 20 × (50 + … + 149) / 100 s.
func TestLatestJobs(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 1})
	var ids []unit.JobID
	for range 150 {
		ids = append(ids, c.SubmitJob(workload.Key{}, &workload.Job{Processors: 1, Run: 20 * unit.Second, Estimate: 20 * unit.Second}))
	}
	now := make([]float64, len(metric.JobColumns()))
	j.Measure(now)
	if !slices.Equal(now, []float64{0, 0, 0, 0}) {
		t.Errorf("before the first end: %v", now)
	}
	for i, id := range ids {
		settle()
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 1}}); err != nil {
			t.Fatal(err)
		}
		settle()
		for k.Next() <= unit.Time(i+1)*20*unit.Second {
			k.Step(k.Next() + 1)
			settle()
		}
	}
	if n := j.Report().Backfilled; n != 0 {
		t.Errorf("%d jobs are backfilled, and each starts after those that came before it", n)
	}
	j.Measure(now)
	for i, want := range []float64{20 * 99.5 / 60, 20 * 74.5 / 60, 100.5, 75.5} {
		if math.Abs(now[i]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", metric.JobColumns()[i].Name, now[i], want)
		}
	}
}
