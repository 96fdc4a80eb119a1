package paper_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/paper"
	"parley/core/unit"
)

// TestRules: what ends a search, at the very limits the paper and the rules name.
// Each case is a run that only the rules in want call too much.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name                                  string
		overloaded, waiting, running, arrived float64
		late, forced                          float64
		fits                                  [3]bool // by overloaded; or waiting; or forced
	}{
		{"nothing strains it", 0, 0, 1000, 100, 0, 0, [3]bool{true, true, true}},
		{"at the limit of overloaded nodes", 0.5, 0, 1000, 100, 0, 0, [3]bool{true, true, true}},
		{"beyond it", 0.51, 0, 1000, 100, 0, 0, [3]bool{false, false, false}},
		{"beyond it by far, but not twenty times", 9, 0, 1000, 100, 0, 0, [3]bool{false, false, false}},
		{"as many wait as may", 0, 5, 995, 100, 0, 0, [3]bool{true, true, true}},
		{"more wait", 0, 6, 994, 100, 0, 0, [3]bool{true, false, false}},
		{"as many come late as may", 0, 0, 1000, 1000, 5, 0, [3]bool{true, true, true}},
		{"more come late", 0, 0, 1000, 1000, 6, 0, [3]bool{true, true, false}},
		{"more are forced", 0, 0, 1000, 1000, 0, 6, [3]bool{true, true, false}},
		{"late and forced together are more", 0, 0, 1000, 1000, 3, 3, [3]bool{true, true, false}},
	} {
		var mean metric.Row
		mean[metric.Overloaded], mean[metric.Waiting], mean[metric.Running] = c.overloaded, c.waiting, c.running
		if got := paper.FitsBy(mean, c.arrived, c.late, c.forced); got != c.fits {
			t.Errorf("%s: it fits by the three rules %v, not %v", c.name, got, c.fits)
		}
	}
}

// TestWarmup: what a run shows is the mean of what came after the warm-up alone, and
// its counts begin there too: the cell of 140,000 tasks is filled before.
func TestWarmup(t *testing.T) {
	for _, system := range []string{"negotiation", "central"} {
		o, err := paper.PlayCell(system, 300, 50*unit.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if o.Minutes != 30 {
			t.Errorf("%s: thirty minutes after the warm-up are %v", system, o.Minutes)
		}
		var all, after metric.Row
		n := 0.0
		for i, row := range o.Rows {
			for c := range row {
				all[c] += row[c] / float64(len(o.Rows))
				if i >= 20 { // a sample a minute, and twenty minutes to settle
					after[c] += row[c]
				}
			}
			if i >= 20 {
				n++
			}
		}
		for c := range after {
			after[c] /= n
			if d := after[c] - o.Mean[c]; d > 1e-9*(1+after[c]) || -d > 1e-9*(1+after[c]) {
				t.Errorf("%s: the mean of %s is %v, and %v after the warm-up", system, metric.Columns[c].ID, o.Mean[c], after[c])
			}
		}
		if after == all {
			t.Errorf("%s: leaving out how the run begins makes no difference, so nothing is tested", system)
		}
		if filled := o.Mean[metric.Running]; o.Placements < filled/100 || o.Placements > filled/2 {
			t.Errorf("%s: %v placements are counted, of a cell that holds %v tasks when it has settled", system, o.Placements, filled)
		}
	}
}

// TestLateness: a task is late that waits for its place longer than a minute,
// whether it gets one then, ends before, or still waits; one that loses its place
// waits anew; and what arrived during the warm-up does not count.
func TestLateness(t *testing.T) {
	const from = 20 * unit.Minute
	at := func(s unit.Time, kind cluster.Kind, task unit.TaskID) cluster.Event {
		return cluster.Event{At: from + s*unit.Second, Kind: kind, Task: task}
	}
	arrived, late := paper.Late(from, from+10*unit.Minute, []cluster.Event{
		at(-5, cluster.TaskSubmitted, 1),                               // never placed, but not counted
		at(0, cluster.TaskSubmitted, 2), at(60, cluster.TaskPlaced, 2), // in time
		at(0, cluster.TaskSubmitted, 3), at(61, cluster.TaskPlaced, 3), // late
		at(0, cluster.TaskSubmitted, 4), at(300, cluster.TaskEnded, 4), // late
		at(0, cluster.TaskSubmitted, 5),                                   // late: still waits
		at(400, cluster.TaskDisplaced, 2), at(401, cluster.TaskPlaced, 2), // in time, twice
		at(580, cluster.TaskSubmitted, 6), // waits for 20 s so far
	})
	if arrived != 6 || late != 3 {
		t.Errorf("%v tasks arrived and %v were late, not 6 and 3", arrived, late)
	}
}

// TestTrial: a run that ends when it cannot fit any more fits by no rule, and one
// that could is played whole.
func TestTrial(t *testing.T) {
	scales := []float64{0.6, 1, 1.6, 1.9}
	if testing.Short() {
		scales = []float64{0.6, 1.6}
	}
	shorter := 0
	for _, system := range []string{"negotiation", "central"} {
		for _, scale := range scales {
			fits, minutes, overloaded, err := paper.Trial(system, scale)
			if err != nil {
				t.Fatal(err)
			}
			want, sum := 0., 0. // it ends when the whole run's half percent is used up
			for _, x := range overloaded {
				if sum > 0.5*float64(len(overloaded)) {
					break
				}
				want, sum = want+1, sum+x
			}
			if minutes[0] != want || len(overloaded) != 20 {
				t.Errorf("%s × %v: a trial of %v minutes, want %v of %d", system, scale, minutes[0], want, len(overloaded))
			}
			if fits[0] != fits[1] || fits[0] != [3]bool{} && minutes[0] != minutes[1] {
				t.Errorf("%s × %v: a trial of %v minutes fits by %v, the whole run of %v by %v", system, scale, minutes[0], fits[0], minutes[1], fits[1])
			}
			if minutes[0] < minutes[1] {
				shorter++
			}
		}
	}
	if shorter == 0 {
		t.Error("no trial ended early")
	}
}
