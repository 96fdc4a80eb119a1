package workload_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// TestTightRoom holds the book of machines that few constraints ask for to one that is
// written down naively: machine by machine how many tasks fit, and task by task what is
// taken.
func TestTightRoom(t *testing.T) {
	random := rng.New(1, "tight")
	admitted, refused := 0, 0
	for range 40 {
		counts := make([]int, workload.Kinds)
		for k := range counts {
			counts[k] = random.Intn(3)
		}
		room := workload.NewTightRoom(counts...)
		type taken struct {
			until unit.Time
			class workload.PriorityClass
			part  int64
		}
		var running []taken
		now := unit.Time(0)
		for range 200 {
			now += unit.Time(random.Intn(50))
			class := workload.PriorityClass(random.Intn(2))
			request := unit.Vec{unit.Share(random.Intn(400_000)), unit.Share(random.Intn(400_000))}
			tasks := 1 + random.Intn(4)
			holds := int64(0)
			for k, n := range counts {
				whole := workload.MachineOf(k)
				for range n {
					largest := int64(math.MaxInt32)
					for r := range 2 {
						largest = min(largest, int64(whole[r])*90/100/int64(max(1, request[r])))
					}
					holds += largest
				}
			}
			if got := room.Holds(request); got != holds {
				t.Fatalf("%v hold %d tasks of %v, want %d", counts, got, request, holds)
			}
			running = slices.DeleteFunc(running, func(x taken) bool { return x.until <= now })
			want := int64(0)
			if int64(tasks) <= holds {
				part := int64(math.Ceil(float64(workload.TightWhole) / float64(holds)))
				all, production := part*int64(tasks), int64(0)
				if class == workload.Production {
					production = all
				}
				for _, x := range running {
					all += x.part
					if x.class == workload.Production {
						production += x.part
					}
				}
				if all <= workload.TightWhole && (class != workload.Production || production <= workload.TightProduction) {
					want = part
				}
			}
			if got := room.Admits(now, class, request, tasks); got != want {
				t.Fatalf("at %d %d tasks of class %d that request %v on %v beside %v: part %d, want %d", now, tasks, class, request, counts, running, got, want)
			}
			if want == 0 {
				refused++
				continue
			}
			admitted++
			for range tasks {
				x := taken{now + unit.Time(random.Intn(300)), class, want}
				room.Take(x.until, x.class, x.part)
				running = append(running, x)
			}
		}
	}
	if admitted < 1000 || refused < 1000 {
		t.Errorf("%d jobs were admitted, %d refused: too few to mean anything", admitted, refused)
	}
}

