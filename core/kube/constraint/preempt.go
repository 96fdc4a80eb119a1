package constraint

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/score"
)

// Preempt returns the node on which the scheduler would preempt pods for a pod that no node
// takes, and those pods, the most important first; kube.Nowhere if it would preempt none. It
// sets v.Preemption to what the scheduler says of it. from is the place of the node with which
// the search begins, which the scheduler draws. The state is as before afterwards.
// (framework/preemption/preemption.go, plugins/defaultpreemption/default_preemption.go)
func (s *State) Preempt(pod int, v *Verdict, from int) (node int, victims []int) {
	p := &s.c.Pods[pod]
	switch {
	case !s.p.Preempt || v.Gated || len(v.Nodes) > 0:
		return kube.Nowhere, nil
	case p.Spec.NeverPreempts:
		v.Preemption = "preemption: not eligible due to preemptionPolicy=Never."
		return kube.Nowhere, nil
	}
	none := p.Spec.Priority <= s.lowest // no node has a pod of a lower priority
	var helps []int
	if v.Stop == "" {
		for at, r := range v.Reasons {
			if r != nil && !r.Final {
				helps = append(helps, at)
			}
		}
	}
	var candidates []score.Candidate
	var nodes []int
	var all [][]int
	reasons := make([]*Reason, len(s.nodes))
	for at := range s.nodes {
		if !s.nodes[at].removed {
			reasons[at] = notHelpful
		}
	}
	most := min(len(helps), max(s.p.MinCandidates, len(helps)*s.p.MinCandidatesPercent/100))
	safe := false // a candidate violates no budget
	for i := range helps {
		if len(candidates) >= most && safe {
			break
		}
		at := helps[(from+i)%len(helps)]
		if none {
			reasons[at] = noVictims
			continue
		}
		out, violations, why := s.victims(pod, at)
		if why != nil {
			reasons[at] = why
			continue
		}
		one := score.Candidate{Violations: violations}
		for _, victim := range out {
			one.Victims = append(one.Victims, s.importance(victim))
		}
		safe = safe || violations == 0
		candidates, nodes, all = append(candidates, one), append(nodes, at), append(all, out)
	}
	best := score.Pick(candidates)
	if best < 0 {
		text := Verdict{Reasons: reasons, All: v.All}
		v.Preemption = "preemption: " + text.Message()
		return kube.Nowhere, nil
	}
	return nodes[best], all[best]
}

var (
	notHelpful = &Reason{Plugin: DefaultPreemption, Texts: []string{"Preemption is not helpful for scheduling"}, Final: true}
	noVictims  = &Reason{Plugin: DefaultPreemption, Texts: []string{"No preemption victims found for incoming pod"}, Final: true}
)

// importance returns what decides which pods are preempted. A pod that has not started counts
// as the latest.
func (s *State) importance(pod int) score.Victim {
	p := &s.c.Pods[pod]
	started := p.Started
	if started == 0 {
		started = 1 << 62
	}
	return score.Victim{Priority: p.Spec.Priority, Start: started}
}

// victims returns the fewest pods that must leave a node for a pod, the most important first,
// and how many of them a budget protects; or why the node does not take the pod without all
// pods of lower priority.
func (s *State) victims(pod, at int) (out []int, violations int, why *Reason) {
	priority := s.c.Pods[pod].Spec.Priority
	var lower []int
	for _, other := range s.nodes[at].pods {
		if s.c.Pods[other].Spec.Priority < priority {
			lower = append(lower, other)
		}
	}
	if len(lower) == 0 {
		return nil, 0, noVictims
	}
	slices.Sort(lower)
	slices.SortStableFunc(lower, s.byImportance)
	alone := s.prepare(pod).alone()
	back := slices.Clone(s.nodes[at].pods)
	for _, other := range lower {
		s.Unbind(other)
	}
	s.still(alone)
	if why = s.Why(pod, at); why == nil {
		violating, others := s.protected(lower)
		out = s.reprieve(nil, violating, pod, at, alone)
		violations = len(out)
		out = s.reprieve(out, others, pod, at, alone)
	}
	for _, other := range lower {
		if s.on[other] == kube.Nowhere {
			s.Bind(other, at)
		}
	}
	s.still(alone)
	copy(s.nodes[at].pods, back)
	slices.SortStableFunc(out, s.byImportance)
	return out, violations, why
}

// alone reports whether only filters concern the pod that look at nothing but the node. Pods
// that leave other nodes, or this one, add no further filter.
func (c *check) alone() bool {
	for _, f := range c.filters {
		switch f {
		case byCordon, byTaint, byAffinity, byPort, byResources:
		default:
			return false
		}
	}
	return c.stop == ""
}

// still declares what was worked out for the last pod valid after a change that does not touch
// it.
func (s *State) still(valid bool) {
	if valid {
		s.check.change = s.change
	}
}

// reprieve puts pods back on a node as long as a pod still fits there, and appends those that
// must stay away.
func (s *State) reprieve(out, pods []int, pod, at int, alone bool) []int {
	for _, other := range pods {
		s.Bind(other, at)
		s.still(alone)
		if !s.Fits(pod, at) {
			s.Unbind(other)
			s.still(alone)
			out = append(out, other)
		}
	}
	return out
}

func (s *State) byImportance(a, b int) int {
	switch x, y := s.importance(a), s.importance(b); {
	case score.MoreImportant(x, y):
		return -1
	case score.MoreImportant(y, x):
		return 1
	}
	return 0
}

// protected splits pods into those whose preemption would break a budget and the others.
func (s *State) protected(pods []int) (violating, others []int) {
	taken := map[int]int32{}
	for _, pod := range pods {
		broken := false
		for _, i := range s.protecting(s.classOf[pod]) {
			b := &s.c.Budgets[i]
			if slices.Contains(b.Disrupted, s.c.Pods[pod].Name) {
				continue
			}
			taken[i]++
			broken = broken || taken[i] > b.Allowed
		}
		if broken {
			violating = append(violating, pod)
		} else {
			others = append(others, pod)
		}
	}
	return violating, others
}

// protecting returns the budgets that protect the pods of a class from preemption.
func (s *State) protecting(class int) []int {
	all, known := s.protectors[class]
	if known {
		return all
	}
	of := &s.classes[class]
	for i := range s.c.Budgets {
		b := &s.c.Budgets[i]
		if b.Namespace == of.namespace && len(of.labels) > 0 && b.Selector != nil && len(b.Selector.Requirements) > 0 && b.Selector.Matches(of.labels) {
			all = append(all, i)
		}
	}
	s.protectors[class] = all
	return all
}
