package constraint

import (
	"slices"

	"parley/core/kube"
)

// spreadCheck is a hard spread constraint with the pods that are there.
// (plugins/podtopologyspread/filtering.go)
type spreadCheck struct {
	topology *topology
	counts   []int  // pods by domain
	counted  []bool // domains that have a node that counts
	fewest   int    // pods of the domains that count, 0 if they are fewer than minDomains
	self     int    // 1 if the pod matches its own selector
	maxSkew  int
}

// prepareSpread adds to c a spreadCheck for each hard constraint of a pod: the matching pods by domain, on
// nodes that have all topology keys and that the constraint's policies include.
func (s *State) prepareSpread(c *check) {
	all := s.spreading(c.pod, true)
	for i := range all.k {
		k := &all.k[i]
		x := spreadCheck{topology: all.topologies[i], maxSkew: int(k.MaxSkew), self: all.self[i]}
		x.counts, x.counted = make([]int, len(x.topology.values)), s.countedDomains(c.spec, i, k, all.topologies)
		if m := all.matchers[i]; m != nil {
			c.watched = append(c.watched, m)
			eligible := s.counting(c.spec, k)
			for j, n := range m.where {
				at := int(n)
				if !s.nodes[at].removed && inAll(all.topologies, at) && s.included(c.spec, k, eligible, at) {
					x.counts[x.topology.of[at]] += int(m.counts[j])
				}
			}
		}
		domains := int32(0)
		for d, counted := range x.counted {
			if counted {
				if domains == 0 || x.counts[d] < x.fewest {
					x.fewest = x.counts[d]
				}
				domains++
			}
		}
		if domains < k.MinDomains {
			x.fewest = 0
		}
		c.spreads = append(c.spreads, x)
	}
}

// skewed returns the reason if a node lacks a constraint's label, or if the pod would make its skew exceed
// maxSkew there; nil if neither holds.
func (s *State) skewed(spreads []spreadCheck, at int) *Reason {
	for i := range spreads {
		x := &spreads[i]
		domain := x.topology.of[at]
		if domain < 0 {
			return s.reasons.unlabelled
		}
		if x.counts[domain]+x.self-x.fewest > x.maxSkew {
			return s.reasons.spread
		}
	}
	return nil
}

// counting returns by node whether it passes the selector and affinity of a Spec, as the constraint's node
// policy requires; nil if the policy ignores them, if there are none, or if the result is not known yet:
// see included.
func (s *State) counting(sp *kube.Spec, k *kube.Spread) []bool {
	if k.IgnoreNodes || sp.NodeRequired == nil && len(sp.NodeSelector) == 0 {
		return nil
	}
	return s.passes[sp]
}

// included reports whether a node counts for a constraint under its node and taint policies. eligible is
// the result of counting; with nil the selector and affinity are evaluated here.
func (s *State) included(sp *kube.Spec, k *kube.Spread, eligible []bool, at int) bool {
	switch {
	case k.IgnoreNodes:
	case eligible != nil:
		if !eligible[at] {
			return false
		}
	case sp.NodeRequired != nil || len(sp.NodeSelector) > 0:
		if !matchesNode(sp, &s.c.Nodes[at]) {
			return false
		}
	}
	return !k.HonourTaints || untolerated(sp, s.nodes[at].taints) == nil
}

// inAll reports whether a node has the labels of all topologies.
func inAll(all []*topology, at int) bool {
	for _, t := range all {
		if t.of[at] < 0 {
			return false
		}
	}
	return true
}

// spreadMatcher counts the live pods of a namespace that match a selector; nil if it counts
// none: a selector that is missing, or that has no requirement.
func (s *State) spreadMatcher(sel *kube.Selector, namespace string) *matcher {
	if sel == nil || len(sel.Requirements) == 0 {
		return nil
	}
	in := selectorIn{sel, namespace}
	i, known := s.bySel[in]
	if !known {
		i = s.matcher([]term{{selector: sel, namespaces: []string{namespace}}}, true)
		s.bySel[in] = i
	}
	return s.matchers[i]
}

