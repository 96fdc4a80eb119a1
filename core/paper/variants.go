package paper

import (
	"parley/core/metric"
	"parley/core/unit"
)

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
