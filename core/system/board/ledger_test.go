package board

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"parley/core/des"
	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// TestPortion: a part of a bonus is that part, rounded down, and all of it for all work.
func TestPortion(t *testing.T) {
	random := rng.New(1, "portion")
	for range 2000 {
		bonus, all := unit.Money(random.Uint64()>>uint(1+random.Intn(60))), unit.Work(random.Uint64()>>uint(5+random.Intn(58)))
		part := unit.Work(0)
		if all > 0 {
			part = unit.Work(random.Uint64n(uint64(all) + 1))
		}
		want := int64(0)
		if all > 0 {
			x := new(big.Int).Mul(big.NewInt(int64(bonus)), big.NewInt(int64(part)))
			want = x.Div(x, big.NewInt(int64(all))).Int64()
		}
		if got := portion(bonus, part, all); int64(got) != want {
			t.Fatalf("%d of %d of the bonus %d is %d, want %d", part, all, bonus, got, want)
		}
	}
}

// TestIdealAndEstimate compare the length of a graph on the fastest resources, and the
// latest starts on mean ones, with what every path through it says.
func TestIdealAndEstimate(t *testing.T) {
	random := rng.New(2, "ideal")
	for range 300 {
		d := &dispatch{}
		type machine struct {
			any     float64
			byType  [3]float64
			channel float64
		}
		var machines []machine
		for range random.Intn(4) {
			m := machine{channel: float64(random.Intn(3) * 1000)}
			w := &workload.Worker{Channel: unit.Bytes(m.channel)}
			if random.Intn(2) == 0 {
				m.any = float64(1 + random.Intn(3))
				w.Speed = unit.WorkOf(m.any)
			} else {
				for k := range m.byType {
					m.byType[k] = float64(random.Intn(3))
					w.Speeds = append(w.Speeds, unit.WorkOf(m.byType[k]))
				}
			}
			d.fleet.join(w)
			machines = append(machines, m)
		}
		top, mean := [3]float64{}, [3]float64{}
		channel := 0.0
		for k := range top {
			sum, n := 0.0, 0.0
			for _, m := range machines {
				if x := max(m.any, m.byType[k]); x > 0 {
					top[k], sum, n = max(top[k], x), sum+x, n+1
				}
			}
			if n > 0 {
				mean[k] = sum / n
			}
		}
		for _, m := range machines {
			channel += m.channel / float64(len(machines))
		}
		n := 1 + random.Intn(7)
		vertices := make([]graph.Vertex, n)
		var arcs []graph.Arc
		for v := range vertices {
			vertices[v] = graph.Vertex{Name: fmt.Sprint(v), Type: fmt.Sprint(random.Intn(3)), Work: float64(random.Intn(5))}
			for u := range v {
				if random.Intn(2) == 0 {
					arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(random.Intn(3) * 500)})
				}
			}
		}
		g, err := graph.New(vertices, arcs)
		if err != nil {
			t.Fatal(err)
		}
		var home []workload.GraphArc
		for v := range int32(n) {
			if random.Intn(3) == 0 {
				home = append(home, workload.GraphArc{From: v, To: workload.Home, Bytes: unit.Bytes(random.Intn(3) * 500)})
			}
		}
		s, err := workload.NewSubtasks(g, func(name string) workload.SubtaskType { return workload.SubtaskType(name[0] - '0') }, home)
		if err != nil {
			t.Fatal(err)
		}
		due := unit.Time(1000 * unit.Second)
		one := &task{posted: posted.New(s, due), due: due}
		// every path from a subtask on, and what it takes
		var longest func(v int32) float64
		longest = func(v int32) float64 {
			rest := 0.0
			first, end := s.Out(v)
			for a := first; a < end; a++ {
				if to := s.Arc(a).To; to != workload.Home {
					rest = max(rest, longest(to))
				}
			}
			return rest + over(vertices[v].Work, top[s.Subtask(v).Type])
		}
		var latest func(v int32) float64
		latest = func(v int32) float64 {
			at, took := due.Seconds(), over(vertices[v].Work, mean[s.Subtask(v).Type])
			first, end := s.Out(v)
			for a := first; a < end; a++ {
				took += over(float64(s.Arc(a).Bytes), channel)
				if to := s.Arc(a).To; to != workload.Home {
					at = min(at, latest(to))
				}
			}
			return at - took
		}
		critical, sum := d.ideal(one)
		starts := d.estimate(one)
		wantCritical, wantSum := 0.0, 0.0
		for v := range int32(n) {
			wantCritical = max(wantCritical, longest(v))
			wantSum += over(vertices[v].Work, top[s.Subtask(v).Type])
			if math.Abs(starts[v].Seconds()-latest(v)) > 1e-4 {
				t.Fatalf("subtask %d of %v on %+v begins at %v at the latest, want %v", v, vertices, machines, starts[v].Seconds(), latest(v))
			}
		}
		if math.Abs(critical-wantCritical) > 1e-9 || math.Abs(sum-wantSum) > 1e-9 {
			t.Fatalf("%v on %+v: path %v, sum %v, want %v and %v", vertices, machines, critical, sum, wantCritical, wantSum)
		}
		one.due = unit.Forever
		for v, at := range d.estimate(one) {
			if at != unit.Forever {
				t.Fatalf("without a deadline subtask %d begins at %v at the latest", v, at)
			}
		}
	}
}

