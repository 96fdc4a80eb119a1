package cluster_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestVacant: a node has something to do when a task runs there or is on its way, a
// job holds a processor, or work waits or is computed; else it is vacant.
func TestVacant(t *testing.T) {
	kernel := des.New()
	c := cluster.New(cluster.Default(), kernel)
	v := c.View()
	for m := range uint64(2) {
		c.Join(m, workload.Node{
			Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 1,
			Worker: &workload.Worker{Speed: unit.WorkUnit, Bandwidth: unit.WorkUnit},
		})
	}
	holds := func(subject string, busy ...bool) {
		t.Helper()
		for n, want := range busy {
			if v.Vacant(unit.NodeID(n)) == want {
				t.Errorf("%s: node %d is vacant: %v", subject, n, !want)
			}
		}
	}
	holds("at first", false, false)
	task := c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{unit.Whole / 2, unit.Whole / 2}, Image: unit.MB})
	must(t, c.Place(task, 0, cluster.ByUse))
	holds("a task runs", true, false)
	must(t, c.Migrate(task, 1, cluster.ByUse))
	holds("it is on its way", true, true)
	c.End(task, workload.Finished)
	holds("it has ended", false, false)
	job := c.SubmitJob(workload.Key{Job: 1}, &workload.Job{Processors: 1, Run: 1, Estimate: 1})
	must(t, c.PlaceAll(job, []cluster.Part{{Node: 1, Processors: 1}}))
	holds("a job holds a processor", false, true)
	c.EndJob(job, workload.Finished)
	c.Arrive(2 * unit.WorkUnit)
	must(t, c.Send(0, unit.WorkUnit))
	computes := false
	for kernel.Step(10 * unit.Second) {
		if w := v.Totals().Work; w.Computing > 0 {
			computes = true
			holds("a chunk is computed", true, false)
		}
	}
	if !computes {
		t.Error("the chunk was never computed")
	}
	holds("it is done", false, false)
}

// TestSites: racks of a cluster that says nothing of sites lie in sites of SiteRacks
// each, by number; a node that names its rack and site lies there.
func TestSites(t *testing.T) {
	settings := cluster.Default()
	settings.RackSize, settings.SiteRacks = 2, 3
	c := cluster.New(settings, des.New())
	for m := range uint64(14) {
		c.Join(m, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	c.Join(14, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: 1, Site: 9})
	for n, want := range map[unit.NodeID][2]int32{0: {0, 0}, 5: {2, 0}, 6: {3, 1}, 13: {6, 2}, 14: {1, 9}} {
		if rack, site := c.View().Rack(n), c.View().Site(n); rack != want[0] || site != want[1] {
			t.Errorf("node %d lies in rack %d of site %d, want %v", n, rack, site, want)
		}
	}
}

// TestNoShare: a task may be given no CPU at all.
func TestNoShare(t *testing.T) {
	c := cluster.New(cluster.Default(), des.New())
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	task := c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{unit.Whole / 2, unit.Whole / 2}})
	must(t, c.Place(task, 0, cluster.ByMemory))
	must(t, c.Allot(task, 0))
	if share, has := c.View().Share(task); share != 0 || !has {
		t.Errorf("it has a share of %v: %v", share, has)
	}
	if c.Allot(task, -1) == nil {
		t.Error("less than nothing is allowed")
	}
}
