package paper_test

import (
	"testing"

	"parley/core/paper"
	"parley/core/unit"
	"parley/core/workload"
)

// moved is what a small cell shows in the mean of some seeds, by name.
func moved(t *testing.T, seeds int, with func(*workload.Moving)) map[string]float64 {
	t.Helper()
	usage := workload.DefaultUsage()
	with(usage.Moving)
	out := map[string]float64{}
	for seed := range seeds {
		used, overloaded, rises, peak, series, err := paper.Calibrated(usage, uint64(seed+1))
		if err != nil {
			t.Fatal(err)
		}
		add := func(name string, x float64) { out[name] += x / float64(seeds) }
		add("CPU used", used[unit.CPU])
		add("memory used", used[unit.Memory])
		add("overloaded", overloaded)
		add("rises", rises)
		add("peak / rises", peak/rises)
		for i, x := range series {
			add(paper.SeriesNames[i], x)
		}
	}
	return out
}

// calibrated are the figures of three small cells: their means ± three standard
// errors of the difference to three other cells, by the spread of six.
var calibrated = []struct {
	name      string
	low, high float64
}{
	{"CPU used", 41.59, 44.62},
	{"memory used", 59.19, 62.25},
	{"overloaded", 0.2394, 1.25},
	{"rises", 17.9, 22.35},
	{"CV within a day, a tenth of the jobs is below", 0.05074, 0.06832},
	{"CV within a day, median", 0.1243, 0.1434},
	{"CV within a day, a tenth is above", 0.2498, 0.3384},
	{"autocorrelation after 5 minutes", 0.7203, 0.8133},
	{"autocorrelation after an hour", 0.409, 0.5541},
	{"autocorrelation after 3 hours", 0.1747, 0.279},
	{"step to the next window / mean, median", 0.04003, 0.04915},
	{"step to the next window / mean, a tenth is above", 0.1005, 0.125},
	{"P95 / mean", 1.201, 1.227},
	{"jobs that rise by more than 20 % in a window", 4.069, 5.342},
	{"bursts above 1.5 medians", 2.509, 3.676},
	{"bursts of a single window", 59.2, 68.49},
	{"highest hour of the day / lowest", 1.123, 1.213},
}

// TestCalibrationOfSmallCells: a tenth of the cell shows what it did when the
// default model was calibrated.
func TestCalibrationOfSmallCells(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: seconds of small cells")
	}
	got := moved(t, 3, func(*workload.Moving) {})
	for _, c := range calibrated {
		if x, there := got[c.name]; !there || x < c.low || x > c.high {
			t.Errorf("%s: %.4g, want %v to %v", c.name, x, c.low, c.high)
		}
	}
}

// components are the moving parts of the model, each with the figure that shows it
// and by which factor that figure changes at least without it: less below 1, more
// above. The constants of jobs and tasks move nothing: core/workload tests them.
var components = []struct {
	name, figure string
	factor       float64
	without      func(*workload.Moving)
}{
	{"phases of jobs", "autocorrelation after 3 hours", 0.6, func(m *workload.Moving) { m.JobPhases = workload.Ratios{} }},
	{"phases of tasks", "autocorrelation after an hour", 1.05, func(m *workload.Moving) { m.TaskPhases = workload.Ratios{} }},
	{"noise", "rises", 0.2, func(m *workload.Moving) { m.Noise = workload.Ratios{} }},
	{"restless jobs", "CV within a day, a tenth of the jobs is below", 1.5, func(m *workload.Moving) { m.Restless = 0 }},
	{"bursts", "bursts above 1.5 medians", 0.85, func(m *workload.Moving) { m.Bursts = 0 }},
	{"day", "highest hour of the day / lowest", 0.93, func(m *workload.Moving) { m.DayBatch, m.DayProduction = workload.Ratios{}, workload.Ratios{} }},
	{"events", "peak / rises", 0.4, func(m *workload.Moving) { m.EventEvery = 0 }},
	{"use above the request", "rises", 0.9, func(m *workload.Moving) { m.MaxUse = workload.Ratios{1, 1} }},
}

// TestEveryComponentShows: each moving part of the model is seen in the figure that
// it is there for.
func TestEveryComponentShows(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: ten seconds of small cells")
	}
	with := moved(t, 1, func(*workload.Moving) {})
	for _, c := range components {
		factor := moved(t, 1, c.without)[c.figure] / with[c.figure]
		if c.factor < 1 && factor > c.factor || c.factor > 1 && factor < c.factor {
			t.Errorf("without %s, %q is %.3g times what it is with them, not %v", c.name, c.figure, factor, c.factor)
		}
	}
}
