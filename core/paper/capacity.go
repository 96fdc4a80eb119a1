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

// Where the searches begin and end, in percent of the published workload and of
// the published cell.
const (
	lightest, heaviest = 20, 200
	smallest, largest  = 50, 300
)

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
		most, err := search(lightest, heaviest, func(percent float64) (bool, error) {
			c.scale = percent / 100
			return c.fits(o, seeds)
		})
		if err != nil {
			return result, err
		}
		row := Row{Name: c.name() + ", largest workload", Measured: max(most, lightest), Unit: "%"}
		if c.system == "negotiation" {
			row.Paper, row.Holds = said(102), judged(most >= 102)
			row.Note = "what fits depends on how much of the requests is used: the paper's usage is measured, this one synthesised"
		}
		row.bound(most < lightest, most == heaviest)
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
		size := c.nodes
		most, err := search(100-largest, 100-smallest, func(removed float64) (bool, error) {
			c.keep, c.nodes, c.scale = 1-removed/100, size, 1
			if removed < 0 { // the published work on more nodes than its own
				c.nodes = int(math.Round(float64(size) * (100 - removed) / 100))
				c.keep, c.scale = 1, float64(size)/float64(c.nodes)
			}
			return c.fits(o, seeds)
		})
		if err != nil {
			return result, err
		}
		row := Row{Name: c.name() + ", smallest cell", Measured: 100 - max(most, 100-largest), Unit: "%"}
		if c.system == "negotiation" {
			row.Paper, row.Holds = said(98), judged(most >= 2)
			row.Note = "how many nodes can go depends on how much of the requests is used, and that is synthesised"
		}
		row.bound(most < 100-largest, most == 100-smallest)
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
		note = "not even this fits, and the search ends here: what packs nodes full overloads them at any load"
	case all:
		note = "this still fits, and the search ends here"
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
