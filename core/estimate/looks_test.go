package estimate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"parley/core/estimate"
)

func TestLooks(t *testing.T) {
	for _, c := range []struct {
		minimum, all int
		want         []int
	}{{5, 100, []int{5, 10, 20, 40, 80, 100}}, {5, 10, []int{5, 10}}, {5, 5, []int{5}}, {5, 3, []int{3}}} {
		if got := estimate.Looks(c.minimum, c.all); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, not %v", c.minimum, c.all, got, c.want)
		}
	}
}

// The interval is that of another library's quantiles.
func TestIntervalOfLooksIsGonums(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 4, 5, 10, 31, 200, 1001, 5000} {
		values := make([]float64, n)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		for _, looks := range []int{1, 3, 8} {
			freedom := min(n-1, 2000)
			e := estimate.OfLooks(values, looks)
			want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(1-0.025/float64(looks)) * e.SD / math.Sqrt(float64(n))
			if math.Abs(e.Half()-want) > 1e-6*want {
				t.Errorf("%d values, %d looks: ± %v, not %v", n, looks, e.Half(), want)
			}
		}
	}
	// One look at all of them is the ordinary interval.
	for n := 3; n < 2000; n += 2 + n/9 {
		values := make([]float64, n)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		looked, ordinary := estimate.OfLooks(values, 1), estimate.Of(values)
		near(t, fmt.Sprintf("the width of one look at %d values", n), looked.Half()/ordinary.Half(), 1, 1e-6)
	}
	if e := estimate.OfLooks([]float64{1, 2}, 3); e.Interval != nil {
		t.Error("two values have an interval of looks")
	}
}

// study draws values until their interval is clear of zero, or all are drawn, and tells
// what it says then.
func study(draw func() float64, looks []int, interval func([]float64) estimate.Estimate) estimate.Estimate {
	var values []float64
	for i, n := range looks {
		for len(values) < n {
			values = append(values, draw())
		}
		if e := interval(values); i == len(looks)-1 || e.Interval != nil && (e.Low > 0 || e.High < 0) {
			return e
		}
	}
	panic("no look is the last")
}

// manyStudies is how many studies are drawn, and which share of them may miss the truth:
// 5 % and three standard deviations of that share.
func manyStudies() (studies int, limit float64) {
	if testing.Short() {
		return 500, 0.08
	}
	return 4000, 0.06
}

// Stopping when an interval is clear of zero keeps its 95 %: of 4,000 studies at most 5 %
// (and three standard deviations of that share, 1 %) miss the true difference, be it none
// or a third of a deviation, normal, with heavy tails, or from two runs of which one is
// mostly 0. The ordinary interval, looked at after every value, misses far more.
func TestStoppingKeepsItsCoverage(t *testing.T) {
	studies, largest := manyStudies()
	random := rand.New(rand.NewPCG(3, 4))
	looks := estimate.Looks(5, 100)
	every := make([]int, 0, 96)
	for n := 5; n <= 100; n++ {
		every = append(every, n)
	}
	draws := map[string]func() float64{
		"normal":  random.NormFloat64,
		"Laplace": func() float64 { return random.ExpFloat64() - random.ExpFloat64() },
		"mostly 0": func() float64 {
			return max(0, random.NormFloat64()-1) - max(0, random.NormFloat64()-1)
		},
	}
	for name, draw := range draws {
		for _, truth := range []float64{0, 0.33} {
			miss := func(looks []int, interval func([]float64) estimate.Estimate) (share float64) {
				for range studies {
					if e := study(func() float64 { return truth + draw() }, looks, interval); e.Interval != nil && (e.Low > truth || e.High < truth) {
						share += 1 / float64(studies)
					}
				}
				return share
			}
			strict := miss(looks, func(values []float64) estimate.Estimate { return estimate.OfLooks(values, len(looks)) })
			naive := miss(every, estimate.Of)
			t.Logf("%s around %v: %.1f %% of the studies miss it; of ordinary intervals after every value %.1f %%", name, truth, 100*strict, 100*naive)
			if strict > largest {
				t.Errorf("%s around %v: %.1f %% of the studies miss it", name, truth, 100*strict)
			}
			if truth == 0 && naive < 0.15 {
				t.Errorf("%s: ordinary intervals miss %.1f %%: this test cannot tell", name, 100*naive)
			}
		}
	}
}

// Stopping when an interval is narrow enough keeps its 95 % too: of 4,000 studies that
// look as a sweep does, at most 5 % (and three standard deviations of that share, 1 %) miss
// the true mean. An ordinary interval, looked at after every value, misses more than 6.5 %.
func TestStoppingByWidthKeepsItsCoverage(t *testing.T) {
	const all = 40
	studies, largest := manyStudies()
	random := rand.New(rand.NewPCG(5, 6))
	looks := estimate.Looks(3, all)
	for name, draw := range map[string]func() float64{
		"normal":  random.NormFloat64,
		"Laplace": func() float64 { return random.ExpFloat64() - random.ExpFloat64() },
	} {
		for _, half := range []float64{0.5, 0.8} {
			strict, naive := 0.0, 0.0
			for range studies {
				values := make([]float64, all)
				for i := range values {
					values[i] = draw()
				}
				for _, n := range looks {
					if e := estimate.OfLooks(values[:n], len(looks)); e.Half() <= half || n == all {
						if e.Low > 0 || e.High < 0 {
							strict += 1 / float64(studies)
						}
						break
					}
				}
				for n := 3; n <= all; n++ {
					if e := estimate.Of(values[:n]); e.Half() <= half || n == all {
						if e.Low > 0 || e.High < 0 {
							naive += 1 / float64(studies)
						}
						break
					}
				}
			}
			t.Logf("%s, ± %v: %.1f %% miss the mean; of ordinary intervals after every value %.1f %%", name, half, 100*strict, 100*naive)
			if strict > largest {
				t.Errorf("%s, ± %v: %.1f %% of the studies miss the mean", name, half, 100*strict)
			}
			if naive < largest-0.005 && !testing.Short() {
				t.Errorf("%s, ± %v: ordinary intervals miss %.1f %%: this test cannot tell", name, half, 100*naive)
			}
		}
	}
}
