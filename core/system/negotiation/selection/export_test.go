package selection

import (
	"parley/core/rng"
	"parley/core/system/negotiation/score"
)

// Limits are what Tabu takes.
type Limits struct{ Restarts, Depth, Patience int }

// Hows are the ways to select.
var Hows = []string{"tabu", "greedy", "exact"}

// Select selects by one of Hows.
func (p *Problem) Select(how string, s *score.Scorer, l Limits, random *rng.Stream) uint64 {
	switch how {
	case "tabu":
		return p.Tabu(s, l.Restarts, l.Depth, l.Patience, random)
	case "greedy":
		return p.Greedy(s)
	}
	return p.Exact(s)
}

// Visited is how many sets the last tabu search looked at.
func (p *Problem) Visited() int {
	if p.visited.empty {
		return p.visited.count + 1
	}
	return p.visited.count
}
