package central

import (
	"slices"

	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// sorted are the policies that rank nodes by their fullness after the placement: best-fit,
// worst-fit and first-fit. A node's fullness is the sum over the resources of the use there (by
// request: the requests) in 2^-20 of its own capacity; a task's size on it is the sum of its needs
// in the same unit. Among equal nodes the lowest number wins.
//
// Within one machine type the size of a task is the same everywhere, so the order of
// the nodes does not depend on the task. An index keeps the nodes of each type in
// that order, in blocks that know the most room of their nodes: the first node with
// room is found past the blocks without. For the demand of the last choice it keeps
// the node found in each type, so that the further tasks of a job cost a look at
// each type. Figures: docs/decisions/2026-11-22-central-index.md.
type sorted struct {
	*book
	order   order
	indexes []nodeIndex // by machine type
	keys    []uint64    // by node: its key in its index; absent if it is in none
	kinds   []int32     // by node: its index
	spare   []int32     // blocks to use again
	pool    []block
	sorts   sorter

	current  demand // of the last choice, while valid
	wants    []workload.Constraint
	valid    bool
	suitable cluster.Suitable
	found    []finding // by machine type
	ahead    []uint64  // by machine type: best's next keys
}

// order is the order of the nodes by fullness.
type order int8

const (
	fullest  order = 1  // best-fit
	emptiest order = -1 // worst-fit
	lowest   order = 0  // first-fit: by number alone
)

// A key is a node's place in the order: its fullness counted as the order wants it,
// and below that its number. fullnessTop is more than the fullness of any node that
// has room.
const (
	whole       = 1 << 20
	fullnessTop = 1 << 30
	absent      = 1<<64 - 1
)

func newSorted(b *book, o order) *sorted { return &sorted{book: b, order: o} }

// fullness returns the sum of an amount's parts of a capacity, in units of 1/whole of a resource, at
// most fullnessTop. A resource without capacity counts 0.
func fullness(amount, capacity unit.Vec) (sum int64) {
	for r, c := range capacity {
		if c > 0 {
			sum += int64(amount[r]) * whole / int64(c)
		}
	}
	return min(sum, fullnessTop)
}

// key returns the sort key of a node, least first: its fullness by the order in the upper 32 bits, and
// its number in the lower ones. first-fit has the number alone.
func (s *sorted) key(n unit.NodeID) uint64 {
	amount := s.view.Used(n)
	if s.limits.byRequest {
		amount = s.view.Requested(n)
	}
	f := fullness(amount, s.types[s.nodes[n].kind].capacity)
	switch s.order {
	case fullest:
		f = fullnessTop - f
	case lowest:
		f = 0
	}
	return uint64(f)<<32 | uint64(n)
}

// shift returns by how much a demand moves the keys of nodes of a machine type: the demand's fullness
// there. Within one type it moves all keys alike; it is added so that keys of different types compare.
func (s *sorted) shift(d *demand, m *machineType) uint64 {
	size := fullness(d.need, m.capacity)
	return uint64(-int64(s.order)*size) << 32
}

// finding is the first node with room in one index for the current demand. No node
// before its key has room.
type finding struct {
	key   uint64
	shift uint64
	stale bool // the key is only where to look from
}

// choose implements policy: the least shifted key of all indexes. It keeps the finding of each index
// between calls for the same demand, so that a search continues at the last node.
func (s *sorted) choose(d *demand) unit.NodeID {
	s.sync()
	if !s.valid || s.current.need != d.need || s.current.class != d.class || !slices.Equal(s.wants, d.constraints) ||
		slices.ContainsFunc(d.constraints, dynamic) {
		s.turn(d)
	}
	bestKey, bestNode := uint64(absent), unit.NoNode
	for i := range s.found {
		f := &s.found[i]
		if f.stale {
			f.key, f.stale = s.indexes[i].next(s, f.key, d), false
		}
		if f.key == absent {
			continue
		}
		if key := f.key + f.shift; bestNode == unit.NoNode || key < bestKey {
			bestKey, bestNode = key, unit.NodeID(uint32(f.key))
		}
	}
	return bestNode
}

// dynamic reports whether which nodes satisfy a constraint depends on the tasks that run there.
func dynamic(want workload.Constraint) bool { return want.Op == workload.Takes }

// turn prepares for another demand: it finds the nodes that satisfy its constraints and lets each index
// search from its beginning.
func (s *sorted) turn(d *demand) {
	s.wants = append(s.wants[:0], d.constraints...)
	s.current, s.valid = *d, true
	s.current.constraints = nil
	sets(s.view, d, &s.suitable)
	s.found = s.found[:0]
	for i := range s.indexes {
		s.found = append(s.found, finding{shift: s.shift(d, &s.types[i]), stale: true})
	}
}

// sync updates the index.
func (s *sorted) sync() {
	changed, whole := s.clean()
	if !whole {
		s.rebuild()
		return
	}
	for _, n := range changed {
		s.move(n)
	}
}

// move puts a node that changed at its place by its new key and machine type, or out of the index if
// nothing fits on it. A finding that it was, or now comes before, is corrected.
func (s *sorted) move(n unit.NodeID) {
	kind, room := s.nodes[n].kind, s.nodes[n].room
	before, key := s.keys[n], uint64(absent)
	if room.positive() {
		key = s.key(n)
	}
	if before != absent {
		s.indexes[s.kinds[n]].remove(s, before)
		if s.valid && s.found[s.kinds[n]].key == before {
			s.found[s.kinds[n]].stale = true
		}
	}
	s.keys[n], s.kinds[n] = key, kind
	if len(s.indexes) < len(s.types) { // a new machine type
		s.indexes = append(s.indexes, make([]nodeIndex, len(s.types)-len(s.indexes))...)
		s.valid = false
	}
	if key == absent {
		return
	}
	s.indexes[kind].insert(s, slot{key, room})
	if s.valid && key < s.found[kind].key && s.current.need.Within(room[s.current.class]) && s.suitable.Has(n) {
		s.found[kind].key, s.found[kind].stale = key, false
	}
}

// rebuild makes the index anew.
func (s *sorted) rebuild() {
	s.valid = false
	s.pool, s.spare = s.pool[:0], s.spare[:0]
	for i := range s.indexes {
		s.indexes[i].tops = s.indexes[i].tops[:0]
	}
	for len(s.indexes) < len(s.types) {
		s.indexes = append(s.indexes, nodeIndex{})
	}
	s.indexes = s.indexes[:len(s.types)]
	s.keys, s.kinds = s.keys[:0], s.kinds[:0]
	s.sorts.keys = s.sorts.keys[:0]
	for n := range unit.NodeID(len(s.nodes)) {
		key := uint64(absent)
		if s.nodes[n].room.positive() {
			key = s.key(n)
			s.sorts.keys = append(s.sorts.keys, key)
		}
		s.keys, s.kinds = append(s.keys, key), append(s.kinds, s.nodes[n].kind)
	}
	for _, key := range s.sorts.sort() {
		n := uint32(key)
		s.indexes[s.kinds[n]].push(s, slot{key, s.nodes[n].room})
	}
}

// scan implements policy: the node with the least key for a demand, the first of equals, read from all nodes and not
// from the indexes.
func (s *sorted) scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	s.sync()
	var suitable cluster.Suitable
	sets(s.view, d, &suitable)
	bestKey, bestNode := uint64(absent), unit.NoNode
	for n := range unit.NodeID(len(s.nodes)) {
		if !s.fits(d, n) || !suitable.Has(n) || accepted != nil && !accepted(n) {
			continue
		}
		if key := s.key(n) + s.shift(d, &s.types[s.nodes[n].kind]); bestNode == unit.NoNode || key < bestKey {
			bestKey, bestNode = key, n
		}
	}
	return bestNode
}

