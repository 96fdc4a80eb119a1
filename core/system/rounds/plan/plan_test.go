package plan_test

import (
	"math"
	"testing"

	"parley/core/system/rounds/plan"
)

// TestThousandPlatforms checks on 1,000 random platforms what every plan must
// hold: chunks are not negative and sum to the load, the simulated makespan is
// that of an independent recomputation, and nothing beats best. A short test takes
// the first 250 of them.
func TestThousandPlatforms(t *testing.T) {
	for seed := range quick(1000) {
		p, load := wild(seed)
		results := map[string]plan.Result{}
		for _, algorithm := range plan.Algorithms() {
			r, err := plan.Plan(p, load, algorithm, plan.Options{})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, algorithm, err)
			}
			results[algorithm] = r
			checkChunks(t, seed, r, load)
			if want := longestPath(p, r.Order, r.Chunks); !near(r.Makespan, want, 1e-9) {
				t.Errorf("seed %d, %s: simulated %v s, longest path %v s", seed, algorithm, r.Makespan, want)
			}
		}
		for algorithm, r := range results {
			if results["best"].Makespan > r.Makespan {
				t.Errorf("seed %d: best takes %v s, %s %v s", seed, results["best"].Makespan, algorithm, r.Makespan)
			}
		}
	}
}

// quick is how many platforms a test looks at: a quarter of them where it is to be short.
func quick(platforms uint64) uint64 {
	if testing.Short() {
		return platforms / 4
	}
	return platforms
}

func checkChunks(t *testing.T, seed uint64, r plan.Result, load float64) {
	t.Helper()
	sum := 0.0
	for j, row := range r.Chunks {
		for k, x := range row {
			if !(x >= 0) {
				t.Errorf("seed %d, %s: chunk of worker %d in round %d is %v", seed, r.Algorithm, r.Order[k], j, x)
			}
			sum += x
		}
	}
	if !near(sum, load, 1e-9) {
		t.Errorf("seed %d, %s: chunks sum to %v of %v", seed, r.Algorithm, sum, load)
	}
	if len(r.Chunks) != r.Rounds || len(r.Chunks[0]) != len(r.Order) {
		t.Errorf("seed %d, %s: %d rounds and %d workers, but %d×%d chunks", seed, r.Algorithm,
			r.Rounds, len(r.Order), len(r.Chunks), len(r.Chunks[0]))
	}
}

// longestPath recomputes a makespan without simulating: a worker finishes as
// late as the latest arrival of one of its chunks plus all its computation
// from that chunk on.
func longestPath(p plan.Platform, order []int, chunks [][]float64) (longest float64) {
	behind := make([]float64, len(order)) // computation of each worker from the present round on
	after := 0.0                          // port time behind the present chunk
	for j := len(chunks) - 1; j >= 0; j-- {
		for k := len(order) - 1; k >= 0; k-- {
			x, w := chunks[j][k], p.Workers[order[k]]
			if x == 0 {
				continue
			}
			behind[k] += w.CompLatency + x/w.Speed
			longest = max(longest, behind[k]-after)
			after += w.CommLatency + x/w.Bandwidth
		}
	}
	return longest + after // measured from the end of all sending
}

func near(a, b, relative float64) bool {
	return math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

// TestRoundsNeverIdle is the paper's claim for UMR, as far as it holds: if the
// rounds grow no worker waits between two of its chunks; if they shrink the
// last worker still does not.
func TestRoundsNeverIdle(t *testing.T) {
	growing, shrinking, waits := 0, 0, 0
	for seed := range uint64(1000) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "umr", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Rounds == 1 {
			continue
		}
		outcome, err := plan.Simulate(p, r.Order, r.Chunks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if total(r.Chunks[0]) < total(r.Chunks[1])*(1-1e-9) {
			growing++
			if outcome.GapPct > 1e-7 {
				t.Errorf("seed %d: rounds grow, yet a worker waits %v %% of the makespan", seed, outcome.GapPct)
			}
		} else {
			shrinking++
			if outcome.GapPct > 1e-7 {
				waits++
			}
		}
		if gap := gapOf(t, p, r, len(r.Order)-1); gap > 1e-9*r.Makespan {
			t.Errorf("seed %d: the last worker waits %v s", seed, gap)
		}
	}
	t.Logf("%d plans with growing rounds, none waits; %d with equal or shrinking rounds, %d of them wait", growing, shrinking, waits)
	if growing < 100 || shrinking < 100 || waits == 0 {
		t.Error("the platforms do not show both kinds")
	}
}

func total(row []float64) (sum float64) {
	for _, x := range row {
		sum += x
	}
	return sum
}

// gapOf sums the waiting of one column between its chunks.
func gapOf(t *testing.T, p plan.Platform, r plan.Result, column int) (gap float64) {
	t.Helper()
	var timeline plan.Timeline
	if _, err := plan.Simulate(p, r.Order, r.Chunks, &timeline); err != nil {
		t.Fatal(err)
	}
	last := -1.0
	for k, i := range timeline.Worker {
		if int(i) != r.Order[column] {
			continue
		}
		if last >= 0 {
			gap += timeline.ComputeStart[k] - last
		}
		last = timeline.ComputeEnd[k]
	}
	return gap
}

// TestPredictionIsExact: (2.6) is the simulated makespan of UMR, and the one
// round's closed form that of one-round.
func TestPredictionIsExact(t *testing.T) {
	for seed := range uint64(1000) {
		p, load := wild(seed)
		for _, algorithm := range []string{"umr", "umr-strict", "one-round"} {
			r, err := plan.Plan(p, load, algorithm, plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !near(r.Predicted, r.Makespan, 1e-9) {
				t.Errorf("seed %d, %s: predicted %v s, simulated %v s (%d workers, %d rounds)", seed, algorithm, r.Predicted, r.Makespan, len(r.Order), r.Rounds)
			}
		}
	}
}

// TestPredictionFollowsTheLastWorker: (2.12) is when UMR2's W_n is done; the
// others may end later.
func TestPredictionFollowsTheLastWorker(t *testing.T) {
	for seed := range uint64(300) {
		p, load := wild(seed)
		for _, policy := range []string{plan.Above, plan.Below, plan.Equal} {
			r, err := plan.Plan(p, load, "umr2", plan.Options{Policy: policy, MaxRounds: 300})
			if err != nil {
				continue // a policy need not be available
			}
			if end := endOf(t, p, r, len(r.Order)-1); !near(r.Predicted, end, 1e-9) || r.Makespan < r.Predicted*(1-1e-9) {
				t.Errorf("seed %d, %s: predicted %v s, W_n ends at %v s, all at %v s", seed, policy, r.Predicted, end, r.Makespan)
			}
		}
	}
}

// TestLagrangeAgreesWithScan: the paper's equation and the scan of all
// integers choose the same number of rounds.
func TestLagrangeAgreesWithScan(t *testing.T) {
	for seed := range quick(1000) {
		p, load := wild(seed)
		for _, algorithm := range []string{"umr", "umr-strict", "umr2"} {
			scan, err := plan.Plan(p, load, algorithm, plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			root, err := plan.Plan(p, load, algorithm, plan.Options{Lagrange: true})
			if err != nil {
				t.Fatal(err)
			}
			if scan.Rounds != root.Rounds {
				t.Errorf("seed %d, %s: scan %d rounds %v s, equation %d rounds %v s", seed, algorithm,
					scan.Rounds, scan.Predicted, root.Rounds, root.Predicted)
			}
		}
	}
}
