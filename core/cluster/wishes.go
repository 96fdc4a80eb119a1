package cluster

import (
	"math/bits"

	"parley/core/unit"
	"parley/core/workload"
)

// Wishes are a task's constraints, ready to be held against many nodes: a search
// need not look the task up for each of them. They are good until the task or a
// node changes.
type Wishes struct {
	bits  []uint64 // a bit for each node that satisfies them; nil: nothing is asked
	count int
	own   []uint64 // memory for the bits of several constraints
}

// nodeSet is the set of nodes that satisfy a constraint. The cluster keeps those
// that were asked for, since many tasks ask for the same, and brings them up to
// date when they are asked for again.
type nodeSet struct {
	bits    []uint64
	count   int
	version uint64 // of the attributes; see nodes.version
}

// mostSets bounds the kept sets. A trace that has more constraints builds some of
// its sets again and again.
const mostSets = 1024

// Wishes fills w, whose memory is used again, with what a task asks of a node:
// nothing where the task has ended.
func (v View) Wishes(id unit.TaskID, w *Wishes) {
	w.bits, w.count = nil, 0
	slot, ok := v.c.lookup(id)
	if !ok {
		return
	}
	for i, want := range v.c.details[slot].constraints {
		if set := v.c.holders(want); i == 0 {
			w.bits, w.count = set.bits, set.count
		} else {
			w.both(set)
		}
	}
}

// both adds a constraint.
func (w *Wishes) both(set *nodeSet) {
	w.own = append(w.own[:0], w.bits...)
	w.bits, w.count = w.own, 0
	for i := range w.own {
		w.own[i] &= set.bits[i]
		w.count += bits.OnesCount64(w.own[i])
	}
}

// holders returns the nodes that satisfy a constraint.
func (c *Cluster) holders(want workload.Constraint) *nodeSet {
	s := c.nodes.holders[want]
	if s == nil {
		if c.nodes.holders == nil || len(c.nodes.holders) >= mostSets {
			c.nodes.holders = map[workload.Constraint]*nodeSet{}
		}
		s = &nodeSet{}
		c.nodes.holders[want] = s
	} else if s.version == c.nodes.version {
		return s
	}
	n := len(c.nodes.machine)
	if words := (n + 63) / 64; len(s.bits) < words {
		s.bits = make([]uint64, words)
	}
	clear(s.bits)
	s.count, s.version = 0, c.nodes.version
	for i := range n {
		if want.Holds(c.attribute(unit.NodeID(i), want.Name)) {
			s.bits[i/64] |= 1 << (i % 64)
			s.count++
		}
	}
	return s
}

// Any reports whether anything is asked at all.
func (w *Wishes) Any() bool { return w.bits != nil }

// Hold reports whether a node satisfies every constraint, as View.Suits does.
func (w *Wishes) Hold(n unit.NodeID) bool {
	return w.bits == nil || w.bits[uint32(n)/64]>>(uint32(n)%64)&1 != 0
}

// Few appends the nodes that satisfy every constraint to list, by number, if
// something is asked that at most few nodes satisfy; else it returns false.
func (w *Wishes) Few(few int, list []unit.NodeID) ([]unit.NodeID, bool) {
	if w.bits == nil || w.count > few {
		return list, false
	}
	for i, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			list = append(list, unit.NodeID(i*64+bits.TrailingZeros64(word)))
		}
	}
	return list, true
}
