package qbets_test

import (
	"math"
	"testing"

	"parley/core/rng"
	"parley/core/system/market/qbets"
	"parley/core/unit"
)

// TestRank holds the binomial ranks to values that were computed apart, by exact sums.
func TestRank(t *testing.T) {
	for _, c := range []struct {
		n, k int
		q    float64
	}{{59, 59, 0.95}, {58, 59, 0.95}, {100, 99, 0.95}, {200, 196, 0.95}, {1000, 962, 0.95}, {100, 59, 0.5}, {1000, 527, 0.5}, {100, 96, 0.9}, {1000, 916, 0.9}, {29, 29, 0.9}, {5, 5, 0.5}} {
		if k := qbets.Rank(c.n, c.q, 0.95); k != c.k {
			t.Errorf("of %d values the %d-th bounds the %v-quantile, and not the %d-th", c.n, k, c.q, c.k)
		}
	}
	if p := qbets.New(0.95, 0.95); p.Least() != 59 {
		t.Errorf("the least history is %d, and not 59", p.Least())
	}
}

// TestCoverage: of waits that are drawn alike at least 95 in 100 lie within the
// bound, and after a change to waits ten times as long too, for the past is
// forgotten.
func TestCoverage(t *testing.T) {
	noticed := 0
	for seed := range uint64(20) {
		p, r := qbets.New(0.95, 0.95), rng.New(seed, "waits")
		draw := func(scale float64) { p.Observe(unit.Time(r.Exponential() * scale * float64(unit.Minute))) }
		for range 3000 {
			draw(10)
		}
		judged, correct := p.Coverage()
		if part := float64(correct) / float64(judged); judged != 3000-59 || part < 0.945 {
			t.Errorf("seed %d: of %d waits %v lie within the bound", seed, judged, part)
		}
		changes := p.Changes()
		for range 3000 {
			draw(100)
		}
		again, still := p.Coverage()
		if part := float64(still-correct) / float64(again-judged); part < 0.93 {
			t.Errorf("seed %d: after a change %v lie within the bound", seed, part)
		}
		noticed += min(1, p.Changes()-changes)
	}
	if noticed < 15 {
		t.Errorf("the change was noticed in %d of 20 series", noticed)
	}
}

// TestCriticalRuns draws Gaussian series of each autocorrelation and counts how long
// runs above the 0.95-quantile get: of those that begin, no more than one in twenty is
// as long as the critical number, and more are one shorter.
func TestCriticalRuns(t *testing.T) {
	r := rng.New(3, "runs")
	normal := func() float64 { // twelve uniform draws
		sum := -6.0
		for range 12 {
			sum += r.Float64()
		}
		return sum
	}
	for i := range 10 {
		rho := float64(i) / 10
		runs := make([]int, 200)
		x, length, begun := normal(), 0, 0
		for range 400_000 {
			x = float64(rho*x) + float64(math.Sqrt(1-rho*rho)*normal())
			if x > 1.6449 {
				length++
				continue
			}
			if length > 0 {
				begun++
				for k := 1; k <= length && k < len(runs); k++ {
					runs[k]++
				}
			}
			length = 0
		}
		want := 1
		for want < len(runs)-1 && float64(runs[want]) > 0.05*float64(begun) {
			want++
		}
		if got := qbets.CriticalRun(rho + 0.001); got != max(3, want) {
			t.Errorf("at autocorrelation %v the critical run is %d; the series say %d", rho, got, max(3, want))
		}
	}
}
