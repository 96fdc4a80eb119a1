package constraint

import (
	"slices"

	"parley/core/kube"
)

// kindIn identifies pods without volumes that no filter distinguishes.
type kindIn struct {
	spec  *kube.Spec
	class int
}

// failure is that the scheduler neither placed a pod of a kind nor preempted others for it.
type failure struct {
	seen     int    // changes of nodes that it took into account
	removals uint64 // the State's, then
	retaints uint64
	counted  uint64 // changes of the counts of pods that concern the kind
	// Parts of the check at that time that are the same for all pods of the kind:
	watched        []*matcher
	eligible       []bool
	byName         bool
	sized, tainted bool
	cordons        bool // byCordon is among the filters, and the kind does not tolerate it
	honours        bool // one of its spread constraints counts no domain whose taints it does not tolerate
	// spreads are its spread constraints, which stay the same as long as nothing counts otherwise; none of
	// them if one has too many domains to keep.
	spreads []spreadCheck
	// roomy are the nodes that had room for the kind, or have got some since, and let it in; every counts instead
	// that there are too many of them to keep.
	roomy []int32
	every bool
}

// maxRoomy limits the nodes that a failure keeps.
const maxRoomy = 256

// maxChanges limits the memory of changes: all failures are forgotten when there are more.
const maxChanges = 1 << 20

// changed records that a node is not as it was, for the failures that are kept. When there are too many
// records, all failures are forgotten.
func (s *State) changed(at int) {
	if s.evicted != nil || len(s.failures) == 0 {
		return // a trial restores everything, and without failures Hopeless has no use for changes
	}
	if len(s.changes) == maxChanges {
		s.changes = s.changes[:0]
		clear(s.failures)
	}
	s.lately[at] = int32(len(s.changes))
	s.changes = append(s.changes, int32(at))
}

// maxKept limits the domains of a constraint that a failure keeps: there may be thousands of failures.
const maxKept = 64

// Failed records that the scheduler, with the pods as they are now, neither places a pod nor preempts
// others for it, so that Hopeless can answer for pods like it. The caller must know that. A pod with
// volumes is not recorded.
func (s *State) Failed(pod int) {
	c := s.prepare(pod)
	if len(s.c.Pods[pod].Claims)+len(c.spec.Disks) > 0 {
		return
	}
	if s.failures == nil {
		s.failures, s.lately = map[kindIn]*failure{}, make([]int32, len(s.nodes))
	}
	in := kindIn{c.spec, c.class}
	f := s.failures[in]
	if f == nil {
		f = &failure{
			watched: slices.Clone(c.watched), eligible: c.eligible, byName: c.byName, sized: c.sized,
			tainted: c.tainted,
			honours: slices.ContainsFunc(s.spreads(pod, true),
				func(k kube.Spread) bool { return k.HonourTaints }),
			cordons: c.cordons,
		}
		s.failures[in] = f
		t := s.tried(f, pod)
		for at := range s.nodes {
			f.note(at, s.roomy(&t, at))
		}
	} else {
		t := s.tried(f, pod)
		for _, at := range s.changes[f.seen:] {
			f.note(int(at), s.roomy(&t, int(at)))
		}
	}
	f.spreads = f.spreads[:0]
	if few := func(x spreadCheck) bool { return len(x.counts) <= maxKept }; !slices.ContainsFunc(c.spreads,
		func(x spreadCheck) bool { return !few(x) }) {
		f.spreads = append(f.spreads, c.spreads...)
	}
	f.seen, f.removals, f.retaints, f.counted = len(s.changes), s.removals, s.retaints, s.counted(f.watched, c.class)
}

// Hopeless reports that the scheduler can neither place a pod that counts nowhere nor preempt others for
// it: Failed was called for a pod like it, and no later change can help it. If it returns false, nothing is
// known. It checks only nodes that may have changed for the pod, and updates the record of the failure.
func (s *State) Hopeless(pod int) bool {
	class := s.classOf[pod]
	f := s.failures[kindIn{s.c.Pods[pod].Spec, class}]
	if f == nil || len(s.c.Pods[pod].Claims) > 0 {
		return false
	}
	t := s.tried(f, pod)
	t.same = f.removals == s.removals && f.counted == s.counted(f.watched, class) &&
		!(f.honours && f.retaints != s.retaints)
	if !t.same {
		if f.every {
			c := s.prepare(pod)
			for at := range s.nodes {
				if (t.unmoved || !t.preempts) && s.skewed(c.spreads, at) != nil {
					continue // most of many roomy nodes, at the least cost
				}
				if s.roomy(&t, at) && s.helps(&t, at) {
					return false
				}
			}
		} else if slices.ContainsFunc(f.roomy,
			func(at int32) bool { return s.roomy(&t, int(at)) && s.helps(&t, int(at)) }) {
			return false
		}
	}
	for i := f.seen; i < len(s.changes); i++ {
		at := int(s.changes[i])
		if int(s.lately[at]) != i || !s.roomy(&t, at) { // in the first case it is looked at where it changed last
			continue
		}
		if f.note(at, true); s.helps(&t, at) {
			return false
		}
	}
	if f.seen, f.retaints = len(s.changes), s.retaints; !t.same {
		s.Failed(pod)
	}
	return true
}

