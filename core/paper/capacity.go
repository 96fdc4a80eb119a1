package paper

import (
	"fmt"
	"math"

	"parley/core/metric"
	"parley/core/system/central"
)

// searchNodes is the size of the cells in which the limits of every policy are
// searched: many runs, and a limit in percent does not need the full cell.
const searchNodes = 2500

// policies are the systems whose limits are searched. Replay is none of them: the
// copies of a task, and the tasks of a node that is gone, have no recorded place.
func policies() []cell {
	out := []cell{{system: "negotiation"}}
	for _, p := range central.Policies {
		if p != "replay" {
			out = append(out, cell{system: "central", policy: p})
		}
	}
	return out
}

// overload plays the cell with several seeds and returns the percentage of
// overloaded nodes, or 100 where tasks that arrived still wait: they did not
// fit either.
func (c cell) overload(o Options, seeds int) ([]float64, error) {
	got, err := c.means(o, seeds, func(x outcome) float64 {
		if x.mean[metric.Waiting] > 0.005*x.mean[metric.Running] {
			return 100
		}
		return x.mean[metric.Overloaded]
	})
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

// throughput plays 100 to 106 % of the workload, as table 4 does, and then
// searches the largest workload that each policy fits.
func throughput(o Options) (Result, error) {
	seeds := or(o.Seeds, 2)
	result := Result{ID: "negotiation/throughput", Source: "section 7.8, table 4", Seeds: seeds}
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, percent := range []float64{100, 102, 104, 106} {
		c := cell{system: "negotiation", nodes: or(o.Nodes, publishedNodes), scale: percent / 100, until: until}
		row, err := c.overloadRow(o, seeds, fmt.Sprintf("%.0f %% of the workload", percent), percent <= 102)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, row)
	}
	for _, c := range policies() {
		c.nodes, c.until = or(o.Nodes, searchNodes), until
		most, err := search(100, 200, func(percent float64) (bool, error) {
			c.scale = percent / 100
			return c.fits(o, seeds)
		})
		if err != nil {
			return result, err
		}
		row := Row{Name: c.name() + ", largest workload", Measured: max(most, 100), Unit: "%"}
		if c.system == "negotiation" {
			row.Paper, row.Holds = said(102), judged(most >= 102)
			row.Note = "what fits depends on how much of the requests is used: the paper's usage is measured, this one synthesised"
		}
		row.bound(most < 100, most == 200)
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}

// compaction removes nodes, as table 5 does, and then searches the smallest
// cell into which each policy fits the workload.
func compaction(o Options) (Result, error) {
	seeds := or(o.Seeds, 2)
	result := Result{ID: "negotiation/compaction", Source: "section 7.8, table 5", Seeds: seeds}
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, percent := range []float64{100, 99, 98, 97} {
		c := cell{system: "negotiation", nodes: or(o.Nodes, publishedNodes), keep: percent / 100, until: until}
		row, err := c.overloadRow(o, seeds, fmt.Sprintf("%.0f %% of the nodes", percent), percent >= 98)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, row)
	}
	for _, c := range policies() {
		c.nodes, c.until = or(o.Nodes, searchNodes), until
		most, err := search(0, 50, func(removed float64) (bool, error) {
			c.keep = 1 - removed/100
			return c.fits(o, seeds)
		})
		if err != nil {
			return result, err
		}
		row := Row{Name: c.name() + ", smallest cell", Measured: 100 - max(most, 0), Unit: "%"}
		if c.system == "negotiation" {
			row.Paper, row.Holds = said(98), judged(most >= 2)
		}
		row.bound(most < 0, most == 50)
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}

// overloadRow plays the cell and tells how many nodes are overloaded, beside
// what the paper says: that it fits or not.
func (c cell) overloadRow(o Options, seeds int, name string, paperFits bool) (Row, error) {
	values, err := c.overload(o, seeds)
	row := Row{Name: name + ", overloaded nodes", Unit: "%"}
	if err != nil {
		return row, err
	}
	row.Measured, row.Spread = spread(values)
	fits := row.Measured <= overloadLimit
	row.Holds = judged(fits == paperFits)
	switch {
	case fits && !paperFits:
		row.Note = "the paper finds this too much; the limit below says where it lies on this workload"
	case paperFits && !fits:
		row.Note = "this fits in the paper; the limit below says where it lies on this workload"
	}
	return row, nil
}

// bound says so where a search ended at one of its ends.
func (r *Row) bound(none, all bool) {
	note := ""
	switch {
	case none:
		note = "not even the published load fits"
	case all:
		note = "the search ends here"
	default:
		return
	}
	if r.Note != "" {
		r.Note += "; "
	}
	r.Note += note
}

// fits reports whether the cell stays within the overload limit.
func (c cell) fits(o Options, seeds int) (bool, error) {
	values, err := c.overload(o, seeds)
	if err != nil {
		return false, err
	}
	mean, _ := spread(values)
	return mean <= overloadLimit, nil
}

// search returns the largest whole number from low to high for which ok holds,
// given that it holds up to some number and not beyond; low-1 where it never
// does.
func search(low, high float64, ok func(float64) (bool, error)) (float64, error) {
	for low--; high-low >= 1; {
		middle := math.Ceil((low + high) / 2)
		fits, err := ok(middle)
		if err != nil {
			return 0, err
		}
		if fits {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, nil
}
