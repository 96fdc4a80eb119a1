// Package estimate summarises one figure of several runs: the mean, the sample standard
// deviation, and the 95 % interval of the mean by Student's t. Runs with the same seed are
// compared in pairs, because they played the same workload. Limit finds, in few trials, the
// largest value up to which a property holds. OfLooks is for studies that continue until the
// interval is narrow enough.
//
//	e := estimate.Of([]float64{2.9, 3.4, 3.1})
//	d := estimate.Of(estimate.Differences(a, b))
package estimate

import (
	"math"
	"slices"
)

// Estimate is a sample's mean, its standard deviation and the confidence interval of the mean.
type Estimate struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"` // sample standard deviation; 0 of one value
	*Interval
}

// Interval holds the true mean with 95 % confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Risk is that with which an interval misses the true mean.
const Risk = 0.05

// Of returns the estimate from values, at least one. One value has no interval, and neither
// have a few that do not differ: that three runs agree does not show that all do.
func Of(values []float64) Estimate {
	e := moments(values)
	if e.N > 1 {
		e.around(Student(e.N-1), Risk)
	}
	return e
}

// moments returns the estimate without its interval. The mean of equal values is that value to
// the last bit, and a spread that rounding explains is 0.
func moments(values []float64) Estimate {
	e := Estimate{N: len(values)}
	if slices.Min(values) == slices.Max(values) {
		e.Mean = values[0]
		return e
	}
	for _, x := range values {
		e.Mean += x / float64(len(values))
	}
	for _, x := range values {
		e.SD += float64((x - e.Mean) * (x - e.Mean))
	}
	e.SD = math.Sqrt(e.SD / float64(e.N-1))
	if e.Same() {
		e.SD = 0
	}
	return e
}

// around sets the interval of at least two values, by a quantile of Student's t, unless the
// values do not differ and are too few to agree at a risk.
func (e *Estimate) around(quantile, risk float64) {
	if e.Same() && Agreement(e.N) > risk {
		return
	}
	half := quantile * e.SD / math.Sqrt(float64(e.N))
	e.Interval = &Interval{e.Mean - half, e.Mean + half}
}

// Same reports whether the values do not differ, by more than rounding explains.
func (e Estimate) Same() bool { return e.SD <= 1e-12*max(1, 1e3*math.Abs(e.Mean)) }

// manyAgree is the share of all values that must agree where those of a sample do.
const manyAgree = 0.9

// Agreement returns the least risk with which n values that do not differ show that nine in
// ten of all values agree. It is below Risk from 36 values on.
func Agreement(n int) float64 {
	return min(1, 2*Tally{Hits: int64(n), Trials: int64(n)}.AtLeast(manyAgree))
}

// Half returns half the width of the interval; infinity of one value.
func (e Estimate) Half() float64 {
	if e.Interval == nil {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2
}

// Verdict reports on which side of zero the mean is with 95 % confidence: "lower" or "higher";
// "none" if the interval touches zero, and "unknown" if there is no interval.
func (e Estimate) Verdict() string {
	switch {
	case e.Interval == nil:
		return "unknown"
	case e.High < 0:
		return "lower"
	case e.Low > 0:
		return "higher"
	}
	return "none"
}

// Median returns the middle of sorted values, or the mean of the two in the middle; there is at
// least one.
func Median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Differences returns a less b, pair by pair; both have the same length.
func Differences(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// Apart returns the estimate of the difference of the means of a and b, two independent samples: by
// Welch, with the whole degrees of freedom below his. It has no interval if one of them is a single
// value, or if neither spreads and the smaller is too small to agree.
func Apart(a, b []float64) (e Estimate, freedom int) {
	x, y := Of(a), Of(b)
	e = Estimate{N: min(x.N, y.N), Mean: x.Mean - y.Mean}
	if e.N < 2 {
		return e, 0
	}
	u, v := float64(x.SD*x.SD)/float64(x.N), float64(y.SD*y.SD)/float64(y.N)
	e.SD = math.Sqrt(float64(x.SD*x.SD) + float64(y.SD*y.SD))
	freedom = e.N - 1 // if neither spreads
	if u+v > 0 {
		freedom = max(1, int(float64((u+v)*(u+v))/(float64(u*u)/float64(x.N-1)+float64(v*v)/float64(y.N-1))))
	}
	if e.Same() && Agreement(e.N) > Risk {
		return e, freedom
	}
	half := float64(Student(freedom) * math.Sqrt(u+v))
	e.Interval = &Interval{e.Mean - half, e.Mean + half}
	return e, freedom
}

// Student returns the 97.5 % point of Student's t with n degrees of freedom, to
// 0.000002: a table and an expansion.
func Student(freedom int) float64 {
	if freedom <= len(points) {
		return points[freedom-1]
	}
	// The expansion in 1/freedom of Abramowitz and Stegun 26.7.5, at the normal point.
	part := 1 / float64(freedom)
	return 1.959963985 + float64(part*(2.372271230+float64(part*(2.822498616+float64(part*2.555849680)))))
}

// points are those of 1 to 30 degrees of freedom.
var points = [...]float64{
	12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
	2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
	2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
}