// spreadIn names a constraint: the place of one of a Spec among its hard ones.
type spreadIn struct {
	spec  *kube.Spec
	place int
}

// domainsAt are the domains that a constraint counts after a number of changes of nodes: of
// removals, and of taints if the constraint honours them.
type domainsAt struct {
	changes uint64
	counted []bool
}

// countedDomains returns by domain whether it has a node that counts for a constraint, the place-th hard
// one of sp. The result is kept until a node is removed or restored or, if the constraint honours taints,
// tainted. The caller must not change it.
func (s *State) countedDomains(sp *kube.Spec, place int, k *kube.Spread, topologies []*topology) []bool {
	in := spreadIn{sp, place}
	changes := s.removals
	if k.HonourTaints {
		changes += s.retaints
	}
	if known, has := s.countedBy[in]; has && known.changes == changes {
		return known.counted
	}
	counted, eligible := make([]bool, len(topologies[place].values)), s.counting(sp, k)
	for at := range s.nodes {
		if !s.nodes[at].removed && inAll(topologies, at) && s.included(sp, k, eligible, at) {
			counted[topologies[place].of[at]] = true
		}
	}
	s.countedBy[in] = domainsAt{changes, counted}
	return counted
}

// spreading has a pod's constraints, hard or soft ones, with the data that does not depend on the places
// of pods.
type spreading struct {
	k          []kube.Spread
	topologies []*topology
	matchers   []*matcher // nil of a selector that matches nothing
	self       []int      // 1 if the pod matches the selector
}

// spreadingOf are the constraints of the pod of a class that was asked about last: other pods of the class
// mostly have the same.
type spreadingOf struct {
	p     *Profile
	spec  *kube.Spec
	owner kube.Owner
	by    [2]*spreading // soft, hard
}

// spreading returns a pod's constraints, hard or soft ones, with the data that does not depend on the
// places of pods. The result for a class is kept as long as the same profile, Spec and owner are asked
// about.
func (s *State) spreading(pod int, hard bool) *spreading {
	p, which := &s.c.Pods[pod], 0
	if hard {
		which = 1
	}
	known := &s.spreadingBy[s.classOf[pod]]
	if known.p != s.p || known.spec != p.Spec || known.owner != p.Owner {
		*known = spreadingOf{p: s.p, spec: p.Spec, owner: p.Owner}
	}
	if x := known.by[which]; x != nil {
		return x
	}
	x := &spreading{k: those(s.spreads(pod, hard), hard)}
	for i := range x.k {
		k, self := &x.k[i], 0
		if k.Selector.Matches(p.Labels) {
			self = 1
		}
		x.topologies, x.self = append(x.topologies, s.topology(k.Key)), append(x.self, self)
		x.matchers = append(x.matchers, s.spreadMatcher(k.Selector, p.Namespace))
	}
	known.by[which] = x
	return x
}

// those returns the constraints that are DoNotSchedule, or the others. The caller must not
// change them.
func those(all []kube.Spread, hard bool) (some []kube.Spread) {
	if !slices.ContainsFunc(all, func(k kube.Spread) bool { return k.Hard != hard }) {
		return all
	}
	for _, k := range all {
		if k.Hard == hard {
			some = append(some, k)
		}
	}
	return some
}

// spreads returns a pod's constraints, hard and soft, with the labels of matchLabelKeys in their selectors;
// if it has none of its own, the profile's defaults, and these only if one of them is hard or not as asked.
// The caller must not change them. (plugins/podtopologyspread/common.go)
func (s *State) spreads(pod int, hard bool) []kube.Spread {
	p := &s.c.Pods[pod]
	own := p.Spec.Spread
	if len(own) == 0 {
		return s.defaultSpreads(pod, hard)
	}
	for i := range own {
		if len(own[i].Match) == 0 {
			continue
		}
		in := mergedIn{p.Spec, s.classOf[pod]}
		if merged, known := s.merged[in]; known {
			return merged
		}
		merged := make([]kube.Spread, len(own))
		s.merged[in] = merged
		copy(merged, own)
		for i := range merged {
			merged[i].Selector = withKeys(merged[i].Selector, merged[i].Match, p.Labels)
		}
		return merged
	}
	return own
}

