package constraint

import (
	"strings"

	"parley/core/kube"
)

// check is what is worked out once for a pod before its nodes are looked at.
type check struct {
	valid  bool
	pod    int
	change uint64

	spec     *kube.Spec
	class    int
	stop     string
	final    bool   // preemption would not help against stop
	named    []bool // nodes that required terms name; nil: all
	eligible []bool // nodes that pass selector and affinity; nil: all
	spreads  []spreadCheck
	affinity affinityCheck
	storage  storageCheck
}

// Filter returns which nodes take a pod and why the others do not. A pod that counts on a node
// is judged as if it did not.
func (s *State) Filter(pod int) *Verdict {
	if at := s.on[pod]; at != kube.Nowhere {
		s.Unbind(pod)
		defer s.Bind(pod, at)
	}
	c := s.prepare(pod)
	v := &Verdict{Reasons: make([]*Reason, len(s.nodes)), Stop: c.stop, All: s.live, Gated: len(c.spec.Gates) > 0}
	if v.Gated || v.Stop != "" {
		return v
	}
	for at := range s.nodes {
		if s.nodes[at].removed {
			continue
		}
		if v.Reasons[at] = s.why(c, at); v.Reasons[at] == nil {
			v.Nodes = append(v.Nodes, at)
		}
	}
	return v
}

// Fits reports whether a node takes a pod that counts nowhere. To ask about many nodes of one
// pod is cheap while the state does not change.
func (s *State) Fits(pod, node int) bool {
	c := s.prepare(pod)
	return c.stop == "" && len(c.spec.Gates) == 0 && !s.nodes[node].removed && s.why(c, node) == nil
}

// Why returns why a node does not take a pod that counts nowhere, nil if it does.
func (s *State) Why(pod, node int) *Reason {
	c := s.prepare(pod)
	switch {
	case len(c.spec.Gates) > 0:
		return &Reason{Plugin: "SchedulingGates", Texts: []string{"Scheduling is blocked due to non-empty scheduling gates"}, Final: true}
	case c.stop != "":
		return &Reason{Texts: []string{c.stop}, Final: true}
	}
	return s.why(c, node)
}

// prepare works out what concerns all nodes. What it returns is valid until the next change.
func (s *State) prepare(pod int) *check {
	c := &s.check
	if c.valid && c.pod == pod && c.change == s.change {
		return c
	}
	p := &s.c.Pods[pod]
	*c = check{valid: true, pod: pod, change: s.change, spec: p.Spec, class: s.classOf[pod], spreads: c.spreads[:0]}
	for _, plugin := range s.p.Filters {
		if c.stop != "" {
			break
		}
		switch plugin {
		case NodeAffinity:
			s.prepareNodes(c)
		case VolumeRestriction:
			s.prepareOnce(c, p)
		case VolumeBinding:
			s.prepareBinding(c, p)
		case VolumeZone:
			s.prepareZones(c, p)
		case PodTopologySpread:
			s.prepareSpread(c, p)
		case InterPodAffinity:
			s.prepareAffinity(c, p)
		}
	}
	return c
}

// why returns the reasons of the first filter that a node does not pass.
func (s *State) why(c *check, at int) *Reason {
	if c.named != nil && !c.named[at] {
		return s.reasons.notNamed
	}
	n := &s.nodes[at]
	for _, plugin := range s.p.Filters {
		var r *Reason
		switch plugin {
		case NodeUnschedulable:
			if n.cordoned && !c.spec.Tolerates(&kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule}) {
				r = s.reasons.unschedulable
			}
		case TaintToleration:
			if t := untolerated(c.spec, n.taints); t != nil {
				r = s.reasons.taint(kube.Taint{Key: t.Key, Value: t.Value})
			}
		case NodeAffinity:
			if a := s.p.AddedAffinity; a != nil && !a.Matches(&s.c.Nodes[at]) {
				r = s.reasons.enforced
			} else if c.eligible != nil && !c.eligible[at] {
				r = s.reasons.affinity
			}
		case NodePorts:
			if clash(c.spec.Ports, n.ports) {
				r = s.reasons.ports
			}
		case NodeResourcesFit:
			r = s.short(c.spec, at)
		case VolumeRestriction:
			r = s.restricted(c, at)
		case NodeVolumeLimits:
			r = s.limited(c, at)
		case VolumeBinding:
			r = s.unbindable(c, at)
		case VolumeZone:
			r = s.outside(c, at)
		case PodTopologySpread:
			r = s.skewed(c, at)
		case InterPodAffinity:
			r = s.apart(c, at)
		}
		if r != nil {
			return r
		}
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

// short returns which resources a node has too little of.
// (plugins/noderesources/fit.go, fitsRequest)
func (s *State) short(sp *kube.Spec, at int) *Reason {
	n, has := &s.nodes[at], s.c.Nodes[at].Allocatable
	enough := n.requested[kube.Pods]+1 <= has.At(kube.Pods)
	for r, amount := range sp.Requests {
		if r != kube.Pods && amount > 0 && amount > has.At(r)-n.requested[r] {
			enough = false
		}
	}
	if enough {
		return nil
	}
	var texts []string
	if n.requested[kube.Pods]+1 > has.At(kube.Pods) {
		texts = append(texts, "Too many pods")
	}
	for r, amount := range sp.Requests {
		if r != kube.Pods && amount > 0 && amount > has.At(r)-n.requested[r] && !s.p.ignores(s.c.Resources[r]) {
			texts = append(texts, "Insufficient "+s.c.Resources[r])
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return s.reasons.resources(texts)
}

// ignores reports whether the profile leaves an extended resource out of the filter.
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

// prepareNodes works out which nodes a pod's selector and required affinity take.
// (plugins/nodeaffinity/node_affinity.go, PreFilter)
func (s *State) prepareNodes(c *check) {
	c.eligible = s.eligibleFor(c.spec)
	if c.spec.NodeRequired == nil || len(c.spec.NodeRequired.Terms) == 0 {
		return
	}
	named := map[string]bool{}
	for i := range c.spec.NodeRequired.Terms {
		names, any := namesOf(&c.spec.NodeRequired.Terms[i])
		if !any {
			return
		}
		for _, name := range names {
			named[name] = true
		}
	}
	if len(named) == 0 {
		c.stop, c.final = "pod affinity terms conflict", true
		return
	}
	c.named = make([]bool, len(s.nodes))
	for i := range s.c.Nodes {
		c.named[i] = named[s.c.Nodes[i].Name]
	}
}

// namesOf returns the names that a term's fields allow, and whether it has any such field.
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

// eligibleFor returns which nodes pass a pod's selector and required affinity, nil if it has
// neither.
func (s *State) eligibleFor(sp *kube.Spec) []bool {
	if sp.NodeRequired == nil && len(sp.NodeSelector) == 0 {
		return nil
	}
	if all, known := s.eligible[sp]; known {
		return all
	}
	all := make([]bool, len(s.c.Nodes))
	for i := range s.c.Nodes {
		n := &s.c.Nodes[i]
		all[i] = n.Labels.Cover(sp.NodeSelector) && (sp.NodeRequired == nil || sp.NodeRequired.Matches(n))
	}
	if pinned(sp.NodeRequired) {
		return all // a pod of a DaemonSet: no other pod shares its Spec
	}
	s.eligible[sp] = all
	return all
}

// pinned reports whether an affinity names single nodes.
func pinned(n *kube.NodeSelector) bool {
	if n == nil {
		return false
	}
	for i := range n.Terms {
		if len(n.Terms[i].Fields) > 0 {
			return true
		}
	}
	return false
}
