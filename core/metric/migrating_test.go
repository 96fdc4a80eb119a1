package metric_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// A task that migrates runs all the while, and what happened between two samples
// is told by the minute: with samples half a minute apart, twice its number.
func TestMigratingRuns(t *testing.T) {
	c := newCell()
	from, to := c.node(), c.node()
	id := c.run(t, from, 30, 30)
	c.run(t, from, 1, 1)
	table := metric.New(unit.Minute / 2)
	table.Sample(c.kernel.Now(), c.View())
	if err := c.Migrate(id, to, cluster.Unchecked); err != nil {
		t.Fatal(err)
	}
	table.Sample(c.kernel.Now(), c.View())
	c.pass(unit.Hour)
	c.Measure(id, unit.Vec{unit.ShareOf(.6), unit.ShareOf(.3)}) // a spike if nothing ran before
	table.Sample(c.kernel.Now(), c.View())
	moved := float64(c.View().Totals().Moved) / float64(unit.MB)
	for i, want := range []map[int]float64{
		{metric.Running: 2, metric.Migrations: 0, metric.MigratedMB: 0},
		{metric.Running: 2, metric.Migrations: 0, metric.MigratedMB: 0},
		{metric.Running: 2, metric.Migrations: 2, metric.MigratedMB: 2 * moved, metric.UsageSpikes: 2},
	} {
		for column, value := range want {
			if got := table.Rows[i][column]; got != value {
				t.Errorf("sample %d: %s is %v, want %v", i, metric.Columns[column].ID, got, value)
			}
		}
	}
}

// Rigid jobs count as running and waiting like tasks, and hold CPU (here half of
// it); each resource has columns of its own.
func TestJobsRunAndWait(t *testing.T) {
	c := newCell()
	n := c.Join(77, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 4, Rack: -1, Site: -1})
	c.run(t, n, 30, 10)
	c.Submit(workload.Key{Index: 90}, &workload.Task{})
	for i := range 4 {
		id := c.SubmitJob(workload.Key{Job: uint64(i + 1)}, &workload.Job{Processors: 2, Run: unit.Hour, Estimate: unit.Hour})
		if i == 0 {
			if err := c.PlaceAll(id, []cluster.Part{{Node: n, Processors: 2}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	table := metric.New(unit.Minute)
	table.Sample(c.kernel.Now(), c.View())
	for column, want := range map[int]float64{
		metric.Running: 2, metric.Waiting: 4,
		metric.CPUUsed: 50 + 30, metric.MemoryUsed: 10, metric.CPURequested: 50 + 60, metric.MemoryRequested: 20,
	} {
		if got := table.Rows[0][column]; got != want {
			t.Errorf("%s is %v, want %v", metric.Columns[column].ID, got, want)
		}
	}
	ids := map[string]bool{}
	for i, column := range metric.Columns {
		if column.ID == "" || column.Name == "" || ids[column.ID] {
			t.Errorf("column %d is %+v", i, column)
		}
		ids[column.ID] = true
	}
	for i, want := range map[int]string{
		metric.CPUUsed: "cpu_used_pct", metric.MemoryUsed: "memory_used_pct",
		metric.CPURequested: "cpu_requested_pct", metric.MemoryRequested: "memory_requested_pct",
	} {
		if metric.Columns[i].ID != want {
			t.Errorf("column %d is %s, want %s", i, metric.Columns[i].ID, want)
		}
	}
}
