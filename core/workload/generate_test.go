package workload_test

import (
	"io"
	"math"
	"runtime"
	"slices"
	"testing"

	"parley/core/unit"
	"parley/core/workload"
)

// cell is what a generated workload amounts to.
type cell struct {
	capacity, requested, byProduction, used [unit.Resources]float64 // at time 0, in reference machines; byProduction: requested by production tasks
	population, production                  int                     // at time 0
	constrained, tight                      int                     // of them
	arrived                                 float64                 // a minute
	alive                                   []int                   // at every hour, were every task placed as it arrives
	kinds                                   map[unit.Vec]int        // of machines
}

// count reads the cell that g and seed give, for so many hours.
func count(t *testing.T, g workload.Generated, seed uint64, hours int) cell {
	t.Helper()
	source, err := g.New(seed)
	if err != nil {
		t.Fatal(err)
	}
	c := cell{kinds: map[unit.Vec]int{}, alive: make([]int, hours+1)}
	arrived := 0
	var last unit.Time
	var r workload.Record
	for {
		if err := source.Next(&r); err != nil {
			t.Fatal(err)
		}
		if r.At < last {
			t.Fatalf("a record at %v follows one at %v", r.At, last)
		}
		if last = r.At; last > 0 && last >= unit.Time(hours)*unit.Hour {
			c.arrived = float64(arrived) / float64(hours*60)
			return c
		}
		if r.Kind == workload.NodeJoins {
			c.kinds[r.Node.Capacity]++
			add(&c.capacity, r.Node.Capacity)
			continue
		}
		if r.Kind != workload.TaskArrives || r.Task.Lifetime <= 0 {
			t.Fatalf("a generated record of kind %d, lifetime %v", r.Kind, r.Task.Lifetime)
		}
		for h := (r.At + unit.Hour - 1) / unit.Hour; h <= unit.Time(hours) && h*unit.Hour < r.At+r.Task.Lifetime; h++ {
			c.alive[h]++
		}
		if r.At > 0 {
			arrived++
			continue
		}
		c.population++
		if r.Task.Class == workload.Production {
			c.production++
			add(&c.byProduction, r.Task.Request)
		}
		add(&c.requested, r.Task.Request)
		add(&c.used, r.Task.Usage.Average(r.Task.Request))
		if len(r.Task.Constraints) > 0 {
			c.constrained++
			if r.Task.Constraints[0].Name == workload.SpecialAttribute {
				c.tight++
			}
		}
	}
}

func add(sum *[unit.Resources]float64, v unit.Vec) {
	for r := range v {
		sum[r] += v[r].Float()
	}
}

// near fails the test unless got lies within tolerance of want.
func near(t *testing.T, subject string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.2f, want %.2f ± %.2f", subject, got, want, tolerance)
	}
}

// onceIsEnough leaves out a test of statistics under -short, as other platforms run
// the tests: there the same numbers are drawn, to the last bit, which the digests of
// core/run say.
func onceIsEnough(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the statistics of numbers that are the same on every platform")
	}
}

// TestCalibration holds the generated cell to the figures of the public trace
// (papers/negotiation.md, section 8): 113.5 % of the CPU and 93.3 % of the
// memory requested by 132,982 tasks of which 56,053 (42 %) are production, used
// 40–50 % and 60–70 %, and 25.4 million arrivals in 29 days. What the seeds
// differ by is TestSeedsAreAlike's affair; four of those deviations are the
// tolerance.
func TestCalibration(t *testing.T) {
	onceIsEnough(t)
	const seeds = 3
	for seed := uint64(1); seed <= seeds; seed++ {
		g := workload.DefaultGenerated()
		g.Production = workload.TraceProduction
		c := count(t, g, seed, 24)
		near(t, "tasks at time 0", float64(c.population), 140_000, 0)
		near(t, "production tasks, %", percent(float64(c.production), float64(c.population)), 40.8, 0.8)
		near(t, "CPU requested, %", percent(c.requested[unit.CPU], c.capacity[unit.CPU]), 113.5, 2.4)
		near(t, "memory requested, %", percent(c.requested[unit.Memory], c.capacity[unit.Memory]), 93.3, 2.4)
		near(t, "CPU used, %", percent(c.used[unit.CPU], c.capacity[unit.CPU]), 43.3, 1.6)
		near(t, "memory used, %", percent(c.used[unit.Memory], c.capacity[unit.Memory]), 60.5, 2)
		near(t, "arrivals a minute", c.arrived, 608, 13) // jobs come at random: a day has 0.7 % more or fewer
		near(t, "constrained tasks, %", percent(float64(c.constrained), float64(c.population)), 6, 2)
		near(t, "tight constraints, of 10,000 tasks", 10_000*float64(c.tight)/float64(c.population), 12.5, 10) // some fifty jobs of 1 to 20 tasks
		for h, alive := range c.alive[1:] {
			// By night a quarter fewer tasks arrive; 16 % of the running ones live
			// for two hours or less, so that by day and night 4 % come and go.
			near(t, "tasks alive, of those at time 0, %", percent(float64(alive), 140_000), 100, 5)
			if t.Failed() {
				t.Fatalf("seed %d, hour %d", seed, h+1)
			}
		}
	}
}

