package selection

import (
	"math/bits"

	"parley/core/rng"
	"parley/core/system/negotiation/score"
)

// Tabu searches for the fittest set of tasks: restarts from random sets, each
// of at most depth steps; a step moves to the best neighbour (one task more or
// less) never visited before; the search stops when the best set has not
// improved for patience steps (section 5.1: 25, 5 and 6). It returns 0 when no
// visited set relieves the node.
func (p *Problem) Tabu(s *score.Scorer, restarts, depth, patience int, random *rng.Stream) uint64 {
	n := len(p.Use)
	p.visited.clear()
	best, bestFitness, idle := uint64(0), 0.0, 0
	for range restarts {
		at := random.Uint64() >> (64 - n)
		if p.visited.add(at) {
			if f := p.Fitness(at, s); f > bestFitness {
				best, bestFitness, idle = at, f, 0
			}
		}
		for range depth {
			next, nextFitness := at, -1.0
			current := p.without(at)
			for i := range n {
				set := at ^ 1<<i
				if !p.visited.add(set) || current.atMost(p, i, at&^set != 0, s) <= nextFitness {
					continue
				}
				if f := p.Fitness(set, s); f > nextFitness {
					next, nextFitness = set, f
				}
			}
			if nextFitness < 0 {
				break // every neighbour was visited
			}
			at = next
			idle++
			if nextFitness > bestFitness {
				best, bestFitness, idle = at, nextFitness, 0
			}
			if idle >= patience && best != 0 {
				return best
			}
		}
	}
	return best
}

// rest is the load of a node without a set of its tasks.
type rest struct {
	load, byProduction score.Percent
	cost               float64
	slack              float64 // far above the sum of rounding errors, far below the differences that matter
}

// without returns the load without a set, and the cost of moving it.
func (p *Problem) without(set uint64) rest {
	r := rest{load: p.Load, byProduction: p.Production, slack: 1e-9 * (1 + p.Load.Max() + p.Production.Max())}
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		for k := range r.load {
			r.load[k] -= p.Use[i][k]
			r.byProduction[k] -= p.Promise[i][k]
		}
		r.cost += p.Cost[i]
	}
	return r
}

// atMost returns a bound of the fitness of the set without task i, if back, or with it. Most
// neighbours are worse than one that was seen, and the bound shows it without the sums over the set
// that fitness needs, whose order counts.
func (r *rest) atMost(p *Problem, i int, back bool, s *score.Scorer) float64 {
	use, promise, cost, load, byProduction := &p.Use[i], &p.Promise[i], p.Cost[i], r.load, r.byProduction
	if back {
		cost = -cost
		for k := range load {
			load[k] += use[k]
			byProduction[k] += promise[k]
		}
	} else {
		for k := range load {
			load[k] -= use[k]
			byProduction[k] -= promise[k]
		}
	}
	highest, pledged := load.Max(), byProduction.Max()
	if highest > p.Top+r.slack || pledged > 100+r.slack {
		return 0
	}
	value := minScore
	if highest <= s.Limit+r.slack && pledged <= s.Limit+r.slack {
		value = max(value, s.Shape(load.Mean(), max(0, highest-load.Min()-float64(2*r.slack)))+r.slack)
	}
	return value / max(r.cost+cost, 1) * (1 + 1e-9)
}

// sets is a set of sets of tasks; its zero value is empty. It is a hash table
// with linear probing, in which the empty set has a place of its own.
type sets struct {
	table []uint64 // a power of two; 0: free
	count int
	empty bool // the empty set is in
}

func (v *sets) clear() {
	clear(v.table)
	v.count, v.empty = 0, false
}

// add puts a set in and reports whether it was not there before.
func (v *sets) add(set uint64) bool {
	if set == 0 {
		is := v.empty
		v.empty = true
		return !is
	}
	if 2*v.count >= len(v.table) {
		v.grow()
	}
	mask := len(v.table) - 1
	for i := int(rng.Mix(set)) & mask; ; i = (i + 1) & mask {
		switch v.table[i] {
		case set:
			return false
		case 0:
			v.table[i] = set
			v.count++
			return true
		}
	}
}

// grow doubles the table, to 1024 places at least, and puts all sets in again. The empty set is not in
// the table.
func (v *sets) grow() {
	old := v.table
	v.table, v.count = make([]uint64, max(1024, 2*len(old))), 0
	for _, set := range old {
		if set != 0 {
			v.add(set)
		}
	}
}
