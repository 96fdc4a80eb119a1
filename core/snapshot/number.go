package snapshot

import "slices"

// numbering maps the address of a block to the number it had.
type numbering struct {
	at   places     // all, by address
	free [][]uint32 // numbers of removed values, by the number of their layout
	next uint32
}

// place is where a block of memory is.
type place struct {
	at     address
	layout *layout
	id     uint32
}

// places sort by address.
type places []place

func (p places) Len() int           { return len(p) }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p places) Less(i, j int) bool { return p[i].at < p[j].at }

// none is the number of a block that has none yet.
const none = 1<<32 - 1

// number gives each block the number that it had in the snapshot before, if it is where
// it was, and else that of a block of its kind that is no more: a slice that grows
// moves. The blocks come by address and numbered as they were found.
func (w *walk) number(blocks places) {
	b, k := &w.blocks, 0
	for _, p := range append(blocks, place{at: ^address(0)}) {
		for ; k < len(b.at) && (b.at[k].at < p.at || b.at[k].at == p.at && b.at[k].layout != p.layout); k++ {
			free := b.room(b.at[k].layout)
			*free = append(*free, b.at[k].id)
		}
		if p.layout == nil {
			break
		}
		f := &w.found[p.id]
		if f.id = none; k < len(b.at) && b.at[k].at == p.at {
			f.id = b.at[k].id
			k++
		}
	}
	for i := range blocks {
		f := &w.found[blocks[i].id]
		if free := b.room(f.layout); f.id != none {
		} else if n := len(*free) - 1; n >= 0 {
			f.id, *free = (*free)[n], (*free)[:n]
		} else {
			f.id = b.next
			b.next++
		}
		blocks[i].id = f.id
	}
	b.at = blocks
}

// room is where numbers are kept of blocks of a layout that are no more.
func (b *numbering) room(l *layout) *[]uint32 {
	for len(b.free) <= l.number {
		b.free = append(b.free, nil)
	}
	return &b.free[l.number]
}

// sharing numbers the objects that copies share with the value.
type sharing struct {
	ids, before map[pointer]uint32
	all         []pointer // by number
	free        []uint32
}

// share continues the numbers of a snapshot's shared objects.
func share(all []pointer) sharing {
	s := sharing{ids: make(map[pointer]uint32, len(all)), all: slices.Clone(all)}
	for i, p := range all {
		if p == nil {
			s.free = append(s.free, uint32(i))
		} else {
			s.ids[p] = uint32(i)
		}
	}
	return s
}

// begin begins another snapshot: objects numbered before the call to kept are shared.
func (s *sharing) begin() { s.before, s.ids = s.ids, make(map[pointer]uint32, len(s.ids)) }

// number returns the number of an object: the same as in the snapshot before, or a free one.
func (s *sharing) number(at pointer) uint32 {
	if id, known := s.ids[at]; known {
		return id
	}
	id, known := s.before[at]
	switch {
	case known:
		delete(s.before, at)
	case len(s.free) > 0:
		id = s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
	default:
		id = uint32(len(s.all))
		s.all = append(s.all, nil)
	}
	s.ids[at], s.all[id] = id, at
	return id
}

// kept returns the shared objects, by number.
func (s *sharing) kept() []pointer {
	for _, id := range s.before {
		s.free = append(s.free, id)
		s.all[id] = nil
	}
	s.before = nil
	return slices.Clone(s.all)
}
