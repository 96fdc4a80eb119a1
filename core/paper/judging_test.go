package paper_test

import (
	"errors"
	"slices"
	"testing"

	"parley/core/metric"
	"parley/core/paper"
)

// strain is a run of which so many percent of the nodes are overloaded and so many of the
// tasks wait.
func strain(overloaded, waiting float64) paper.Run {
	return paper.Run{Mean: mean(map[int]float64{metric.Overloaded: overloaded, metric.Waiting: waiting, metric.Running: 100 - waiting}), Arrived: 100, Minutes: 1}
}

// TestMayFit: a trial ends where the nodes that were overloaded are too many for any end:
// half a percent in the mean of all its samples, those to come included.
func TestMayFit(t *testing.T) {
	for _, c := range []struct {
		samples    int
		overloaded []float64
		want       bool
	}{
		{4, nil, true},
		{4, []float64{0.5, 0.5, 0.5, 0.5}, true},
		{4, []float64{2}, true}, // and none from then on
		{4, []float64{2.25}, false},
		{4, []float64{0, 2, 0}, true},
		{4, []float64{0, 2, 0.25}, false},
		{8, []float64{0, 2, 0.25}, true},
		{0, []float64{0}, true},
		{0, []float64{0.25}, false},
	} {
		if got := paper.MayFit(c.samples, c.overloaded...); got != c.want {
			t.Errorf("%v of %d samples: %v, want %v", c.overloaded, c.samples, got, c.want)
		}
	}
}

// TestHardest: under each rule the hardest load is found, no load is played twice, and
// if none fits it is one below the lowest.
func TestHardest(t *testing.T) {
	for _, c := range []struct {
		load, wait float64 // the hardest that overload no node, and that keep nobody waiting
		want       []float64
	}{
		{130, 110, []float64{130, 110, 110}},
		{110, 130, []float64{110, 110, 110}},
		{200, 200, []float64{200, 200, 200}},
		{80, 59, []float64{80, 59, 59}},
		{59, 180, []float64{59, 59, 59}},
		{60, 60, []float64{60, 60, 60}},
	} {
		played := map[float64]bool{}
		got, err := paper.Hardest(100, 60, 200, func(hardness float64) (paper.Run, error) {
			if played[hardness] || hardness < 60 || hardness > 200 {
				t.Errorf("%+v: plays %v", c, hardness)
			}
			played[hardness] = true
			overloaded, waiting := 0., 0.
			if hardness > c.load {
				overloaded = 1
			}
			if hardness > c.wait {
				waiting = 1
			}
			return strain(overloaded, waiting), nil
		})
		if err != nil || !slices.Equal(got, c.want) || !played[100] {
			t.Errorf("%+v: %v (%v)", c, got, err)
		}
	}
	if _, err := paper.Hardest(100, 60, 200, func(float64) (paper.Run, error) { return paper.Run{}, errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("an error of a run became %v", err)
	}
}
