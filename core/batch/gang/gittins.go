package gang

import (
	"math"
	"slices"

	"parley/core/unit"
)

// Samples are GPU times of earlier jobs, from which 2D-Gittins estimates others.
type Samples struct {
	Times []unit.Time
	Delta unit.Time // the time ahead within which a job may end
}

// index has the Gittins index by the GPU time that a job has had.
type index struct {
	samples []float64 // seconds, ascending
	values  []float64 // by sample: of a job that had a second less
}

// newIndex sorts the samples, cut to whole seconds, and computes the index for each of them one second
// before it would end. There must be at least one sample for gittins.
func newIndex(s Samples) *index {
	x := &index{}
	for _, t := range s.Times {
		x.samples = append(x.samples, float64(int64(t/unit.Second)))
	}
	slices.Sort(x.samples)
	for _, v := range x.samples {
		x.values = append(x.values, x.gittins(v-1, s.Delta.Seconds()))
	}
	return x
}

// after returns the position of the first sample that is larger than had, in seconds; len(x.samples) if
// there is none.
func (x *index) after(had float64) int {
	i, _ := slices.BinarySearchFunc(x.samples, had, func(sample, had float64) int { return sign(sample > had) })
	return i
}

// gittins returns the index of a job that has had a number of seconds of GPU time: 10⁶·P/E, of the
// samples above had. P is the share of them that end within the next delta seconds. E is their mean, in
// which those that end later count as delta. The rounding is that of the simulator of Tiresias.
func (x *index) gittins(had, delta float64) float64 {
	n := len(x.samples)
	from, to := x.after(had), n-1
	if had+delta <= x.samples[n-1]-1 {
		to = x.after(had + delta)
	}
	above := float64(n - from)
	p := round(float64(to-from)/above, 5)
	sum := 0.0
	for _, v := range x.samples[from:max(from, to)] {
		sum += v
	}
	e := round((sum+float64(delta*float64(n-to)))/above, 5)
	return round(p*1e6/e, 4)
}

// round rounds to a number of decimals, half away from zero.
func round(v float64, decimals int) float64 {
	scale := 1.0
	for range decimals {
		scale *= 10
	}
	return math.Round(v*scale) / scale
}

// of returns the index of a job that had a GPU time: that of the next larger sample. Beyond the largest
// sample it is 0, so such a job comes last.
func (x *index) of(had unit.Time) float64 {
	if i := x.after(had.Seconds()); i < len(x.values) {
		return x.values[i]
	}
	return 0
}
