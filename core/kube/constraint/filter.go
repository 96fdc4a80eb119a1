package constraint

import (
	"slices"
	"strings"

	"parley/core/kube"
)

// filter is a filter plugin as a number: the filters of a node are a loop over these.
type filter uint8

const (
	byCordon filter = iota
	byTaint
	byAffinity
	byPort
	byResources
	byRestriction
	byLimits
	byBinding
	byZone
	bySpread
	byPods
)

// order returns the filters of a profile in their order.
func order(p *Profile) (all []filter) {
	numbers := map[string]filter{
		NodeUnschedulable: byCordon, TaintToleration: byTaint, NodeAffinity: byAffinity, NodePorts: byPort,
		NodeResourcesFit:  byResources,
		VolumeRestriction: byRestriction, NodeVolumeLimits: byLimits, VolumeBinding: byBinding, VolumeZone: byZone,
		PodTopologySpread: bySpread,
		InterPodAffinity:  byPods,
	}
	for _, name := range p.Filters {
		if f, known := numbers[name]; known {
			all = append(all, f)
		}
	}
	return all
}

// check is computed once for a pod, before its nodes are filtered.
type check struct {
	valid  bool
	pod    int
	change uint64

	spec     *kube.Spec
	class    int
	stop     string
	final    bool   // preemption would not help against stop
	only     []int  // nodes that required terms name, if byName
	byName   bool   // no other nodes can pass
	eligible []bool // nodes that pass selector and affinity, nil if all do
	spreads  []spreadCheck
	affinity affinityCheck
	storage  storageCheck
	filters  []filter // those of the profile that concern the pod
	rooms    []room
	watched  []*matcher // that count pods for spreads and affinity
	sized    bool       // byResources is among the filters
	tainted  bool       // byTaint is
	cordons  bool       // byCordon is, and the pod does not tolerate it
	rest     []filter   // filters other than these two and byCordon
}

// Filter returns which nodes take a pod and why the others do not. A pod that counts on a node is judged as
// if it did not. Reasons is by node; with scheduling gates, or if the pod is stopped as a whole, no node is
// judged.
func (s *State) Filter(pod int) *Verdict {
	if at := s.on[pod]; at != kube.Nowhere {
		s.Unbind(pod)
		defer s.Bind(pod, at)
	}
	c := s.prepare(pod)
	v := &Verdict{
		Reasons: make([]*Reason, len(s.nodes)), Stop: c.stop, TotalNodes: s.live, Gated: len(c.spec.Gates) > 0,
	}
	if v.Gated || v.Stop != "" {
		return v
	}
	for at := range s.nodes {
		if s.nodes[at].removed {
			continue
		}
		if v.Reasons[at] = s.why(c, at, nil); v.Reasons[at] == nil {
			v.Nodes = append(v.Nodes, at)
		}
	}
	return v
}

// Fits reports whether a node takes a pod that counts nowhere. To ask about many nodes of one
// pod is cheap while the state does not change.
func (s *State) Fits(pod, node int) bool {
	c := s.prepare(pod)
	return c.stop == "" && len(c.spec.Gates) == 0 && !s.nodes[node].removed && s.takes(c, node)
}

// FirstOf returns the first of some nodes, in the given order, that takes a pod that counts nowhere;
// kube.Nowhere if none does.
func (s *State) FirstOf(pod int, nodes []int) int {
	c := s.prepare(pod)
	if c.stop != "" || len(c.spec.Gates) > 0 {
		return kube.Nowhere
	}
	for _, at := range nodes {
		if !s.nodes[at].removed && s.takes(c, at) {
			return at
		}
	}
	return kube.Nowhere
}

// Reason returns the reason, of the first filter that fails, why a node does not take a pod that counts
// nowhere, nil if it takes it. The node must not be removed.
func (s *State) Reason(pod, node int) *Reason {
	c := s.prepare(pod)
	switch {
	case len(c.spec.Gates) > 0:
		return &Reason{Plugin: "SchedulingGates", Texts: []string{"Scheduling is blocked due to non-empty scheduling gates"}, Final: true}
	case c.stop != "":
		return &Reason{Texts: []string{c.stop}, Final: true}
	}
	return s.why(c, node, nil)
}

// Reasons returns the reasons of all filters that keep a pod that counts nowhere off a node; nil if none
// does. If the pod is gated, stopped as a whole, or names its nodes, it is the one reason of Reason.
func (s *State) Reasons(pod, node int) (all []*Reason) {
	c := s.prepare(pod)
	if len(c.spec.Gates) > 0 || c.stop != "" || c.byName {
		if reason := s.Reason(pod, node); reason != nil {
			all = append(all, reason)
		}
		return all
	}
	for _, f := range c.filters {
		if r := s.judge(c, f, node, nil); r != nil {
			all = append(all, r)
		}
	}
	return all
}

