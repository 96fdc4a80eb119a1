package paper

import (
	"fmt"

	"parley/core/metric"
	"parley/core/scenario"
	"parley/core/study/evidence"
	"parley/core/unit"
)

// scores compares the migration cost of the score functions, on the published cell
// and on a smaller one with 130 % of the workload, where more nodes are overloaded.
// The paper's own numbers are lost; it claims an order, and leaves open how the fifteen
// candidates are drawn, so both ways are played.
func scores(o Options) (Result, error) {
	seeds := or(o.Seeds, 5)
	result := Result{ID: "negotiation/scores", Source: "section 7.9, table 6", Seeds: seeds}
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, load := range []struct {
		nodes int
		scale float64
		where string
	}{{publishedNodes, 1, ""}, {searchNodes, 1.3, " at 130 %"}} {
		for _, reading := range scoreReadings {
			c := cell{nodes: or(o.Nodes, load.nodes), scale: load.scale, until: until}
			rows, err := c.scoreRows(o, seeds, reading.draw, reading.where+load.where)
			if err != nil {
				return result, err
			}
			result.Rows = append(result.Rows, rows...)
		}
	}
	return result, nil
}

// The score functions of table 6, for placing and for moving.
var scoreVariants = []struct{ name, initial, move string }{
	{"SAS", "sas", "sas"},
	{"SIAS + SRAS", "sias", "sras"},
	{"SIAS_GAIN + SRAS", "sias_gain", "sras"},
	{"SIAS + SRAS_GAIN", "sias", "sras_gain"},
	{"SIAS_GAIN + SRAS_GAIN", "sias_gain", "sras_gain"},
}

// scoreReadings are the ways to draw the fifteen candidates.
var scoreReadings = []struct{ draw, where string }{{"best", ""}, {"weighted", ", drawn by weight"}}

// scoreRows returns the rows of one cell, and whether the paper's order holds
// there: by what is saved on the same workloads, seed by seed.
func (c cell) scoreRows(o Options, seeds int, draw, where string) (rows []Row, err error) {
	runs := map[string]sample{}
	for _, v := range scoreVariants {
		c.contender = negotiation(v.name+where, map[string]any{"initial_score": v.initial, "move_score": v.move, "draw": draw})
		if runs[v.name], err = c.runs(o, seeds); err != nil {
			return nil, err
		}
	}
	return scored(runs, where), nil
}

// scored are the rows of runs by the name of their scores.
func scored(runs map[string]sample, where string) (rows []Row) {
	for _, v := range scoreVariants {
		for _, f := range []figure{figMoved, figMigrations, figCost, figOverloaded, figUnserved, figPA, figDA} {
			rows = append(rows, runs[v.name].row(v.name+where, f))
		}
	}
	saved := func(than, by string) {
		row := runs[than].beyond(runs[by], by+" moves less than "+than+where, figMoved)
		row.AtLeast(0)
		row.Why("the exact form of the scores is lost: ours has the stated properties, and this order does not follow from them on this workload")
		rows = append(rows, row)
	}
	saved("SAS", "SIAS + SRAS")
	for _, v := range scoreVariants {
		if v.name != "SIAS_GAIN + SRAS" {
			saved(v.name, "SIAS_GAIN + SRAS")
		}
	}
	return rows
}

// scaling plays one, two, four and eight times the cell, all of them generated: a
// recorded cell has one size. Generated cells of one size differ, so that every
// size plays as many nodes altogether: of one seed the single cell plays eight, eight
// times the cell one. The paper's table 7 was played in rounds, so the same
// is shown with ten of them a minute.
func scaling(o Options) (Result, error) {
	seeds := or(o.Seeds, 2)
	result := Result{ID: "negotiation/scale", Source: "section 7.10, table 7", Seeds: seeds}
	o.Trace = nil
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, k := range []contender{negotiation("", nil), negotiation("ten rounds a minute", inRounds)} {
		var single sample
		for _, times := range []int{1, 2, 4, 8} {
			c := cell{contender: k, nodes: min(scenario.MaxNodes, times*or(o.Nodes, 12_500)), until: until}
			runs, err := c.runs(o, seeds*8/times)
			if err != nil {
				return result, err
			}
			result.Rows = append(result.Rows, scaleRows(fmt.Sprintf("%s, %d nodes", k.name, c.nodes), runs, single)...)
			if times == 1 {
				single = runs
			}
		}
	}
	return result, nil
}

// flat is how many points a class may differ between sizes: the paper gives its classes
// in whole percents.
const flat = 1

