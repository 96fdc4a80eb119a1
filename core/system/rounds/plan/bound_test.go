package plan_test

import (
	"math"
	"testing"

	"parley/core/system/rounds/plan"
)

// Where one reason alone bounds a plan the bound is known by hand.
func TestBoundByHand(t *testing.T) {
	for _, c := range []struct {
		name    string
		workers []plan.Worker
		want    float64
	}{
		{"one that computes slowly: nLat + cLat + load/S", []plan.Worker{{Speed: 50, Bandwidth: 1500, CompLatency: 0.1, CommLatency: 0.2}}, 20.3},
		{"one behind a slow link: nLat + cLat + load/B", []plan.Worker{{Speed: 5000, Bandwidth: 50, CompLatency: 0.1, CommLatency: 0.2}}, 20.3},
		{"the faster link takes all of the port", []plan.Worker{{Speed: 100, Bandwidth: 25}, {Speed: 100, Bandwidth: 50}}, 20},
		{"the faster link is full: 10 T of it, the rest by the other: 10 T/50 + (1000 - 10 T)/25 = T", []plan.Worker{{Speed: 100, Bandwidth: 25}, {Speed: 10, Bandwidth: 50}}, 1000 / 30.},
		{"both compute all the time: 60 (T - 1) + 40 (T - 3) = 1000", []plan.Worker{{Speed: 60, Bandwidth: 1e9, CommLatency: 1}, {Speed: 40, Bandwidth: 1e9, CompLatency: 3}}, 11.8},
		{"the second would come too late", []plan.Worker{{Speed: 100, Bandwidth: 1e9}, {Speed: 1e6, Bandwidth: 1e9, CommLatency: 50}}, 10},
	} {
		if got := plan.Bound(plan.Platform{Workers: c.workers}, 1000); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%s: %v s, want %v", c.name, got, c.want)
		}
	}
}

// No plan of any algorithm stays below the bound, and on platforms as the paper draws
// them the best of them is near it.
func TestNoPlanIsBelowTheBound(t *testing.T) {
	nearest := math.Inf(1)
	for seed := range uint64(200) {
		p, load := wild(seed)
		if seed%2 == 0 {
			p, load = table1(seed, 20, 0.1), 1e6
		}
		bound := plan.Bound(p, load)
		for _, algorithm := range plan.Algorithms() {
			r, err := plan.Plan(p, load, algorithm, plan.Options{})
			if err != nil {
				continue
			}
			if nearest = min(nearest, r.Makespan/bound); r.Makespan < bound*(1-1e-12) {
				t.Errorf("seed %d: %s takes %v s, and the bound is %v", seed, algorithm, r.Makespan, bound)
			}
			if r.Bound != bound {
				t.Errorf("seed %d: %s tells %v as its bound, want %v", seed, algorithm, r.Bound, bound)
			}
		}
	}
	if t.Logf("the nearest takes %v times the bound", nearest); nearest > 1.02 {
		t.Errorf("the nearest takes %v times the bound", nearest)
	}
}