func percent(part, whole float64) float64 { return 100 * part / whole }

// TestSeedsAreAlike: whatever the seed and the size of the cell, its tasks request
// and use as much, in total and of production class, in both readings of what
// production tasks request (73.2 and 58.5 % of the cell, 85 and 70 %). Before
// large jobs were balanced, seeds differed by 2 (CPU) and 4 points (memory)
// in the standard deviation, 16 from the least to the most.
func TestSeedsAreAlike(t *testing.T) {
	onceIsEnough(t)
	const seeds = 12
	for _, c := range []struct {
		nodes      int
		production string
		requested  [unit.Resources]float64
	}{
		{500, workload.TraceProduction, [unit.Resources]float64{73.2, 58.5}},
		{2500, workload.TraceProduction, [unit.Resources]float64{73.2, 58.5}},
		{12583, workload.TraceProduction, [unit.Resources]float64{73.2, 58.5}},
		{2500, workload.PaperProduction, [unit.Resources]float64{85, 70}},
	} {
		g := workload.DefaultGenerated()
		g.Nodes, g.Production = c.nodes, c.production
		var requested, production, used [unit.Resources][]float64
		for seed := uint64(1); seed <= seeds; seed++ {
			got := count(t, g, seed, 0)
			for r := range got.capacity {
				requested[r] = append(requested[r], percent(got.requested[r], got.capacity[r]))
				production[r] = append(production[r], percent(got.byProduction[r], got.capacity[r]))
				used[r] = append(used[r], percent(got.used[r], got.capacity[r]))
			}
		}
		for r := range requested {
			name := unit.Resource(r).String()
			minimum, largest := slices.Min(requested[r]), slices.Max(requested[r])
			got, sd := moments(production[r])
			t.Logf("%d nodes, %s, %s: production tasks request %.1f ± %.2f %%, all %.1f … %.1f", c.nodes, c.production, name, got, sd, minimum, largest)
			near(t, "requested by production tasks, % of "+name, got, c.requested[r], 0.8)
			near(t, "its deviation over seeds", sd, 0, 1)
			near(t, "from the seed that requests least to the one that requests most, % of "+name, largest-minimum, 0, 4)
			_, sd = moments(requested[r])
			near(t, "deviation of what is requested, % of "+name, sd, 0, 1.1)
			_, sd = moments(used[r])
			near(t, "deviation of what is used, % of "+name, sd, 0, 1.2)
		}
	}
}

// TestMachineMix: the kinds of machine come in the published shares, within
// four standard deviations.
func TestMachineMix(t *testing.T) {
	g := workload.DefaultGenerated()
	g.Nodes = 100_000
	source, err := g.Machines(3)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[unit.Vec]int{}
	platforms := map[int64]int{}
	special, n := 0, 0
	var r workload.Record
	for source.Next(&r) == nil {
		if r.Machine != uint64(n) || r.At != 0 || r.Node.Rack != -1 {
			t.Fatalf("machine %d at %v in rack %d, want machine %d", r.Machine, r.At, r.Node.Rack, n)
		}
		n++
		kinds[r.Node.Capacity]++
		platforms[r.Node.Attributes[0].Value]++
		if len(r.Node.Attributes) == 3 {
			special++
		}
	}
	if n != g.Nodes {
		t.Fatalf("%d machines joined, want %d", n, g.Nodes)
	}
	within := func(subject string, got int, share float64) {
		near(t, subject, float64(got), float64(n)*share, 4*math.Sqrt(float64(n)*share*(1-share)))
	}
	for capacity, machines := range map[unit.Vec]float64{
		{500_000, 499_500}: 6732, {500_000, 249_300}: 3863, {500_000, 749_000}: 1001, {1_000_000, 1_000_000}: 795, {250_000, 249_800}: 126, {500_000, 124_100}: 54,
	} {
		within("machines of one kind", kinds[capacity], machines/12_583)
	}
	within("machines with the special attribute", special, 1/400.)
	if len(platforms) != 3 {
		t.Errorf("there are %d platforms", len(platforms))
	}
}

