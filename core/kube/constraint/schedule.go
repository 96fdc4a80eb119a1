package constraint

import (
	"parley/core/kube"
	"parley/core/kube/score"
)

// Schedule returns the node that the scheduler would choose for a pod, kube.Nowhere with the
// verdict if none takes it. draw and the pod are as in Place.
func (s *State) Schedule(pod int, draw func(n int) int) (node int, v *Verdict) {
	if node = s.Place(pod, draw); node == kube.Nowhere {
		v = s.Filter(pod)
	}
	return node, v
}

// Place returns the node that the scheduler would choose for a pod, kube.Nowhere if none takes it.
// It checks nodes in turn, from the node at which the last search ended, until it has found as many
// as the profile requires. It scores those, and calls draw to choose among the best. draw returns a
// number from 0 to n-1. The pod must count nowhere; Place does not bind it.
// (schedule_one.go, schedulePod)
func (s *State) Place(pod int, draw func(n int) int) int {
	c := s.prepare(pod)
	if c.stop != "" || len(c.spec.Gates) > 0 {
		return kube.Nowhere
	}
	found := s.search(c)
	switch len(found) {
	case 0:
		return kube.Nowhere
	case 1:
		return found[0]
	}
	totals := s.totals(pod, found)
	best, ties := 0, 1
	for i := 1; i < len(totals); i++ {
		switch {
		case totals[i] > totals[best]:
			best, ties = i, 1
		case totals[i] == totals[best]:
			if ties++; draw(ties) == 0 {
				best = i
			}
		}
	}
	return found[best]
}

// search returns the nodes that the scheduler compares, at most as many as the profile's percentage
// requires, and moves on the place at which the next search begins. A pod that may run on named nodes only
// looks at these and does not move it. The result is valid until the next search.
func (s *State) search(c *check) []int {
	found := s.scratch.found[:0]
	if c.byName {
		for _, at := range c.only {
			if s.takes(c, at) {
				found = append(found, at)
			}
		}
		s.scratch.found = found
		return found
	}
	enough, looked := score.NumFeasibleNodesToFind(s.live, s.p.Percentage), 0
	spread := len(c.rest) == 1 && c.rest[0] == bySpread
	for ; looked < len(s.nodes) && len(found) < enough; looked++ {
		at := s.next + looked
		if at >= len(s.nodes) {
			at -= len(s.nodes)
		}
		if c.sized && c.rooms[at].stamp == s.stamps[at] {
			if !c.rooms[at].enough {
				continue
			}
			if s.plain[at] && (len(c.rest) == 0 || spread) {
				if len(c.rest) == 0 || s.skewed(c.spreads, at) == nil {
					found = append(found, at)
				}
				continue
			}
		}
		if (s.plain[at] || !s.nodes[at].removed) && s.takes(c, at) {
			found = append(found, at)
		}
	}
	s.next = (s.next + looked) % len(s.nodes)
	s.scratch.found = found
	return found
}

// First returns the first node, in the order of places from from on and then from the beginning, that takes
// a pod and for which may is true; kube.Nowhere if none does. The pod is not bound.
func (s *State) First(pod, from int, may func(node int) bool) int {
	c := s.prepare(pod)
	if c.stop != "" || len(c.spec.Gates) > 0 {
		return kube.Nowhere
	}
	for i := range s.nodes {
		if at := (from + i) % len(s.nodes); !s.nodes[at].removed && may(at) && s.takes(c, at) {
			return at
		}
	}
	return kube.Nowhere
}