// scaleRows are the rows of a size. The classes of larger cells are held to those of
// single ones, which have none to be held to: by the difference of the two means.
func scaleRows(who string, runs, single sample) (rows []Row) {
	for _, f := range []figure{figPA, figDA, figOverloaded, figMigrations, figRefused} {
		row := runs.row(who, f)
		if f.name == figOverloaded.name {
			row.AtMost(overloadLimit)
			row.Why(tooMany)
		}
		rows = append(rows, row)
		if single != nil && (f.name == figPA.name || f.name == figDA.name) {
			more := evidence.Apart(who+", "+f.name+" less that of single cells", "points", runs.each(f.of), single.each(f.of))
			more.Near(0, flat, wholePercent)
			more.Why("larger cells differ from the single one; in rounds, where the one broker works for several of them on the tasks of the start, it hears of the first before it places the last")
			rows = append(rows, more)
		}
	}
	return rows
}

// lifecycle plays a day and compares the classes in its quietest and its
// busiest two hours, as figure 8 shows them; figure 9, the same for Borg, needs
// the recorded placements.
func lifecycle(o Options) (Result, error) {
	seeds := or(o.Seeds, 3)
	result := Result{ID: "negotiation/lifecycle", Source: "section 7.6, figures 8 and 9", Seeds: seeds}
	until, err := o.until(unit.Day + warmup)
	if err != nil {
		return result, err
	}
	c := cell{contender: negotiation("", nil), nodes: or(o.Nodes, searchNodes), until: until}
	rows, ours, err := c.phases(o, seeds, "")
	if err != nil {
		return result, err
	}
	result.Rows = rows
	if o.Trace == nil {
		return result, nil
	}
	c.contender = replayed
	rows, borg, err := c.phases(o, seeds, replayed.name+", ")
	if err != nil {
		return result, err
	}
	better := ours.beyond(borg, "PA:DA in the busiest hours, ours above Borg's", figRatio)
	better.AtLeast(0)
	better.Why("the paper: negotiation preserves a better ratio when busy (7.7)")
	result.Rows = append(append(result.Rows, rows...), better)
	return result, nil
}

// phases returns the rows of the quietest and the busiest hours, and the runs as
// they were in the busiest. What the paper claims of them it claims of negotiation.
func (c cell) phases(o Options, seeds int, who string) (rows []Row, busy sample, err error) {
	const window = 120
	runs, err := c.runs(o, seeds)
	if err != nil {
		return nil, nil, err
	}
	var quiet sample
	for _, x := range runs {
		low, high := extremes(x.rows, min(window, len(x.rows)/3))
		quiet, busy = append(quiet, outcome{mean: low}), append(busy, outcome{mean: high})
	}
	for _, f := range []figure{figPA, figDA, column("STA", "%", metric.SuperTight), column("TA", "%", metric.Tight), figOverloaded, figCPU, figMemory, figMigrations} {
		rows = append(rows, quiet.row(who+"quietest hours", f), busy.row(who+"busiest hours", f))
		if who == "" {
			rows = append(rows, phaseRows(quiet, busy, f)...)
		}
	}
	return rows, busy, nil
}

// phaseRows says whether a figure of the busiest hours stands to that of the
// quietest as the paper claims.
func phaseRows(quiet, busy sample, f figure) []Row {
	var row Row
	switch f.name {
	case figPA.name:
		row = quiet.beyond(busy, "PA falls towards the busiest hours by", f)
	case figDA.name:
		row = busy.beyond(quiet, "DA rises towards the busiest hours by", f)
	case figMigrations.name:
		row = busy.beyond(quiet, "migrations rise towards the busiest hours by", f)
	default:
		return nil
	}
	row.AtLeast(0)
	row.Why("the paper has fewer PA, more DA and more migrations when busy; here the day moves the load too little to tell more than chance does")
	return []Row{row}
}

// extremes returns the means of the windows with the least and the most CPU and
// memory in use.
func extremes(rows []metric.Row, window int) (quiet, busy metric.Row) {
	start := min(int(warmup/unit.Minute), len(rows)-window)
	least, most := 1e9, -1.0
	for at := start; at+window <= len(rows); at += max(1, window/4) {
		var mean metric.Row
		for _, row := range rows[at : at+window] {
			for c, x := range row {
				mean[c] += x / float64(window)
			}
		}
		load := mean[metric.CPUUsed] + mean[metric.MemoryUsed]
		if load < least {
			least, quiet = load, mean
		}
		if load > most {
			most, busy = load, mean
		}
	}
	return quiet, busy
}
