// Package estimate says what several runs tell of one figure: the mean, the sample
// standard deviation, and the 95 % interval of the mean by Student's t. Runs with the
// same seed are compared pair by pair, because they played the same workload. Limit
// asks in few tries where something ends that holds up to some place and not beyond.
// OfLooks is for runs that go on until they tell enough.
//
//	e := estimate.Of([]float64{2.9, 3.4, 3.1})
//	d := estimate.Of(estimate.Differences(a, b))
package estimate

import "math"

// Estimate is what values tell of the mean of that from which they were drawn.
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

// Of returns the estimate from values, at least one. One value has no interval.
func Of(values []float64) Estimate {
	e := Estimate{N: len(values)}
	for _, x := range values {
		e.Mean += x / float64(len(values))
	}
	if e.N < 2 {
		return e
	}
	for _, x := range values {
		e.SD += float64((x - e.Mean) * (x - e.Mean))
	}
	e.SD = math.Sqrt(e.SD / float64(e.N-1))
	half := Student(e.N-1) * e.SD / math.Sqrt(float64(e.N))
	e.Interval = &Interval{e.Mean - half, e.Mean + half}
	return e
}

// Half returns half the width of the interval; infinity of one value.
func (e Estimate) Half() float64 {
	if e.Interval == nil {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2
}

// Differences returns a less b, pair by pair; both have the same length.
func Differences(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// Student returns the 97.5 % point of Student's t with so many degrees of freedom, to
// 0.002.
func Student(freedom int) float64 {
	if freedom <= len(points) {
		return points[freedom-1]
	}
	return 1.96 + 2.45/float64(freedom)
}

// points are those of 1 to 30 degrees of freedom.
var points = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}
