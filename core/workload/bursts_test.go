package workload_test

import (
	"math"
	"testing"

	"parley/core/workload"
)

// TestBurstLengths: a half of the bursts lasts one window, a quarter two, an eighth each
// four and eight, so 2.5 windows in the mean.
func TestBurstLengths(t *testing.T) {
	counts, all := map[int]float64{}, 0.0
	for job := range uint64(40) {
		for _, length := range workload.Bursts(3, job<<1, 0.5, 200) {
			counts[length]++
			all++
		}
	}
	if share := all / (40 * 200); math.Abs(share-0.5) > 0.02 {
		t.Errorf("%v of the blocks have a burst, not a half", share)
	}
	for length, want := range map[int]float64{1: 0.5, 2: 0.25, 4: 0.125, 8: 0.125} {
		if got := counts[length] / all; math.Abs(got-want) > 0.025 { // three deviations of a half of 4,000
			t.Errorf("%v of the bursts last %d windows, not %v", got, length, want)
		}
	}
	if len(counts) != 4 {
		t.Errorf("bursts last %v windows", counts)
	}
}

// TestEventShare: the part of the jobs that takes part in an event is as told in the mean,
// and lies evenly between none and twice as many.
func TestEventShare(t *testing.T) {
	for _, share := range []float64{0.1, 0.4} {
		parts := workload.Events(5, share, 200, 300)
		mean, below := 0.0, 0.0
		for _, part := range parts {
			mean += part / float64(len(parts))
			if part < share/2 {
				below += 1 / float64(len(parts))
			}
			if part > 2*share+0.12 {
				t.Errorf("%v of the jobs take part in one event, told are %v in the mean", part, share)
			}
		}
		if math.Abs(mean-share) > 0.12*share || math.Abs(below-0.25) > 0.08 {
			t.Errorf("%v of the jobs take part in the mean, not %v; in %v of the events less than half of that", mean, share, below)
		}
	}
}
