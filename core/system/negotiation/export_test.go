package negotiation

import (
	"parley/core/rng"
	"parley/core/unit"
)

// Rate scores a placement by a name of Scores: before and after it.
func (s Settings) Rate(name string, before, after Percent, idle bool) float64 {
	r := s.newScorer(name)
	return r.rate(before, after, idle)
}

// Fitness rates a selection for the re-allocation score.
func (c *Choice) Fitness(set uint64, s Settings) float64 {
	r := s.newScorer(s.MoveScore)
	return c.fitness(set, &r)
}

// Select runs a selection of Selections.
func (c *Choice) Select(how string, s Settings, random *rng.Stream) uint64 {
	r := s.newScorer(s.MoveScore)
	switch how {
	case "tabu":
		return c.Tabu(&r, s.Restarts, s.Depth, s.Patience, random)
	case "greedy":
		return c.Greedy(&r)
	}
	return c.Exact(&r)
}

// Pick, Draw, Best and Keep work on candidates 0, 1, … of the given scores.

func Pick(scores []float64, random *rng.Stream) int {
	fits, total := candidatesOf(scores)
	return pick(fits, total, random)
}

func Draw(scores []float64, k int, random *rng.Stream) []int {
	fits, _ := candidatesOf(scores)
	return numbers(draw(fits, k, random))
}

func Best(scores []float64, k int) []int {
	fits, _ := candidatesOf(scores)
	return numbers(best(fits, k))
}

func Keep(scores []float64, most int) []int {
	var l shortlist
	l.clear(most)
	fits, _ := candidatesOf(scores)
	for _, f := range fits {
		l.offer(f.node, f.score)
	}
	l.settle(l.length)
	return numbers(l.fits)
}

func candidatesOf(scores []float64) (fits []scored, total float64) {
	for i, score := range scores {
		fits = append(fits, scored{unit.NodeID(i), score})
		total += score
	}
	return fits, total
}

func numbers(fits []scored) (out []int) {
	for _, f := range fits {
		out = append(out, int(f.node))
	}
	return out
}
