package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/core/estimate"
	"parley/core/study/evidence"
)

// searchNodes is the size of the cells in which the limits of every contender are
// searched: many runs, and a limit in percent does not need the full cell.
const searchNodes = 2500

// Where the searches begin and end, in percent of the published workload and of
// the published cell.
const (
	lightest, heaviest = 20, 200
	smallest, largest  = 50, 300
)

// rule is what makes a load too much. The paper names one, overloaded nodes; but
// one scheduler lets tasks wait and another forces them upon full nodes, so the
// ranking hangs on what else counts.
type rule struct {
	name  string
	words string
	fits  func(outcome) bool
}

// unservedLimit is the percentage of tasks that may wait or be forced under the
// rules that count them: as many as there may be overloaded nodes.
const unservedLimit = 0.5

// rules are the sensible ones, each stricter than the one before.
var rules = []rule{
	{"overloaded", "at most 0.5 % of the nodes overloaded", keepsLoad},
	{"overloaded or waiting", "at most 0.5 % of the nodes overloaded, and at most 0.5 % of the tasks without a place", func(x outcome) bool {
		return keepsLoad(x) && figWaiting.of(x) <= unservedLimit
	}},
	{"overloaded, waiting or forced", "at most 0.5 % of the nodes overloaded, at most 0.5 % of the tasks without a place, and at most 0.5 % of the new tasks without room within a minute or forced", func(x outcome) bool {
		return keepsLoad(x) && figWaiting.of(x) <= unservedLimit && figUnserved.of(x) <= unservedLimit
	}},
}

func keepsLoad(x outcome) bool { return figOverloaded.of(x) <= overloadLimit }

// strain are the figures that decide whether a load fits.
var strain = []figure{figOverloaded, figWaiting, figForced, figUnserved}

// throughput plays 100 to 106 % of the workload, as table 4 does, and then
// searches the largest workload that each contender fits.
func throughput(o Options) (Result, error) {
	seeds := or(o.Seeds, 3)
	result := Result{ID: "negotiation/throughput", Source: "section 7.8, table 4", Seeds: seeds}
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, percent := range []float64{100, 102, 104, 106} {
		c := cell{contender: negotiation("", nil), nodes: or(o.Nodes, publishedNodes), scale: percent / 100, until: until}
		rows, err := c.strainRows(o, seeds, fmt.Sprintf("%.0f %% of the workload", percent), percent <= 102)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, rows...)
	}
	rows, err := limits(o, seeds, workloads, func(c *cell, size int, percent float64) {
		c.nodes, c.until, c.scale = size, until, percent/100
	})
	result.Rows = append(result.Rows, rows...)
	return result, err
}

// compaction removes nodes, as table 5 does, and then searches the smallest
// cell into which each contender fits the workload.
func compaction(o Options) (Result, error) {
	seeds := or(o.Seeds, 3)
	result := Result{ID: "negotiation/compaction", Source: "section 7.8, table 5", Seeds: seeds}
	until, err := o.until(shortRun)
	if err != nil {
		return result, err
	}
	for _, percent := range []float64{100, 99, 98, 97} {
		c := cell{contender: negotiation("", nil), nodes: or(o.Nodes, publishedNodes), keep: percent / 100, until: until}
		rows, err := c.strainRows(o, seeds, fmt.Sprintf("%.0f %% of the nodes", percent), percent >= 98)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, rows...)
	}
	rows, err := limits(o, seeds, cells, func(c *cell, size int, removed float64) {
		c.keep, c.nodes, c.scale, c.until = 1-removed/100, size, 1, until
		if removed < 0 { // the published work on more nodes than its own
			c.nodes = int(math.Round(float64(size) * (100 - removed) / 100))
			c.keep, c.scale = 1, float64(size)/float64(c.nodes)
		}
	})
	result.Rows = append(result.Rows, rows...)
	return result, err
}

// strainRows plays the cell and tells what strains it, beside what the paper says
// of the overloaded nodes: that they are within the limit or beyond it.
func (c cell) strainRows(o Options, seeds int, name string, paperFits bool) ([]Row, error) {
	runs, err := c.runs(o, seeds)
	if err != nil {
		return nil, err
	}
	return strained(name, runs, paperFits), nil
}

// strained are the rows of what strains a cell; the first is judged.
func strained(name string, runs sample, paperFits bool) (rows []Row) {
	for _, f := range strain {
		rows = append(rows, runs.row(name, f))
	}
	if paperFits {
		rows[0].AtMost(overloadLimit)
	} else {
		rows[0].AtLeast(overloadLimit)
	}
	rows[0].Why("the limit searched below says where it lies on this workload")
	return rows
}

// quest is what limits searches, in a number that grows with the difficulty.
type quest struct {
	what       string
	low, high  float64
	from       float64 // where the search begins
	shown      func(hardest float64) float64
	paper      float64 // the middle of what the paper's grid leaves open
	rounding   float64 // half of that
	reason     string  // in words
	descending bool    // the larger, the better
}

