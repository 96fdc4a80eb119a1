package metric_test

import (
	"math"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// cell is a cluster whose tasks use what they are told to.
type cell struct {
	kernel *des.Kernel
	*cluster.Cluster
	tasks uint32
}

func newCell() *cell {
	k := des.New()
	return &cell{kernel: k, Cluster: cluster.New(cluster.Default(), k)}
}

func (c *cell) node() unit.NodeID {
	return c.Join(uint64(c.View().Nodes()), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
}

// run puts a task onto a node that uses so many percent of it and requests
// twice that.
func (c *cell) run(t *testing.T, n unit.NodeID, cpu, memory float64) unit.TaskID {
	t.Helper()
	use := unit.Vec{unit.ShareOf(cpu / 100), unit.ShareOf(memory / 100)}
	c.tasks++
	id := c.Submit(workload.Key{Index: c.tasks}, &workload.Task{Request: use.Add(use), Image: 10 * unit.MB})
	if err := c.Place(id, n, cluster.Unchecked); err != nil {
		t.Fatal(err)
	}
	c.Measure(id, use)
	return id
}

func (c *cell) pass(d unit.Time) {
	for until := c.kernel.Now() + d; c.kernel.Step(until); {
	}
}

// TestRow counts a cell by hand. The classes are those of the negotiation
// paper's section 6, normalised over the four classes of section 7.6.
func TestRow(t *testing.T) {
	c := newCell()
	for _, load := range [][2]float64{
		{120, 10},                    // overloaded
		{95, 50}, {50, 100}, {91, 9}, // super tight
		{70, 90}, {80, 75}, // tight
		{69, 10}, {10, 69.9}, {30, 30}, {1, 1}, // proportional
		{75, 20}, // disproportionate
	} {
		c.run(t, c.node(), load[0], load[1])
	}
	c.node() // idle
	c.node() // idle
	down := c.node()
	c.run(t, down, 50, 50)
	c.Leave(down) // its task waits
	table := metric.New(unit.Minute)
	table.Sample(0, c.View())
	row := table.Rows[0]
	for _, want := range []struct {
		column int
		value  float64
	}{
		{metric.Idle, 100 * 2 / 13.},
		{metric.Overloaded, 100 * 1 / 13.},
		{metric.SuperTight, 30},
		{metric.Tight, 20},
		{metric.Proportional, 40},
		{metric.Disproportionate, 10},
		{metric.CPUUsed, 691 / 13.},
		{metric.MemoryUsed, 464.9 / 13.},
		{metric.CPURequested, 2 * 691 / 13.},
		{metric.MemoryRequested, 2 * 464.9 / 13.},
		{metric.Running, 11},
		{metric.Waiting, 1},
		{metric.Migrations, 0},
		{metric.MigratedMB, 0},
		{metric.UsageSpikes, 0},
		{metric.NodesDown, 1},
	} {
		if math.Abs(row[want.column]-want.value) > 1e-9 {
			t.Errorf("%s is %v, want %v", metric.Columns[want.column].ID, row[want.column], want.value)
		}
	}
}

// TestEmptyCell: without nodes and tasks every figure is 0, none is NaN.
func TestEmptyCell(t *testing.T) {
	table := metric.New(unit.Minute)
	if table.Mean(unit.Forever) != (metric.Row{}) {
		t.Errorf("the mean of no samples is %v", table.Mean(unit.Forever))
	}
	table.Sample(0, newCell().View())
	if table.Rows[0] != (metric.Row{}) {
		t.Errorf("a cell without nodes gives %v", table.Rows[0])
	}
}

// TestWindow: the mean is about the samples from the warm-up's end to the window's, counted
// from when work began to come; what was sampled before counts no longer.
func TestWindow(t *testing.T) {
	c := newCell()
	n := c.node()
	id := c.run(t, n, 0, 10)
	table := metric.New(unit.Minute)
	table.Within(metric.Window{WarmUp: 2 * unit.Minute, To: 6 * unit.Minute})
	for i := range 9 {
		if i == 2 {
			table.Began(unit.Minute)
		}
		c.Measure(id, unit.Vec{unit.ShareOf(float64(i) / 100), unit.ShareOf(0.1)})
		table.Sample(unit.Time(i)*unit.Minute, c.View())
	}
	if got := table.Mean(unit.Forever)[metric.CPUUsed]; math.Abs(got-4.5) > 1e-6 {
		t.Errorf("the mean of minutes 3 to 6 is %v, want 4.5", got)
	}
	if got := table.Latest()[metric.CPUUsed]; math.Abs(got-8) > 1e-6 {
		t.Errorf("at the end it is %v, want 8", got)
	}
}

// TestSpikes: a rise by more than a tenth of the node counts (section 6.4),
// a fall does not, nor the first look.
func TestSpikes(t *testing.T) {
	c := newCell()
	n := c.node()
	id := c.run(t, n, 30, 30)
	table := metric.New(unit.Minute)
	want := []float64{0, 0, 1, 0, 0, 1}
	for i, use := range [][2]float64{{30, 30}, {40, 30}, {50.0001, 30}, {10, 30}, {20, 40}, {20, 60}} {
		c.Measure(id, unit.Vec{unit.ShareOf(use[0] / 100), unit.ShareOf(use[1] / 100)})
		table.Sample(unit.Time(i)*unit.Minute, c.View())
		if got := table.Rows[i][metric.UsageSpikes]; got != want[i] {
			t.Errorf("look %d counts %v spikes, want %v", i, got, want[i])
		}
	}
}

// TestRates: migrations and their megabytes are told by the minute, whatever
// the step between samples.
func TestRates(t *testing.T) {
	for _, step := range []unit.Time{unit.Minute, 10 * unit.Second, 5 * unit.Minute} {
		c := newCell()
		a, b := c.node(), c.node()
		c.Leave(b)
		c.Restore(b)
		id := c.run(t, a, 10, 10)
		table := metric.New(step)
		table.Sample(0, c.View())
		for at := unit.Time(0); at < 10*unit.Minute; at += 20 * unit.Second { // three migrations a minute
			if err := c.Migrate(id, []unit.NodeID{a, b}[at/(20*unit.Second)%2^1], cluster.ByTotal); err != nil {
				t.Fatal(err)
			}
			for until := at + 20*unit.Second; c.kernel.Now() < until; {
				next := min(until, c.kernel.Now()+10*unit.Second)
				c.pass(next - c.kernel.Now())
				if next%step == 0 {
					table.Sample(next, c.View())
				}
			}
		}
		c.Leave(a)
		c.Leave(b)
		table.Sample(c.kernel.Now()+step, c.View())
		sum, moved, forced, displaced := 0.0, 0.0, 0.0, 0.0
		for _, row := range table.Rows {
			forced += row[metric.MigrationsForced] * step.Seconds() / 60
			displaced += row[metric.Displaced] * step.Seconds() / 60
			sum += row[metric.Migrations] * step.Seconds() / 60
			moved += row[metric.MigratedMB] * step.Seconds() / 60
		}
		totals := c.View().Totals()
		if math.Abs(sum-30) > 1e-9 || totals.Migrations != 30 {
			t.Errorf("samples every %v add up to %v migrations, the cluster counts %d, want 30", step, sum, totals.Migrations)
		}
		if math.Abs(forced-30) > 1e-9 || totals.Forced != 30 || math.Abs(displaced-1) > 1e-9 || table.Rows[len(table.Rows)-2][metric.Displaced] != 0 {
			t.Errorf("samples every %v add up to %v forced migrations of %d, and %v tasks lost their place, want 1", step, forced, totals.Forced, displaced)
		}
		if math.Abs(moved-float64(totals.Moved)/1e6) > 1e-6 {
			t.Errorf("samples every %v add up to %v MB, the cluster counts %v", step, moved, totals.Moved)
		}
	}
}

// TestTableStaysBounded: after 200,000 samples there are fewer than 8,192
// rows; their step has doubled as often as needed, and means are the same.
func TestTableStaysBounded(t *testing.T) {
	c := newCell()
	id := c.run(t, c.node(), 0, 0)
	table := metric.New(unit.Minute)
	const samples = 200_000
	cpu, spikes, before := 0.0, 0, unit.Share(0)
	for i := range samples {
		use := unit.Share(int64(i) * 233_757 % 1_000_000)
		if i > 0 && use-before > 100_000 {
			spikes++
		}
		before = use
		c.Measure(id, unit.Vec{use, 0})
		cpu += 100 * use.Float() / samples
		if i%4096 == 0 {
			drain(t, c)
		}
		table.Sample(unit.Time(i+1)*unit.Minute, c.View())
	}
	if len(table.Rows) >= 1<<13 || len(table.Rows) != len(table.At) || len(table.Rows) < 1<<12 {
		t.Fatalf("%d rows at %d times", len(table.Rows), len(table.At))
	}
	kept, told := 0.0, 0.0
	for i, row := range table.Rows {
		if table.At[i] != unit.Time(i+1)*table.Step {
			t.Fatalf("row %d stands at %v, the step being %v", i, table.At[i], table.Step)
		}
		if row[metric.Running] != 1 {
			t.Fatalf("row %d tells of %v running tasks", i, row[metric.Running])
		}
		kept += row[metric.CPUUsed]
		told += row[metric.UsageSpikes] * float64(table.Step/unit.Minute)
	}
	if mean := table.Mean(unit.Forever)[metric.CPUUsed]; math.Abs(mean-cpu) > 1e-6 || math.Abs(kept/float64(len(table.Rows))-cpu) > 0.05 {
		t.Errorf("mean CPU use is %v %%, by the rows %v %%, want %v %%", mean, kept/float64(len(table.Rows)), cpu)
	}
	if math.Abs(told-float64(spikes)) > 4 || spikes < 100 { // the last few samples are not in a row yet
		t.Errorf("the rows tell of %v spikes, there were %d", told, spikes)
	}
}

func drain(t *testing.T, c *cell) {
	t.Helper()
	if err := c.Deliver(func(cluster.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestMeanFrom leaves out the beginning of a run.
func TestMeanFrom(t *testing.T) {
	c := newCell()
	id := c.run(t, c.node(), 0, 0)
	table := metric.New(unit.Minute)
	for i, cpu := range []float64{90, 80, 10, 20} {
		c.Measure(id, unit.Vec{unit.ShareOf(cpu / 100), 0})
		table.Sample(unit.Time(i+1)*unit.Minute, c.View())
	}
	for _, want := range []struct {
		from unit.Time
		cpu  float64
	}{{0, 50}, {2 * unit.Minute, 15}, {3 * unit.Minute, 20}, {unit.Hour, 0}} {
		if got := table.MeanFrom(want.from)[metric.CPUUsed]; math.Abs(got-want.cpu) > 1e-9 {
			t.Errorf("after %v the mean CPU use is %v %%, want %v %%", want.from, got, want.cpu)
		}
	}
}
