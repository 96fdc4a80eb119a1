package paper_test

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/paper"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// mean is a row of metrics of which some columns are given.
func mean(columns map[int]float64) (row metric.Row) {
	for c, x := range columns {
		row[c] = x
	}
	return row
}

// TestFigures: every figure of a run whose counts were written down.
func TestFigures(t *testing.T) {
	r := paper.Run{
		Mean: mean(map[int]float64{
			metric.Proportional: 60, metric.Disproportionate: 20, metric.SuperTight: 3, metric.Tight: 4, metric.Idle: 5, metric.Overloaded: 1,
			metric.Waiting: 10, metric.Running: 190, metric.MigratedMB: 600, metric.Migrations: 4, metric.CPUUsed: 45, metric.MemoryUsed: 65, metric.MemoryRequested: 85,
		}),
		Placements: 150, ForcedPlacements: 6, Migrations: 50, ForcedMigrations: 4, Negotiations: 90, Attempts: 80, Rejected: 6, Preempted: 60, Arrived: 400, Late: 10, Minutes: 30,
		ProductionCPU: 73, ProductionMemory: 58,
	}
	for i := range 25 { // the first twenty minutes do not count
		r.Rows = append(r.Rows, mean(map[int]float64{metric.Overloaded: []float64{9, 0.5, 0.7, 0.2, 0.1}[i/5] * map[bool]float64{true: 1, false: 0}[i%5 == 0]}))
	}
	got := paper.Figures(r)
	for name, want := range map[string]float64{
		"PA": 60, "DA": 20, "PA:DA": 3, "STA + TA": 7, "idle nodes": 5, "overloaded nodes": 1, "overloaded nodes, worst minute": 0.1,
		"tasks that wait": 5, "loss": 10, "forced placements and moves": 5, "new tasks without room within a minute": 4, "negotiations": 3, "preemptions": 2, "attempts that fail in step 5": 7.5,
		"moves that are forced": 8, "cost a migration": 150, "migrations": 4, "moved": 600, "CPU used": 45, "memory used": 65, "memory requested": 85,
		"production requests, CPU": 73, "production requests, memory": 58,
	} {
		if x, there := got[name]; !there || !close(x, want) {
			t.Errorf("%s is %v, want %v", name, x, want)
		}
	}
	nothing := paper.Figures(paper.Run{Minutes: 1})
	for name, x := range nothing {
		if x != 0 {
			t.Errorf("where nothing happened %s is %v", name, x)
		}
	}
	if paper.Percent(1, 4) != 25 || paper.Percent(0.5, 0) != 50 {
		t.Error("shares")
	}
}

// rowOf returns the row of a name.
func rowOf(t *testing.T, rows []paper.Row, name string) paper.Row {
	t.Helper()
	for _, r := range rows {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("there is no row %q", name)
	return paper.Row{}
}

// judged is "yes", "no", "open" of a claim that the runs cannot tell, or "".
func judged(r paper.Row) string {
	switch {
	case r.Holds != nil && *r.Holds:
		return "yes"
	case r.Holds != nil:
		return "no"
	case r.Open():
		return "open"
	}
	return ""
}

// TestSeriesByHand: what series of usage are told by.
func TestSeriesByHand(t *testing.T) {
	if m, d := paper.Moments([]float64{2, 4, 4, 4, 5, 5, 7, 9}); !close(m, 5) || !close(d, 2) {
		t.Errorf("mean %v, deviation %v", m, d)
	}
	for _, c := range []struct {
		xs    []float64
		level float64
		want  []int
	}{{[]float64{1, 3, 3, 1, 3, 2, 3}, 2, []int{2, 1, 1}}, {[]float64{3, 3, 0}, 2, []int{2}}, {[]float64{2, 2}, 2, nil}, {nil, 2, nil}} {
		if got := paper.Bursts(c.xs, c.level); !slices.Equal(got, c.want) {
			t.Errorf("%v above %v: %v", c.xs, c.level, got)
		}
	}
	wave := []float64{1, -1, 1, -1, 1, -1, 1, -1}
	if a, b := paper.Autocorrelated(wave, 1), paper.Autocorrelated(wave, 2); !close(a, -7/8.) || !close(b, 6/8.) {
		t.Errorf("a wave: %v and %v", a, b)
	}
	if a := paper.Autocorrelated([]float64{4, 6, 8, 6}, 1); !close(a, 0) || paper.Autocorrelated([]float64{3, 3, 3}, 1) != 0 {
		t.Errorf("%v", a)
	}
	sorted := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 1: 8, 0.5: 3, 1 / 3.: 2, 0.25: 1.75} {
		if got := paper.Quantile(sorted, p); !close(got, want) {
			t.Errorf("quantile %v is %v, want %v", p, got, want)
		}
	}
	if paper.Quantile(nil, 0.5) != 0 {
		t.Error("a quantile of nothing")
	}
	var day [288]float64
	for _, c := range []struct {
		minimum, limit float64
		want           bool
	}{{0.05, 0.9, true}, {0.049, 0.5, false}, {0.5, 0.91, false}} {
		for w := range day {
			day[w] = 0.5
		}
		day[7], day[287] = c.minimum, c.limit
		if paper.Belongs(day) != c.want {
			t.Errorf("a day between %v and %v", c.minimum, c.limit)
		}
	}
}

