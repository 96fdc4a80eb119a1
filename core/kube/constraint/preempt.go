package constraint

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/score"
)

// Preempt returns the node on which the scheduler would preempt pods for a pod that no node takes,
// and those pods, the most important first; kube.Nowhere if it would preempt none. It sets
// v.Preemption to the scheduler's message. from is the node with which the search begins; the
// scheduler draws it. Preempt restores the state.
// (framework/preemption/preemption.go, plugins/defaultpreemption/default_preemption.go)
func (s *State) Preempt(pod int, v *Verdict, from int) (node int, victims []int) {
	s.use(pod)
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
	limit := min(len(helps), max(s.p.MinCandidates, len(helps)*s.p.MinCandidatesPercent/100))
	safe := false // a candidate violates no budget
	for i := range helps {
		if len(candidates) >= limit && safe {
			break
		}
		at := helps[(from+i)%len(helps)]
		if none {
			reasons[at] = noVictims
			continue
		}
		out, violations, reason := s.victims(pod, at)
		if reason != nil {
			reasons[at] = reason
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
		text := Verdict{Reasons: reasons, TotalNodes: v.TotalNodes}
		v.Preemption = "preemption: " + text.Message()
		return kube.Nowhere, nil
	}
	return nodes[best], all[best]
}

var (
	notHelpful = &Reason{Plugin: DefaultPreemption, Texts: []string{"Preemption is not helpful for scheduling"}, Final: true}
	noVictims  = &Reason{Plugin: DefaultPreemption, Texts: []string{"No preemption victims found for incoming pod"}, Final: true}
)

// importance returns a pod's priority and start, which decide the order of preemption. A pod that
// has not started counts as the latest.
func (s *State) importance(pod int) score.Victim {
	p := &s.c.Pods[pod]
	started := p.Started
	if started == 0 {
		started = 1 << 62
	}
	return score.Victim{Priority: p.Spec.Priority, Start: started}
}

// victims returns the minimal set of pods that must leave a node for a pod, the most important first, and
// the number of them that a budget protects; or the reason if the node does not take the pod even without
// all pods of lower priority. If resources alone decide, it computes with sums; otherwise it removes pods
// and puts them back. The state is the same afterwards.
func (s *State) victims(pod, at int) (out []int, violations int, reason *Reason) {
	priority := s.c.Pods[pod].Spec.Priority
	lower := s.scratch.lower[:0]
	for _, other := range s.nodes[at].pods {
		if s.c.Pods[other].Spec.Priority < priority {
			lower = append(lower, other)
		}
	}
	s.scratch.lower = lower
	if len(lower) == 0 {
		return nil, 0, noVictims
	}
	c := s.prepare(pod)
	reason, sure := s.reasonWithout(c, at, lower)
	if sure && reason != nil {
		return nil, 0, reason
	}
	slices.Sort(lower)
	slices.SortStableFunc(lower, s.byImportance)
	if sure {
		out, violations = s.makeRoom(c, at, lower)
		return out, violations, nil
	}
	back := slices.Clone(s.nodes[at].pods)
	s.evicted = lower
	defer func() { s.evicted = nil }()
	for _, other := range lower {
		s.Unbind(other)
	}
	if reason = s.Reason(pod, at); reason == nil {
		violating, others := s.protected(lower)
		out = s.reprieve(nil, violating, pod, at)
		violations = len(out)
		out = s.reprieve(out, others, pod, at)
	}
	for _, other := range lower {
		if s.on[other] == kube.Nowhere {
			s.Bind(other, at)
		}
	}
	copy(s.nodes[at].pods, back)
	slices.SortStableFunc(out, s.byImportance)
	return out, violations, reason
}

// reasonWithout returns the reason why a pod cannot run on a node without some of its pods, and whether the
// answer is exact (sure); if it is not, the caller must remove the pods and check again. If it is exact and
// nil, only resources keep the pod off.
func (s *State) reasonWithout(c *check, at int, pods []int) (reason *Reason, sure bool) {
	left := s.without(pods, at)
	has := func(uses func(p *kube.Pod) bool) bool {
		return slices.ContainsFunc(pods, func(i int) bool { return uses(&s.c.Pods[i]) })
	}
	for _, f := range c.filters {
		reason = s.judge(c, f, at, left)
		switch f {
		case byPort, byRestriction, byLimits, byBinding:
			// A pod that these filters pass beside the others passes them also without the others.
			if reason != nil && (f == byPort && has(func(p *kube.Pod) bool { return len(p.Spec.Ports) > 0 }) ||
				f != byPort && has(func(p *kube.Pod) bool { return len(p.Claims)+len(p.Spec.Disks) > 0 })) {
				return nil, false
			}
		case bySpread, byPods:
			if s.counts(c, pods) {
				return nil, false
			}
		}
		if reason != nil {
			return reason, true
		}
	}
	return nil, c.stop == ""
}

// counts reports whether one of some pods on a node counts for the spread or the affinity of the checked
// pod, or forbids it by its own anti-affinity, so that their removal may change the result.
func (s *State) counts(c *check, pods []int) bool {
	if s.unmoved(c.watched, c.class, c.spec.Priority) {
		return false
	}
	concerning := s.concerning(c.class)
	return slices.ContainsFunc(pods, func(i int) bool {
		p := &s.c.Pods[i]
		return slices.ContainsFunc(s.matching[s.classOf[i]],
			func(m int) bool { return slices.Contains(c.watched, s.matchers[m]) }) ||
			len(p.Spec.AntiRequired) > 0 &&
				slices.ContainsFunc(s.carriersOf(p), func(i int) bool { return slices.Contains(concerning, i) })
	})
}

// without returns the requests on a node without those of some pods. It is valid until the next
// call.
func (s *State) without(pods []int, at int) kube.Vector {
	left := append(s.scratch.left[:0], s.nodes[at].requested...)
	s.scratch.left = left
	for _, pod := range pods {
		subtract(left, s.c.Pods[pod].Spec.Requests, 1)
	}
	return left
}

// makeRoom returns the minimal set of the pods of lower priority that must leave a node so that it has room
// for a pod, the most important first, and the number of them that a budget protects. lower is in the order
// of importance, and the node must have room without all of them. The protected ones are put back first.
func (s *State) makeRoom(c *check, at int, lower []int) (out []int, violations int) {
	left := s.without(lower, at)
	violating, others := s.protected(lower)
	for i, pods := range [][]int{violating, others} {
		for _, other := range pods {
			subtract(left, s.c.Pods[other].Spec.Requests, -1)
			if c.sized && !s.enough(c.spec, at, left) {
				subtract(left, s.c.Pods[other].Spec.Requests, 1)
				out = append(out, other)
			}
		}
		if i == 0 {
			violations = len(out)
		}
	}
	slices.SortStableFunc(out, s.byImportance)
	return out, violations
}

// subtract subtracts a pod's requests a number of times.
func subtract(from, requests kube.Vector, times int64) {
	for r, amount := range requests {
		from[r] -= times * amount
	}
}

// reprieve puts pods back on a node as long as a pod still fits there, and appends those that
// must stay away.
func (s *State) reprieve(out, pods []int, pod, at int) []int {
	for _, other := range pods {
		s.Bind(other, at)
		if !s.Fits(pod, at) {
			s.Unbind(other)
			out = append(out, other)
		}
	}
	return out
}

// byImportance compares pods for a sort: the more important one, by priority and then by the earlier start,
// is first.
func (s *State) byImportance(a, b int) int {
	switch x, y := s.importance(a), s.importance(b); {
	case score.MoreImportant(x, y):
		return -1
	case score.MoreImportant(y, x):
		return 1
	}
	return 0
}

// protected splits pods into those whose preemption would break a budget and the others, both in the given
// order: a budget allows the first of them as many as its status allows. Evictions that the budget has
// granted already count nothing.
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

// protecting returns the places of the budgets that protect the pods of a class from preemption. As in the
// scheduler, an empty selector protects none, and so does a pod without labels.
func (s *State) protecting(class int) []int {
	all, known := s.protectors[class]
	if known {
		return all
	}
	of := &s.classes[class]
	for i := range s.c.Budgets {
		b := &s.c.Budgets[i]
		if b.Namespace == of.namespace && len(of.labels) > 0 && b.Selector != nil && len(b.Selector.Requirements) > 0 &&
			b.Selector.Matches(of.labels) {
			all = append(all, i)
		}
	}
	s.protectors[class] = all
	return all
}
