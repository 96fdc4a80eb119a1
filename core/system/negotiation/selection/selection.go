// Package selection chooses the tasks that leave an overloaded node: step 1 of a negotiation
// (MASB, section 5.1). Its functions take and return plain values; they need no node and
// send no message.
package selection

import (
	"math/bits"

	"parley/core/system/negotiation/score"
)

// Problem is the problem that a node's agent solves in step 1 (select candidate
// services): which of its tasks to move out.
type Problem struct {
	Top        float64         // the node is relieved at or below this load
	Load       score.Percent   // of the node with all tasks
	Production score.Percent   // requested by production tasks
	Use        []score.Percent // of each task
	Promise    []score.Percent // of each task; zero unless production
	Cost       []float64       // bytes that moving each task transfers

	visited sets // scratch of Tabu
}

// MaxTasks bounds the tasks a selection considers: one bit each. Of a node
// with more, the agent offers those that use most.
const MaxTasks = 64

// Fitness is the paper's function (section 5.1): the node's allocation score after the move over
// the total migration cost; 0 while the node would still be overloaded, or its promises to
// production would exceed its capacity. A relieved node scores only within its headroom, of use and
// of the requests of production tasks (RUS, section 6.4; the paper's log has 96 % before and 88 %
// after).
func (p *Problem) Fitness(set uint64, s *score.Scorer) float64 {
	load, byProduction, cost := p.Load, p.Production, 0.0
	for rest := set; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		for r := range load {
			load[r] -= p.Use[i][r]
			byProduction[r] -= p.Promise[i][r]
		}
		cost += p.Cost[i]
	}
	for r := range load {
		if load[r] > p.Top || byProduction[r] > 100 {
			return 0
		}
	}
	value := s.Score(load)
	if value == 0 || byProduction.Max() > s.Limit {
		value = minScore // relieved, though not into the wanted range
	}
	return value / max(cost, 1)
}

// minScore ranks a selection that ends the overload but misses the headroom
// below every selection that keeps it, and above none at all.
const minScore = 1e-6

// MaxExact bounds the tasks that Exact considers: it tries 8,192 sets, once a node
// and minute. With 20 tasks it was a million, and a run of minutes took hours.
const MaxExact = 13

// Exact returns the fittest set by trying all: for small sets and as the
// oracle of the others. It considers the first MaxExact tasks.
func (p *Problem) Exact(s *score.Scorer) uint64 {
	n := min(len(p.Use), MaxExact)
	best, bestFitness := uint64(0), 0.0
	for set := uint64(1); set < 1<<n; set++ {
		if f := p.Fitness(set, s); f > bestFitness {
			best, bestFitness = set, f
		}
	}
	return best
}

// Greedy adds the task that raises fitness most until the node is relieved and
// nothing improves; before that, the one that sheds most overload per byte.
func (p *Problem) Greedy(s *score.Scorer) uint64 {
	set, now := uint64(0), 0.0
	for {
		next, best, bestShed := set, now, 0.0
		for i := range p.Use {
			if set&(1<<i) != 0 {
				continue
			}
			if f := p.Fitness(set|1<<i, s); f > best {
				next, best = set|1<<i, f
			} else if now == 0 && best == 0 {
				if shed := p.shed(set, i); shed > bestShed {
					next, bestShed = set|1<<i, shed
				}
			}
		}
		if next == set {
			if now == 0 {
				return 0
			}
			return set
		}
		set, now = next, best
	}
}

// shed returns how much overload task i takes away, of use and of promises, by
// byte moved.
func (p *Problem) shed(set uint64, i int) float64 {
	sum := 0.0
	for r := range p.Load {
		over, pledged := p.Load[r]-p.Top, p.Production[r]-100
		for rest := set; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros64(rest)
			over -= p.Use[j][r]
			pledged -= p.Promise[j][r]
		}
		sum += min(max(over, 0), p.Use[i][r]) + min(max(pledged, 0), p.Promise[i][r])
	}
	return sum / max(p.Cost[i], 1)
}