// TestSmallAndLargeCells: the load does not depend on the size of the cell. One
// job of the published cell would be half of a cell of 100 machines, and
// jobs that take a second to submit would slow down the arrivals of a large one.
func TestSmallAndLargeCells(t *testing.T) {
	onceIsEnough(t)
	for nodes, hours := range map[int]int{10: 240, 100: 48, 500: 24, 2000: 24, 100_000: 1} {
		g := workload.DefaultGenerated()
		g.Nodes, g.Day, g.Production = nodes, 0, workload.TraceProduction
		tolerance := 8 + 80/math.Sqrt(float64(nodes))
		c := count(t, g, 7, hours)
		scale := float64(nodes) / 12_583
		near(t, "tasks", float64(c.population), 140_000*scale, 0.5)
		near(t, "CPU requested, %", 100*c.requested[unit.CPU]/c.capacity[unit.CPU], 113, tolerance)
		near(t, "memory requested, %", 100*c.requested[unit.Memory]/c.capacity[unit.Memory], 93, tolerance)
		near(t, "production tasks, %", 100*float64(c.production)/float64(c.population), 40, tolerance/2)
		near(t, "arrivals, % of those due", 100*c.arrived/(608*scale), 100, tolerance/2)
		near(t, "tasks alive at the end, % of those due", 100*float64(c.alive[hours])/(140_000*scale), 100, 2*tolerance)
		if t.Failed() {
			t.Fatalf("in a cell of %d machines", nodes)
		}
	}
}

// TestDaySwing: arrivals rise and fall over the day and their mean stays.
func TestDaySwing(t *testing.T) {
	g := workload.DefaultGenerated()
	g.Nodes, g.Day = 2000, 0.5
	source, err := g.New(1)
	if err != nil {
		t.Fatal(err)
	}
	var byHour [24]float64
	sum := 0.0
	const days = 4
	var r workload.Record
	for source.Next(&r) == nil && r.At < days*unit.Day {
		if r.At > 0 {
			byHour[r.At%unit.Day/unit.Hour]++
			sum++
		}
	}
	mean := sum / 24
	near(t, "arrivals a minute", sum/(days*24*60), 608*2000/12_583., 4)
	for h, n := range byHour {
		// The middle of hour h of a triangle wave that is lowest at midnight.
		wave := 1 - math.Abs(float64(h)+0.5-12)/6
		near(t, "arrivals of an hour, % of the mean", 100*n/mean, 100*(1+0.5*wave), 12)
	}
}

// TestSeedsAndSwitches: a seed is a workload; another seed another one; Machines
// gives the machines of New.
func TestSeedsAndSwitches(t *testing.T) {
	g := workload.DefaultGenerated()
	g.Nodes = 50
	read := func(seed uint64) []workload.Record {
		source, err := g.New(seed)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]workload.Record, 2000)
		for i := range out {
			if err := source.Next(&out[i]); err != nil {
				t.Fatal(err)
			}
			out[i] = keep(out[i])
		}
		return out
	}
	a, b, other := read(1), read(1), read(2)
	different := false
	for i := range a {
		if !same(a[i], b[i]) {
			t.Fatalf("record %d of one seed is %+v and %+v", i, a[i], b[i])
		}
		different = different || !same(a[i], other[i])
	}
	if !different {
		t.Error("two seeds give one workload")
	}
	machines, err := g.Machines(1)
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	for i := range g.Nodes {
		if err := machines.Next(&r); err != nil || !same(r, a[i]) {
			t.Fatalf("machine %d alone is %+v (%v), in the workload %+v", i, r, err, a[i])
		}
	}
	if err := machines.Next(&r); err != io.EOF {
		t.Errorf("after the machines comes %v", err)
	}
}

// TestConstantMemory: a month of a small cell is read without keeping anything.
func TestConstantMemory(t *testing.T) {
	g := workload.DefaultGenerated()
	g.Nodes = 1000
	source, err := g.New(1)
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	if allocations := testing.AllocsPerRun(100_000, func() {
		if err := source.Next(&r); err != nil {
			t.Fatal(err)
		}
	}); allocations != 0 {
		t.Errorf("a record costs %v allocations", allocations)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for r.At < 20*unit.Day {
		if err := source.Next(&r); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc) - int64(before.TotalAlloc); grown > 1<<16 {
		t.Errorf("twenty days allocated %d bytes", grown)
	}
}

func TestGeneratedValidate(t *testing.T) {
	for _, spoil := range []func(*workload.Generated){
		func(g *workload.Generated) { g.Nodes = 9 },
		func(g *workload.Generated) { g.Nodes = 1_000_001 },
		func(g *workload.Generated) { g.Production = "most" },
		func(g *workload.Generated) { g.Day = 1 },
		func(g *workload.Generated) { g.Day = -0.1 },
		func(g *workload.Generated) { g.Day = math.NaN() },
		func(g *workload.Generated) { g.Usage.Moving.Production[unit.CPU] = 1.1 },
		func(g *workload.Generated) { g.Usage.Moving.Noise[unit.Memory] = math.NaN() },
	} {
		g := workload.DefaultGenerated()
		spoil(&g)
		if _, err := g.New(1); err == nil {
			t.Errorf("%+v was taken", g)
		}
		if _, err := g.Machines(1); err == nil {
			t.Errorf("%+v was taken for its machines", g)
		}
	}
}
