package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/system/rounds/plan"
	_ "parley/core/testkit/scripttest/seed"
)

// TestManyWorkers plans for 100,000 workers with every algorithm; a short test for
// 10,000, which are still more than the greedy path looks at one by one.
func TestManyWorkers(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	p := table1(1, n, 1e-6)
	for _, algorithm := range plan.Algorithms() {
		r, err := plan.Plan(p, 1e9, algorithm, plan.Options{Effort: 1e7}) // a look at each start is enough here
		if err != nil {
			t.Errorf("%s: %v", algorithm, err)
			continue
		}
		checkChunks(t, 1, r, 1e9)
		if r.Rounds*len(r.Order) > plan.MaxChunks {
			t.Errorf("%s: %d chunks", algorithm, r.Rounds*len(r.Order))
		}
		t.Logf("%s: %d workers, %d rounds, %v s", algorithm, len(r.Order), r.Rounds, r.Makespan)
	}
}

// TestOneWorker: every algorithm serves a single worker, whichever of its two
// rates is the smaller.
func TestOneWorker(t *testing.T) {
	for _, bandwidth := range []float64{1e-15, 1, 10, 11, 1e24} {
		for _, latency := range []float64{0, 3, 1e12} {
			p := plan.Platform{Workers: []plan.Worker{{Speed: 10, Bandwidth: bandwidth, CompLatency: latency, CommLatency: latency}}}
			for _, algorithm := range plan.Algorithms() {
				r, err := plan.Plan(p, 100, algorithm, plan.Options{})
				if err != nil {
					t.Errorf("%s, bandwidth %v, latency %v: %v", algorithm, bandwidth, latency, err)
					continue
				}
				checkChunks(t, 1, r, 100)
				if minimum := max(10, 100/bandwidth) + 2*latency; r.Makespan < minimum*(1-1e-9) {
					t.Errorf("%s, bandwidth %v, latency %v: %v s, less than the possible %v s", algorithm, bandwidth, latency, r.Makespan, minimum)
				}
			}
		}
	}
}

// TestAnyPlatform gives every algorithm platforms from the corners of what is
// allowed: the answer is a valid plan or one sentence.
func TestAnyPlatform(t *testing.T) {
	number := rapid.OneOf(rapid.SampledFrom([]float64{1e-15, 1e-3, 1, 1e6, 1e24}), rapid.Float64Range(0.01, 100))
	latency := rapid.OneOf(rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1, 1e12}), rapid.Float64Range(0, 10))
	rapid.Check(t, func(t *rapid.T) {
		p := plan.Platform{Workers: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plan.Worker {
			return plan.Worker{
				Speed: number.Draw(t, "speed"), Bandwidth: number.Draw(t, "bandwidth"),
				CompLatency: latency.Draw(t, "comp_latency"), CommLatency: latency.Draw(t, "comm_latency"),
			}
		}), 1, 8).Draw(t, "workers")}
		load := number.Draw(t, "load")
		for _, algorithm := range plan.Algorithms() {
			r, err := plan.Plan(p, load, algorithm, plan.Options{MaxRounds: 200, Effort: 3000})
			if err != nil {
				if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, algorithm) && algorithm != "best" {
					t.Errorf("%s: %v", algorithm, err)
				}
				continue
			}
			sum := 0.0
			for _, row := range r.Chunks {
				for _, x := range row {
					if !(x >= 0) {
						t.Errorf("%s: chunk %v", algorithm, x)
					}
					sum += x
				}
			}
			if !near(sum, load, 1e-9) || math.IsNaN(r.Makespan) || math.IsInf(r.Makespan, 0) || r.IdlePct < 0 || r.IdlePct > 100 {
				t.Errorf("%s: %v of %v shared, makespan %v, idle %v %%", algorithm, sum, load, r.Makespan, r.IdlePct)
			}
		}
	})
}

// TestPlanIsRepeatable: equal arguments give equal plans, and the options'
// own slices stay as they were.
func TestPlanIsRepeatable(t *testing.T) {
	p := table1(3, 30, 0.05)
	workers, order := slices.Clone(p.Workers), []int{5, 3, 20, 7}
	for _, algorithm := range plan.Algorithms() {
		for _, options := range []plan.Options{{}, {Order: order}} {
			a, errA := plan.Plan(p, 1e6, algorithm, options)
			b, errB := plan.Plan(p, 1e6, algorithm, options)
			if fmt.Sprint(a, errA) != fmt.Sprint(b, errB) {
				t.Errorf("%s: two plans of the same", algorithm)
			}
		}
	}
	if !slices.Equal(p.Workers, workers) || !slices.Equal(order, []int{5, 3, 20, 7}) {
		t.Error("Plan changed its arguments")
	}
}

// TestBadOrder: an order that cannot be played is refused.
func TestBadOrder(t *testing.T) {
	p := table1(3, 4, 0.05)
	for _, order := range [][]int{{}, {4}, {-1}, {1, 2, 1}} {
		if r, err := plan.Plan(p, 1e6, "umr", plan.Options{Order: order}); err == nil {
			t.Errorf("order %v gives %v", order, r.Order)
		}
		if _, err := plan.Simulate(p, order, [][]float64{make([]float64, len(order)+1)}, nil); err == nil {
			t.Errorf("order %v is simulated", order)
		}
	}
	if _, err := plan.Simulate(p, []int{0}, [][]float64{{-1}}, nil); err == nil {
		t.Error("a negative chunk is simulated")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"load":1000,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1,"comm_latency":0.1}]}`)
	f.Add(`{"load":-1,"workers":[{}]}`)
	f.Add(`{"workers":[null,7,{"speed":1e999}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, load, err := plan.Decode(strings.NewReader(text))
		if err == nil && p.Validate(load) != nil {
			t.Errorf("Decode accepts what Validate refuses: %q", text)
		}
		if err != nil && strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	})
}
