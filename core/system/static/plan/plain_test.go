package plan_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/system/static/plan"
)

// TestAgainstPlain compares each algorithm with one that is written down without
// any of the short cuts.
func TestAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, 14)
		for _, name := range plan.Algorithms() {
			s, err := p.Plan(name)
			if err != nil {
				t.Fatal(err)
			}
			want := plain(p, name)
			for v := range s.Slots {
				if got := s.Slots[v]; got.Processor != want[v].Processor || math.Abs(got.Start-want[v].Start) > 1e-9 {
					t.Fatalf("%s puts %d onto %d at %v, the plain one onto %d at %v", name, v, got.Processor, got.Start, want[v].Processor, want[v].Start)
				}
			}
		}
	})
}

// plain is each algorithm by the words of its definition.
func plain(p *plan.Problem, name string) []plan.Slot {
	n, m := p.Graph.Len(), len(p.Processors)
	slots, done := make([]plan.Slot, n), make([]bool, n)
	travel := func(a graph.Arc) float64 { // mean over who sends it to another
		sum := 0.0
		for q := range m {
			sum += p.Travel(a, q, (q+1)%m) // 0 where there is no other
		}
		return sum / float64(m)
	}
	oct := func(v, q int) float64 { return 0 }
	oct = func(v, q int) float64 {
		most := 0.0
		for _, a := range p.Graph.Out(v) {
			least := math.Inf(1)
			for r := range m {
				x := oct(int(a.To), r) + p.Time(int(a.To), r)
				if r != q {
					x += travel(a)
				}
				least = min(least, x)
			}
			most = max(most, least)
		}
		return most
	}
	var up func(v int) float64
	up = func(v int) float64 {
		most, mean := 0.0, 0.0
		for _, a := range p.Graph.Out(v) {
			most = max(most, travel(a)+up(int(a.To)))
		}
		for q := range m {
			mean += p.Time(v, q) / float64(m)
		}
		return mean + most
	}
	critical, home := criticalPath(p, travel, up)
	start := func(v, q int) float64 { // the first gap that holds it, or the end
		ready := 0.0
		for _, a := range p.Graph.In(v) {
			ready = max(ready, slots[a.From].Finish+p.Travel(a, int(slots[a.From].Processor), q))
		}
		candidates := []float64{ready}
		for u := range n {
			if done[u] && int(slots[u].Processor) == q && slots[u].Finish >= ready && slots[u].Finish > slots[u].Start {
				candidates = append(candidates, slots[u].Finish)
			}
		}
		slices.Sort(candidates)
		last := candidates[len(candidates)-1]
		if name == "min-min" || name == "max-min" {
			return last
		}
		if p.Time(v, q) == 0 { // in nobody's way
			return ready
		}
		for _, at := range candidates {
			free := true
			for u := range n {
				if done[u] && int(slots[u].Processor) == q && slots[u].Finish > slots[u].Start {
					free = free && (at+p.Time(v, q) <= slots[u].Start || at >= slots[u].Finish)
				}
			}
			if free {
				return at
			}
		}
		return last
	}
	for range n {
		chosen, where, at, value := -1, 0, 0.0, 0.0
		for v := range n {
			ready := !done[v]
			for _, a := range p.Graph.In(v) {
				ready = ready && done[a.From]
			}
			if !ready {
				continue
			}
			bestQ, bestAt, bestValue := 0, 0.0, math.Inf(1)
			for q := range m {
				if name == "cpop" && critical[v] && q != home {
					continue
				}
				x := start(v, q)
				y := x + p.Time(v, q)
				if name == "peft" {
					y += oct(v, q)
				}
				if y < bestValue-1e-9 {
					bestQ, bestAt, bestValue = q, x, y
				}
			}
			priority := 0.0
			switch name {
			case "heft":
				priority = up(v)
			case "cpop":
				priority = up(v) + down(p, v, travel)
			case "peft":
				for q := range m {
					priority += oct(v, q) / float64(m)
				}
			case "min-min":
				priority = -bestValue
			case "max-min":
				priority = bestValue
			}
			if chosen < 0 || priority > value+1e-9 {
				chosen, where, at, value = v, bestQ, bestAt, priority
			}
		}
		done[chosen] = true
		slots[chosen] = plan.Slot{Processor: int32(where), Start: at, Finish: at + p.Time(chosen, where)}
	}
	return slots
}

// down is the downward rank: the longest way from a start to a vertex.
func down(p *plan.Problem, v int, travel func(graph.Arc) float64) (most float64) {
	for _, a := range p.Graph.In(v) {
		mean := 0.0
		for q := range p.Processors {
			mean += p.Time(int(a.From), q) / float64(len(p.Processors))
		}
		most = max(most, down(p, int(a.From), travel)+mean+travel(a))
	}
	return most
}

// criticalPath returns the vertices of CPOP's critical path, the lowest ones where
// several are as long, and the first processor that does all of them soonest.
func criticalPath(p *plan.Problem, travel func(graph.Arc) float64, up func(int) float64) (on map[int]bool, home int) {
	on = map[int]bool{}
	at := -1
	for v := range p.Graph.Len() {
		if len(p.Graph.In(v)) == 0 && (at < 0 || up(v) > up(at)+1e-9) {
			at = v
		}
	}
	for length := up(at); at >= 0; {
		on[at] = true
		next := -1
		for _, a := range slices.Backward(p.Graph.Out(at)) {
			if v := int(a.To); up(v)+down(p, v, travel) > length-1e-6 {
				next = v
			}
		}
		at = next
	}
	least := math.Inf(1)
	for q := range p.Processors {
		sum := 0.0
		for v := range on {
			sum += p.Time(v, q)
		}
		if sum < least-1e-9 {
			home, least = q, sum
		}
	}
	return on, home
}
