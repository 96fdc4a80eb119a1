package snapshot

import (
	"fmt"
	"slices"
	"sort"
	"unsafe"
)

// settled is the inverse of the largest part of all words that a snapshot's data may be for the
// next ones to use its base: a value that was just created changes its size.
const settled = 6

// freeze writes down how all blocks are different from those of an earlier snapshot.
func (w *walk) freeze() (*Snapshot, error) {
	on, number := w.below()
	s := &Snapshot{store: w.store, on: on, number: number, uses: 1, blocks: int(w.blocks.next)}
	shapes, whole := w.shapes(s.blocks)
	data := w.store.scratch[:0]
	if on == nil {
		data = make([]byte, 0, 8*(whole+len(shapes)))
	}
	before := w.store.read(on)
	data = delta(data, resize(slices.Clone(before.shapes()), s.blocks), shapes)
	w.shared.begin()
	var words []uint64
	for id, i := range w.order {
		base := before.next(id)
		if i < 0 {
			continue
		}
		f := &w.found[i]
		var err error
		now := words[:0]
		switch t := w.tables[i]; {
		case t != nil:
			now, err = w.entries(now, t)
			words = now
		case len(f.layout.slots) == 0 && f.bytes()%8 == 0:
			now = unsafe.Slice((*uint64)(f.at), f.bytes()/8)
		default:
			now, err = w.values(now, f.layout, f.at, f.n)
			words = now
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.path(i, ""), err)
		}
		if on == nil {
			data = append(data, bytesOf(now)...)
		} else {
			data = delta(data, resize(base, len(now)), now)
		}
	}
	if on == nil {
		s.data = data
	} else {
		s.data, w.store.scratch = slices.Clone(data), data
		on.uses++
	}
	if len(s.data) > 8*whole/settled {
		s.number = 0
	}
	s.shared = w.shared.kept()
	w.store.bytes += s.bytes()
	return s, nil
}

// shapes returns the shapes of all blocks, and how many words they have.
func (w *walk) shapes(blocks int) (shapes []uint64, words int) {
	shapes, w.order = make([]uint64, blocks), make([]int32, blocks)
	for id := range w.order {
		w.order[id] = -1
	}
	for i := range w.found {
		f := &w.found[i]
		if f.inside != int32(i) {
			continue
		}
		n := f.n
		if t := w.tables[int32(i)]; t != nil {
			n = t.n
		}
		shapes[f.id], w.order[f.id] = w.store.shape(f.layout, n), int32(i)
		words += w.store.words(shapes[f.id])
	}
	return shapes, words
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
