package estimate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"parley/core/estimate"
	_ "parley/core/testkit/scripttest/seed"
)

// TestIntervalIsGonums: mean, deviation and interval are those of another library,
// for any number of runs.
func TestIntervalIsGonums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 80).Draw(t, "values")
		r := estimate.Of(values)
		mean, deviation := stat.MeanStdDev(values, nil)
		n := float64(len(values))
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
		near(t, "mean", r.Mean, mean, 1e-6)
		near(t, "spread", r.SD, deviation, 1e-6*(1+deviation))
		if r.Same() {
			return // TestFewThatAgree
		}
		near(t, "low", r.Interval.Low, mean-half, 1e-6*(1+half))
		near(t, "high", r.Interval.High, mean+half, 1e-6*(1+half))
	})
}

// TestVerdicts: the interval decides, and an end at zero decides nothing.
func TestVerdicts(t *testing.T) {
	for want, e := range map[string]estimate.Estimate{
		"unknown": estimate.Of([]float64{-3}),
		"lower":   estimate.Of([]float64{-3, -3.1, -2.9}),
		"higher":  estimate.Of([]float64{3, 3.1, 2.9}),
		"none":    estimate.Of([]float64{-1, 1}),
	} {
		if got := e.Verdict(); got != want {
			t.Errorf("%+v is judged %q, not %q", e, got, want)
		}
	}
	for _, touching := range []estimate.Interval{{Low: 0, High: 1}, {Low: -1, High: 0}, {}} {
		if got := (estimate.Estimate{Interval: &touching}).Verdict(); got != "none" {
			t.Errorf("%v is judged %q", touching, got)
		}
	}
}

// TestStudentIsGonums: each point of t is that of another library to 0.000002, from the
// table and from the expansion beyond it.
func TestStudentIsGonums(t *testing.T) {
	for freedom := 1; freedom <= 4000; freedom += 1 + freedom/60 {
		want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975)
		within := 2e-6
		if freedom <= 30 {
			within = 5.1e-7 // six digits
		}
		near(t, fmt.Sprint(freedom, " degrees"), estimate.Student(freedom), want, within)
	}
}

func near(t interface{ Errorf(string, ...any) }, subject string, got, want, within float64) {
	if math.Abs(got-want) > within {
		t.Errorf("%s is %v, not %v", subject, got, want)
	}
}

// What two runs with one seed have in common falls out of their difference.
func TestDifferencesAreOfPairs(t *testing.T) {
	a, b := []float64{1, 50, 900}, []float64{3, 51, 903}
	d := estimate.Of(estimate.Differences(b, a))
	if d.Mean != 2 || d.SD != 1 || d.N != 3 {
		t.Errorf("the differences 2, 1, 3 have the mean %v and the deviation %v", d.Mean, d.SD)
	}
	if one := estimate.Of(a[:1]); one.Interval != nil || !math.IsInf(one.Half(), 1) {
		t.Error("one value has an interval")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}, {[]float64{0, 1, 4, 100}, 2.5}} {
		if got := estimate.Median(c.sorted); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.sorted, got, c.want)
		}
	}
}

// TestFewThatAgree: values that do not differ have an interval from 36 on, and the more often
// they are looked at, the more are needed.
func TestFewThatAgree(t *testing.T) {
	for n := 1; n <= 80; n++ {
		same := slices.Repeat([]float64{0.1}, n)
		if e := estimate.Of(same); e.Mean != 0.1 || e.SD != 0 || (e.Interval != nil) != (n >= 36) {
			t.Errorf("%d equal values: %+v", n, e)
		}
		if e := estimate.OfLooks(same, 5); (e.Interval != nil) != (n >= 51) {
			t.Errorf("%d equal values, looked at five times: %+v", n, e)
		}
		if e, _ := estimate.Apart(same, make([]float64, n)); (e.Interval != nil) != (n >= 36) {
			t.Errorf("%d equal values and as many zeros: %+v", n, e)
		}
	}
	if v := estimate.Of([]float64{2, 2, 2}).Verdict(); v != "unknown" {
		t.Errorf("three seeds that differ by 2 give the verdict %q", v)
	}
}
