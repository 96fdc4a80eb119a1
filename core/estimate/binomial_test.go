package estimate_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"parley/core/estimate"
)

// TestShareIsGonums: the exact interval of a share is that of the quantiles of the beta
// distribution in another library, and its tails are those of the binomial one there.
func TestShareIsGonums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.OneOf(rapid.Int64Range(1, 60), rapid.Int64Range(1, 200_000)).Draw(t, "trials")
		hits := rapid.Int64Range(0, trials).Draw(t, "hits")
		risk := rapid.SampledFrom([]float64{0.05, 0.05 / 7, 1e-4}).Draw(t, "risk")
		tally, k, n := estimate.Tally{Hits: hits, Trials: trials}, float64(hits), float64(trials)
		want := estimate.Interval{High: 1}
		if hits > 0 {
			want.Low = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(risk / 2)
		}
		if hits < trials {
			want.High = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - risk/2)
		}
		got := tally.Share(risk)
		near(t, "low", got.Low, want.Low, 1e-7)
		near(t, "high", got.High, want.High, 1e-7)
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		b := distuv.Binomial{N: n, P: p}
		near(t, "at most", tally.AtMost(p), b.CDF(k), 1e-9)
		near(t, "at least", tally.AtLeast(p), 1-b.CDF(k-1), 1e-9)
	})
}

// TestShareByHand: of n trials that all hit, the share is above the n-th root of a fortieth.
func TestShareByHand(t *testing.T) {
	for _, c := range []struct {
		hits, trials int64
		low, high    float64
	}{
		{1, 1, 0.025, 1},
		{0, 1, 0, 0.975},
		{2, 2, 0.158114, 1},
		{3, 3, 0.292402, 1},
		{0, 3, 0, 0.707598},
		{36, 36, 0.902606, 1},
		{35, 35, 0.899967, 1},
		{8, 10, 0.443905, 0.974789},
		{1, 2, 0.012579, 0.987421},
		{62_500, 62_500, 0.999941, 1},
	} {
		got := estimate.Tally{Hits: c.hits, Trials: c.trials}.Share(0.05)
		near(t, fmt.Sprintf("low of %d in %d", c.hits, c.trials), got.Low, c.low, 1e-6)
		near(t, fmt.Sprintf("high of %d in %d", c.hits, c.trials), got.High, c.high, 1e-6)
	}
	for _, p := range []float64{0, 1} {
		none, all := estimate.Tally{Hits: 0, Trials: 4}, estimate.Tally{Hits: 4, Trials: 4}
		near(t, "none at least", none.AtLeast(p), 1, 0)
		near(t, "all at most", all.AtMost(p), 1, 0)
		near(t, "all at least", all.AtLeast(p), p, 0)
		near(t, "none at most", none.AtMost(p), 1-p, 0)
	}
}
