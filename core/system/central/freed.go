package central

import (
	"parley/core/unit"
	"parley/core/workload"
)

// freed finds nodes where preemption could make room for tasks of one priority and class: each
// node's room without its tasks of lower priority, and for each group of nodes the Pareto frontier
// of these rooms. A demand that fits within no corner of the frontier fits no node of the group.
// After a node of the group has changed, the frontier may have extra corners until the next search.
type freed struct {
	priority  int32
	class     workload.PriorityClass
	made      bool
	rooms     []unit.Vec // by node
	frontiers []frontier // by group
}

// groupSize nodes are a group: the bits of one word.
const groupSize = 64

// frontier holds rooms, none within another. If there are more than it has places for, two are
// replaced by one that contains both.
type frontier struct {
	corners [frontierSize]unit.Vec
	count   int32
	loose   bool // some corner may no longer belong to a node
}

// frontierSize is rarely exceeded: of 64 random points 4.7 are on the frontier.
const frontierSize = 7

// reaches reports whether a need is within a corner.
func (f *frontier) reaches(need unit.Vec) bool {
	for i := range f.corners[:f.count] {
		if need.Within(f.corners[i]) {
			return true
		}
	}
	return false
}

// add adds a room to the corners, which are the rooms that no other one covers. A negative room is
// ignored. If there are too many corners, the last one grows to cover the new one too: then the frontier
// may promise more than any node has, never less.
func (f *frontier) add(room unit.Vec) {
	if f.reaches(room) || !(unit.Vec{}).Within(room) {
		return
	}
	kept := int32(0)
	for i := range f.corners[:f.count] {
		if !f.corners[i].Within(room) {
			f.corners[kept] = f.corners[i]
			kept++
		}
	}
	f.count = kept
	if kept == frontierSize {
		last := &f.corners[kept-1]
		for r := range last {
			last[r] = max(last[r], room[r])
		}
		return
	}
	f.corners[kept] = room
	f.count++
}

// mayHelp reports whether a group may have a node on which a demand fits; false is certain. A loose
// frontier is read anew before it says yes.
func (f *freed) mayHelp(group int, d *demand) bool {
	fr := &f.frontiers[group]
	if fr.loose && fr.reaches(d.need) {
		f.read(group)
	}
	return fr.reaches(d.need)
}

// read makes the frontier of a group from the rooms of its nodes.
func (f *freed) read(group int) {
	fr := &f.frontiers[group]
	fr.count, fr.loose = 0, false
	for _, room := range f.rooms[group*groupSize : min(len(f.rooms), (group+1)*groupSize)] {
		fr.add(room)
	}
}

// of returns the index of the rooms that a demand of a priority could have: those of all nodes without
// their tasks of lower priority. It is made at the first use and kept by sync.
func (p *preemption) of(d *demand, priority uint8) *freed {
	for len(p.freed[d.class]) <= int(priority) {
		p.freed[d.class] = append(p.freed[d.class], freed{})
	}
	f := &p.freed[d.class][priority]
	if !f.made {
		*f = freed{
			priority: int32(priority), class: d.class, made: true, rooms: f.rooms[:0], frontiers: f.frontiers[:0],
		}
		for n := range p.tenants {
			f.rooms = append(f.rooms, p.tenants[n].without(f.priority)[f.class])
		}
		for i := range p.up {
			f.frontiers = append(f.frontiers, frontier{})
			f.read(i)
		}
	}
	return f
}

// sync updates the records of the nodes, and all indexes, from the book. If the book was read as a
// whole, the indexes are made anew when they are needed.
func (p *preemption) sync() {
	changed, whole := p.book.since()
	if !whole {
		for len(p.tenants) < len(p.book.nodes) {
			p.tenants = append(p.tenants, tenants{})
		}
		for len(p.up)*groupSize < len(p.book.nodes) {
			p.up = append(p.up, 0)
		}
		for n := range unit.NodeID(len(p.book.nodes)) {
			p.revisit(n)
		}
		for f := range p.indexes {
			f.made = false
		}
		return
	}
	for _, n := range changed {
		if !p.revisit(n) {
			continue
		}
		for f := range p.indexes {
			if f.made {
				fr := &f.frontiers[n/groupSize]
				f.rooms[n] = p.tenants[n].without(f.priority)[f.class]
				fr.add(f.rooms[n])
				fr.loose = true
			}
		}
	}
}

// indexes are all of them.
func (p *preemption) indexes(yield func(*freed) bool) {
	for c := range p.freed {
		for i := range p.freed[c] {
			if !yield(&p.freed[c][i]) {
				return
			}
		}
	}
}

// revisit reads a node's tasks if the book has read the node since the last time, and reports whether it
// has.
func (p *preemption) revisit(n unit.NodeID) bool {
	if p.tenants[n].read == p.book.nodes[n].read {
		return false
	}
	p.visit(n)
	word, bit := &p.up[n/groupSize], uint64(1)<<(n%groupSize)
	*word &^= bit
	if p.book.nodes[n].up {
		*word |= bit
	}
	return true
}