// TestFiguresOfADay: a job that uses 0.2 and 0.4 in turn, with one window of 0.8.
func TestFiguresOfADay(t *testing.T) {
	var day [288]float64
	for w := range day {
		day[w] = 0.2 + 0.2*float64(w%2)
	}
	day[101] = 0.8
	got, spread := paper.SeriesOf(map[int]map[string]*[288]float64{1: {"job": &day}})
	total := 0.2*144 + 0.4*143 + 0.8
	average := total / 288
	squares := (144*0.04+143*0.16+0.64)/288 - average*average
	for name, want := range map[string]float64{
		"CV within a day, median":                                       math.Sqrt(squares) / average,
		"step to the next window / mean, median":                        0.2 / average,
		"P95 / mean":                                                    0.4 / average,
		"jobs that rise by more than 20 % in a window":                  100 * 144 / 287., // before every odd one
		"jobs that rise by more than 20 % in the worst window of a day": 100,
		"bursts above 1.5 medians":                                      1, // the median is between 0.2 and 0.4: see below
		"bursts of a single window":                                     100,
		"highest hour of the day / lowest":                              (0.2*6 + 0.4*5 + 0.8) / (0.6 * 6),
	} {
		i := slices.Index(paper.SeriesNames[:], name)
		if name == "bursts above 1.5 medians" {
			want = 1 // 143 of 0.4 and one of 0.8 are half of all, so the median is 0.3, and 0.45 are passed once
		}
		if i < 0 || math.Abs(got[i]-want) > 1e-9*max(1, want) || spread[i] != 0 {
			t.Errorf("%s is %v ± %v, want %v", name, got[i], spread[i], want)
		}
	}
}

func vec(cpu, memory unit.Share) (v unit.Vec) {
	v[unit.CPU], v[unit.Memory] = cpu, memory
	return v
}

// TestStandingCell: what is promised, what is overloaded and what rises, of nodes of 100.
func TestStandingCell(t *testing.T) {
	s := paper.StandingOf(vec(100, 100), vec(100, 300))
	s.Put(0, vec(20, 40), workload.Production)
	s.Put(1, vec(30, 20), workload.Batch)
	if production := s.Promised(); production[unit.CPU] != 10 || production[unit.Memory] != 10 {
		t.Errorf("%v", production)
	}
	s = paper.StandingOf(vec(100, 100), vec(100, 100), vec(100, 100), vec(100, 100))
	first := []unit.Vec{vec(50, 50), vec(80, 10), vec(20, 20), vec(10, 10)}
	second := []unit.Vec{vec(60, 50), vec(101, 10), vec(22, 23), vec(10, 10)}
	// Of capacity by more than a tenth: node 1 alone, node 0 by just a tenth. Of what was
	// used: 0, 1 and 2, the last in memory alone.
	overloaded, worst, ratio, rises, peak, relative := s.Windows(first, second)
	if overloaded != 12.5 || worst != 25 || rises != 1/5. || peak != 1 || relative != 3/5. {
		t.Errorf("overloaded %v, at most %v, rises %v, peak %v, relative %v", overloaded, worst, rises, peak, relative)
	}
	if !close(ratio, 75/12.5) { // seven of eight are loosely used in both, but for node 1: once disproportionate, once overloaded
		t.Errorf("PA:DA %v", ratio)
	}
	if _, _, _, rises, peak, _ := s.Windows(first); rises != 0 || peak != 0 {
		t.Errorf("one window rises: %v, %v", rises, peak)
	}
}

