package snapshot

import (
	"fmt"
	"slices"
	"sort"
	"unsafe"
)

// freeze writes all blocks down.
func (w *walk) freeze() (*Snapshot, error) {
	s := &Snapshot{types: w.types, store: w.store, blocks: make([]*block, w.blocks.next)}
	w.shared.begin()
	var words []uint64
	for i := range w.found {
		f := &w.found[i]
		if f.inside != int32(i) {
			continue
		}
		l, n := f.layout, f.n
		var err error
		switch t := w.tables[int32(i)]; {
		case t != nil:
			n = t.n
			words, err = w.entries(words[:0], t)
		case len(l.slots) == 0 && f.bytes()%8 == 0:
			s.blocks[f.id] = w.store.block(w.before(f.id), l, n, unsafe.Slice((*uint64)(f.at), f.bytes()/8))
			continue
		default:
			words, err = w.values(words[:0], l, f.at, n)
		}
		if err != nil {
			s.Drop()
			return nil, fmt.Errorf("%s: %w", w.path(int32(i), ""), err)
		}
		s.blocks[f.id] = w.store.block(w.before(f.id), l, n, words)
	}
	w.shared.end()
	s.shared = w.kept
	return s, nil
}

// before returns the block of a number in the snapshot before; nil if there is none.
func (w *walk) before(id uint32) *block {
	if w.last == nil || int(id) >= len(w.last.blocks) {
		return nil
	}
	return w.last.blocks[id]
}

// values appends n values with their pointers replaced.
func (w *walk) values(to []uint64, l *layout, at pointer, n int) ([]uint64, error) {
	from, size := len(to), l.size*uintptr(n)
	if size == 0 {
		return to, nil
	}
	to = slices.Grow(to, int(size+7)/8)[:from+int(size+7)/8]
	to[len(to)-1] = 0
	copy(unsafe.Slice((*byte)(pointer(&to[from])), size), unsafe.Slice((*byte)(at), size))
	var last pointer
	var code uint64
	for i := range n {
		for k := range l.slots {
			s := &l.slots[k]
			offset := uintptr(i)*l.size + s.at
			t, err := w.target(s, unsafe.Add(at, offset))
			if err != nil {
				return nil, err
			}
			if t.at != last {
				if code, err = w.code(t); err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
				last = t.at
			}
			to[from+int(offset+s.word()-s.at)/8] = code
		}
	}
	return to, nil
}

// entries appends a map's entries, each in whole words, in an order that the same
// entries always have.
func (w *walk) entries(to []uint64, t *table) ([]uint64, error) {
	all := make([][]uint64, t.n)
	for i := range all {
		entry, err := w.values(nil, t.layout.key, t.key(i), 1)
		if err == nil {
			entry, err = w.values(entry, t.layout.value, t.value(i), 1)
		}
		if err != nil {
			return nil, err
		}
		all[i] = entry
	}
	sort.Sort(byWords(all))
	for _, entry := range all {
		to = append(to, entry...)
	}
	return to, nil
}

// byWords sorts entries of one length.
type byWords [][]uint64

func (b byWords) Len() int      { return len(b) }
func (b byWords) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b byWords) Less(i, j int) bool {
	for k, x := range b[i] {
		if y := b[j][k]; x != y {
			return x < y
		}
	}
	return false
}
