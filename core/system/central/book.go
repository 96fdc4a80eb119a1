package central

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// book records the demand of placements on every node. Events name the nodes that changed; they are
// read again before the next choice.
type book struct {
	view   cluster.View
	limits limits
	types  []machineType
	typeOf map[unit.Vec]int32 // by capacity
	nodes  []page
	whole  bool // all nodes are in it; else they are read anew
	reads  uint32
	dirty  []unit.NodeID

	logs bool          // somebody calls since
	log  []unit.NodeID // read since the last call, unless all were
	all  bool
}

// page is a node's entry in the book.
type page struct {
	room  room
	kind  int32  // index of types
	read  uint32 // number of the book's read: other data of the node with the same number is as old
	up    bool
	dirty bool
}

func newBook(view cluster.View, l limits) *book {
	return &book{view: view, limits: l, typeOf: map[unit.Vec]int32{}}
}

// forget records that any node may have changed.
func (b *book) forget() { b.whole = false }

// touch records that a node changed, so that the next clean reads it anew; unit.NoNode is ignored. An
// unknown node, or too many changed ones, lets clean read all nodes.
func (b *book) touch(n unit.NodeID) {
	switch {
	case n == unit.NoNode || !b.whole:
	case int(n) >= len(b.nodes):
		b.whole = false
	case !b.nodes[n].dirty:
		b.nodes[n].dirty = true
		b.dirty = append(b.dirty, n)
		b.whole = len(b.dirty) <= len(b.nodes)/4+8 // all at once is less work then
	}
}

// clean brings the book up to date and returns the nodes that changed since the last call. It returns
// false if all were read anew, also the first time; the nodes may be others then. The list is good until
// the next touch.
func (b *book) clean() (changed []unit.NodeID, whole bool) {
	changed, b.dirty = b.dirty, b.dirty[:0]
	if !b.whole {
		b.readAll()
		b.log, b.all = b.log[:0], true
		return nil, false
	}
	for _, n := range changed {
		b.nodes[n] = b.read(n)
	}
	switch {
	case !b.logs || b.all:
	case len(b.log)+len(changed) > len(b.nodes)/4+8:
		b.log, b.all = b.log[:0], true // all at once is less work then
	default:
		b.log = append(b.log, changed...)
	}
	return changed, true
}

// since returns the nodes that were read since it was called before, some of them
// twice, or false if that may be any. The list is good until the next clean.
func (b *book) since() (changed []unit.NodeID, whole bool) {
	changed, whole = b.log, !b.all
	b.log, b.all = b.log[:0], false
	return changed, whole
}

// readAll reads every node and every machine type anew, so indices of types change.
func (b *book) readAll() {
	b.types = b.types[:0]
	clear(b.typeOf)
	b.nodes = b.nodes[:0]
	for n := range unit.NodeID(b.view.Nodes()) {
		b.nodes = append(b.nodes, b.read(n))
	}
	b.whole = true
}

// read returns the page of a node as the cluster is now. It adds the machine type if the capacity is
// new. A node that is down has noRoom.
func (b *book) read(n unit.NodeID) page {
	capacity := b.view.Capacity(n)
	kind, known := int32(0), false
	if int(n) < len(b.nodes) { // usually unchanged
		kind = b.nodes[n].kind
		known = b.types[kind].capacity == capacity
	} else if len(b.types) > 0 && b.types[0].capacity == capacity {
		known = true
	}
	if !known {
		if kind, known = b.typeOf[capacity]; !known {
			kind = int32(len(b.types))
			b.types = append(b.types, b.limits.machineType(capacity))
			b.typeOf[capacity] = kind
		}
	}
	b.reads++
	p := page{room: noRoom, kind: kind, read: b.reads}
	if b.view.Up(n) {
		have := loadOf(b.view, n)
		p.up = true
		p.room = b.limits.room(&b.types[kind], &have)
	}
	return p
}

// fits reports whether a node has room for a demand, as the book was last read. The caller checks
// constraints.
func (b *book) fits(d *demand, n unit.NodeID) bool {
	return d.need.Within(b.nodes[n].room[d.class])
}