// best implements policy. It needs the findings of choose for the same demand, and merges the indexes
// from these on, k times.
func (s *sorted) best(d *demand, k int) []system.Candidate {
	s.ahead = s.ahead[:0]
	for i := range s.found {
		s.ahead = append(s.ahead, s.found[i].key)
	}
	list := make([]system.Candidate, 0, k)
	for range k {
		first, of := uint64(absent), -1
		for i, key := range s.ahead {
			if shifted := key + s.found[i].shift; key != absent && (of < 0 || shifted < first) {
				first, of = shifted, i
			}
		}
		if of < 0 {
			break
		}
		list = append(list, system.Candidate{Node: unit.NodeID(uint32(first)), Score: s.worth(first), Answer: "accepted"})
		s.ahead[of] = s.indexes[of].next(s, s.ahead[of]+1, d)
	}
	return list
}

// rank implements policy.
func (s *sorted) rank(d *demand, n unit.NodeID) float64 {
	return s.worth(s.key(n) + s.shift(d, &s.types[s.nodes[n].kind]))
}

// rule implements policy.
func (s *sorted) rule() string {
	switch s.order {
	case fullest:
		return "best-fit: of the nodes with room, the one that is fullest with the task"
	case emptiest:
		return "worst-fit: of the nodes with room, the one that is emptiest with the task"
	}
	return "first-fit: of the nodes with room, the one with the lowest number"
}

// worth returns the score of a shifted key: the fullness of the node, in parts of a resource,
// summed over the resources; for worst-fit it is negative, since less is better; for first-fit it
// is the negative number of the node.
func (s *sorted) worth(key uint64) float64 {
	switch s.order {
	case fullest:
		return float64(fullnessTop-int64(key>>32)) / whole
	case emptiest:
		return -float64(key>>32) / whole
	}
	return -float64(uint32(key))
}

// allows implements policy.
func (s *sorted) allows(*demand, unit.NodeID) bool { return true }

// attributesChanged implements policy.
func (s *sorted) attributesChanged() { s.valid = s.valid && !s.suitable.Constrained() }

// repeat implements policy.
func (s *sorted) repeat(*demand, choices.Choice) { s.sync() }

// spent implements policy: it draws nothing.
func (s *sorted) spent() (*rng.Stream, uint32) { return nil, 0 }