// TestLeastRequested: of all nodes, drawn often enough, the one whose fullest resource is
// requested least gets each request; of one draw, the one that is drawn.
func TestLeastRequested(t *testing.T) {
	requests := []unit.Vec{vec(10, 50), vec(60, 10), vec(10, 10), vec(10, 40), vec(40, 10)}
	capacity := []unit.Vec{vec(100, 100), vec(100, 200), vec(200, 100)}
	nodes := paper.StandingOf(capacity...).LeastRequested(200, 1, requests)
	requested := make([]unit.Vec, len(capacity))
	for i, r := range requests {
		lowest := math.Inf(1)
		fullest := func(n int) float64 {
			return max(float64(requested[n][unit.CPU]+r[unit.CPU])/float64(capacity[n][unit.CPU]), float64(requested[n][unit.Memory]+r[unit.Memory])/float64(capacity[n][unit.Memory]))
		}
		for n := range capacity {
			lowest = min(lowest, fullest(n))
		}
		if fullest(nodes[i]) != lowest {
			t.Errorf("request %d goes to node %d, of which %v is requested then; %v is the least", i, nodes[i], fullest(nodes[i]), lowest)
		}
		requested[nodes[i]] = requested[nodes[i]].Add(r)
	}
	drawn := paper.StandingOf(capacity...).LeastRequested(1, 1, slices.Repeat(requests, 40))
	for seed := range uint64(20) { // of equal nodes the first that is drawn
		want := rng.New(seed, "test").Intn(9)
		if got := paper.StandingOf(slices.Repeat(capacity[:1], 9)...).LeastRequested(4, seed, requests[:1]); got[0] != want {
			t.Errorf("of equal nodes node %d gets the request, want %d", got[0], want)
		}
	}
	for n := range capacity {
		if count := len(drawn) - len(slices.DeleteFunc(slices.Clone(drawn), func(x int) bool { return x == n })); count < 40 {
			t.Errorf("node %d is drawn %d times of 200", n, count)
		}
	}
}

// TestAltered: memory requested grows by the factor, images with it, and this part of the
// batch jobs is production, whole jobs.
func TestAltered(t *testing.T) {
	read := func(memory, production float64) (all []workload.Record) {
		source, err := paper.Altered(50, memory, production)
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		for {
			if err := source.Next(&r); err == io.EOF || err == nil && r.At > 0 {
				return all
			} else if err != nil {
				t.Fatal(err)
			}
			if r.Kind == workload.TaskArrives {
				all = append(all, r)
			}
		}
	}
	plain, more := read(1, 0), read(1.5, 0.5)
	if len(plain) != len(more) || len(plain) < 100 {
		t.Fatalf("%d and %d tasks", len(plain), len(more))
	}
	jobs, promoted := map[uint64]bool{}, 0
	for i, p := range plain {
		m := more[i]
		if want := float64(p.Task.Request[unit.Memory]) * 1.5; math.Abs(float64(m.Task.Request[unit.Memory])-want) > 1 || m.Task.Request[unit.CPU] != p.Task.Request[unit.CPU] || m.Task.Image != workload.ImageOf(m.Task.Request) {
			t.Fatalf("%v became %v", p.Task.Request, m.Task.Request)
		}
		if p.Task.Class == workload.Production && m.Task.Class != workload.Production {
			t.Fatal("a production task is one no more")
		}
		if p.Task.Class != workload.Batch {
			continue
		}
		is := m.Task.Class == workload.Production
		if was, known := jobs[p.Key.Job]; known && was != is {
			t.Fatalf("job %d is promoted in part", p.Key.Job)
		} else if !known && is {
			promoted++
		}
		jobs[p.Key.Job] = is
		if is != (paper.Chance(p.Key.Job) < 0.5) || is && m.Task.Priority != 9 || !is && m.Task.Priority != p.Task.Priority {
			t.Fatalf("job %d: %+v", p.Key.Job, m.Task)
		}
	}
	if part := float64(promoted) / float64(len(jobs)); part < 0.35 || part > 0.65 || len(jobs) < 20 {
		t.Errorf("%v of %d jobs are promoted", part, len(jobs))
	}
}

