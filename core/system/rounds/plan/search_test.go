package plan_test

import (
	"slices"
	"testing"

	"parley/core/system/rounds/plan"
)

// TestClimbedToTheTop: where local search has effort left, no change that it knows makes
// its plan shorter.
func TestClimbedToTheTop(t *testing.T) {
	climbed := 0
	for seed := range uint64(400) {
		p, load := wild(seed)
		if len(p.Workers) > 12 {
			continue
		}
		options := plan.Options{MaxRounds: 40}
		for _, algorithm := range plan.Algorithms()[:6] {
			r, err := plan.Plan(p, load, algorithm, options)
			if err != nil {
				continue
			}
			makespan, changed := plan.Climbed(p, load, r, options)
			if changed < makespan {
				t.Errorf("seed %d, from %s: the search ends at %v s, a change makes it %v s", seed, algorithm, makespan, changed)
			}
			if makespan < r.Makespan {
				climbed++
			}
		}
	}
	t.Logf("shorter than the plan it came from %d times", climbed)
	if climbed < 100 {
		t.Errorf("the search made only %d plans shorter", climbed)
	}
}

// TestNodesBoundTheSearch: with nodes for hardly more than one look at every item policy I
// takes what fits by bandwidth decreasing; with more it takes the best set.
func TestNodesBoundTheSearch(t *testing.T) {
	apart := 0
	for seed := range uint64(60) {
		p := table1(seed, 12, 0)
		last := smallestRoom(p)
		order := []int{}
		for i := range p.Workers {
			if i != last {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if p.Workers[a].Bandwidth > p.Workers[b].Bandwidth {
				return -1
			}
			return 1
		})
		room, greedy := 1-2*weight(p.Workers[last]), []int{last}
		for _, i := range order {
			if w := weight(p.Workers[i]); w < room {
				room, greedy = room-w, append(greedy, i)
			}
		}
		rates := func(set []int) (sum float64) {
			for _, i := range set {
				sum += rate(p.Workers[i])
			}
			return sum
		}
		few, err := plan.Plan(p, 1e6, "umr2", plan.Options{Policy: plan.Above, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		many, err := plan.Plan(p, 1e6, "umr2", plan.Options{Policy: plan.Above})
		if err != nil {
			t.Fatal(err)
		}
		if !sameSet(few.Order, greedy) {
			t.Errorf("seed %d: one node more than a look at all takes %v, in turn %v fit", seed, few.Order, greedy)
		}
		if rates(many.Order) < rates(few.Order)*(1-1e-12) {
			t.Errorf("seed %d: more nodes make it worse", seed)
		}
		if rates(many.Order) > rates(few.Order)*(1+1e-12) {
			apart++
		}
	}
	if apart < 10 {
		t.Errorf("only %d platforms need more nodes", apart)
	}
}

// TestFirstOfEqualWorkers: of two workers that are the same, one of which has room, policy I
// takes the first, also where a part of a third would fill what is left.
func TestFirstOfEqualWorkers(t *testing.T) {
	p := plan.Platform{Workers: []plan.Worker{
		{Speed: 3, Bandwidth: 7}, {Speed: 3, Bandwidth: 7}, // weights of 0.3
		{Speed: 2, Bandwidth: 6},   // of 0.25
		{Speed: 3, Bandwidth: 6.5}, // the last: 0.316, so 0.368 are left
	}}
	r, err := plan.Plan(p, 1000, "umr2", plan.Options{Policy: plan.Above})
	if err != nil || !slices.Equal(r.Order, []int{0, 3}) {
		t.Errorf("it takes %v (%v)", r.Order, err)
	}
}

// TestEmptyFirstRound: rounds of just 0 and 30 units are a plan, though not a good one; of
// less there is none. Two workers with S = 10, B = 100, cLat = 0.5 and nLat = 0.1: the
// second round has 5·R(0) + 30 units.
func TestEmptyFirstRound(t *testing.T) {
	w := plan.Worker{Speed: 10, Bandwidth: 100, CompLatency: 0.5, CommLatency: 0.1}
	p := plan.Platform{Workers: []plan.Worker{w, w}}
	for load, ok := range map[float64]bool{30: true, 31: true, 29: false} {
		r, err := plan.Plan(p, load, "umr", plan.Options{Rounds: 2})
		if (err == nil) != ok {
			t.Errorf("%v units: %v %v", load, r.Chunks, err)
		}
		if ok && !near(total(r.Chunks[0])+1, (load-30)/6+1, 1e-12) {
			t.Errorf("%v units: %v", load, r.Chunks)
		}
	}
}

// TestLastRound: by a deadline every worker in turn gets the most that it can finish, and
// who can do nothing is not sent anything, so that it does not hold the port.
func TestLastRound(t *testing.T) {
	p := plan.Platform{Workers: []plan.Worker{{Speed: 1, Bandwidth: 1, CommLatency: 1}, {Speed: 1, Bandwidth: 1, CommLatency: 1}}}
	before := [][]float64{{4, 0}} // sent at 5 s, computed at 9 s
	for _, c := range []struct {
		deadline float64
		want     []float64
	}{
		{9, []float64{0, 1.5}},   // worker 1 hears from 6 s on: 1.5 s each for sending and computing
		{9.5, []float64{0.5, 1}}, // the port is free again at 6.5 s
		{11, []float64{2, 1}},    // at 8 s
		{6, []float64{0, 0}},     // when a message would have begun
	} {
		if got := plan.LastRound(p, []int{0, 1}, before, c.deadline); !slices.Equal(got, c.want) {
			t.Errorf("by %v s: %v, want %v", c.deadline, got, c.want)
		}
	}
}