// prepare computes the parts of a pod's check that concern all nodes: filters that cannot fail are left
// out. It is cached for the pod asked about last; the result is valid until the next change of the state or
// the next prepare.
func (s *State) prepare(pod int) *check {
	s.use(pod)
	c := &s.check
	if c.valid && c.pod == pod && c.change == s.change {
		return c
	}
	p := &s.c.Pods[pod]
	*c = check{
		valid: true, pod: pod, change: s.change, spec: p.Spec, class: s.classOf[pod], spreads: c.spreads[:0],
		filters: c.filters[:0], rooms: s.roomsFor(p.Spec), watched: c.watched[:0], rest: c.rest[:0],
	}
	for _, f := range s.order {
		if c.stop != "" {
			break
		}
		switch f {
		case byAffinity:
			s.prepareNodes(c)
		case byRestriction:
			s.prepareOnce(c, p)
		case byLimits:
			c.storage.handles = s.handles(p)
		case byBinding:
			s.prepareBinding(c, p)
		case byZone:
			s.prepareZones(c, p)
		case bySpread:
			s.prepareSpread(c)
		case byPods:
			s.prepareAffinity(c, p)
		}
		if s.concernsPod(c, f) {
			c.filters = append(c.filters, f)
			switch f {
			case byCordon:
				c.cordons = !c.spec.Tolerates(&kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule})
			case byResources:
				c.sized = true
			case byTaint:
				c.tainted = true
			default:
				c.rest = append(c.rest, f)
			}
		}
	}
	return c
}

// concernsPod reports whether a filter may keep the pod of c off any node. The filter's part of c must be
// prepared.
func (s *State) concernsPod(c *check, f filter) bool {
	x := &c.storage
	switch f {
	case byAffinity:
		return c.byName || c.eligible != nil || s.p.AddedAffinity != nil
	case byPort:
		return len(c.spec.Ports) > 0
	case byRestriction:
		return len(x.disks) > 0 || x.once
	case byLimits:
		return len(x.handles) > 0
	case byBinding:
		return len(x.bound) > 0 || len(x.unbound) > 0
	case byZone:
		return len(x.zones) > 0
	case bySpread:
		return len(c.spreads) > 0
	case byPods:
		return len(c.affinity.required)+len(c.affinity.anti)+len(c.affinity.existing) > 0
	}
	return true
}

// takes reports whether a node passes all filters: the same as why being nil, with the cheapest and most
// frequent failures first. The pod must not be stopped or gated, and the node not removed.
func (s *State) takes(c *check, at int) bool {
	if c.sized && !s.fits(c.spec, c.rooms, at) {
		return false
	}
	if c.byName || !s.plain[at] {
		if n := &s.nodes[at]; n.cordoned && c.cordons {
			return false
		} else if c.byName || n.cordoned {
			return s.why(c, at, nil) == nil
		} else if c.tainted && untolerated(c.spec, n.taints) != nil {
			return false
		}
	}
	for _, f := range c.rest {
		if s.judge(c, f, at, nil) != nil {
			return false
		}
	}
	return true
}

// why returns the reason of the first filter that a node does not pass, nil if it passes all. requested is
// the sum of requests to assume there; nil for that of the node's pods.
func (s *State) why(c *check, at int, requested kube.Vector) *Reason {
	if c.byName && !slices.Contains(c.only, at) {
		return s.reasons.notNamed
	}
	for _, f := range c.filters {
		if r := s.judge(c, f, at, requested); r != nil {
			return r
		}
	}
	return nil
}

// judge returns the reason if one filter keeps a pod off a node, nil if it does not. The filter's part of c
// must be prepared. requested is as in why.
func (s *State) judge(c *check, f filter, at int, requested kube.Vector) *Reason {
	n := &s.nodes[at]
	switch f {
	case byCordon:
		if n.cordoned && c.cordons {
			return s.reasons.unschedulable
		}
	case byTaint:
		if t := untolerated(c.spec, n.taints); t != nil {
			return s.reasons.taint(kube.Taint{Key: t.Key, Value: t.Value})
		}
	case byResources:
		if requested != nil {
			return s.short(c.spec, at, requested)
		}
		if !s.fits(c.spec, c.rooms, at) {
			return s.short(c.spec, at, n.requested)
		}
	case byAffinity:
		if a := s.p.AddedAffinity; a != nil && !a.Matches(&s.c.Nodes[at]) {
			return s.reasons.enforced
		}
		if c.eligible != nil && !c.eligible[at] || c.byName && !matchesNode(c.spec, &s.c.Nodes[at]) {
			return s.reasons.affinity
		}
	case byPort:
		if clash(c.spec.Ports, n.ports) {
			return s.reasons.ports
		}
	case byRestriction:
		return s.restricted(c, at)
	case byLimits:
		return s.limited(c, at)
	case byBinding:
		return s.unbindable(c, at)
	case byZone:
		return s.outside(c, at)
	case bySpread:
		return s.skewed(c.spreads, at)
	case byPods:
		return s.apart(c, at)
	}
	return nil
}

