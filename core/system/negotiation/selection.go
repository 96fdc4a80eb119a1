package negotiation

import (
	"math/bits"
)

// Choice is the problem that a node agent solves in step 1 (select candidate
// services): which of its tasks to move out.
type Choice struct {
	Top      float64   // the node is relieved at or below this load
	Load     Percent   // of the node with all tasks
	Promised Percent   // requested by production tasks
	Use      []Percent // of each task
	Promise  []Percent // of each task; zero unless production
	Cost     []float64 // bytes that moving each task transfers

	visited sets // scratch of Tabu
}

// maxTasks bounds the tasks a selection considers: one bit each. Of a node
// with more, the agent offers those that use most.
const maxTasks = 64

// fitness is the paper's function (section 5.1): the node's allocation score
// after the move over the total migration cost; 0 while the node would still be
// overloaded. Production tasks must keep their headroom in the score (RUS).
func (c *Choice) fitness(set uint64, s *scorer) float64 {
	load, promised, cost := c.Load, c.Promised, 0.0
	for rest := set; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		for r := range load {
			load[r] -= c.Use[i][r]
			promised[r] -= c.Promise[i][r]
		}
		cost += c.Cost[i]
	}
	for r := range load {
		if load[r] > c.Top || promised[r] > 100 {
			return 0
		}
	}
	score := s.score(load)
	if score == 0 {
		score = leastScore // relieved, though not into the wanted range
	}
	return score / max(cost, 1)
}

// leastScore ranks a selection that ends the overload but misses the headroom
// below every selection that keeps it, and above none at all.
const leastScore = 1e-6

// maxExact bounds the tasks that Exact considers: it tries a million sets.
const maxExact = 20

// Exact returns the fittest set by trying all: for small sets and as the
// oracle of the others. It considers the first 20 tasks.
func (c *Choice) Exact(s *scorer) uint64 {
	n := min(len(c.Use), maxExact)
	best, bestFitness := uint64(0), 0.0
	for set := uint64(1); set < 1<<n; set++ {
		if f := c.fitness(set, s); f > bestFitness {
			best, bestFitness = set, f
		}
	}
	return best
}

// Greedy adds the task that raises fitness most until the node is relieved and
// nothing improves; before that, the one that sheds most overload per byte.
func (c *Choice) Greedy(s *scorer) uint64 {
	set, now := uint64(0), 0.0
	for {
		next, best, bestShed := set, now, 0.0
		for i := range c.Use {
			if set&(1<<i) != 0 {
				continue
			}
			if f := c.fitness(set|1<<i, s); f > best {
				next, best = set|1<<i, f
			} else if now == 0 && best == 0 {
				if shed := c.shed(set, i); shed > bestShed {
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
func (c *Choice) shed(set uint64, i int) float64 {
	sum := 0.0
	for r := range c.Load {
		over, pledged := c.Load[r]-c.Top, c.Promised[r]-100
		for rest := set; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros64(rest)
			over -= c.Use[j][r]
			pledged -= c.Promise[j][r]
		}
		sum += min(max(over, 0), c.Use[i][r]) + min(max(pledged, 0), c.Promise[i][r])
	}
	return sum / max(c.Cost[i], 1)
}
