package plan_test

import (
	"fmt"
	"testing"

	"parley/core/system/rounds/plan"
)

// alone returns the makespan of the best plan of one worker: its load in equal rounds,
// computed here from the model alone. A chunk is computed once it has arrived and the one
// before it is done.
func alone(p plan.Platform, load float64) (minimum float64) {
	for i, w := range p.Workers {
		for rounds := 1; rounds <= 64; rounds++ {
			chunk := load / float64(rounds)
			port, end := 0.0, 0.0
			for range rounds {
				port += w.CommLatency + chunk/w.Bandwidth
				end = max(port, end) + w.CompLatency + chunk/w.Speed
			}
			if i == 0 && rounds == 1 || end < minimum {
				minimum = end
			}
		}
	}
	return minimum
}

// together returns the makespan of the best plan of one round for two workers: both
// finish together, or one has all.
func together(p plan.Platform, load float64) float64 {
	lowest := alone(p, load)
	for i, a := range p.Workers {
		for j, b := range p.Workers {
			if i == j {
				continue
			}
			// x to a and the rest to b: a ends at la + x/Ba + x/Sa, b at nLata + x/Ba + lb + (load-x)(1/Bb + 1/Sb)
			cost := 1/b.Bandwidth + 1/b.Speed
			x := (b.CommLatency + b.CompLatency - a.CompLatency + load*cost) / (1/a.Speed + cost)
			if x > 0 && x < load {
				lowest = min(lowest, a.CommLatency+a.CompLatency+x/a.Bandwidth+x/a.Speed)
			}
		}
	}
	return lowest
}

// TestFewWorkers: where latencies are long, few workers are faster than many. The best plan
// never takes longer than one worker alone or two in one round: on 72 platforms of long
// latencies and on platforms of all kinds.
func TestFewWorkers(t *testing.T) {
	one, two, platforms, few := 0, 0, 0, 0
	check := func(subject string, p plan.Platform, load float64) {
		r, err := plan.Plan(p, load, "best", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		platforms++
		if len(r.Order) <= 2 {
			few++
		}
		subject = fmt.Sprintf("%s: best takes %v s with %d workers in %d rounds", subject, r.Makespan, len(r.Order), r.Rounds)
		if minimum := alone(p, load); r.Makespan > minimum*(1+1e-12) {
			one++
			t.Errorf("%s, one alone %v", subject, minimum)
		} else if minimum := together(p, load); r.Makespan > minimum*(1+1e-12) {
			two++
			t.Errorf("%s, two together %v", subject, minimum)
		}
	}
	for _, n := range []int{3, 10, 50} {
		for _, latency := range []float64{2, 10, 50, 200} {
			for _, load := range []float64{1e3, 1e4} {
				for seed := range uint64(3) {
					check(fmt.Sprintf("%d workers, latency %v s, load %v, seed %d", n, latency, load, seed), table1(seed, n, latency), load)
				}
			}
		}
	}
	t.Logf("one or two workers are best on %d of %d platforms", few, platforms)
	if few < 20 {
		t.Errorf("one or two workers are best on %d of %d platforms only", few, platforms)
	}
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		p, load := wild(seed)
		check(fmt.Sprintf("platform %d", seed), p, load)
	}
	t.Logf("of %d platforms best loses to one worker on %d and to two on %d", platforms, one, two)
}