// TestMoving: what each way to alter a cell does to how usage moves.
func TestMoving(t *testing.T) {
	plain := workload.DefaultUsage().Moving
	for arguments, want := range map[string]func(m *workload.Moving) bool{
		`{}`:               func(m *workload.Moving) bool { return m == nil },
		`{"memory":1.4}`:   func(m *workload.Moving) bool { return m == nil },
		`{"production":1}`: func(m *workload.Moving) bool { return m == nil },
		`{"memory":1.2,"cpu_used":1.25}`: func(m *workload.Moving) bool {
			return m.Batch[unit.CPU] == min(0.98, plain.Batch[unit.CPU]*1.25) && m.Production[unit.CPU] == min(0.98, plain.Production[unit.CPU]*1.25) && m.Batch[unit.Memory] == plain.Batch[unit.Memory] && m.MaxUse == plain.MaxUse && m.Bursts == plain.Bursts
		},
		`{"cpu_used":9}`: func(m *workload.Moving) bool { return m.Batch[unit.CPU] == 0.98 },
		`{"memory_used":1.15}`: func(m *workload.Moving) bool {
			return m.Batch[unit.Memory] == min(0.98, plain.Batch[unit.Memory]*1.15) && m.Batch[unit.CPU] == plain.Batch[unit.CPU]
		},
		`{"bursts":0}`: func(m *workload.Moving) bool {
			return m.Noise == workload.Ratios{} && m.TaskPhases == workload.Ratios{} && m.Bursts == 0 && m.JobPhases == plain.JobPhases
		},
		`{"bursts":3}`: func(m *workload.Moving) bool {
			return m.Noise[unit.CPU] == min(0.98, plain.Noise[unit.CPU]*3) && m.TaskPhases[unit.Memory] == min(0.98, plain.TaskPhases[unit.Memory]*3) && m.Bursts == min(1, plain.Bursts*3)
		},
		`{"together":6}`: func(m *workload.Moving) bool {
			return m.JobPhases[unit.CPU] == min(0.98, plain.JobPhases[unit.CPU]*6) && m.Noise == plain.Noise
		},
	} {
		if m, err := paper.Moving(arguments); err != nil || !want(m) {
			t.Errorf("%s: %+v (%v)", arguments, m, err)
		}
	}
	for _, wrong := range []string{`{"memory":0}`, `{"cpu_used":-1}`, `{"memory_used":101}`, `{"bursts":-1}`, `{"together":101}`, `{"production":1.1}`, `{"production":-0.1}`} {
		if _, err := paper.Moving(wrong); err == nil {
			t.Errorf("%s is no cell", wrong)
		}
	}
}

// TestHowLongRunsLast: not longer than asked for, nor than what was recorded of tasks,
// and at least a sample longer than they take to settle.
func TestHowLongRunsLast(t *testing.T) {
	recorded := func(last unit.Time, kind workload.Kind) func(*scenario.Scenario) (workload.Source, error) {
		return func(*scenario.Scenario) (workload.Source, error) {
			return &written{{Kind: workload.NodeJoins}, {Kind: workload.TaskArrives, At: 5 * unit.Minute}, {Kind: kind, At: last}, {Kind: workload.NodeLeaves, At: unit.Day}}, nil
		}
	}
	const m = unit.Minute
	for _, c := range []struct {
		until, last, want unit.Time // of 0 nothing is asked for, or recorded; want 0: too short
	}{
		{0, 0, 60 * m},
		{90 * m, 0, 60 * m},
		{40 * m, 0, 40 * m},
		{21 * m, 0, 21 * m},
		{21*m - 1, 0, 0},
		{0, 40 * m, 40 * m},
		{0, 90 * m, 60 * m},
		{0, 60 * m, 60 * m},
		{30 * m, 40 * m, 30 * m},
		{50 * m, 40 * m, 40 * m},
		{0, 20 * m, 0},
		{0, 21 * m, 21 * m},
	} {
		for _, kind := range []workload.Kind{workload.TaskArrives, workload.TaskEnds} {
			o := paper.Options{Until: c.until}
			if c.last > 0 {
				o.Trace = recorded(c.last, kind)
			}
			got, err := paper.Lasts(o)
			if (err == nil) != (c.want > 0) || err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), "to settle: play them longer") {
				t.Errorf("asked for %v, recorded until %v: %v (%v), want %v", c.until, c.last, got, err, c.want)
			}
		}
	}
}

// written is a workload by hand.
type written []workload.Record

// Next implements workload.Source.
func (w *written) Next(r *workload.Record) error {
	if len(*w) == 0 {
		return io.EOF
	}
	*r, *w = (*w)[0], (*w)[1:]
	return nil
}

// TestRisesOfTwenty: a job that rises by just a fifth does not rise by more.
func TestRisesOfTwenty(t *testing.T) {
	for high, want := range map[float64]float64{0.6: 0, 0.61: 100 * 144 / 287.} {
		var day [288]float64
		for w := range day {
			day[w] = 0.5
			if w%2 == 1 {
				day[w] = high
			}
		}
		got, _ := paper.SeriesOf(map[int]map[string]*[288]float64{1: {"job": &day}})
		for i, n := range paper.SeriesNames {
			if n == "jobs that rise by more than 20 % in a window" && !close(got[i], want) {
				t.Errorf("from 0.5 to %v: %v %%, want %v", high, got[i], want)
			}
		}
	}
}
