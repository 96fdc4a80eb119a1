package evidence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/core/study/evidence"
)

// If the paper's set is drawn as ours are, and its true mean lies just beyond what the
// tolerance lets pass, hardly a claim holds; where it lies just within, hardly one does not.
func TestSampledErrsAsSeldomAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 5000
	for _, c := range []struct {
		sets  float64 // of ours, that the paper's is worth
		seeds int
	}{{1, 20}, {10, 5}, {0.1, 5}} {
		for _, apart := range []float64{0.999, 1.001} { // of the true means, in tolerances
			wrong := 0
			for range trials {
				values := make([]float64, c.seeds)
				for i := range values {
					values[i] = 50 + 3*random.NormFloat64()
				}
				r := evidence.New("a", "%", values)
				r.Sampled(50+5*apart+3*random.NormFloat64()/math.Sqrt(c.sets), 5, c.sets, "why")
				if r.Holds != nil && *r.Holds != (apart < 1) {
					wrong++
				}
			}
			if share := float64(wrong) / trials; share > 0.05 {
				t.Errorf("a set worth %v of ours, %d seeds, %v tolerances apart: %v of the verdicts are wrong", c.sets, c.seeds, apart, share)
			}
		}
	}
}

// TestTablesErrAsSeldomAsTheySay: of 2,000 tables of 20 claims, whose true values lie within
// their ranges, just within, just outside or far outside, at most 5 % (and three standard
// deviations of that share, 1.5 %) have a wrong verdict, also where the rows of a table move
// together. Judged one by one far more have.
func TestTablesErrAsSeldomAsTheySay(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const tables, claims, seeds = 2000, 20, 5
	truths := []float64{0, 0.999, 1.001, 4} // in tolerances
	for _, common := range []float64{0, 0.7} {
		wrong := [2]int{}
		for range tables {
			var shared [seeds]float64
			for k := range shared {
				shared[k] = random.NormFloat64()
			}
			rows, within := make([]evidence.Row, claims), make([]bool, claims)
			for i := range rows {
				truth := truths[i%len(truths)]
				values := make([]float64, seeds)
				for k := range values {
					values[k] = truth + common*shared[k] + math.Sqrt(1-common*common)*random.NormFloat64()
				}
				rows[i], within[i] = evidence.New("a", "%", values), truth < 1
				rows[i].Near(0, 1, "why")
			}
			for judged := range wrong {
				if judged == 1 {
					evidence.Correct(rows)
				}
				for i, r := range rows {
					if r.Holds != nil && *r.Holds != within[i] {
						wrong[judged]++
						break
					}
				}
			}
		}
		alone, together := float64(wrong[0])/tables, float64(wrong[1])/tables
		t.Logf("rows that share %v: %.1f %% of the tables err, judged one by one %.1f %%", common, 100*together, 100*alone)
		if together > 0.065 || alone < 0.1 {
			t.Errorf("rows that share %v: %v of the tables err, judged one by one %v", common, together, alone)
		}
	}
}
