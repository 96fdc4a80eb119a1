package snapshot

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"unsafe"
)

// Restore makes a value as it was when the snapshot was taken, and a Taker for it,
// whose snapshots share memory with this one. The tokens take the place of those that
// Take was given, and are of their types.
func (s *Snapshot) Restore(tokens ...any) (root any, t *Taker, err error) {
	if len(tokens) != len(s.tokens) {
		return nil, nil, fmt.Errorf("there are %d tokens in place of %d", len(tokens), len(s.tokens))
	}
	for i, one := range tokens {
		if got := reflect.TypeOf(one); got != s.tokens[i] {
			return nil, nil, fmt.Errorf("token %d is a %v, not a %v", i, got, s.tokens[i])
		}
	}
	t = &Taker{types: s.store.types, store: s.store, last: s, shared: share(s.shared)}
	t.blocks.next = uint32(s.blocks)
	from := s.store.read(s)
	r := &restoring{Snapshot: s, with: tokens, at: make([]pointer, s.blocks)}
	for i, shape := range from.shapes() {
		if shape == 0 {
			continue
		}
		l, n := s.store.block(shape)
		r.at[i] = l.empty(n)
		t.blocks.at = append(t.blocks.at, place{address(r.at[i]), l, uint32(i)})
	}
	sort.Sort(t.blocks.at)
	tables := map[int][]uint64{}
	for i, shape := range from.shapes() {
		words := from.next(i)
		if shape == 0 {
			continue
		}
		if l, n := s.store.block(shape); l.key == nil {
			r.fill(r.at[i], l, n, words)
		} else {
			tables[i] = slices.Clone(words)
		}
	}
	for i, words := range tables { // keys are there now
		l, n := s.store.block(from.shapes()[i])
		r.entries(r.at[i], l, n, words)
	}
	return reflect.NewAt(s.typ, r.pointer(s.root)).Interface(), t, nil
}

// restoring is one way from a snapshot to a value.
type restoring struct {
	*Snapshot
	with []any
	at   []pointer // of each block
	code []uint64
}

// empty returns the memory for n values, or a map with room for n entries.
func (l *layout) empty(n int) pointer {
	if l.key != nil {
		return reflect.MakeMapWithSize(l.typ, n).UnsafePointer()
	}
	if n == 1 {
		return reflect.New(l.typ).UnsafePointer()
	}
	if l.many == nil {
		l.many = reflect.SliceOf(l.typ)
	}
	return reflect.MakeSlice(l.many, n, n).UnsafePointer()
}

// fill writes n values from their words. The words of pointers are written as pointers, after the
// others: the garbage collector never sees one that is none.
func (r *restoring) fill(at pointer, l *layout, n int, words []uint64) {
	code := r.code[:0]
	for i := range n {
		for k := range l.slots {
			w := &words[(uintptr(i)*l.size+l.slots[k].word())/8]
			code = append(code, *w)
			*w = 0
		}
	}
	r.code = code
	size := l.size * uintptr(n)
	if size > 0 {
		copy(unsafe.Slice((*byte)(at), size), unsafe.Slice((*byte)(pointer(&words[0])), size))
	}
	for i := range n {
		for k := range l.slots {
			*(*pointer)(unsafe.Add(at, uintptr(i)*l.size+l.slots[k].word())) = r.pointer(code[i*len(l.slots)+k])
		}
	}
}

// pointer returns the pointer that a word stands for.
func (r *restoring) pointer(code uint64) pointer {
	switch {
	case code == 0:
		return nil
	case code&isShared != 0:
		return r.shared[code&^isShared]
	case code&isToken != 0:
		return wordOf(r.with[code&^isToken])
	}
	return unsafe.Add(r.at[code>>32-1], code&(1<<32-1))
}

// entries fills a map.
func (r *restoring) entries(at pointer, l *layout, n int, words []uint64) {
	m := reflect.NewAt(l.typ, pointer(&at)).Elem()
	key, value := l.key, l.value
	k, v := reflect.New(key.typ), reflect.New(value.typ)
	for range n {
		for _, part := range []struct {
			to reflect.Value
			l  *layout
		}{{k, key}, {v, value}} {
			n := (part.l.size + 7) / 8
			r.fill(part.to.UnsafePointer(), part.l, 1, words[:n])
			words = words[n:]
		}
		m.SetMapIndex(k.Elem(), v.Elem())
	}
}
