package estimate_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"parley/core/estimate"
)

// TestEitherIsGonums: how often t is exceeded is what another library says, for even and
// odd degrees of freedom, near the middle and far out.
func TestEitherIsGonums(t *testing.T) {
	for _, freedom := range []int{1, 2, 3, 4, 5, 6, 7, 15, 16, 31, 99, 500, 1999} {
		for _, x := range []float64{0, 1e-3, 0.1, 0.7, 1, 2, 3.2, 5, 12.7, 40, 300} {
			want := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.CDF(-x)
			near(t, fmt.Sprintf("with %d degrees, beyond %v", freedom, x), estimate.Either(x, freedom), want, 1e-12+1e-9*want)
		}
		for _, p := range []float64{0.5, 0.05, 0.05 / 7, 1e-4, 1e-6} {
			want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(1 - p/2)
			near(t, fmt.Sprintf("with %d degrees, the point of %v", freedom, p), estimate.Quantile(p, freedom), want, 1e-6*want)
		}
	}
}

// TestApart: Welch's example by hand. a has the mean 4 and the variance 4, b 1 and 0.25, so
// the error is √(4/3 + 0.25/3) = 1.190238, with 1.416667²/((4/3)²/2 + (0.25/3)²/2) = 2.249 degrees.
func TestApart(t *testing.T) {
	e, freedom := estimate.Apart([]float64{2, 4, 6}, []float64{0.5, 1, 1.5})
	if e.Mean != 3 || freedom != 2 {
		t.Errorf("the means are %v apart with %d degrees of freedom, not 3 with 2", e.Mean, freedom)
	}
	near(t, "half of the interval", e.Half(), 4.302653*math.Sqrt(4.25/3), 1e-5)
	if e, _ := estimate.Apart([]float64{2, 4, 6}, []float64{1}); e.Interval != nil {
		t.Error("a single value has an interval")
	}
	if e, freedom := estimate.Apart([]float64{2, 2}, []float64{1, 1, 1}); freedom != 1 || e.Interval != nil || e.Mean != 1 {
		t.Errorf("what does not spread: %+v, %d", e, freedom)
	}
}