// TestSharesOfJobs: which jobs are spread and which constraints they have comes up as
// often as is written: of jobs of one task, so that jobs count alike. Five standard
// deviations are allowed.
func TestSharesOfJobs(t *testing.T) {
	jobs, spread := [2]float64{}, [2]float64{}
	constraints := map[string]float64{}
	for seed := range uint64(4) {
		g := workload.DefaultGenerated()
		g.Nodes = 400 // no job is large
		source, err := g.New(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		last := uint64(0)
		for jobs[0]+jobs[1] < float64(5000*(seed+1)) {
			if source.Next(&r) != nil || r.Kind != workload.TaskArrives || r.Key.Job == last {
				continue
			}
			last = r.Key.Job
			jobs[r.Task.Class]++
			if r.Task.Spread {
				spread[r.Task.Class]++
			}
			if (r.Task.Class == workload.Production) != (r.Task.Priority == 9) || r.Task.Priority > 9 || r.Task.Class == workload.Batch && r.Task.Priority > 2 {
				t.Fatalf("class %d has priority %d", r.Task.Class, r.Task.Priority)
			}
			for _, c := range r.Task.Constraints {
				constraints[fmt.Sprint(c.Name, c.Op)]++
				low, high := int64(0), int64(2)
				switch c.Name {
				case workload.KernelAttribute:
					low, high = 1, 3
				case workload.SpecialAttribute:
					low, high = 1, 1
				}
				if c.Value < low || c.Value > high {
					t.Fatalf("constraint %+v", c)
				}
			}
		}
	}
	near := func(subject string, n, all, share float64) {
		t.Helper()
		if deviation := math.Sqrt(all * share * (1 - share)); math.Abs(n-all*share) > 5*deviation {
			t.Errorf("%s: %v of %v, want %.4f of them", subject, n, all, share)
		}
	}
	near("production jobs that are spread", spread[workload.Production], jobs[workload.Production], 0.45)
	near("batch jobs that are spread", spread[workload.Batch], jobs[workload.Batch], 0.1)
	all := jobs[0] + jobs[1]
	near("not of a platform", constraints[fmt.Sprint(workload.PlatformAttribute, workload.NotEqual)], all, 0.032-0.0066)
	near("of a platform", constraints[fmt.Sprint(workload.PlatformAttribute, workload.Equal)], all, 0.02)
	near("of a kernel", constraints[fmt.Sprint(workload.KernelAttribute, workload.Greater)], all, 0.015)
	if len(constraints) > 4 {
		t.Errorf("constraints %v", constraints)
	}
}

// TestPinned: what a seed generates is part of every scenario that names it: a change
// here changes the digests of all runs of generated cells. TestCalibration and its
// neighbours say that what is generated is right; this one says that it stays.
func TestPinned(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*workload.Generated)
		seed   uint64
		want   string
	}{
		{"small", func(g *workload.Generated) { g.Nodes = 30 }, 1, "89cd2469"},
		{"middle", func(g *workload.Generated) { g.Nodes = 700 }, 2, "87baad31"},
		{"calm", func(g *workload.Generated) { g.Nodes, g.Usage = 700, preset(workload.CalmUsage) }, 3, "d3bc25c5"},
		{"trace", func(g *workload.Generated) { g.Nodes, g.Production, g.Day = 250, workload.TraceProduction, 0.6 }, 4, "1f058bf2"},
	} {
		g := workload.DefaultGenerated()
		c.change(&g)
		source, err := g.New(c.seed)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New32a()
		var r workload.Record
		for range 9000 {
			if err := source.Next(&r); err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(h, r.At, r.Kind, r.Key, r.Machine, r.Node.Capacity[:2], r.Node.Attributes, r.Task.Request[:2], r.Task.Class, r.Task.Priority, r.Task.Constraints, r.Task.Spread,
				r.Task.Lifetime, r.Task.User, r.Task.Image, r.Task.Usage.Key, r.Task.Usage.Job, r.Task.Usage.Mean[:2], r.Task.Usage.Swing[:2])
		}
		if got := fmt.Sprintf("%08x", h.Sum32()); got != c.want {
			t.Errorf("%s is %s, was %s", c.name, got, c.want)
		}
	}
}

func preset(name string) workload.Usage {
	u, _ := workload.PresetUsage(name)
	return u
}

// TestCalmLimits: a mean and its spreads lie in 0…1, each to its very end.
func TestCalmLimits(t *testing.T) {
	for _, c := range []struct {
		change func(*workload.Calm)
		ok     bool
	}{
		{func(*workload.Calm) {}, true},
		{func(c *workload.Calm) { c.Batch[0], c.Production[0], c.Jobs[0], c.Tasks[0] = 0.25, 0.75, 0.125, 0.125 }, true},
		{func(c *workload.Calm) { c.Batch[0], c.Jobs[0], c.Tasks[0] = 0.25, 0.125, 0.1875 }, false},
		{func(c *workload.Calm) { c.Production[1], c.Jobs[1], c.Tasks[1] = 0.75, 0.1875, 0.125 }, false},
		{func(c *workload.Calm) { c.Jobs[0], c.Tasks[0] = 0, 0 }, true},
		{func(c *workload.Calm) { c.Jobs[0] = -0.01 }, false},
		{func(c *workload.Calm) { c.Tasks[0] = -0.01 }, false},
		{func(c *workload.Calm) { c.Swing[0] = 0 }, true},
		{func(c *workload.Calm) { c.Swing[0] = 0.999 }, true},
		{func(c *workload.Calm) { c.Swing[0] = 1 }, false},
		{func(c *workload.Calm) { c.Swing[1] = -0.1 }, false},
		{func(c *workload.Calm) { c.Batch[0] = math.NaN() }, false},
	} {
		calm := workload.DefaultCalm()
		c.change(&calm)
		if err := calm.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", calm, err)
		}
	}
}

