package constraint

import (
	"math"
	"slices"

	"parley/core/kube"
	"parley/core/kube/score"
)

// spreadScores sets raw to scores of the pod's soft spread constraints, 0 to 100: the fewer matching pods
// in a node's domains, the higher. It reports false if the pod has none. Nodes that lack a label of the
// constraints score 0, except under the scheduler's own defaults. (plugins/podtopologyspread/scoring.go)
func (s *State) spreadScores(pod int, nodes []int, raw []int64) bool {
	p := &s.c.Pods[pod]
	x := s.spreading(pod, false)
	soft, topologies := x.k, x.topologies
	if len(soft) == 0 {
		return false
	}
	// The scheduler's own defaults alone let nodes without a zone be spread over by host.
	all := len(p.Spec.Spread) > 0 || !s.p.SystemDefaults
	if host := slices.IndexFunc(soft, func(k kube.Spread) bool { return k.Key == kube.HostnameLabel }); host >= 0 &&
		len(soft) == 2 {
		if wide := 1 - host; soft[wide].Key != kube.HostnameLabel && topologies[0].whole() && topologies[1].whole() {
			minimum, largest := s.spreadOverHosts(x, host, p, nodes, all, raw)
			scaleSpread(raw, minimum, largest, nil)
			return true
		}
	}
	ignored, sums, kept := zeroed(&s.scratch.ignored, len(nodes)), zeroed(&s.scratch.floats, len(nodes)), 0
	for i, at := range nodes {
		ignored[i] = all && !inAll(topologies, at)
		if !ignored[i] {
			kept++
		}
	}
	for k := range soft {
		s.addSpread(x, k, p, nodes, ignored, kept, all, sums)
	}
	lowest, highest := int64(math.MaxInt64), int64(0)
	last, rounded := 0.0, int64(0) // neighbours often have equal sums
	for i := range nodes {
		if sums[i] != last {
			last, rounded = sums[i], int64(math.Round(sums[i]))
		}
		if raw[i] = rounded; !ignored[i] {
			lowest, highest = min(lowest, rounded), max(highest, rounded)
		}
	}
	scaleSpread(raw, lowest, highest, ignored)
	return true
}

// scaleSpread turns rounded sums into scores: lowest becomes 100, and highest becomes the part that lowest
// is of it. The bounds are those of the nodes that are not ignored; ignored nodes score 0, and a nil
// ignored means none.
func scaleSpread(raw []int64, lowest, highest int64, ignored []bool) {
	var known [128]int64 // scores of low sums, plus 1: few sums differ
	for i, x := range raw {
		switch {
		case ignored != nil && ignored[i]:
			raw[i] = 0
		case highest == 0:
			raw[i] = score.MaxScore
		case x >= 0 && x < int64(len(known)):
			if known[x] == 0 {
				known[x] = score.MaxScore*(highest+lowest-x)/highest + 1
			}
			raw[i] = known[x] - 1
		default:
			raw[i] = score.MaxScore * (highest + lowest - x) / highest
		}
	}
}

// spreadOverHosts is spreadScores for two constraints, the one at host over host names, if every node has
// the labels of both: it fills raw with the rounded sums and returns the lowest and the highest. Most hosts
// have no matching pod, so their sum depends on their wider domain alone.
func (s *State) spreadOverHosts(x *spreading, host int, p *kube.Pod, nodes []int, all bool, raw []int64) (
	minimum, largest int64,
) {
	more := s.domainSums(x, 1-host, p, nodes, nil, all)
	weight, slack := math.Log(float64(len(nodes)+2)), float64(x.k[host].MaxSkew-1)
	alone := zeroed(&s.scratch.domains, len(more))
	for d := range more {
		alone[d] = int64(math.Round(added(0, weight, slack) + more[d]))
	}
	on := zeroedBetween(&s.scratch.onNodes, len(s.nodes))
	var pods tally
	if m := x.matchers[host]; m != nil {
		pods = m.tally
	}
	for j, n := range pods.where {
		on[n] = pods.counts[j]
	}
	minimum = math.MaxInt64
	of := x.topologies[1-host].of
	for i, n := range nodes {
		sum := alone[of[n]]
		if on[n] != 0 {
			sum = int64(math.Round(added(int(on[n]), weight, slack) + more[of[n]]))
		}
		raw[i] = sum
		minimum, largest = min(minimum, sum), max(largest, sum)
	}
	for _, n := range pods.where {
		on[n] = 0
	}
	return minimum, largest
}

// addSpread adds to sums, by index of nodes, the matching pods in each node's domain of the constraint at,
// weighted by the logarithm of the number of domains. ignored nodes get nothing; kept is the number of the
// others; all is set if only nodes with all labels count.
func (s *State) addSpread(x *spreading, at int, p *kube.Pod, nodes []int, ignored []bool, kept int, all bool,
	sums []float64,
) {
	k, t := &x.k[at], x.topologies[at]
	if k.Key == kube.HostnameLabel {
		var pods tally
		if m := x.matchers[at]; m != nil {
			pods = m.tally
		}
		weight, slack := math.Log(float64(kept+2)), float64(k.MaxSkew-1)
		on := zeroedBetween(&s.scratch.onNodes, len(s.nodes))
		for j, n := range pods.where {
			on[n] = pods.counts[j]
		}
		for i, n := range nodes {
			if !ignored[i] && t.of[n] >= 0 {
				sums[i] += added(int(on[n]), weight, slack)
			}
		}
		for _, n := range pods.where {
			on[n] = 0
		}
		return
	}
	more := s.domainSums(x, at, p, nodes, ignored, all)
	for i, n := range nodes {
		if d := t.of[n]; d >= 0 && !ignored[i] {
			sums[i] += more[d]
		}
	}
}

// domainSums returns, by domain, the amount by which the constraint at, which is not over host names,
// raises the sums of the nodes there. Parameters are those of addSpread. It is valid until the next call.
func (s *State) domainSums(x *spreading, at int, p *kube.Pod, nodes []int, ignored []bool, all bool) []float64 {
	k, t, topologies := &x.k[at], x.topologies[at], x.topologies
	var pods tally
	if m := x.matchers[at]; m != nil {
		pods = m.tally
	}
	// Nodes without the label are one domain more, which the scheduler's defaults count.
	unlabelled := len(t.values)
	domain := func(n int) int {
		if t.of[n] < 0 {
			return unlabelled
		}
		return t.of[n]
	}
	size := 0
	counts, known := zeroed(&s.scratch.counts, unlabelled+1), zeroed(&s.scratch.known, unlabelled+1)
	for i, n := range nodes {
		if d := domain(n); (ignored == nil || !ignored[i]) && !known[d] {
			known[d] = true
			if size++; size == t.size {
				break
			}
		}
	}
	eligible := s.counting(p.Spec, k)
	for j, at := range pods.where {
		n := int(at)
		if s.nodes[n].removed || all && !inAll(topologies, n) || !s.included(p.Spec, k, eligible, n) {
			continue
		}
		if d := domain(n); known[d] {
			counts[d] += int(pods.counts[j])
		}
	}
	weight, slack, more := math.Log(float64(size+2)), float64(k.MaxSkew-1), zeroed(&s.scratch.ofDomain, unlabelled)
	for d := range more {
		more[d] = added(counts[d], weight, slack)
	}
	return more
}

// added returns the amount by which a domain with pods matching pods raises the sums of its nodes.
func added(pods int, weight, slack float64) float64 {
	return float64(float64(pods)*weight) + slack
}
