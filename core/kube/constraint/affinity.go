package constraint

import "parley/core/kube"

// affinityCheck has a pod's terms of inter-pod affinity, and the anti-affinity terms of existing
// pods, ready to check nodes.
// (plugins/interpodaffinity/filtering.go)
type affinityCheck struct {
	required []termCheck
	first    bool // no pod matches the terms, and the pod itself does: it may go anywhere
	anti     []termCheck
	existing []termCheck
}

// termCheck is a term with the domains in which pods match it, or that its pods block.
type termCheck struct {
	topology *topology
	has      []bool // by domain
}

// domains returns the domains of a label in which pods are counted, and whether there is any. Nodes without
// the label and removed ones are left out.
func (s *State) domains(key string, pods *tally) (t termCheck, any bool) {
	t = termCheck{topology: s.topology(key)}
	t.has = make([]bool, len(t.topology.values))
	for _, at := range pods.where {
		if domain := t.topology.of[at]; domain >= 0 && !s.nodes[at].removed {
			t.has[domain], any = true, true
		}
	}
	return t, any
}

// prepareAffinity sets in c the domains that a pod's required affinity demands, those that its
// anti-affinity forbids, and those that the anti-affinity of pods on nodes forbids it. Terms of
// anti-affinity that no pod matches are left out.
func (s *State) prepareAffinity(c *check, p *kube.Pod) {
	a := &c.affinity
	if terms := p.Spec.PodRequired; len(terms) > 0 {
		m, matched := s.termMatcher(terms, p.Namespace), false
		c.watched = append(c.watched, m)
		for i := range terms {
			t, any := s.domains(terms[i].Key, &m.tally)
			a.required = append(a.required, t)
			matched = matched || any
		}
		a.first = !matched && s.matchesAll(m.terms, &s.classes[c.class])
	}
	for i := range p.Spec.AntiRequired {
		t := &p.Spec.AntiRequired[i]
		m := s.termMatcher(p.Spec.AntiRequired[i:i+1], p.Namespace)
		c.watched = append(c.watched, m)
		if d, any := s.domains(t.Key, &m.tally); any {
			a.anti = append(a.anti, d)
		}
	}
	for _, i := range s.concerning(c.class) {
		if x := s.carriers[i]; x.kind == antiRequired && x.total > 0 {
			if d, any := s.domains(x.at, &x.tally); any {
				a.existing = append(a.existing, d)
			}
		}
	}
}

// apart returns the reason if inter-pod affinity keeps a pod off a node, nil if it does not. A pod that
// matches its own terms may be the first anywhere that has the labels.
func (s *State) apart(c *check, at int) *Reason {
	a := &c.affinity
	missing := false
	for i := range a.required {
		t := &a.required[i]
		domain := t.topology.of[at]
		if domain < 0 {
			return s.reasons.podAffinity
		}
		missing = missing || !t.has[domain]
	}
	if missing && !a.first {
		return s.reasons.podAffinity
	}
	if within(a.anti, at) {
		return s.reasons.anti
	}
	if within(a.existing, at) {
		return s.reasons.existingAnt
	}
	return nil
}

// within reports whether a node is in a domain of any term.
func within(all []termCheck, at int) bool {
	for i := range all {
		if domain := all[i].topology.of[at]; domain >= 0 && all[i].has[domain] {
			return true
		}
	}
	return false
}
