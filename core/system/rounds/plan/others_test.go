package plan_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"parley/core/system/rounds/plan"
)

// withoutLatency is a wild platform in mi's own world.
func withoutLatency(seed uint64) (plan.Platform, float64) {
	p, load := wild(seed)
	for i := range p.Workers {
		p.Workers[i].CommLatency, p.Workers[i].CompLatency = 0, 0
	}
	return p, load
}

// TestInstallments: without latencies mi keeps every worker busy from its
// first chunk on and all finish together at the predicted time.
func TestInstallments(t *testing.T) {
	for seed := range uint64(200) {
		p, load := withoutLatency(seed)
		for _, m := range []int{1, 2, 5} {
			r, err := plan.Plan(p, load, "mi", plan.Options{Rounds: m})
			if err != nil {
				t.Fatal(err)
			}
			if r.Rounds != m || len(r.Order) != len(p.Workers) {
				t.Fatalf("seed %d: %d rounds for %d workers", seed, r.Rounds, len(r.Order))
			}
			if !near(r.Predicted, r.Makespan, 1e-9) {
				t.Errorf("seed %d, %d rounds: predicted %v s, simulated %v s", seed, m, r.Predicted, r.Makespan)
			}
			for k := range r.Order {
				if r.Chunks[m-1][k] < 1e-9*load {
					continue // too small to tell a wait from rounding
				}
				if end := endOf(t, p, r, k); !near(end, r.Makespan, 1e-9) {
					t.Errorf("seed %d, %d rounds: worker %d of %d ends at %v of %v s", seed, m, k, len(r.Order), end, r.Makespan)
				}
				if gap := gapOf(t, p, r, k); gap > 1e-9*r.Makespan {
					t.Errorf("seed %d, %d rounds: worker %d waits %v of %v s", seed, m, k, gap, r.Makespan)
				}
			}
		}
	}
}

// endOf is when the worker of one column is done.
func endOf(t *testing.T, p plan.Platform, r plan.Result, column int) (end float64) {
	t.Helper()
	var timeline plan.Timeline
	if _, err := plan.Simulate(p, r.Order, r.Chunks, &timeline); err != nil {
		t.Fatal(err)
	}
	for k, i := range timeline.Worker {
		if int(i) == r.Order[column] {
			end = timeline.ComputeEnd[k]
		}
	}
	return end
}

// TestOneRound: the workers that get a chunk finish together, and with one
// worker less, whichever, they finish later.
func TestOneRound(t *testing.T) {
	for seed := range uint64(200) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "one-round", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range r.Order {
			if end := endOf(t, p, r, k); r.Chunks[0][k] > 1e-9*load && !near(end, r.Makespan, 1e-9) {
				t.Errorf("seed %d: worker %d ends at %v of %v s", seed, k, end, r.Makespan)
			}
		}
		if last := len(r.Order) - 1; last > 0 {
			var fewer plan.Platform
			for _, i := range r.Order[:last] {
				fewer.Workers = append(fewer.Workers, p.Workers[i])
			}
			without, err := plan.Plan(fewer, load, "one-round", plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if without.Makespan < r.Makespan*(1-1e-9) {
				t.Errorf("seed %d: %v s with %d workers, %v s without the last", seed, r.Makespan, last+1, without.Makespan)
			}
		}
	}
}

// TestPeriodic compares lp's throughput without latencies with the simplex
// method, and with latencies checks that every period keeps its constraints.
func TestPeriodic(t *testing.T) {
	for seed := range uint64(60) {
		p, load := withoutLatency(seed)
		r, err := plan.Plan(p, load, "lp", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		period := r.Predicted / float64(r.Rounds+1)
		if want := math.Ceil(load / (simplexThroughput(t, p) * period) * (1 - 1e-9)); float64(r.Rounds) != want {
			t.Errorf("seed %d: %d periods of %v s, by simplex %v", seed, r.Rounds, period, want)
		}
	}
	for seed := range uint64(200) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "lp", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		period, port := r.Predicted/float64(r.Rounds+1), 0.0
		for k, i := range r.Order {
			w := p.Workers[i]
			port += w.CommLatency + r.Chunks[0][k]/w.Bandwidth
			if took := w.CompLatency + r.Chunks[0][k]/w.Speed; took > period*(1+1e-9) {
				t.Errorf("seed %d: worker %d computes %v s of a period of %v s", seed, i, took, period)
			}
		}
		if port > period*(1+1e-9) {
			t.Errorf("seed %d: the port sends %v s in a period of %v s", seed, port, period)
		}
		if r.Makespan > r.Predicted*(1+1e-9) {
			t.Errorf("seed %d: simulated %v s, more than the %v s of all periods", seed, r.Makespan, r.Predicted)
		}
	}
}

// simplexThroughput maximises Σ y_i with y_i <= S_i and Σ y_i/B_i <= 1.
func simplexThroughput(t *testing.T, p plan.Platform) float64 {
	t.Helper()
	n := len(p.Workers)
	cost := make([]float64, 2*n+1) // y, slacks of y_i/S_i <= 1, slack of the port
	left := mat.NewDense(n+1, 2*n+1, nil)
	right := make([]float64, n+1)
	for i, w := range p.Workers {
		// In units of S_i, which keeps the simplex method well scaled.
		cost[i] = -w.Speed
		left.Set(i, i, 1)
		left.Set(i, n+i, 1)
		right[i] = 1
		left.Set(n, i, w.Speed/w.Bandwidth)
	}
	left.Set(n, 2*n, 1)
	right[n] = 1
	best, _, err := lp.Simplex(cost, left, right, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	return -best
}
