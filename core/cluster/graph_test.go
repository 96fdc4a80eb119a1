package cluster_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/graph"
	"parley/core/unit"
	"parley/core/workload"
)

// drawGraph draws a small graph with types 0 to 2 and arcs from and to home.
func drawGraph(t *rapid.T) *workload.Graph {
	n := rapid.IntRange(1, 7).Draw(t, "subtasks")
	var vertices []graph.Vertex
	var arcs []graph.Arc
	var home []workload.GraphArc
	size := rapid.SampledFrom([]float64{0, 0, 1, 500, 2000})
	for v := range n {
		vertices = append(vertices, graph.Vertex{Name: fmt.Sprint("v", v), Type: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "type"), Work: float64(rapid.IntRange(0, 4).Draw(t, "work"))})
		for u := range v {
			if rapid.IntRange(0, 2).Draw(t, "arc") == 0 {
				arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: size.Draw(t, "bytes")})
			}
		}
		if rapid.IntRange(0, 5).Draw(t, "home") == 0 {
			home = append(home, workload.GraphArc{From: workload.Home, To: int32(v), Bytes: unit.Bytes(size.Draw(t, "input"))})
		}
		if rapid.IntRange(0, 5).Draw(t, "result") == 0 {
			home = append(home, workload.GraphArc{From: int32(v), To: workload.Home, Bytes: unit.Bytes(size.Draw(t, "output"))})
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.NewSubtasks(g, func(name string) workload.SubtaskType { return workload.SubtaskType(name[0] - 'a') }, home)
	if err != nil {
		t.Fatal(err)
	}
	return &workload.Graph{Subtasks: s, Deadline: unit.Time(rapid.IntRange(0, 20).Draw(t, "deadline")) * unit.Second}
}

// Whatever a system does and whoever fails, the sums hold after every step.
func TestGraphsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kernel := des.New()
		settings := cluster.Default()
		settings.Transfers = rapid.SampledFrom([]string{cluster.OnePort, cluster.ContentionFree}).Draw(t, "transfers")
		c := cluster.New(settings, kernel)
		const workers = 4
		for m := range uint64(workers) {
			speed := rapid.Map(rapid.IntRange(0, 3), func(i int) unit.Work { return unit.Work(i) * unit.WorkUnit })
			c.Join(m, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{
				Speeds: rapid.SliceOfN(speed, 0, 3).Draw(t, "speeds"), Channel: unit.Bytes(rapid.SampledFrom([]int{0, 100, 1000}).Draw(t, "channel")),
				CompLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "comp")) * unit.Second, CommLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "comm")) * unit.Second,
			}})
		}
		var ids []unit.GraphID
		settle := func() {
			for {
				n := 0
				if err := c.Deliver(func(cluster.Event) error { n++; return c.Check() }); err != nil {
					t.Fatal(err)
				}
				if err := c.Audit(); err != nil {
					t.Fatal(err)
				}
				if n == 0 {
					return
				}
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			n := unit.NodeID(rapid.IntRange(-1, workers).Draw(t, "node"))
			g := unit.GraphID(0)
			if len(ids) > 0 {
				g = rapid.SampledFrom(ids).Draw(t, "graph")
			}
			number := int32(rapid.IntRange(-1, 12).Draw(t, "number"))
			switch rapid.SampledFrom([]string{"submit", "assign", "assign", "assign", "transfer", "transfer", "stop", "withdraw", "run", "run", "leave", "restore", "abort", "change"}).Draw(t, "act") {
			case "submit":
				id, err := c.SubmitGraph(workload.Key{Job: uint64(len(ids))}, drawGraph(t))
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			case "assign":
				_ = c.Assign(g, number, n) // refusals are part of the game
			case "transfer":
				_ = c.Transfer(g, number, n)
			case "stop":
				_ = c.StopTransfer(g, number)
			case "withdraw":
				_ = c.Withdraw(g, number)
			case "run":
				for until := kernel.Now() + unit.Time(rapid.IntRange(0, 4).Draw(t, "time"))*unit.Second; kernel.Step(until); {
					settle()
				}
			case "leave":
				c.Leave(n)
			case "restore":
				c.Restore(n)
			case "abort":
				if rapid.IntRange(0, 3).Draw(t, "really") == 0 {
					_ = c.Abort(g)
				}
			case "change":
				if n >= 0 && n < workers {
					c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Worker: &workload.Worker{Speeds: []unit.Work{unit.WorkUnit, unit.Work(number+1) * unit.WorkUnit}}})
				}
			}
			settle()
		}
	})
}