// The paper's table 4 has 102 % that fits and 104 % that does not, table 5 98 %
// and 97 %.
var (
	workloads = quest{"largest workload", lightest, heaviest, 100, func(p float64) float64 { return p }, 103, 1, "102 % fits, 104 % does not", true}
	cells     = quest{"smallest cell", 100 - largest, 100 - smallest, 0, func(removed float64) float64 { return 100 - removed }, 97.5, 0.5, "98 % fits, 97 % does not", false}
)

// limits searches for every contender and under every rule, seed by seed, the
// hardest load that fits; under each rule the best contender stands first.
func limits(o Options, seeds int, q quest, set func(c *cell, size int, hardness float64)) ([]Row, error) {
	who := finalists()
	hardest := make([][]float64, len(who)*seeds) // by contender and seed: under each rule
	err := o.each(len(hardest), func(i int) (err error) {
		c := cell{contender: who[i/seeds], seed: uint64(i%seeds + 1), trial: true}
		hardest[i], err = q.search(o, c, set)
		return err
	})
	if err != nil {
		return nil, err
	}
	return q.ranked(who, hardest), nil
}

// ranked returns the rows of the hardest loads, which are by contender and seed and
// under each rule: the best contender under each rule first.
func (q quest) ranked(who []contender, hardest [][]float64) []Row {
	seeds := len(hardest) / len(who)
	ranked := make([][]Row, len(rules))
	for k := range who {
		for r := range rules {
			values := make([]float64, seeds)
			for i := range values {
				values[i] = hardest[k*seeds+i][r]
			}
			ranked[r] = append(ranked[r], q.row(who[k], rules[r], values))
		}
	}
	for _, rows := range ranked {
		slices.SortStableFunc(rows, func(a, b Row) int {
			if q.descending {
				a, b = b, a
			}
			return cmp.Compare(a.Measured, b.Measured)
		})
	}
	return slices.Concat(ranked...)
}

// search returns the hardest loads that a contender fits with one seed, under each rule.
func (q quest) search(o Options, c cell, set func(c *cell, size int, hardness float64)) ([]float64, error) {
	return hardest(rules, q.from, q.low, q.high, func(hardness float64) (outcome, error) {
		set(&c, or(o.Nodes, searchNodes), hardness)
		return c.once(o)
	})
}

// hardest returns, from low to high, the hardest loads that fit under each of some rules,
// each stricter than the one before; low-1 where none fits. No load is played twice.
func hardest(by []rule, from, low, high float64, play func(hardness float64) (outcome, error)) (found []float64, err error) {
	played := map[float64]outcome{}
	for _, one := range by {
		hardest, err := gallop(min(from, high), low, high, func(hardness float64) (bool, error) {
			x, known := played[hardness]
			if !known {
				var err error
				if x, err = play(hardness); err != nil {
					return false, err
				}
				played[hardness] = x
			}
			return one.fits(x), nil
		})
		if err != nil {
			return nil, err
		}
		found = append(found, hardest)
		high = max(hardest, low) // the stricter rule fits no more
	}
	return found, nil
}

// row returns the row of the hardest loads that fit, one a seed.
func (q quest) row(k contender, by rule, hardest []float64) Row {
	none, all := 0, 0
	values := make([]float64, len(hardest))
	for i, h := range hardest {
		if h < q.low {
			none++
		}
		if h == q.high {
			all++
		}
		values[i] = q.shown(max(h, q.low))
	}
	row := evidence.New(fmt.Sprintf("%s, %s by %s", k.name, q.what, by.name), "%", values)
	if k.name == "negotiation" {
		row.Near(q.paper, q.rounding, q.reason)
		row.Note = "what fits depends on how much of the requests is used: the paper's usage is measured, this one synthesised"
	}
	row.Ruled(by.words)
	switch {
	case none > 0:
		row.Note = join(row.Note, fmt.Sprintf("not even %v %% fits with %d of %d seeds, and the search ends there", q.shown(q.low), none, len(hardest)))
	case all > 0:
		row.Note = join(row.Note, fmt.Sprintf("%v %% still fits with %d of %d seeds, and the search ends there", q.shown(q.high), all, len(hardest)))
	}
	return row
}

// join puts two sentences together, if there are two.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// gallop returns the largest number from low to high for which ok holds, given that it
// holds up to some number and not beyond; low-1 where it holds for none. It begins near
// a number and goes from there in steps that double, because what is far beyond the
// limit is slow to play. All are whole numbers.
func gallop(from, low, high float64, ok func(float64) (bool, error)) (float64, error) {
	known := map[int]bool{}
	for {
		limit, ask := estimate.Limit(int(from-low), int(high-low), func(place int) (fits, is bool) {
			fits, is = known[place]
			return fits, is
		})
		if ask < 0 {
			return low + float64(limit), nil
		}
		fits, err := ok(low + float64(ask))
		if err != nil {
			return 0, err
		}
		known[ask] = fits
	}
}
