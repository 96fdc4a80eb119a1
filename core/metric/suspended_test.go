package metric_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// TestSuspendedJob holds the figures of a job of 100 s that is suspended at 40 s and goes on at
// 60 s with a cost of 10 s: it waits 20 s, runs 110 s and ends at 130 s. Run again from its
// beginning it would have waited 60 s.
func TestSuspendedJob(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	j := metric.NewJobs(c.View())
	pass := func(until unit.Time) {
		for k.Step(until) {
		}
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
		pass(k.Now())
	}
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 4})
	pass(0)
	id := c.SubmitJob(workload.Key{}, &workload.Job{Processors: 4, Run: 100 * unit.Second, Estimate: 200 * unit.Second})
	do(c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 4}}))
	pass(40 * unit.Second)
	do(c.SuspendAll(id, 10*unit.Second))
	pass(60 * unit.Second)
	do(c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 4}}))
	pass(200 * unit.Second)
	r := j.Report()
	if r.WaitS.Mean != 20 || r.ResponseS.Mean != 130 || r.BoundedSlowdown.Mean != 130.0/110 || r.UtilisationPct != 100*110.0/130 {
		t.Errorf("wait %v, response %v, slowdown %v, utilisation %v %%", r.WaitS.Mean, r.ResponseS.Mean, r.BoundedSlowdown.Mean, r.UtilisationPct)
	}
}