// twoFold is a cluster of three equal workers with a graph of four subtasks: u gives
// v and w something, x gives v something, 1000 bytes each, which take a second. Tasks
// take 10 s.
func twoFold(t *testing.T) (c *cluster.Cluster, g unit.GraphID, arc func(from, to int32) int32, pass func(unit.Time)) {
	kernel := des.New()
	c = cluster.New(cluster.Default(), kernel)
	for m := range uint64(3) {
		c.Join(m, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{Speed: unit.WorkUnit, Channel: 1000}})
	}
	var vertices []graph.Vertex
	for _, name := range []string{"u", "v", "w", "x"} {
		vertices = append(vertices, graph.Vertex{Name: name, Work: 10})
	}
	shape, err := graph.New(vertices, []graph.Arc{{From: 0, To: 1, Bytes: 1000}, {From: 0, To: 2, Bytes: 1000}, {From: 3, To: 1, Bytes: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.NewSubtasks(shape, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: s}); err != nil {
		t.Fatal(err)
	}
	arc = func(from, to int32) int32 {
		for _, a := range s.In(to) {
			if s.Arc(a).From == from {
				return a
			}
		}
		t.Fatalf("there is no arc from %d to %d", from, to)
		return 0
	}
	pass = func(d unit.Time) {
		for until := kernel.Now() + d*unit.Second + 1; kernel.Step(until); {
			if err := c.Audit(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, g, arc, pass
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What was delivered to a node stays of use there, although it is on its way to
// another when the subtask that needs it is assigned.
func TestDeliveredBeforeAssigned(t *testing.T) {
	c, g, arc, pass := twoFold(t)
	must(t, c.Assign(g, 0, 0), c.Assign(g, 3, 1))
	pass(10)
	must(t, c.Transfer(g, arc(0, 1), 1))
	pass(1)
	c.Leave(0)
	must(t, c.Transfer(g, arc(0, 1), 2), c.Assign(g, 0, 1), c.Assign(g, 1, 1)) // u again, for w, and then v
	pass(1)
	if r, _ := c.View().Result(g, arc(0, 1)); r.Delivered != 1 || r.Moving {
		t.Errorf("it lies %+v", r)
	}
	pass(18)
	if s, _ := c.View().Subtask(g, 1); s.State != cluster.SubtaskComputing || s.Node != 1 {
		t.Errorf("v is %v on node %d", s.State, s.Node)
	}
	must(t, c.Audit())
}

// A result that is made again where it lies already is one input there, not two.
func TestMadeAgainWhereItLies(t *testing.T) {
	c, g, arc, pass := twoFold(t)
	must(t, c.Assign(g, 0, 0), c.Assign(g, 1, 1))
	pass(10)
	must(t, c.Transfer(g, arc(0, 1), 1))
	pass(1)
	c.Leave(0) // w still needs it
	if s, _ := c.View().Subtask(g, 0); s.State != cluster.SubtaskWaiting {
		t.Fatalf("u is %v", s.State)
	}
	must(t, c.Withdraw(g, 1), c.Assign(g, 0, 1), c.Assign(g, 1, 1))
	pass(10)
	if s, _ := c.View().Subtask(g, 1); s.State != cluster.SubtaskQueued || s.Missing != 1 {
		t.Errorf("v is %v and lacks %d inputs", s.State, s.Missing)
	}
	must(t, c.Audit())
}

// A result for home that lies on another node is not made again.
func TestCopiesCount(t *testing.T) {
	kernel := des.New()
	c := cluster.New(cluster.Default(), kernel)
	for m := range uint64(2) {
		c.Join(m, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{Speed: unit.WorkUnit, Channel: 1000}})
	}
	shape, err := graph.New([]graph.Vertex{{Name: "u", Work: 1}}, nil)
	must(t, err)
	s, err := workload.NewSubtasks(shape, func(string) workload.SubtaskType { return 0 }, []workload.GraphArc{{From: 0, To: workload.Home, Bytes: 1000}})
	must(t, err)
	g, err := c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: s})
	must(t, err, c.Assign(g, 0, 0))
	for kernel.Step(2 * unit.Second) {
	}
	must(t, c.Transfer(g, 0, 1))
	for kernel.Step(4 * unit.Second) {
	}
	c.Leave(0)
	must(t, c.Audit(), c.Transfer(g, 0, unit.NoNode))
	for kernel.Step(6 * unit.Second) {
	}
	if totals := c.View().GraphTotals(); totals.Done != 1 || totals.Lost != 0 {
		t.Errorf("%+v", totals)
	}
	must(t, c.Audit())
}

// TestDeadline: a graph that is done at the very moment of its deadline meets it, a
// microsecond later it does not; each subtask counts as begun and finished once.
func TestDeadline(t *testing.T) {
	for deadline, missed := range map[unit.Time]int64{10 * unit.Second: 0, 10*unit.Second - 1: 1} {
		kernel := des.New()
		c := cluster.New(cluster.Default(), kernel)
		c.Join(0, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{Speed: unit.WorkUnit, Channel: 1000}})
		shape, err := graph.New([]graph.Vertex{{Name: "u", Work: 10}}, nil)
		must(t, err)
		s, err := workload.NewSubtasks(shape, func(string) workload.SubtaskType { return 0 }, nil)
		must(t, err)
		g, err := c.SubmitGraph(workload.Key{}, &workload.Graph{Subtasks: s, Deadline: deadline})
		must(t, err, c.Assign(g, 0, 0))
		for kernel.Step(unit.Minute) {
		}
		if got := c.View().GraphTotals(); got.Done != 1 || got.Timed != 1 || got.Missed != missed || got.Begun != 1 || got.Finished != 1 {
			t.Errorf("deadline %v: %+v", deadline, got)
		}
		must(t, c.Audit())
	}
}
