package constraint

import (
	"slices"

	"parley/core/kube"
)

// kindIn is what pods have in common that no filter tells apart, if they have no volumes.
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
}

// mostChanges bounds the memory of changes: all failures are forgotten when there are more.
const mostChanges = 1 << 20

// changed notes that a node is not as it was.
func (s *State) changed(at int) {
	if s.away != nil || len(s.failures) == 0 {
		return // a trial puts things back, and without failures there is no question
	}
	if len(s.changes) == mostChanges {
		s.changes = s.changes[:0]
		clear(s.failures)
	}
	s.lately[at] = int32(len(s.changes))
	s.changes = append(s.changes, int32(at))
}

// Failed notes that the scheduler, with the pods where they are now, neither places a pod nor preempts
// others for it.
func (s *State) Failed(pod int) {
	c := s.prepare(pod)
	if len(s.c.Pods[pod].Claims)+len(c.spec.Disks) > 0 {
		return
	}
	if s.failures == nil {
		s.failures, s.lately = map[kindIn]failure{}, make([]int32, len(s.nodes))
	}
	s.failures[kindIn{c.spec, c.class}] = failure{len(s.changes), s.removals, s.retaints, s.counted(c)}
}

// Hopeless reports that the scheduler can neither place a pod that counts nowhere nor preempt others for
// it, as Failed was told of a pod like it, and nothing that has happened since would help it. If it is
// false, nothing is known. Only nodes that may have changed for it are looked at.
func (s *State) Hopeless(pod int) bool {
	c := s.prepare(pod)
	f, known := s.failures[kindIn{c.spec, c.class}]
	if !known || len(s.c.Pods[pod].Claims) > 0 {
		return false
	}
	same := f.removals == s.removals && f.counted == s.counted(c)
	if f.retaints != s.retaints {
		same = same && !slices.ContainsFunc(s.spreads(pod, true), func(k kube.Spread) bool { return k.HonourTaints })
	}
	unmoved := s.unmoved(c)
	if same {
		for i := f.seen; i < len(s.changes); i++ {
			at := int(s.changes[i])
			if int(s.lately[at]) == i && s.helps(pod, at, unmoved) { // else it is looked at where it changed last
				return false
			}
		}
	} else {
		for at := range s.nodes {
			if s.helps(pod, at, unmoved) {
				return false
			}
		}
	}
	s.Failed(pod)
	return true
}

// helps reports whether a node takes a pod, as it is or when pods of lower priority leave it. unmoved is of
// the pod.
func (s *State) helps(pod, at int, unmoved bool) bool {
	if s.nodes[at].removed {
		return false
	}
	c := s.prepare(pod)
	if c.tainted && !s.plain[at] && untolerated(c.spec, s.nodes[at].taints) != nil {
		return false
	}
	if unmoved && (s.skewed(c, at) != nil || s.apart(c, at) != nil) {
		return false
	}
	why := s.why(c, at, nil)
	if why == nil || why.Final {
		return why == nil
	}
	if !s.p.Preempt || c.spec.NeverPreempts || c.spec.Priority <= s.lowest {
		return false
	}
	_, _, why = s.victims(pod, at)
	return why == nil
}

// unmoved reports whether no pod of lower priority than a checked one counts for its spread or its affinity,
// so that to preempt pods changes neither.
func (s *State) unmoved(c *check) bool {
	for _, m := range c.watched {
		if m.lowest < c.spec.Priority {
			return false
		}
	}
	return len(s.concerning(c.class)) == 0
}

// counted returns how often the counts changed that a pod's spread and affinity depend on.
func (s *State) counted(c *check) (n uint64) {
	for _, m := range c.watched {
		n += m.version
	}
	for _, i := range s.concerning(c.class) {
		n += s.carriers[i].version
	}
	return n
}
