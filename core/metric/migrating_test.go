package metric_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/unit"
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
	c.Measure(id, unit.Vec{unit.ShareOf(.6), unit.ShareOf(.3)}) // a spike where nothing ran before
	table.Sample(c.kernel.Now(), c.View())
	moved := float64(c.View().Totals().Moved) / float64(unit.MB)
	for i, want := range []map[int]float64{
		{metric.Running: 2, metric.Migrations: 0, metric.MigratedMB: 0},
		{metric.Running: 2, metric.Migrations: 0, metric.MigratedMB: 0},
		{metric.Running: 2, metric.Migrations: 2, metric.MigratedMB: 2 * moved, metric.Breaches: 2},
	} {
		for column, value := range want {
			if got := table.Rows[i][column]; got != value {
				t.Errorf("sample %d: %s is %v, want %v", i, metric.Columns[column].ID, got, value)
			}
		}
	}
}
