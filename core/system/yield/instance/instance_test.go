package instance_test

import (
	"math"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/instance"
)

func TestSetsOfThePaper(t *testing.T) {
	if n := len(instance.Small()); n != 144 {
		t.Errorf("%d small families, section 4.1 has 144", n)
	}
	if n := len(instance.Large()); n != 108 {
		t.Errorf("%d large families, section 4.1 has 108", n)
	}
	for _, s := range instance.Parallel(true) {
		if !s.Parallel || !s.Slip {
			t.Fatalf("not a family of parallel jobs with the slip: %+v", s)
		}
	}
}

// Needs keep their range, the tasks add up, and the slack is exact.
func TestDraw(t *testing.T) {
	random := rng.New(1, "yield/draw")
	for _, spec := range append(append(instance.Small(), instance.Large()...), instance.Parallel(false)...) {
		in := spec.Draw(random)
		tasks, mem := 0, 0.0
		for _, j := range in.Jobs {
			if j.CPU < .01 || j.CPU > 1 || j.Mem <= 0 || j.Tasks < 1 || j.Tasks > 64 || !spec.Parallel && j.Tasks != 1 {
				t.Fatalf("%+v: job %+v", spec, j)
			}
			tasks += j.Tasks
			mem += j.Mem * float64(j.Tasks)
		}
		if tasks != spec.Tasks || in.Hosts != spec.Hosts {
			t.Fatalf("%+v: %d tasks on %d hosts", spec, tasks, in.Hosts)
		}
		if slack := 1 - mem/float64(spec.Hosts); math.Abs(slack-spec.Slack) > 1e-9 {
			t.Fatalf("%+v: slack %v", spec, slack)
		}
	}
}

// Needs follow the normal distribution cut off at 0.01 and 1: Pearson's
// chi-square over 20 equal cells, with probabilities from math.Erf. 43.82 is the
// 99.9 % quantile at 19 degrees of freedom.
func TestNeedsAreCutOffNormal(t *testing.T) {
	for _, spread := range []float64{.25, .75} {
		random := rng.New(2, "yield/need")
		const draws, cells = 200_000, 20
		var count [cells]float64
		width := (1 - .01) / cells
		for range draws {
			count[min(cells-1, int((instance.Need(random, spread)-.01)/width))]++
		}
		below := func(x float64) float64 { return math.Erf((x-.5)/(.5*spread)/math.Sqrt2) / 2 }
		total, chi := below(1)-below(.01), 0.0
		for c := range count {
			low := .01 + float64(c)*width
			expected := draws * (below(low+width) - below(low)) / total
			chi += (count[c] - expected) * (count[c] - expected) / expected
		}
		if chi > 43.82 {
			t.Errorf("spread %v: chi-square %.1f over %d cells: not the cut-off normal distribution", spread, chi, cells)
		}
	}
}

// The sizes of parallel jobs: the mean with and without the slip, and the share of
// powers of two. The means follow from the constants of size.go: 0.24 of size 1,
// else 86 % below 2^3.5 and 14 % up to 64, three quarters of them rounded. The
// last job takes what is left; with so many tasks it does not matter.
func TestJobSizes(t *testing.T) {
	for _, c := range []struct {
		slip bool
		mean float64
	}{{false, 6.87}, {true, 5.56}} {
		in := instance.Spec{Hosts: 64, Tasks: 400_000, Slack: .5, MemSpread: .25, CPUSpread: .25, Parallel: true, Slip: c.slip}.Draw(rng.New(3, "yield/sizes"))
		jobs, powers := float64(len(in.Jobs)), 0.0
		for _, j := range in.Jobs {
			if j.Tasks&(j.Tasks-1) == 0 {
				powers++
			}
		}
		if mean := 400_000 / jobs; math.Abs(mean-c.mean) > .1 {
			t.Errorf("slip %v: mean size %.2f, want %.1f", c.slip, mean, c.mean)
		}
		// 0.24 serial, 0.75 of the others rounded to a power of two, and some by chance
		if share := powers / jobs; share < .24+.76*.75 || share > .95 {
			t.Errorf("slip %v: %.3f of the sizes are powers of two", c.slip, share)
		}
	}
}

// Experiments name instances by seed: the draws must not change.
func TestPinned(t *testing.T) {
	const want = 0xbebd2f0f55e92fcf
	digest := uint64(0)
	random := rng.New(4, "yield/pinned")
	for _, spec := range []instance.Spec{instance.Small()[7], instance.Large()[50], instance.Parallel(false)[90], instance.Parallel(true)[3]} {
		for _, j := range spec.Draw(random).Jobs {
			digest = rng.Hash(rng.Hash(digest, math.Float64bits(j.CPU), math.Float64bits(j.Mem)), uint64(j.Tasks), 0)
		}
	}
	if digest != want {
		t.Errorf("draws have changed: digest %#x, want %#x", digest, uint64(want))
	}
}
