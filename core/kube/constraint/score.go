package constraint

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/score"
)

// NodeScore is the score of a node.
type NodeScore struct {
	Node  int
	Total int64 // sum of weights times scores
	// of each plugin of Profile.Scores, 0 … 100, before its weight; -1 if the plugin does not score
	// the pod
	Parts []int64
}

// Score returns the scheduler's scores of nodes that take a pod, in the order of nodes. Plugins normalise
// over the given nodes, so scores of two calls do not compare. The pod must count nowhere.
// (framework/runtime/framework.go, RunScorePlugins)
func (s *State) Score(pod int, nodes []int) []NodeScore {
	if len(nodes) == 0 {
		return nil
	}
	s.use(pod)
	out := make([]NodeScore, len(nodes))
	parts := make([]int64, len(nodes)*len(s.p.Scores))
	for i, at := range nodes {
		out[i] = NodeScore{Node: at, Parts: parts[i*len(s.p.Scores) : (i+1)*len(s.p.Scores)]}
	}
	raw := zeroed(&s.scratch.raw, len(nodes))
	for k, w := range s.p.Scores {
		scored := s.scorePlugin(w.Plugin, pod, nodes, raw)
		for i := range out {
			if !scored {
				out[i].Parts[k] = -1
				continue
			}
			out[i].Parts[k] = raw[i]
			out[i].Total += w.Weight * raw[i]
		}
	}
	return out
}

// totals returns, by index of nodes, the weighted sums of Score less the parts that are equal for all
// nodes, so that they order the nodes alike. They are valid until the next call.
func (s *State) totals(pod int, nodes []int) []int64 {
	sums, raw := zeroed(&s.scratch.sums, len(nodes)), zeroed(&s.scratch.raw, len(nodes))
	var fit, balanced int64 // weights of the scores in a room
	for _, w := range s.p.Scores {
		switch {
		case w.Plugin == NodeResourcesFit:
			fit += w.Weight
		case w.Plugin == Balanced:
			if s.balances(s.c.Pods[pod].Spec) {
				balanced += w.Weight
			}
		case w.Plugin == TaintToleration && s.noPreference(), w.Plugin == ImageLocality &&
			s.noImage(s.c.Pods[pod].Spec):
		case s.scorePlugin(w.Plugin, pod, nodes, raw):
			for i := range sums {
				sums[i] += w.Weight * raw[i]
			}
		}
	}
	if fit != 0 || balanced != 0 {
		of, sp := s.roomsOf(pod), s.c.Pods[pod].Spec
		for i, at := range nodes {
			r := &of[at]
			if !r.scored || r.stamp != s.stamps[at] {
				s.scored(sp, of, at)
			}
			sums[i] += fit*int64(r.fit) + balanced*int64(r.balanced)
		}
	}
	return sums
}

// scratch is memory that one search after another uses.
type scratch struct {
	raw, sums, byNode []int64
	domains           []int64
	onNodes           []int32   // all 0 between two uses
	ofDomain          []float64 // the sums of a constraint by domain
	found, lower      []int
	short             []int // resources
	left              kube.Vector
	ignored, known    []bool
	floats            []float64
	counts            []int
}

// zeroed returns a slice of n zeroes in memory that is used again: it is valid until the next call with the
// same kept.
func zeroed[T any](kept *[]T, n int) []T {
	if cap(*kept) < n {
		*kept = make([]T, n)
	}
	clear((*kept)[:n])
	return (*kept)[:n]
}

// zeroedBetween is zeroed without the cost of clearing: the caller must set every element that it changed
// back to 0. The slice has at least n elements.
func zeroedBetween[T any](kept *[]T, n int) []T {
	if len(*kept) < n {
		*kept = make([]T, n)
	}
	return *kept
}