// TestWorkers: what a machine can do, when two are alike, and how rates stray.
func TestWorkers(t *testing.T) {
	any, some := workload.Worker{Speed: 7}, workload.Worker{Speed: 7, Speeds: []unit.Work{3, 0, 5}}
	for kind, want := range map[workload.SubtaskType][2]unit.Work{-1: {7, 0}, 0: {7, 3}, 1: {7, 0}, 2: {7, 5}, 3: {7, 0}, 99: {7, 0}} {
		if got := [2]unit.Work{any.SpeedFor(kind), some.SpeedFor(kind)}; got != want {
			t.Errorf("speeds for type %d: %v, want %v", kind, got, want)
		}
	}
	base := func() workload.Worker {
		return workload.Worker{Speed: 1, Bandwidth: 2, Speeds: []unit.Work{3}, Channel: 4, CompLatency: 5, CommLatency: 6, Errors: workload.RateErrors{Seed: 7}}
	}
	same, other := base(), base()
	if !same.Equal(&other) {
		t.Error("a machine is not like itself")
	}
	for i, change := range []func(*workload.Worker){
		func(w *workload.Worker) { w.Speed++ }, func(w *workload.Worker) { w.Bandwidth++ }, func(w *workload.Worker) { w.Speeds[0]++ },
		func(w *workload.Worker) { w.Speeds = nil }, func(w *workload.Worker) { w.Speeds = []unit.Work{} }, func(w *workload.Worker) { w.Channel++ },
		func(w *workload.Worker) { w.CompLatency++ }, func(w *workload.Worker) { w.CommLatency++ }, func(w *workload.Worker) { w.Errors.Seed++ },
	} {
		other = base()
		change(&other)
		if same.Equal(&other) || other.Equal(&same) {
			t.Errorf("change %d: %+v is like %+v", i, other, same)
		}
	}
	none, empty := workload.Worker{}, workload.Worker{Speeds: []unit.Work{}}
	if none.Equal(&empty) || empty.Equal(&none) {
		t.Error("a machine for any type is like one for none")
	}
	// A stray of a worker is one draw, that of a chunk another for each: uniform around 1.
	for _, relative := range []workload.RateError{{Worker: 0.3}, {Chunk: 0.3}, {Worker: 0.2, Chunk: 0.4}} {
		s := workload.RateErrors{Seed: 5, Speed: relative}
		sum, square, minimum, largest := 0.0, 0.0, 9.0, 0.0
		const n = 4000
		for i := range n {
			x := s.SpeedFactor(i, 3)
			sum, square, minimum, largest = sum+x, square+x*x, min(minimum, x), max(largest, x)
			if again := s.SpeedFactor(i, 4); (again == x) != (relative.Chunk == 0) {
				t.Fatalf("%+v: worker %d is %v, then %v", relative, i, x, again)
			}
			if s.BandwidthFactor(i, 3) != 1 {
				t.Fatal("bandwidths stray")
			}
		}
		low, high := (1-relative.Worker)*(1-relative.Chunk), (1+relative.Worker)*(1+relative.Chunk)
		variance := (1+relative.Worker*relative.Worker/3)*(1+relative.Chunk*relative.Chunk/3) - 1
		mean := sum / n
		if minimum < low || largest > high || math.Abs(mean-1) > 5*math.Sqrt(variance/n) || math.Abs((square/n-mean*mean)/variance-1) > 0.1 {
			t.Errorf("%+v: mean %v, variance %v, want %v; from %v to %v", relative, mean, square/n-mean*mean, variance, minimum, largest)
		}
	}
	for s, ok := range map[workload.RateError]bool{{}: true, {Worker: 0.99}: true, {Worker: 1}: false, {Worker: -0.01}: false, {Chunk: 0.99}: true, {Chunk: 1}: false, {Chunk: -0.01}: false} {
		if s.Valid() != ok {
			t.Errorf("%+v: %v", s, !ok)
		}
	}
}

