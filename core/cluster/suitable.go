package cluster

import (
	"math/bits"
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// Suitable is the set of nodes that satisfy a task's constraints: a search need not
// look the task up for each node. It is good until the task or a node changes.
type Suitable struct {
	bits  []uint64 // a bit for each node that satisfies them; nil: there are none
	count int
	own   []uint64 // memory for the bits of several constraints
}

// nodeSet is the set of nodes that satisfy a constraint. The cluster keeps those that were
// requested, since many tasks have equal constraints, and updates them at the next request.
type nodeSet struct {
	bits    []uint64
	count   int
	version uint64 // of the attributes; see nodes.version
}

// maxSets bounds the kept sets. A trace that has more constraints builds some of
// its sets again and again.
const maxSets = 1024

// Suitable fills s with the nodes that satisfy a task's constraints, or with all nodes if it has
// none or has ended. It reuses the memory of s. The supplies that a running task holds on its node
// count as left.
func (v TaskView) Suitable(id unit.TaskID, s *Suitable) {
	s.bits, s.count = nil, 0
	slot, ok := v.c.lookup(id)
	if !ok {
		return
	}
	for i, want := range v.c.constraints(slot) {
		if set := v.c.holders(want); i == 0 {
			s.bits, s.count = set.bits, set.count
		} else {
			s.narrow(set)
		}
	}
	if t := &v.c.tasks[slot]; v.c.nodes.any && s.bits != nil {
		for _, n := range [2]unit.NodeID{t.node, t.target} {
			if n != unit.NoNode {
				s.Believe(n, v.c.satisfies(slot, n))
			}
		}
	}
}

// constraints returns those of a task.
func (c *Cluster) constraints(slot uint32) []workload.Constraint {
	if !c.details[slot].constrained {
		return nil
	}
	return c.wants[slot]
}

// constrain sets the constraints of the task in slot; wants is copied.
func (c *Cluster) constrain(slot uint32, wants []workload.Constraint) {
	d := &c.details[slot]
	if d.constrained = len(wants) > 0; !d.constrained {
		return
	}
	if more := len(c.tasks) - len(c.wants); more > 0 {
		c.wants = append(slices.Grow(c.wants, cap(c.tasks)-len(c.wants)), make([][]workload.Constraint, more)...)
	}
	c.wants[slot] = append(c.wants[slot][:0], wants...)
	c.nodes.any = c.nodes.any || slices.ContainsFunc(wants,
		func(w workload.Constraint) bool { return w.Op == workload.Takes })
}

// narrow intersects the set of nodes with another one. It copies the bits first, because they may belong to the
// cluster.
func (s *Suitable) narrow(set *nodeSet) {
	s.own = append(s.own[:0], s.bits...)
	s.bits, s.count = s.own, 0
	for i := range s.own {
		s.own[i] &= set.bits[i]
		s.count += bits.OnesCount64(s.own[i])
	}
}

// holders returns the set of nodes that satisfy a constraint. Sets are kept, at most maxSets, and computed anew
// if an attribute has changed since. The caller must not change the set.
func (c *Cluster) holders(want workload.Constraint) *nodeSet {
	s := c.nodes.holders[want]
	if s == nil {
		if c.nodes.holders == nil || len(c.nodes.holders) >= maxSets {
			c.nodes.holders, c.nodes.sets = map[workload.Constraint]*nodeSet{}, nil
		}
		s = &nodeSet{}
		c.nodes.holders[want] = s
		c.nodes.keep(want, s)
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
		if want.Holds(c.left(unit.NodeID(i), want)) {
			s.bits[i/64] |= 1 << (i % 64)
			s.count++
		}
	}
	return s
}

// Constrained reports whether the task has constraints at all.
func (s *Suitable) Constrained() bool { return s.bits != nil }

// Has reports whether a node satisfies every constraint, as View.Satisfies does.
func (s *Suitable) Has(n unit.NodeID) bool {
	return s.bits == nil || s.bits[uint32(n)/64]>>(uint32(n)%64)&1 != 0
}

// Group returns a bit for each of the nodes 64·i … 64·i+63 that satisfies every
// constraint, the lowest number in the lowest bit. Bits beyond the last node are
// undefined.
func (s *Suitable) Group(i int) uint64 {
	if s.bits == nil {
		return 1<<64 - 1
	}
	return s.bits[i]
}

// Believe adds a node to the set or removes it, for callers whose knowledge of the node
// is outdated. It does nothing if the task has no constraints.
func (s *Suitable) Believe(n unit.NodeID, holds bool) {
	if s.bits == nil || s.Has(n) == holds {
		return
	}
	if len(s.own) == 0 || &s.bits[0] != &s.own[0] {
		s.own = append(s.own[:0], s.bits...)
		s.bits = s.own
	}
	s.bits[uint32(n)/64] ^= 1 << (uint32(n) % 64)
	if holds {
		s.count++
	} else {
		s.count--
	}
}

// Few appends the nodes of the set to list, by number, if constraints exist that at most
// few nodes satisfy; otherwise it returns false.
func (s *Suitable) Few(few int, list []unit.NodeID) ([]unit.NodeID, bool) {
	if s.bits == nil || s.count > few {
		return list, false
	}
	for i, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			list = append(list, unit.NodeID(i*64+bits.TrailingZeros64(word)))
		}
	}
	return list, true
}
