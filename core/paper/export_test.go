package paper

import (
	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/unit"
)

// Search is search, which finds the largest load that fits.
var Search = search

// Gallop is gallop, which finds it from a number near by.
var Gallop = gallop

// FitsBy tells under each rule whether a run with these figures fits.
func FitsBy(mean metric.Row, arrived, late, forced float64) (fits [3]bool) {
	for i := range rules {
		fits[i] = rules[i].fits(outcome{mean: mean, counts: counts{arrived: arrived, late: late, forcedPlacements: forced, placements: arrived}})
	}
	return fits
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