// TestSubtasks: each arc leaves one end and comes to the other, those of home among
// them, once each, sorted by where they lead; work and bytes are rounded.
func TestSubtasks(t *testing.T) {
	random := rng.New(1, "subtasks")
	for range 200 {
		n := 1 + random.Intn(7)
		vertices := make([]graph.Vertex, n)
		for v := range vertices {
			vertices[v] = graph.Vertex{Name: fmt.Sprint("v", v), Type: "t" + fmt.Sprint(v%3), Work: float64(random.Intn(4)) + 0.25}
		}
		var arcs []graph.Arc
		want := map[workload.GraphArc]bool{}
		for v := range n {
			for u := range v {
				if random.Intn(2) == 0 {
					arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(random.Intn(9)) + 0.5})
					want[workload.GraphArc{From: int32(u), To: int32(v), Bytes: unit.Bytes(arcs[len(arcs)-1].Bytes + 0.5)}] = true
				}
			}
		}
		var home []workload.GraphArc
		for v := range int32(n) {
			if random.Intn(3) == 0 {
				home = append(home, workload.GraphArc{From: workload.Home, To: v, Bytes: unit.Bytes(random.Intn(9))})
			}
			if random.Intn(3) == 0 {
				home = append(home, workload.GraphArc{From: v, To: workload.Home, Bytes: unit.Bytes(random.Intn(9))})
			}
		}
		for _, a := range home {
			want[a] = true
		}
		g, err := graph.New(vertices, arcs)
		if err != nil {
			t.Fatal(err)
		}
		s, err := workload.NewSubtasks(g, func(name string) workload.SubtaskType { return workload.SubtaskType(name[1] - '0') }, home)
		if err != nil {
			t.Fatal(err)
		}
		out, in := map[workload.GraphArc]bool{}, map[workload.GraphArc]bool{}
		for v := workload.Home; v < int32(n); v++ {
			first, end := s.Out(v)
			for i := first; i < end; i++ {
				a := s.Arc(i)
				if a.From != v || i > first && s.Arc(i-1).To > a.To {
					t.Fatalf("arc %d of %d is %+v", i, v, a)
				}
				out[a] = true
			}
			for _, i := range s.In(v) {
				if a := s.Arc(i); a.To != v {
					t.Fatalf("arc %d to %d is %+v", i, v, a)
				} else {
					in[a] = true
				}
			}
			if v == workload.Home {
				if s.Name(v) != "" {
					t.Error(s.Name(v))
				}
			} else if x := s.Subtask(v); s.Name(v) != vertices[v].Name || x.Work != unit.WorkOf(vertices[v].Work) || x.Type != workload.SubtaskType(v%3) {
				t.Fatalf("%d is %s %+v", v, s.Name(v), x)
			}
		}
		if s.Len() != n || s.Arcs() != len(want) || fmt.Sprint(out) != fmt.Sprint(want) || fmt.Sprint(in) != fmt.Sprint(want) {
			t.Fatalf("%d arcs, from %v, to %v, want %v", s.Arcs(), out, in, want)
		}
	}
	one, err := graph.New([]graph.Vertex{{Name: "a", Work: 1}, {Name: "b", Work: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arc workload.GraphArc
		ok  bool
	}{
		{workload.GraphArc{From: -1, To: 1, Bytes: 0}, true},
		{workload.GraphArc{From: -1, To: 1, Bytes: -1}, false},
		{workload.GraphArc{From: -1, To: 2}, false},
		{workload.GraphArc{From: -1, To: -1}, false},
		{workload.GraphArc{From: 0, To: 1}, false},
		{workload.GraphArc{From: -2, To: 1}, false},
		{workload.GraphArc{From: -1, To: -2}, false},
		{workload.GraphArc{From: 0, To: -1, Bytes: 1 << 53}, true},
		{workload.GraphArc{From: 0, To: -1, Bytes: 1<<53 + 2}, false},
		{workload.GraphArc{From: 2, To: -1}, false},
	} {
		if _, err := workload.NewSubtasks(one, func(string) workload.SubtaskType { return 0 }, []workload.GraphArc{c.arc}); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.arc, err)
		}
	}
}

// TestNamesAreCounted: a reader that bounds its memory asks how many texts are kept.
func TestNamesAreCounted(t *testing.T) {
	var n workload.Names
	for i, text := range strings.Fields("a b a 7 c -7 b") {
		n.Attribute([]byte(fmt.Sprint("name", i%2)))
		n.Value([]byte(text))
	}
	if n.Len() != 2+3 {
		t.Errorf("%d texts, want two names and three values", n.Len())
	}
}