// untolerated returns the first taint that keeps a pod off a node, nil if none does.
func untolerated(sp *kube.Spec, taints []kube.Taint) *kube.Taint {
	for i := range taints {
		if t := &taints[i]; t.Effect != kube.PreferNoSchedule && !sp.Tolerates(t) {
			return t
		}
	}
	return nil
}

// clash reports whether two lists of ports cannot share a node.
func clash(wanted, used []kube.Port) bool {
	for _, w := range wanted {
		for _, u := range used {
			if w.Clashes(u) {
				return true
			}
		}
	}
	return false
}

// short returns the resources that a node has too little of for a pod, beside the requested amounts there;
// nil if it has enough. (plugins/noderesources/fit.go, fitsRequest)
func (s *State) short(sp *kube.Spec, at int, requested kube.Vector) *Reason {
	if s.enough(sp, at, requested) {
		return nil
	}
	has, all := s.nodes[at].has, s.scratch.short[:0]
	if requested[kube.Pods]+1 > has[kube.Pods] {
		all = append(all, kube.Pods)
	}
	for r, amount := range sp.Requests {
		if r != kube.Pods && amount > 0 && amount > has[r]-requested[r] && !s.p.ignores(s.c.Resources[r]) {
			all = append(all, r)
		}
	}
	s.scratch.short = all
	return s.reasons.resources(all, s.c.Resources)
}

// enough reports whether a node has room for a pod's requests beside the requested amounts, which are by
// resource.
func (s *State) enough(sp *kube.Spec, at int, requested kube.Vector) bool {
	has := s.nodes[at].has
	if requested[kube.Pods]+1 > has[kube.Pods] {
		return false
	}
	for r, amount := range sp.Requests {
		if r != kube.Pods && amount > 0 && amount > has[r]-requested[r] && !s.p.ignores(s.c.Resources[r]) {
			return false
		}
	}
	return true
}

// ignores reports whether the profile leaves an extended resource out of the filter, by its name or its
// group, the part before the slash. Resources of Kubernetes itself are never ignored.
func (p *Profile) ignores(resource string) bool {
	group, _, extended := strings.Cut(resource, "/")
	if !extended || strings.Contains(group, "kubernetes.io") {
		return false
	}
	for _, r := range p.IgnoredResources {
		if r == resource {
			return true
		}
	}
	for _, g := range p.IgnoredGroups {
		if g == group {
			return true
		}
	}
	return false
}

// prepareNodes sets in c which nodes a pod's selector and required affinity admit: eligible, or, if every
// required term names nodes, byName and only. Terms that contradict each other stop the pod.
// (plugins/nodeaffinity/node_affinity.go, PreFilter)
func (s *State) prepareNodes(c *check) {
	names, byName := required(c.spec)
	if !byName {
		c.eligible = s.eligibleFor(c.spec)
		return
	}
	if len(names) == 0 {
		c.stop, c.final = "pod affinity terms conflict", true
		return
	}
	c.byName = true
	for _, name := range names {
		if at, known := s.named[name]; known && !s.nodes[at].removed && !slices.Contains(c.only, at) {
			c.only = append(c.only, at)
		}
	}
	slices.Sort(c.only)
}

// required returns the node names in a pod's required terms, and whether every term has names. Then only
// these nodes can pass; a name may occur twice, and there may be none.
func required(sp *kube.Spec) (names []string, byName bool) {
	if sp.NodeRequired == nil || len(sp.NodeRequired.Terms) == 0 {
		return nil, false
	}
	for i := range sp.NodeRequired.Terms {
		some, any := namesOf(&sp.NodeRequired.Terms[i])
		if !any {
			return nil, false
		}
		names = append(names, some...)
	}
	return names, true
}

// namesOf returns the node names that all fields of a term allow, and whether it has any field on names.
func namesOf(t *kube.NodeTerm) (names []string, any bool) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Key != "metadata.name" || f.Op != kube.In {
			continue
		}
		if !any {
			names, any = f.Values, true
			continue
		}
		var both []string
		for _, name := range names {
			for _, other := range f.Values {
				if name == other {
					both = append(both, name)
				}
			}
		}
		names = both
	}
	return names, any
}

// eligibleFor returns by node whether it passes a pod's selector and required affinity, nil if the pod has
// neither. Pods with one Spec share the result, which must not be changed.
func (s *State) eligibleFor(sp *kube.Spec) []bool {
	if sp.NodeRequired == nil && len(sp.NodeSelector) == 0 {
		return nil
	}
	if all, known := s.passes[sp]; known {
		return all
	}
	all := make([]bool, len(s.c.Nodes))
	for i := range s.c.Nodes {
		all[i] = matchesNode(sp, &s.c.Nodes[i])
	}
	if _, byName := required(sp); byName {
		return all // a pod of a DaemonSet: no other pod shares its Spec
	}
	s.passes[sp] = all
	return all
}

// matchesNode reports whether a node passes a pod's selector and required affinity.
func matchesNode(sp *kube.Spec, n *kube.Node) bool {
	return n.Labels.Cover(sp.NodeSelector) && (sp.NodeRequired == nil || sp.NodeRequired.Matches(n))
}
