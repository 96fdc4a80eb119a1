package paper

import (
	"fmt"
	"math"
	"slices"

	"parley/core/estimate"
)

// rule decides whether a load is too much. The paper names one rule, overloaded nodes; but
// one scheduler lets tasks wait and another forces them upon full nodes, so the
// ranking depends on the other counts.
type rule struct {
	name string
	fits func(outcome) bool
}

// unservedLimit is the percentage of tasks that may wait or be forced under the
// rules that count them: as many as there may be overloaded nodes.
const unservedLimit = 0.5

// rules are the sensible ones, each stricter than the one before.
var rules = []rule{
	{"overloaded", keepsLoad},
	{"overloaded or waiting", func(x outcome) bool { return keepsLoad(x) && figWaiting.of(x) <= unservedLimit }},
	{"overloaded, waiting or forced", func(x outcome) bool {
		return keepsLoad(x) && figWaiting.of(x) <= unservedLimit && figUnserved.of(x) <= unservedLimit
	}},
}

func keepsLoad(x outcome) bool { return figOverloaded.of(x) <= overloadLimit }

// search asks for the hardest variant of a cell that still fits under rules. All are whole
// percents of the published cell.
type search struct {
	Of    string   `json:"of"` // a key of hardships
	Start float64  `json:"start" was:"near"`
	From  float64  `json:"from"`
	To    float64  `json:"to"`
	By    []string `json:"by"` // names of rules, from the mildest to the strictest; none: all
}

// hardship is a way to make a cell harder.
type hardship struct {
	figure string
	falls  bool // the fewer percent, the harder
	set    func(c *cell, percent float64)
}

// hardships are the quantities to search: the largest workload, the smallest cell, and the most
// memory that tasks may request.
var hardships = map[string]hardship{
	"workload": {"largest workload", false, func(c *cell, percent float64) { c.scale = percent / 100 }},
	"cell": {"smallest cell", true, func(c *cell, percent float64) {
		size := c.nodes
		c.keep, c.scale = 1-(100-percent)/100, 1
		if percent > 100 { // the published work on more nodes than its own
			c.nodes = int(math.Round(float64(size) * percent / 100))
			c.keep, c.scale = 1, float64(size)/float64(c.nodes)
		}
	}},
	"memory": {"most memory", false, func(c *cell, percent float64) { c.altered.Memory = percent / 100 }},
}

// read returns the hardship and the rules of a search.
func (q *search) read() (h hardship, by []rule, err error) {
	h, is := hardships[q.Of]
	switch {
	case !is:
		return h, nil, fmt.Errorf("search.of is %q: choose cell, memory or workload", q.Of)
	case !(q.From > 0 && q.From <= q.Start && q.Start <= q.To && q.To <= 1000):
		return h, nil,
			fmt.Errorf(
				"search goes from %v to %v and starts at %v: choose percents above 0, up to 1000, with start between the two", q.From, q.To, q.Start,
			)
	}
	for _, x := range []float64{q.From, q.Start, q.To} {
		if x != math.Trunc(x) {
			return h, nil, fmt.Errorf("search names %v: choose whole percents", x)
		}
	}
	if len(q.By) == 0 {
		return h, rules, nil
	}
	for _, name := range q.By {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
		if i < 0 {
			return h, nil, fmt.Errorf("search.by is %q: choose %s, %s or %q", name, rules[0].name, rules[1].name,
				rules[2].name)
		}
		by = append(by, rules[i])
	}
	return h, by, nil
}

// limits are the figures of a search: of the run at the published load, and under each rule
// the hardest percent that fits; of memory the run is that with the most that fits.
func (c cell) limits(o Options, q *search) (map[string]float64, error) {
	h, by, err := q.read()
	if err != nil {
		return nil, err
	}
	shown := outcome{}
	sign := 1.0 // of percents, so that they grow with the hardness
	start, low, high := q.Start, q.From, q.To
	if h.falls {
		sign, start, low, high = -1, -q.Start, -q.To, -q.From
	}
	found, err := hardest(by, start, low, high, func(hardness float64) (outcome, error) {
		one := c
		one.trial = q.Of != "memory" && hardness != sign*100
		h.set(&one, sign*hardness)
		x, err := one.play(o)
		if !one.trial && (q.Of != "memory" || by[0].fits(x)) {
			shown = x
		}
		return x, err
	})
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	if shown.minutes > 0 {
		values = shown.values()
	}
	for i, limit := range found {
		by := " by " + by[i].name
		values["nothing fits"+by], values["everything fits"+by] = 0, 0
		if limit < low {
			values["nothing fits"+by] = 1
		}
		if limit == high {
			values["everything fits"+by] = 1
		}
		values[h.figure+by] = sign * max(limit, low)
	}
	return values, nil
}

// hardest returns, from low to high, the hardest loads that fit under each of some rules,
// each stricter than the one before; low-1 if none fits. No load is played twice.
func hardest(by []rule, from, low, high float64, play func(hardness float64) (outcome, error)) (found []float64,
	err error,
) {
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

// gallop returns the largest number from low to high for which ok holds, given that it
// holds up to some number and not beyond; low-1 if it holds for none. It begins near
// a number and goes from there in steps that double, because loads far beyond the
// limit are slow to play. All are whole numbers.
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
