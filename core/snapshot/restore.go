package snapshot

import (
	"fmt"
	"reflect"
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
	r := &restoring{Snapshot: s, with: tokens, at: make([]pointer, len(s.blocks))}
	t = &Taker{types: s.types, store: s.store, last: s}
	t.blocks.begin()
	for i, b := range s.blocks {
		if b == nil {
			t.blocks.free = append(t.blocks.free, uint32(i))
			continue
		}
		n := b.n
		if b.layout.key != nil {
			n = 1
		}
		r.at[i] = b.empty()
		t.blocks.ids[place{address(r.at[i]), b.layout, n}] = uint32(i)
	}
	t.blocks.next = uint32(len(s.blocks))
	t.shared.begin()
	for i, p := range s.shared {
		if p == nil {
			t.shared.free = append(t.shared.free, uint32(i))
		} else {
			t.shared.ids[place{at: address(p)}] = uint32(i)
		}
	}
	t.shared.next = uint32(len(s.shared))
	for i, b := range s.blocks {
		if b != nil && b.layout.key == nil {
			r.words = b.words(r.words[:0])
			r.fill(r.at[i], b.layout, b.n, r.words)
		}
	}
	for i, b := range s.blocks {
		if b != nil && b.layout.key != nil {
			r.words = b.words(r.words[:0])
			r.entries(r.at[i], b, r.words)
		}
	}
	return reflect.NewAt(s.typ, r.pointer(s.root)).Interface(), t, nil
}

// restoring is one way from a snapshot to a value.
type restoring struct {
	*Snapshot
	with  []any
	at    []pointer // of each block
	words []uint64
	code  []uint64
}

// empty returns the memory for a block.
func (b *block) empty() pointer {
	l := b.layout
	if l.key != nil {
		return reflect.MakeMapWithSize(l.typ, b.n).UnsafePointer()
	}
	if b.n == 1 {
		return reflect.New(l.typ).UnsafePointer()
	}
	if l.many == nil {
		l.many = reflect.SliceOf(l.typ)
	}
	return reflect.MakeSlice(l.many, b.n, b.n).UnsafePointer()
}

// fill writes n values that stand in words. The words of pointers are written as
// pointers, after the others: the garbage collector never sees one that is none.
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

// pointer returns what a word stands for.
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
func (r *restoring) entries(at pointer, b *block, words []uint64) {
	m := reflect.NewAt(b.layout.typ, pointer(&at)).Elem()
	key, value := b.layout.key, b.layout.value
	k, v := reflect.New(key.typ), reflect.New(value.typ)
	for range b.n {
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
