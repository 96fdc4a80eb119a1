package constraint

import (
	"encoding/binary"

	"parley/core/kube"
)

// room describes one node for pods of one demand: whether they fit, and the scores that depend only
// on that. It stays valid until a pod is bound to the node or unbound from it.
type room struct {
	stamp         uint32 // State.stamps of the node when this was worked out, 0 if it never was
	enough        bool   // NodeResourcesFit passes
	scored        bool   // fit and balanced are worked out
	fit, balanced int8   // 0 … 100
}

// rooms caches, by node, the room for pods of one demand. If there are more demands than places, a
// place has the last one used.
type rooms struct {
	demand int
	of     []room
}

// maxRooms limits the memory of rooms: 8 bytes a node for each.
const maxRooms = 256

// demand returns the number of a pod's demand, from 0. Pods that request the same amounts, also by the
// scheduler's defaults, share one.
func (s *State) demand(sp *kube.Spec) int {
	if d, known := s.demandOf[sp]; known {
		return d
	}
	var key []byte
	for _, amount := range sp.Requests {
		key = binary.AppendVarint(key, amount)
	}
	key = binary.AppendVarint(binary.AppendVarint(key, sp.ScoredCPU), sp.ScoredMemory)
	d, known := s.demands[string(key)]
	if !known {
		d = len(s.demands)
		s.demands[string(key)] = d
	}
	s.demandOf[sp] = d
	return d
}

// roomsFor returns the rooms of all nodes, by node, for pods with a Spec's requests. A call for another
// demand may overwrite them: they share a place if their numbers differ by a multiple of maxRooms. Entries
// whose stamp is old must be computed anew: see fits.
func (s *State) roomsFor(sp *kube.Spec) []room {
	d := s.demand(sp)
	r := &s.rooms[d%maxRooms]
	switch {
	case r.of == nil:
		*r = rooms{d, make([]room, len(s.nodes))}
	case r.demand != d:
		clear(r.of)
		r.demand = d
	}
	return r.of
}

// roomsOf returns the rooms of all nodes for a pod; those of the last check if it was about this
// pod.
func (s *State) roomsOf(pod int) []room {
	if s.check.valid && s.check.pod == pod {
		return s.check.rooms
	}
	s.check.valid = false // its rooms may share a place with these
	return s.roomsFor(s.c.Pods[pod].Spec)
}

// fits reports whether a node has room for a pod's requests.
func (s *State) fits(sp *kube.Spec, of []room, at int) bool {
	r := &of[at]
	if r.stamp != s.stamps[at] {
		*r = room{stamp: s.stamps[at], enough: s.enough(sp, at, s.nodes[at].requested)}
	}
	return r.enough
}

// scored returns a node's room for a pod with the scores that depend on it, computed if they are not up to
// date. of is the result of roomsOf.
func (s *State) scored(sp *kube.Spec, of []room, at int) *room {
	r := &of[at]
	if r.stamp == s.stamps[at] && r.scored {
		return r
	}
	if s.fits(sp, of, at); !r.scored {
		r.scored, r.fit, r.balanced = true, int8(s.fitScore(sp, at)), int8(s.balancedScore(sp, at))
	}
	return r
}