// scorePlugin sets raw[i] to a plugin's score of nodes[i], from 0 to 100, and reports whether the plugin
// scores the pod; if not, raw is undefined.
func (s *State) scorePlugin(plugin string, pod int, nodes []int, raw []int64) bool {
	p := &s.c.Pods[pod]
	switch plugin {
	case TaintToleration:
		if s.noPreference() {
			for i := range raw {
				raw[i] = score.MaxScore
			}
			return true
		}
		for i, at := range nodes {
			raw[i] = 0
			for k := range s.nodes[at].taints {
				if t := &s.nodes[at].taints[k]; t.Effect == kube.PreferNoSchedule && !p.Spec.Tolerates(t) {
					raw[i]++
				}
			}
		}
		normalise(raw, true)
	case NodeAffinity:
		if len(p.Spec.NodePreferred) == 0 && len(s.p.AddedPreferred) == 0 {
			return false
		}
		for i, at := range nodes {
			raw[i] = preferred(p.Spec.NodePreferred, &s.c.Nodes[at]) + preferred(s.p.AddedPreferred, &s.c.Nodes[at])
		}
		normalise(raw, false)
	case NodeResourcesFit:
		of := s.roomsOf(pod)
		for i, at := range nodes {
			raw[i] = int64(s.scored(p.Spec, of, at).fit)
		}
	case Balanced:
		if !s.balances(p.Spec) {
			return false
		}
		of := s.roomsOf(pod)
		for i, at := range nodes {
			raw[i] = int64(s.scored(p.Spec, of, at).balanced)
		}
	case PodTopologySpread:
		return s.spreadScores(pod, nodes, raw)
	case InterPodAffinity:
		return s.affinityScores(pod, nodes, raw)
	case ImageLocality:
		s.imageScores(p.Spec, nodes, raw)
	default:
		return false
	}
	return true
}

// balances reports whether a pod requests any resource of NodeResourcesBalancedAllocation: the
// plugin skips others.
func (s *State) balances(sp *kube.Spec) bool {
	return slices.ContainsFunc(s.balanced, func(r int) bool { return sp.Requests.At(r) != 0 })
}

// noPreference reports whether no node has a taint with PreferNoSchedule.
func (s *State) noPreference() bool { return s.unpreferred == 0 }

// unpreferred counts the taints with the effect PreferNoSchedule.
func unpreferred(taints []kube.Taint) (n int) {
	for i := range taints {
		if taints[i].Effect == kube.PreferNoSchedule {
			n++
		}
	}
	return n
}

// normalise scales raw scores, which are 0 or more, so that the largest is 100; with reverse the largest
// becomes 0, and 0 becomes 100. If all are 0, all become 0, or 100 with reverse.
// (plugins/helper/normalize_score.go)
func normalise(raw []int64, reverse bool) {
	largest := int64(0)
	for _, x := range raw {
		largest = max(largest, x)
	}
	for i, x := range raw {
		switch {
		case largest == 0 && reverse:
			raw[i] = score.MaxScore
		case largest == 0:
		case reverse:
			raw[i] = score.MaxScore - score.MaxScore*x/largest
		default:
			raw[i] = score.MaxScore * x / largest
		}
	}
}

// preferred sums the weights of the terms that match a node.
func preferred(terms []kube.PreferredTerm, n *kube.Node) (sum int64) {
	for i := range terms {
		if t := &terms[i]; t.Weight != 0 && t.Term.Matches(n) {
			sum += int64(t.Weight)
		}
	}
	return sum
}

// place is a resource with its weight in the profile's strategy.
type place struct {
	resource int
	weight   int64
}

// places returns the resources by which a profile scores, with their weights, and those that it balances.
// Resources that the cluster lacks, and pods, are left out.
func places(c *kube.Cluster, p *Profile) (fit []place, balanced []int) {
	for _, w := range p.Strategy.Resources {
		if r := c.Resource(w.Name); r >= 0 && r != kube.Pods {
			fit = append(fit, place{r, w.Weight})
		}
	}
	for _, name := range p.BalancedOf {
		if r := c.Resource(name); r >= 0 && r != kube.Pods {
			balanced = append(balanced, r)
		}
	}
	return fit, balanced
}

// resource returns a node's allocatable amount of resource r, and the amount requested there with the pod;
// 0 and 0 for an extended resource that the pod does not request. scored assumes the scheduler's defaults
// for containers that request no CPU or memory. (plugins/noderesources/resource_allocation.go)
func (s *State) resource(sp *kube.Spec, at, r int, scored bool) (has, requested int64) {
	n := &s.nodes[at]
	switch {
	case r == kube.CPU && scored:
		return n.has[r], n.scoredCPU + sp.ScoredCPU
	case r == kube.Memory && scored:
		return n.has[r], n.scoredMem + sp.ScoredMemory
	case r >= kube.FirstExtended && sp.Requests.At(r) == 0:
		return 0, 0
	}
	return n.has[r], n.requested[r] + sp.Requests.At(r)
}

// fitScore returns the score of NodeResourcesFit for a pod on a node, 0 to 100, by the profile's strategy.
func (s *State) fitScore(sp *kube.Spec, at int) int64 {
	var room [8]score.Resource
	rs := room[:0]
	for _, w := range s.fit {
		if has, requested := s.resource(sp, at, w.resource, true); has > 0 {
			rs = append(rs, score.Resource{Requested: requested, Allocatable: has, Weight: w.weight})
		}
	}
	switch s.p.Strategy.Type {
	case MostAllocated:
		return score.MostAllocated(rs)
	case CapacityRatio:
		return s.p.Strategy.Shape.RequestedToCapacityRatio(rs)
	}
	return score.LeastAllocated(rs)
}