// over is how long an amount takes at a rate, nothing at none.
func over(amount, rate float64) float64 {
	if rate > 0 {
		return amount / rate
	}
	return 0
}

// TestKindsOf: a resource knows the types that it has a speed for, and one without a list
// knows all.
func TestKindsOf(t *testing.T) {
	if got := kindsOf(&workload.Worker{Speed: 1}); got != ^posted.Kinds(0) {
		t.Errorf("%b", got)
	}
	if got, want := kindsOf(&workload.Worker{Speeds: []unit.Work{0, 1, 0, 5}}), posted.KindOf(1)|posted.KindOf(3); got != want {
		t.Errorf("%b, want %b", got, want)
	}
}

// TestNames: a thread's subtasks are named up to twelve.
func TestNames(t *testing.T) {
	for _, n := range []int{1, 12, 13, 20} {
		vertices := make([]graph.Vertex, n)
		c := &claim{}
		want := ""
		for v := range vertices {
			vertices[v] = graph.Vertex{Name: fmt.Sprint("v", v), Work: 1}
			c.vertices = append(c.vertices, int32(v))
			if v > 0 && v <= 12 {
				want += " → "
			}
			if v < 12 {
				want += vertices[v].Name
			}
		}
		if n > 12 {
			want += fmt.Sprintf("and %d more", n-12)
		}
		g, err := graph.New(vertices, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.task = (&task{posted: posted.New(s, 1)}); c.names() != want {
			t.Errorf("%s, want %s", c.names(), want)
		}
	}
}

// TestNeededEarlier: a claim on a, whose result was needed at 100 s, does not stand once
// another agent has taken a successor that needs it at 50 s.
func TestNeededEarlier(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 1}, {Name: "b", Work: 1}, {Name: "c", Work: 1}}, []graph.Arc{{From: 0, To: 1}, {From: 0, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &dispatch{env: system.Env{Clock: des.New()}}
	one := &task{posted: posted.New(s, unit.Hour)}
	one.posted.Take(1, []int32{1}, []unit.Time{100 * unit.Second})
	c := &claim{task: one, vertices: []int32{0}, starts: []unit.Time{90 * unit.Second}, needed: 100 * unit.Second}
	if !d.acceptable(c) {
		t.Error("a claim that nothing speaks against does not stand")
	}
	one.posted.Take(2, []int32{2}, []unit.Time{50 * unit.Second})
	if d.acceptable(c) {
		t.Error("a claim stands although its result is needed earlier now")
	}
}
