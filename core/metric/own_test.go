package metric_test

import (
	"testing"

	"parley/core/metric"
	"parley/core/unit"
)

// A system's own columns are sampled, merged and averaged like the others: here
// the value is the number of the sample, beside the running tasks.
func TestOwnColumns(t *testing.T) {
	c := newCell()
	c.node()
	table := metric.New(unit.Minute)
	n := 0.0
	table.Track([]metric.Column{{ID: "n", Name: "Sample"}, {ID: "square", Name: "Square"}}, measurer(func(values []float64) {
		values[0], values[1] = n, n*n
	}))
	if got := table.Columns(); len(got) != metric.Width+2 || got[metric.Width].ID != "n" || got[0].ID != metric.Columns[0].ID {
		t.Fatalf("columns %v", got)
	}
	if table.MeanOwn(0) != 0 {
		t.Errorf("before any sample the mean is %v, want the present value", table.MeanOwn(0))
	}
	const samples = 1<<13 + 2 // beyond what is kept: neighbours are merged
	for ; n < samples; n++ {
		table.Sample(unit.Time(n)*unit.Minute, c.View())
	}
	if got, want := table.MeanOwn(0), (samples-1)/2.0; got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	for _, row := range []int{0, 5, 1<<12 - 1} {
		if got, want := table.Value(row, metric.Width), float64(2*row)+.5; got != want {
			t.Errorf("row %d holds %v, want the mean of samples %v and %v", row, got, 2*row, 2*row+1)
		}
		if table.Value(row, metric.NodesDown) != 0 {
			t.Errorf("row %d of a physical column holds %v", row, table.Value(row, metric.NodesDown))
		}
	}
	if len(table.Rows) != 1<<12+1 || table.Value(1<<12, metric.Width) != samples-1.5 {
		t.Errorf("%d rows, the last one holds %v", len(table.Rows), table.Value(len(table.Rows)-1, metric.Width))
	}
}

type measurer func(values []float64)

func (m measurer) Measure(values []float64) { m(values) }