// balancedScore returns the score of NodeResourcesBalancedAllocation, 0 to 100: the more equal the
// requested parts of the node's resources are with the pod, the higher.
func (s *State) balancedScore(sp *kube.Spec, at int) int64 {
	var room [8]score.Resource
	rs := room[:0]
	for _, r := range s.balanced {
		if has, requested := s.resource(sp, at, r, false); has > 0 {
			rs = append(rs, score.Resource{Requested: requested, Allocatable: has})
		}
	}
	return score.BalancedAllocation(rs)
}

// Bounds of the sizes of images between which scores rise.
const (
	smallImages = 23 << 20
	largeImages = 1000 << 20 // a container
)

// imageOn is a node that has an image.
type imageOn struct {
	node int
	size int64
}

// addImage notes that a node has an image. Of a name that a node lists twice the first counts.
func (s *State) addImage(at int, image kube.Image) {
	on := s.imagesOn[image.Name]
	if len(on) == 0 || on[len(on)-1].node != at {
		s.imagesOn[image.Name] = append(on, imageOn{at, image.Size})
	}
}

// noImage reports whether no node has an image of a pod.
func (s *State) noImage(sp *kube.Spec) bool {
	return !slices.ContainsFunc(sp.Images, func(image int) bool { return len(s.imagesOn[image]) > 0 })
}

// imageScores sets raw to scores of the sizes of the pod's images that nodes have, each size times the part
// of all nodes that have the image, between smallImages and largeImages for each container.
// (plugins/imagelocality/image_locality.go)
func (s *State) imageScores(sp *kube.Spec, nodes []int, raw []int64) {
	clear(raw)
	limit := int64(largeImages) * int64(sp.Containers)
	if limit <= smallImages || s.noImage(sp) {
		return
	}
	sums := zeroed(&s.scratch.byNode, len(s.nodes))
	for _, image := range sp.Images {
		on := s.imagesOn[image]
		part := float64(len(on)) / float64(s.live)
		for _, x := range on {
			sums[x.node] += int64(float64(x.size) * part)
		}
	}
	for i, at := range nodes {
		raw[i] = score.MaxScore * (min(max(sums[at], smallImages), limit) - smallImages) / (limit - smallImages)
	}
}

// affinityScores sets raw to scores of the preferences between pods, the pod's own and those of the pods
// that are there, scaled to 0 … 100 over the given nodes. It reports false if there are none; then all of
// raw is 0, or undefined if the plugin is skipped. (plugins/interpodaffinity/scoring.go)
func (s *State) affinityScores(pod int, nodes []int, raw []int64) bool {
	p, class := &s.c.Pods[pod], s.classOf[pod]
	own := len(p.Spec.PodPreferred)+len(p.Spec.AntiPreferred) > 0
	if s.p.IgnorePreferred && !own {
		return false
	}
	any := false
	clear(raw)
	add := func(key string, pods *tally, weight int64) {
		t := s.topology(key)
		sums := zeroed(&s.scratch.domains, len(t.values))
		for j, at := range pods.where {
			if d := t.of[at]; d >= 0 && !s.nodes[at].removed {
				sums[d] += weight * int64(pods.counts[j])
				any = true
			}
		}
		for i, at := range nodes {
			if d := t.of[at]; d >= 0 {
				raw[i] += sums[d]
			}
		}
	}
	for _, list := range []struct {
		terms []kube.PodTerm
		sign  int64
	}{{p.Spec.PodPreferred, 1}, {p.Spec.AntiPreferred, -1}} {
		for i := range list.terms {
			t := &list.terms[i]
			add(t.Key, &s.termMatcher(list.terms[i:i+1], p.Namespace).tally, list.sign*int64(t.Weight))
		}
	}
	for _, i := range s.concerning(class) {
		c, weight := s.carriers[i], int64(0)
		switch c.kind {
		case podRequired:
			weight = s.p.HardPodAffinityWeight
		case podPreferred:
			weight = c.weight
		case antiPreferred:
			weight = -c.weight
		}
		if weight != 0 && c.total > 0 {
			add(c.at, &c.tally, weight)
		}
	}
	if !any {
		return false
	}
	lowest, highest := raw[0], raw[0]
	for _, x := range raw {
		lowest, highest = min(lowest, x), max(highest, x)
	}
	for i, x := range raw {
		raw[i] = 0
		if highest > lowest {
			part := float64(x-lowest) / float64(highest-lowest)
			raw[i] = int64(score.MaxScore * part)
		}
	}
	return true
}
