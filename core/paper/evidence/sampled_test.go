package evidence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/core/paper/evidence"
)

// Where the paper's set is drawn as ours are, 95 of 100 of its means hold,
// whatever the sizes; where it has another mean, hardly any do.
func TestSampledHoldsAsOftenAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		sets   float64 // of ours, that the paper's is worth
		seeds  int
		apart  float64 // of the true means, in deviations of one of our sets
		lo, hi float64
	}{
		{1, 20, 0, .94, .96},
		{10, 3, 0, .94, .96},
		{0.1, 5, 0, .94, .96},
		{1, 20, 6, 0, .01},
		{10, 10, 3, 0, .01},
	} {
		held := 0
		const trials = 20_000
		for range trials {
			values := make([]float64, c.seeds)
			for i := range values {
				values[i] = 50 + 3*random.NormFloat64()
			}
			r := evidence.New("a", "%", values)
			r.Sampled(50+3*c.apart+3*random.NormFloat64()/math.Sqrt(c.sets), 0, c.sets, c.seeds)
			if *r.Holds {
				held++
			}
		}
		if share := float64(held) / trials; share < c.lo || share > c.hi {
			t.Errorf("a set worth %v of ours, %d seeds, true means %v deviations apart: %v of the claims hold, not %v to %v", c.sets, c.seeds, c.apart, share, c.lo, c.hi)
		}
	}
	if r := evidence.New("a", "%", []float64{3}); func() bool { r.Sampled(3, 0, 1, 1); return r.Holds != nil }() {
		t.Error("one run tells nothing about how sets scatter")
	}
}
