package plan_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system/static/plan"
)

// TestAgainstPlain compares each algorithm with one that is written down without
// any of the short cuts.
func TestAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, 14)
		for _, name := range plan.Algorithms() {
			if err := differs(p, name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestTiesAgainstPlain draws graphs whose times are whole numbers and thirds, fifths
// and sevenths of them. Many ranks and finishes are equal in exact arithmetic and
// differ in the last bit of a float.
func TestTiesAgainstPlain(t *testing.T) {
	graphs := 330
	if testing.Short() {
		graphs = 60
	}
	random := rng.New(26, "ties")
	wrong := map[string]int{}
	for i := range graphs {
		p := uneven(t, random)
		for _, name := range plan.Algorithms() {
			s, err := p.Plan(name)
			if err == nil {
				err = p.Check(s)
			}
			if err != nil {
				t.Fatalf("graph %d, %s: %v", i, name, err)
			}
			if err := differs(p, name); err != nil {
				if wrong[name]++; wrong[name] == 1 {
					t.Errorf("graph %d: %v", i, err)
				}
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("of %d graphs these have another schedule than the exact one: %v", graphs, wrong)
	}
}

// uneven draws a problem whose times are fractions that floats round.
func uneven(t *testing.T, random *rng.Stream) *plan.Problem {
	t.Helper()
	n, m := 2+random.Intn(23), 1+random.Intn(7)
	var vertices []graph.Vertex
	var arcs []graph.Arc
	var costs [][]float64
	stated, largest := random.Intn(2) == 0, 2+random.Intn(30)
	for v := range n {
		vertex := graph.Vertex{Name: fmt.Sprint(v)}
		var row []float64
		for range m {
			row = append(row, float64(random.Intn(largest)))
		}
		if !stated {
			vertex.Work = float64(random.Intn(largest))
		}
		vertices, costs = append(vertices, vertex), append(costs, row)
		for u := range v {
			if random.Intn(n) < 3 {
				arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(random.Intn(largest))})
			}
		}
	}
	if !stated {
		costs = nil
	}
	if random.Intn(2) == 0 { // the first vertices are the last to run
		for i, a := range arcs {
			arcs[i].From, arcs[i].To = a.To, a.From
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	processors := make([]plan.Processor, m)
	rates := []float64{1, 3, 5, 7, 10}
	for q := range processors {
		processors[q] = plan.Processor{Speed: rates[random.Intn(len(rates))], Bandwidth: rates[random.Intn(len(rates))]}
	}
	p, err := plan.New(g, processors, float64(random.Intn(2)), costs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// differs compares the schedule of an algorithm with the plain one.
func differs(p *plan.Problem, name string) error {
	s, err := p.Plan(name)
	if err != nil {
		return err
	}
	want := plain(p, name)
	for v, got := range s.Slots {
		start, _ := want[v].start.Float64()
		if off := got.Start - start; int(got.Processor) != want[v].processor || off > 1e-9 || off < -1e-9 {
			return fmt.Errorf("%s puts %d onto %d at %v, the plain one onto %d at %v", name, v, got.Processor, got.Start, want[v].processor, want[v].start.RatString())
		}
	}
	return nil
}

// exactly is a slot in exact arithmetic.
type exactly struct {
	processor     int
	start, finish *big.Rat
}

func plus(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func over(a, b float64) *big.Rat {
	return new(big.Rat).Quo(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
}

func most(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// mean returns the mean of m values.
func mean(m int, value func(q int) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for q := range m {
		sum.Add(sum, value(q))
	}
	return sum.Quo(sum, big.NewRat(int64(m), 1))
}

// plain is each algorithm by the words of its definition, in exact arithmetic.
func plain(p *plan.Problem, name string) []exactly {
	n, m := p.Graph.Len(), len(p.Processors)
	zero := new(big.Rat)
	slots, done := make([]exactly, n), make([]bool, n)
	times := make([]*big.Rat, n*m)
	for i := range times {
		v, q := i/m, i%m
		times[i] = new(big.Rat).SetFloat64(p.Time(v, q)) // it is stated
		if work, speed := p.Graph.Vertex(v).Work, p.Processors[q].Speed; work/speed == p.Time(v, q) {
			times[i] = over(work, speed)
		}
	}
	time := func(v, q int) *big.Rat { return times[v*m+q] }
	travel := func(a graph.Arc, q, r int) *big.Rat {
		if q == r {
			return zero
		}
		took := new(big.Rat).SetFloat64(p.Latency)
		if b := p.Processors[q].Bandwidth; b > 0 {
			took.Add(took, over(a.Bytes, b))
		}
		return took
	}
	means := map[graph.Arc]*big.Rat{}
	meanTravel := func(a graph.Arc) *big.Rat { // 0 if there is one processor
		if means[a] == nil {
			means[a] = mean(m, func(q int) *big.Rat { return travel(a, q, (q+1)%m) })
		}
		return means[a]
	}
	meanTime := func(v int) *big.Rat { return mean(m, func(q int) *big.Rat { return time(v, q) }) }
	up, down, table := make([]*big.Rat, n), make([]*big.Rat, n), make([][]*big.Rat, n)
	var upward, downward func(v int) *big.Rat
	upward = func(v int) *big.Rat {
		if up[v] == nil {
			rest := zero
			for _, a := range p.Graph.Out(v) {
				rest = most(rest, plus(meanTravel(a), upward(int(a.To))))
			}
			up[v] = plus(meanTime(v), rest)
		}
		return up[v]
	}
	downward = func(v int) *big.Rat {
		if down[v] == nil {
			down[v] = zero
			for _, a := range p.Graph.In(v) {
				down[v] = most(down[v], plus(plus(downward(int(a.From)), meanTime(int(a.From))), meanTravel(a)))
			}
		}
		return down[v]
	}
	var optimistic func(v int) []*big.Rat
	optimistic = func(v int) []*big.Rat {
		if table[v] != nil {
			return table[v]
		}
		row := make([]*big.Rat, m)
		for q := range row {
			row[q] = zero
			for _, a := range p.Graph.Out(v) {
				var lowest *big.Rat
				for r := range m {
					x := plus(optimistic(int(a.To))[r], time(int(a.To), r))
					if r != q {
						x.Add(x, meanTravel(a))
					}
					if lowest == nil || x.Cmp(lowest) < 0 {
						lowest = x
					}
				}
				row[q] = most(row[q], lowest)
			}
		}
		table[v] = row
		return row
	}
	critical, home := criticalPath(p, upward, meanTravel, time)
	start := func(v, q int) *big.Rat { // the first gap that holds it, or the end
		ready, long := zero, time(v, q)
		for _, a := range p.Graph.In(v) {
			from := slots[a.From]
			ready = most(ready, plus(from.finish, travel(a, from.processor, q)))
		}
		candidates := []*big.Rat{ready}
		for u, s := range slots {
			if done[u] && s.processor == q && s.finish.Cmp(ready) >= 0 && s.finish.Cmp(s.start) > 0 {
				candidates = append(candidates, s.finish)
			}
		}
		slices.SortFunc(candidates, (*big.Rat).Cmp)
		last := candidates[len(candidates)-1]
		if name == "min-min" || name == "max-min" {
			return last
		}
		if long.Sign() == 0 { // it is in the way of no other
			return ready
		}
		for _, at := range candidates {
			free := true
			for u, s := range slots {
				if done[u] && s.processor == q && s.finish.Cmp(s.start) > 0 {
					free = free && (plus(at, long).Cmp(s.start) <= 0 || at.Cmp(s.finish) >= 0)
				}
			}
			if free {
				return at
			}
		}
		return last
	}
	for range n {
		chosen, where, at, value := -1, 0, zero, zero
		for v := range n {
			ready := !done[v]
			for _, a := range p.Graph.In(v) {
				ready = ready && done[a.From]
			}
			if !ready {
				continue
			}
			bestQ, bestAt, bestValue := 0, zero, (*big.Rat)(nil)
			for q := range m {
				if name == "cpop" && critical[v] && q != home {
					continue
				}
				x := start(v, q)
				y := plus(x, time(v, q))
				if name == "peft" {
					y.Add(y, optimistic(v)[q])
				}
				if bestValue == nil || y.Cmp(bestValue) < 0 {
					bestQ, bestAt, bestValue = q, x, y
				}
			}
			priority := zero
			switch name {
			case "heft":
				priority = upward(v)
			case "cpop":
				priority = plus(upward(v), downward(v))
			case "peft":
				priority = mean(m, func(q int) *big.Rat { return optimistic(v)[q] })
			case "min-min":
				priority = new(big.Rat).Neg(bestValue)
			case "max-min":
				priority = bestValue
			}
			if chosen < 0 || priority.Cmp(value) > 0 {
				chosen, where, at, value = v, bestQ, bestAt, priority
			}
		}
		done[chosen] = true
		slots[chosen] = exactly{where, at, plus(at, time(chosen, where))}
	}
	return slots
}

// criticalPath returns the vertices of CPOP's critical path, the lowest ones where
// several are as long, and the first processor that does all of them soonest.
func criticalPath(p *plan.Problem, up func(int) *big.Rat, travel func(graph.Arc) *big.Rat, time func(v, q int) *big.Rat) (on map[int]bool, home int) {
	on = map[int]bool{}
	at := -1
	for v := range p.Graph.Len() {
		if len(p.Graph.In(v)) == 0 && (at < 0 || up(v).Cmp(up(at)) > 0) {
			at = v
		}
	}
	for at >= 0 {
		on[at] = true
		next, length := -1, new(big.Rat)
		for v := range p.Graph.Len() {
			for _, a := range p.Graph.Out(at) {
				if l := plus(travel(a), up(v)); int(a.To) == v && (next < 0 || l.Cmp(length) > 0) {
					next, length = v, l
				}
			}
		}
		at = next
	}
	var lowest *big.Rat
	for q := range p.Processors {
		sum := new(big.Rat)
		for v := range on {
			sum.Add(sum, time(v, q))
		}
		if lowest == nil || sum.Cmp(lowest) < 0 {
			home, lowest = q, sum
		}
	}
	return on, home
}
