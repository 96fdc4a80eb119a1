package paper

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/paper/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

// Gallop is gallop, which finds the largest load that fits from one near by.
var Gallop = gallop

// FitsBy tells under each rule whether a run with these figures fits.
func FitsBy(mean metric.Row, arrived, late, forced float64) (fits [3]bool) {
	for i := range rules {
		fits[i] = rules[i].fits(outcome{mean: mean, counts: counts{arrived: arrived, late: late, forcedPlacements: forced, placements: arrived}})
	}
	return fits
}

// Judged tells how the benchmark judges three runs of agents with so many percent of
// idle nodes, where Borg has none, and of forced acts.
func Judged(idle, forced float64) (idleRow, forcedRow Row) {
	runs, borg := make(sample, 3), make(sample, 3)
	for i := range runs {
		runs[i].mean[metric.Idle] = idle
		runs[i].counts = counts{placements: 1e6, forcedPlacements: 1e4 * forced}
	}
	for _, row := range agentRows("a", runs, borg) {
		switch row.Name {
		case "a, idle nodes more than under Borg":
			idleRow = row
		case "a, " + figForced.name:
			forcedRow = row
		}
	}
	return idleRow, forcedRow
}

// Played is what a run of a cell showed.
type Played struct {
	Mean       metric.Row
	Rows       []metric.Row
	Placements float64
}

// PlayCell plays a small generated cell.
func PlayCell(system string, nodes int, until unit.Time) (Played, error) {
	c := cell{contender: contender{system, system, nil}, nodes: nodes, until: until, seed: 1}
	x, err := c.play(Options{})
	return Played{x.mean, x.rows, x.counts.placements}, err
}

// Pair plays small cells under two ways to schedule, with the same seeds, and returns
// the figures of the first and by how much they are above those of the second.
func Pair(o Options, scale float64, names [2]string) (rows []Row, err error) {
	all := append(contenders(), readings()...)
	for _, v := range scoreVariants {
		all = append(all, negotiation(v.name, map[string]any{"initial_score": v.initial, "move_score": v.move}))
	}
	var runs [2]sample
	for i, name := range names {
		c := cell{nodes: o.Nodes, scale: scale, until: o.Until}
		for _, k := range all {
			if k.name == name {
				c.contender = k
			}
		}
		if c.name == "" {
			return nil, fmt.Errorf("nobody is called %q", name)
		}
		if runs[i], err = c.runs(o, o.Seeds); err != nil {
			return nil, err
		}
	}
	for _, f := range []figure{
		figPA, figDA, figTight, figRatio, figOverloaded, figWaiting, figForced, figUnserved, figMoved, figMigrations, figNegotiations,
		figRefused, figForcedMoves, figCPU, figMemory,
	} {
		rows = append(rows, runs[0].row(names[0], f), runs[0].beyond(runs[1], names[0]+" less "+names[1]+", "+f.name, f))
	}
	return rows, nil
}

// Late counts the tasks of events that waited for a place, and those that waited
// too long.
func Late(from, now unit.Time, events []cluster.Event) (arrived, late float64) {
	l := lateness{from: from}
	for _, e := range events {
		l.Observe(e)
	}
	return l.sum(now)
}

// Trial plays a small cell of so much work as the searches do, which end a run when
// it cannot fit any more, and whole; it tells what fits by each rule, and how long
// the runs were.
func Trial(system string, scale float64) (fits [2][3]bool, minutes [2]float64, err error) {
	c := cell{contender: contender{system, system, nil}, nodes: 300, scale: scale, until: 40 * unit.Minute, seed: 1}
	for i, trial := range []bool{true, false} {
		c.trial = trial
		x, err := c.play(Options{})
		if err != nil {
			return fits, minutes, err
		}
		for r := range rules {
			fits[i][r] = rules[r].fits(x)
		}
		minutes[i] = x.minutes
	}
	return fits, minutes, nil
}

// SeriesNames and SeriesTargets are what the usage of jobs is held to.
var (
	SeriesNames   = seriesNames
	SeriesTargets = seriesTargets
)

// SeriesOf returns the figures of series of jobs, by day and job: their mean over
// the days and its standard deviation.
func SeriesOf(series map[int]map[string]*[dayWindows]float64) (means, spreads [len(seriesNames)]float64) {
	var all [len(seriesNames)][]float64
	for _, jobs := range series {
		var days []*jobDay
		for _, job := range jobs {
			days = append(days, (*jobDay)(job))
		}
		for i, x := range figuresOf(days) {
			all[i] = append(all[i], x)
		}
	}
	for i := range all {
		means[i], spreads[i] = evidence.Spread(all[i])
	}
	return means, spreads
}

// Calibrated returns the means of a small standing cell with a usage model: what
// is used, and how its nodes rise and its jobs move.
func Calibrated(usage workload.Usage, seed uint64) (used [unit.Resources]float64, overloaded, rises, peak float64, series [len(seriesNames)]float64, err error) {
	s, err := population{nodes: 1250, seed: seed, production: workload.TraceProduction, usage: usage, several: placedAmong}.stand(Options{})
	if err != nil {
		return used, 0, 0, 0, series, err
	}
	f, err := s.play(2*dayWindows, func(int) error { return nil })
	return f.used, f.overloaded, f.rises, f.peak, f.series(), err
}

// Extremes returns the means of the windows with the least and the most in use.
var Extremes = extremes

// Flat judges a figure beside those of so many single cells.
func Flat(measured float64, singles []float64) Row {
	r := Row{Measured: measured}
	judgeFlat(&r, evidence.New("single", "%", singles), len(singles))
	return r
}

// Since is what happened between two moments.
func Since(now, before [7]float64) [7]float64 {
	of := func(x [7]float64) counts {
		return counts{placements: x[0], forcedPlacements: x[1], migrations: x[2], forcedMigrations: x[3], negotiations: x[4], attempts: x[5], rejected: x[6]}
	}
	c := of(now).since(of(before))
	return [7]float64{c.placements, c.forcedPlacements, c.migrations, c.forcedMigrations, c.negotiations, c.attempts, c.rejected}
}
