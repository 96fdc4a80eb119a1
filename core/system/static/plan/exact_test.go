package plan_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system/static/plan"
)

// whole draws a problem whose times are small whole numbers, so that gaps fit
// exactly, intervals touch and priorities tie.
func whole(t *testing.T, random *rng.Stream) *plan.Problem {
	t.Helper()
	n, m := 2+random.Intn(9), 2<<random.Intn(2) // so many processors: means are exact
	var vertices []graph.Vertex
	var arcs []graph.Arc
	var costs [][]float64
	for v := range n {
		vertices = append(vertices, graph.Vertex{Name: fmt.Sprint(v)})
		var row []float64
		for range m {
			row = append(row, float64(random.Intn(5)))
		}
		costs = append(costs, row)
		for u := range v {
			if random.Intn(3) == 0 {
				arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(random.Intn(4))})
			}
		}
	}
	if random.Intn(2) == 0 { // the first vertices come last
		for i, a := range arcs {
			arcs[i].From, arcs[i].To = a.To, a.From
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	processors := make([]plan.Processor, m)
	for q := range processors {
		processors[q] = plan.Processor{Speed: 1, Bandwidth: 1}
	}
	p, err := plan.New(g, processors, float64(random.Intn(2)), costs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestExactAgainstPlain: where everything ties and fits exactly, each algorithm still
// does what its definition says.
func TestExactAgainstPlain(t *testing.T) {
	random, problems := rng.New(4, "exact"), 1200
	if testing.Short() {
		problems = 200
	}
	for i := range problems {
		p := whole(t, random)
		for _, name := range plan.Algorithms() {
			s, err := p.Plan(name)
			if err == nil {
				err = p.Check(s)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := differs(p, name); err != nil {
				t.Fatalf("problem %d: %v", i, err)
			}
		}
	}
}

// TestFigures: two tasks of 3 and 4 on processors of speed 1 and 2, a result of 6
// bytes between them, by hand.
func TestFigures(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 3}, {Name: "b", Work: 4}}, []graph.Arc{{From: 0, To: 1, Bytes: 6}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g, []plan.Processor{{Speed: 1, Bandwidth: 6}, {Speed: 2, Bandwidth: 6}}, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		slots []plan.Slot
		want  plan.Figures
	}{
		{[]plan.Slot{{1, 0, 1.5}, {1, 1.5, 3.5}}, plan.Figures{SLR: 1, Speedup: 1, Efficiency: 0.5, BoundS: 3.5, IdlePct: 50}},
		{[]plan.Slot{{0, 0, 3}, {1, 4.5, 6.5}}, plan.Figures{SLR: 6.5 / 3.5, Speedup: 3.5 / 6.5, Efficiency: 3.5 / 13, BoundS: 3.5, Travelled: 6, IdlePct: 100 * (1 - 5./13)}},
	} {
		s := &plan.Schedule{Slots: c.slots, Makespan: c.slots[1].Finish}
		if err := p.Check(s); err != nil {
			t.Error(err)
		}
		if got := p.Measure(s); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	nothing, err := graph.New([]graph.Vertex{{Name: "a"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = plan.Uniform(nothing, 3, 0, 0); err != nil {
		t.Fatal(err)
	}
	if got := p.Measure(&plan.Schedule{Slots: []plan.Slot{{}}}); got != (plan.Figures{SLR: 1, Speedup: 1, Efficiency: 1. / 3}) {
		t.Errorf("a graph without work: %+v", got)
	}
}

// TestCheckRounds: times of a million seconds and fractions pass, although sums of
// them round; a thousandth of a second more does not.
func TestCheckRounds(t *testing.T) {
	random := rng.New(9, "rounds")
	var vertices []graph.Vertex
	var arcs []graph.Arc
	for v := range 60 {
		vertices = append(vertices, graph.Vertex{Name: fmt.Sprint(v), Work: 1e6 * random.Float64()})
		if v > 0 {
			arcs = append(arcs, graph.Arc{From: int32(v - 1), To: int32(v), Bytes: 1e6 * random.Float64()})
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g, []plan.Processor{{Speed: 0.3, Bandwidth: 7}, {Speed: 0.7, Bandwidth: 3}}, 0.1, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Plan("heft")
	if err == nil {
		err = p.Check(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.Slots[20].Finish++; p.Check(s) == nil {
		t.Error("a vertex that takes a second too long passes")
	}
}

// TestLimits: the largest numbers are taken, what is beyond them is refused in a
// sentence.
func TestLimits(t *testing.T) {
	const huge = math.MaxFloat64
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 1e300}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := []plan.Processor{{Speed: 1, Bandwidth: huge}}
	for _, c := range []struct {
		processors []plan.Processor
		latency    float64
		costs      [][]float64
		want       string
	}{
		{one, 0, nil, ""},
		{one, huge, nil, ""},
		{one, math.Inf(1), nil, "latency is +Inf"},
		{one, -1, nil, "latency is -1"},
		{[]plan.Processor{{Speed: huge}}, 0, nil, ""},
		{[]plan.Processor{{Speed: math.Inf(1)}}, 0, nil, "a speed of +Inf"},
		{[]plan.Processor{{Speed: 1, Bandwidth: math.Inf(1)}}, 0, nil, "a bandwidth of +Inf"},
		{[]plan.Processor{{Speed: 1, Bandwidth: -1}}, 0, nil, "a bandwidth of -1"},
		{[]plan.Processor{{Speed: 0.999}}, 0, nil, "more than 1e300 s"},
		{[]plan.Processor{{Speed: 0}}, 0, nil, "a speed of 0"},
		{one, 0, [][]float64{{1e300}}, ""},
		{one, 0, [][]float64{{huge}}, "more than 1e300 s"},
		{one, 0, [][]float64{{math.Inf(1)}}, "costs +Inf on processor 0"},
		{one, 0, [][]float64{{1}, {2}}, "2 vertices have costs, but the graph has 1"},
		{one, 0, [][]float64{{1, 2}}, "2 costs for 1 processors"},
		{nil, 0, nil, "there are 0 processors"},
	} {
		_, err := plan.New(g, c.processors, c.latency, c.costs)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for n, fine := range map[int]bool{-1: false, 0: false, 1: true, plan.MaxProcessors: true, plan.MaxProcessors + 1: false} {
		if p, err := plan.Uniform(g, n, 0, 0); (err == nil) != fine || fine && len(p.Processors) != n {
			t.Errorf("%d processors: %v", n, err)
		}
	}
}

// TestWhatTravelsFast: bytes are divided by a bandwidth, however large that is.
func TestWhatTravelsFast(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 1}, {Name: "b", Work: 1}}, []graph.Arc{{From: 0, To: 1, Bytes: 1e10}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Uniform(g, 2, 1e300, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = p.Check(&plan.Schedule{Slots: []plan.Slot{{0, 0, 1}, {1, 1, 3.5}}, Makespan: 3.5})
	if err == nil || err.Error() != `vertex "b" takes 2.5 s from 1 to 3.5, but needs 1` {
		t.Error(err)
	}
}

// TestBest: the shortest schedule of all algorithms, of equal ones the first.
func TestBest(t *testing.T) {
	random, firsts := rng.New(5, "best"), map[string]bool{}
	for range 300 {
		p := whole(t, random)
		want, lowest := "", math.Inf(1)
		for _, name := range plan.Algorithms() {
			s, err := p.Plan(name)
			if err != nil {
				t.Fatal(err)
			}
			if s.Makespan < lowest {
				want, lowest = name, s.Makespan
			}
		}
		name, s, err := p.Best()
		if err != nil || name != want || s.Makespan != lowest {
			t.Fatalf("%s with %v, %v; want %s with %v", name, s.Makespan, err, want, lowest)
		}
		firsts[name] = true
	}
	if len(firsts) < 3 {
		t.Errorf("only %v are ever best: the problems tell nothing", firsts)
	}
	if s, err := whole(t, random).Plan("best-fit"); s != nil || err == nil || !strings.Contains(err.Error(), "choose one of heft, cpop") {
		t.Errorf("%v, %v", s, err)
	}
}

// TestDecodeSays: what is wrong with a document, in one sentence, with its line.
func TestDecodeSays(t *testing.T) {
	const processors = `"processors":[{"speed":1},{"speed":2}]`
	for document, want := range map[string]string{
		`{` + processors + `,"tasks":[{"name":"a","work":3},{"name":"b"}],"arcs":[{"from":"a","to":"b"}]}`: "",
		`{` + processors + `,"tasks":[{"name":"a","cost":[1,2]},{"name":"b","cost":[0,0]}]}`:               "",
		`{` + processors + `,"tasks":[{"work":3}]}`:                                                        "task 0 has no name: give each one of its own",
		`{` + processors + `,"tasks":[{"name":"a","work":3},{"name":"b","cost":[1,2]}]}`:                   `task "b" has work where others have costs: give all tasks work, or all of them costs`,
		`{` + processors + `,"tasks":[{"name":"a","cost":[1,2]},{"name":"b","work":1}]}`:                   `task "b" has work where others have costs: give all tasks work, or all of them costs`,
		`{` + processors + `,"tasks":[{"name":"a","cost":[1,2],"work":1}]}`:                                `task "a" has work where others have costs: give all tasks work, or all of them costs`,
		`{` + processors + `,"tasks":[{"name":"a"}],"arcs":[{"from":"a","to":"c"}]}`:                       `arc 0 names "c", which is no task`,
		`{` + processors + `,"tasks":[{"name":"a"}],"arcs":[{"from":"c","to":"a"}]}`:                       `arc 0 names "c", which is no task`,
		`{` + processors + `}`:                "the graph has no tasks: add \"tasks\" with a name and work each",
		"{\n\n\"tasks\":[{\"name\":3}]}":      "the graph cannot be read: tasks.name is a number, not a text (line 3)",
		"{\n\"tusks\":[]}":                    `the graph cannot be read: unknown field "tusks" (line 2): did you mean tasks?`,
		"[]":                                  "the graph cannot be read: it is a list, not an object in braces (line 1)",
		"{":                                   "the graph cannot be read: it ends too early, in line 1: is it cut off?",
		"":                                    "the graph cannot be read: it is empty",
		`{` + processors + `,"tasks":[]} {}`:  `the graph cannot be read: "{}" follows the end (line 1); remove it`,
		"{\"latency_s\":\n 0.5,\n\"tasks\" 3": "the graph cannot be read: invalid character '3' after object key (line 3, column 9)",
	} {
		p, err := plan.Decode(strings.NewReader(document))
		switch {
		case want == "" && (err != nil || p.Graph.Len() != 2):
			t.Errorf("%s: %v", document, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v", document, err)
		}
	}
}
