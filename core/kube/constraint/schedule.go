package constraint

import (
	"parley/core/kube"
	"parley/core/kube/score"
)

// Schedule returns the node that the scheduler would choose for a pod, kube.Nowhere with the
// verdict if none takes it: it looks at nodes in turn from where the last search ended until
// it has found as many as the profile wants, scores those, and lets draw choose among the best.
// draw returns a number from 0 to n-1. The pod must count nowhere; it is not bound.
// (schedule_one.go, schedulePod)
func (s *State) Schedule(pod int, draw func(n int) int) (node int, v *Verdict) {
	c := s.prepare(pod)
	if c.stop != "" || len(c.spec.Gates) > 0 {
		return kube.Nowhere, s.Filter(pod)
	}
	enough := score.NumFeasibleNodesToFind(s.live, s.p.Percentage)
	var found []int
	looked := 0
	for ; looked < len(s.nodes) && len(found) < enough; looked++ {
		at := (s.next + looked) % len(s.nodes)
		if !s.nodes[at].removed && s.why(c, at) == nil {
			found = append(found, at)
		}
	}
	switch len(found) {
	case 0:
		return kube.Nowhere, s.Filter(pod)
	case 1:
		s.next = (s.next + looked) % len(s.nodes)
		return found[0], nil
	}
	s.next = (s.next + looked) % len(s.nodes)
	scores := s.Score(pod, found)
	best, ties := 0, 1
	for i := 1; i < len(scores); i++ {
		switch {
		case scores[i].Total > scores[best].Total:
			best, ties = i, 1
		case scores[i].Total == scores[best].Total:
			if ties++; draw(ties) == 0 {
				best = i
			}
		}
	}
	return scores[best].Node, nil
}