// withKeys adds requirements for a pod's own values of some labels to a selector. A missing selector
// is returned unchanged.
func withKeys(sel *kube.Selector, keys []string, labels kube.Labels) *kube.Selector {
	if sel == nil {
		return nil
	}
	out := &kube.Selector{}
	for _, key := range keys {
		if v, has := labels.Get(key); has {
			out.Requirements = append(out.Requirements, kube.Requirement{Key: key, Values: []string{v}})
		}
	}
	out.Requirements = append(out.Requirements, sel.Requirements...)
	return out
}

// mergedIn is the key of the selectors that constraints with matchLabelKeys merge.
type mergedIn struct {
	spec  *kube.Spec
	class int
}

// selectorOf is the key of a default selector.
type selectorOf struct {
	p     *Profile
	class int
	owner kube.Owner
}

// defaultSpreads returns the profile's default constraints, hard and soft, with the selector of the
// services and of the owner of a pod; nil if these select no pods, or if no default is hard or not as
// asked. (plugins/helper/spread.go, DefaultSelector)
func (s *State) defaultSpreads(pod int, hard bool) []kube.Spread {
	defaults := s.p.DefaultSpreads
	any := false
	for _, d := range defaults {
		any = any || d.Hard == hard
	}
	if !any {
		return nil
	}
	key := selectorOf{p: s.p, class: s.classOf[pod], owner: s.c.Pods[pod].Owner}
	if known, has := s.defaults[key]; has {
		return known
	}
	var out []kube.Spread
	if sel := s.defaultSelector(pod); sel != nil {
		out = slices.Clone(defaults)
		for i := range out {
			out[i].Selector = sel
		}
	}
	s.defaults[key] = out
	return out
}

// defaultSelector returns the selector that the scheduler derives for a pod without constraints: the labels
// of all services that select it, and the selector of its owner; nil if there is none.
func (s *State) defaultSelector(pod int) *kube.Selector {
	p := &s.c.Pods[pod]
	merged := map[string]string{}
	owners := s.ownership()
	for _, i := range owners.services[p.Namespace] {
		if svc := &s.c.Services[i]; p.Labels.Cover(svc.Selector) {
			for _, l := range svc.Selector {
				merged[l.Key] = l.Value
			}
		}
	}
	var own []kube.Requirement
	for _, i := range owners.workloads[[2]string{p.Namespace, p.Owner.Name}] {
		w := &s.c.Workloads[i]
		if w.Kind != p.Owner.Kind || w.Selector == nil {
			continue
		}
		switch w.Kind {
		case "ReplicaSet", "StatefulSet", "ReplicationController":
			own = w.Selector.Requirements
		}
	}
	sel := &kube.Selector{}
	for _, l := range kube.NewLabels(merged) {
		sel.Requirements = append(sel.Requirements, kube.Requirement{Key: l.Key, Values: []string{l.Value}})
	}
	sel.Requirements = append(sel.Requirements, own...)
	if len(sel.Requirements) == 0 {
		return nil
	}
	return sel
}

// ownership finds services by their namespace, and workloads by namespace and name.
type ownership struct {
	services  map[string][]int
	workloads map[[2]string][]int
}

// ownership returns the index of services and workloads, which it makes on the first call.
func (s *State) ownership() *ownership {
	if s.owners != nil {
		return s.owners
	}
	s.owners = &ownership{services: map[string][]int{}, workloads: map[[2]string][]int{}}
	for i := range s.c.Services {
		in := s.c.Services[i].Namespace
		s.owners.services[in] = append(s.owners.services[in], i)
	}
	for i := range s.c.Workloads {
		in := [2]string{s.c.Workloads[i].Namespace, s.c.Workloads[i].Name}
		s.owners.workloads[in] = append(s.owners.workloads[in], i)
	}
	return s.owners
}