// note adds a node to the roomy ones that are kept. Above maxRoomy it sets every instead: then all nodes
// are looked at.
func (f *failure) note(at int, roomy bool) {
	switch {
	case !roomy || f.every || slices.Contains(f.roomy, int32(at)):
	case len(f.roomy) == maxRoomy:
		f.roomy, f.every = nil, true
	default:
		f.roomy = append(f.roomy, int32(at))
	}
}

// attempt is a pod that failed before and is tried again.
type attempt struct {
	f        *failure
	pod      int
	sp       *kube.Spec
	same     bool // nothing counts otherwise than when it failed
	preempts bool // it may preempt pods of lower priority
	unmoved  bool // those would change neither its spread nor its affinity
}

// tried returns the parts of a pod's check that a comparison with its failure needs. It makes the pod's
// profile the current one. The caller sets same.
func (s *State) tried(f *failure, pod int) attempt {
	s.use(pod)
	sp := s.c.Pods[pod].Spec
	return attempt{
		f: f, pod: pod, sp: sp, preempts: s.p.Preempt && !sp.NeverPreempts && sp.Priority > s.lowest,
		unmoved: s.unmoved(f.watched, s.classOf[pod], sp.Priority),
	}
}

// roomy reports whether a node lets a pod in and has room for it, as it is or when pods of lower priority leave
// it. It depends on nothing but the node.
func (s *State) roomy(t *attempt, at int) bool {
	n, f := &s.nodes[at], t.f
	switch {
	case n.removed, !f.byName && f.eligible != nil && !f.eligible[at]:
		return false
	case f.byName || s.plain[at]:
	case f.cordons && n.cordoned, f.tainted && untolerated(t.sp, n.taints) != nil:
		return false
	}
	return !f.sized || s.enough(t.sp, at, n.requested) || t.preempts && s.roomBelow(t.sp, at)
}

// helps reports whether a node that is roomy takes a pod, now or after pods of lower priority leave it. It
// uses the recorded failure first, because preparing the check of a pod costs more than checking a few
// nodes.
func (s *State) helps(t *attempt, at int) bool {
	if t.same && (t.unmoved || !t.preempts) && s.skewed(t.f.spreads, at) != nil {
		return false
	}
	c := s.prepare(t.pod)
	if t.unmoved && (s.skewed(c.spreads, at) != nil || s.apart(c, at) != nil) {
		return false
	}
	reason := s.why(c, at, nil)
	if reason == nil || reason.Final {
		return reason == nil
	}
	if !t.preempts {
		return false
	}
	_, _, reason = s.victims(t.pod, at)
	return reason == nil
}

// roomBelow reports whether a node has pods of lower priority than a pod, and room for it without them.
func (s *State) roomBelow(sp *kube.Spec, at int) bool {
	lower := s.scratch.lower[:0]
	for _, other := range s.nodes[at].pods {
		if s.c.Pods[other].Spec.Priority < sp.Priority {
			lower = append(lower, other)
		}
	}
	s.scratch.lower = lower
	return len(lower) > 0 && s.enough(sp, at, s.without(lower, at))
}

// unmoved reports whether no pod of lower priority counts for a pod's spread or affinity, so that
// preemption changes neither. watched are the matchers of the pod's check.
func (s *State) unmoved(watched []*matcher, class int, priority int32) bool {
	for _, m := range watched {
		if m.lowest < priority {
			return false
		}
	}
	return len(s.concerning(class)) == 0
}

// counted returns how often the counts changed that a pod's spread and affinity depend on.
func (s *State) counted(watched []*matcher, class int) (n uint64) {
	for _, m := range watched {
		n += m.version
	}
	for _, i := range s.concerning(class) {
		n += s.carriers[i].version
	}
	return n
}
