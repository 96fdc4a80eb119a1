package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"unsafe"
)

// found is a block of memory that the value reaches.
type found struct {
	at     pointer
	layout *layout
	n      int
	from   int32  // index of the first pointer to it; -1 if none
	field  string // there
	inside int32  // the block that it is a part of; itself if of none
	id     uint32
}

func (f *found) bytes() uintptr { return f.layout.size * uintptr(f.n) }

// walk is one way through a value.
type walk struct {
	*Taker
	tokens []any
	found  []found
	index  map[address]int32
	queue  []int32
	tables map[int32]*table // the maps among the blocks
	zero   pointer
	order  []int32 // the blocks by number; -1: there is none
}

func newWalk(t *Taker, tokens []any) *walk {
	return &walk{
		Taker: t, tokens: tokens, index: make(map[address]int32, 2*len(t.blocks.at)),
		tables: map[int32]*table{}, zero: pointer(new(struct{})),
	}
}

// target is where a slot points to.
type target struct {
	at     pointer // nil: nowhere
	kind   kind    // toValue: a block; toShared; toOwner: a block that is reached otherwise
	layout *layout // of a block
	n      int
}

// target looks where a slot at an address points to.
func (w *walk) target(s *slot, at pointer) (target, error) {
	word := *(*pointer)(at)
	if s.kind == toLeft {
		return target{}, nil
	}
	if s.kind == toAny {
		if word == nil {
			return target{}, nil
		}
		s, at = w.types.held(s, at), unsafe.Add(at, 8)
		word = *(*pointer)(at)
	}
	if word == nil {
		return target{}, nil
	}
	to := target{at: word, n: 1, kind: s.kind}
	switch s.kind {
	case toValue:
		to.layout = w.types.to(s)
	case toArray:
		to.kind, to.layout, to.n = toValue, w.types.to(s), (*[3]int)(at)[2]
	case toTable:
		to.kind, to.layout = toValue, w.types.to(s)
	case toCode:
		var name string
		if to.kind, name = w.types.function(*(*uintptr)(word)); to.kind == refused {
			return to, fmt.Errorf("%s may hold variables", name)
		}
		if to.kind == toOwner {
			to.kind, to.layout = toValue, w.types.of(methodType)
		}
	case refused:
		return to, fmt.Errorf("it is a %s", s.typ)
	}
	if to.kind == toValue && (to.n == 0 || to.layout.size == 0) {
		to.at, to.kind = w.zero, toShared
	}
	return to, nil
}

// add takes a block in, or more of one that is known.
func (w *walk) add(at pointer, l *layout, n int, from int32, field string) {
	for i, one := range w.tokens {
		if at == wordOf(one) {
			w.index[address(at)] = int32(-1 - i)
			return
		}
	}
	i, known := w.index[address(at)]
	if !known {
		i = int32(len(w.found))
		w.index[address(at)] = i
		w.found = append(w.found, found{at: at, layout: l, n: n, from: from, field: field, inside: i})
	} else if f := &w.found[i]; l.size*uintptr(n) > f.bytes() {
		f.layout, f.n = l, n
	} else {
		return
	}
	if len(l.slots) > 0 || l.key != nil {
		w.queue = append(w.queue, i)
	}
}

// discover finds all blocks.
func (w *walk) discover() error {
	for len(w.queue) > 0 {
		i := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		f := w.found[i]
		if f.layout.key == nil {
			if err := w.reach(f.layout, f.at, f.n, i); err != nil {
				return err
			}
			continue
		}
		t := read(f.layout, f.at)
		w.tables[i] = t
		for e := range t.n {
			err := w.reach(f.layout.key, t.key(e), 1, i)
			if err == nil {
				err = w.reach(f.layout.value, t.value(e), 1, i)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reach adds the targets of the pointers in n values.
func (w *walk) reach(l *layout, at pointer, n int, from int32) error {
	var last target
	for k := range n {
		for i := range l.slots {
			s := &l.slots[i]
			// From the first value each time: a pointer behind the last one would leave the allocation.
			to, err := w.target(s, unsafe.Add(at, uintptr(k)*l.size+s.at))
			if err != nil {
				return fmt.Errorf("%s: %w", w.path(from, s.name), err)
			}
			if to.kind == toValue && to.at != nil && to != last {
				last = to
				w.add(to.at, to.layout, to.n, from, s.name)
			}
		}
	}
	return nil
}

// path names the fields that lead to one of a block.
func (w *walk) path(from int32, field string) string {
	for from >= 0 {
		f := &w.found[from]
		field, from = f.field+field, f.from
	}
	return field
}

// merge joins blocks that overlap, and numbers the rest.
func (w *walk) merge() error {
	blocks := make(places, len(w.found), len(w.found)+1)
	for i := range w.found {
		f := &w.found[i]
		blocks[i] = place{address(f.at), f.layout, uint32(i)}
	}
	sort.Sort(blocks) // no two begin at one address
	n, outer, end := 0, int32(-1), address(0)
	for _, p := range blocks {
		i := int32(p.id)
		f := &w.found[i]
		last := p.at + f.bytes()
		if outer < 0 || p.at >= end {
			outer, end = i, last
			blocks[n] = p
			n++
			continue
		}
		o := &w.found[outer]
		f.inside = outer
		if last > end { // two slices of one array
			if o.layout != f.layout {
				return fmt.Errorf("%s overlaps %s", w.path(i, ""), w.path(outer, ""))
			}
			end = last
			o.n = int((end - address(o.at)) / o.layout.size)
		}
	}
	w.number(blocks[:n])
	return nil
}

// The words that stand for pointers: 0 for nil, a block's number from 1 on and the distance from
// its beginning, or with a sign the number of a shared object or of a token.
const (
	isShared = 1 << 63
	isToken  = 1 << 62
)

// code returns the word that stands for where a slot points to.
func (w *walk) code(to target) (uint64, error) {
	if to.at == nil {
		return 0, nil
	}
	if to.kind == toShared {
		return isShared | uint64(w.shared.number(to.at)), nil
	}
	i, known := w.index[address(to.at)]
	if !known {
		return 0, errors.New("nothing else reaches it")
	}
	if i < 0 {
		return isToken | uint64(-1-i), nil
	}
	o := &w.found[w.found[i].inside]
	return uint64(o.id+1)<<32 | uint64(address(to.at)-address(o.at)), nil
}

// table is the contents of a map, as arrays.
type table struct {
	layout       *layout
	n            int
	keys, values reflect.Value // slices
}

func (t *table) key(i int) pointer {
	return unsafe.Add(t.keys.UnsafePointer(), uintptr(i)*t.layout.key.size)
}

func (t *table) value(i int) pointer {
	return unsafe.Add(t.values.UnsafePointer(), uintptr(i)*t.layout.value.size)
}

// read copies a map's entries.
func read(l *layout, at pointer) *table {
	m := reflect.NewAt(l.typ, pointer(&at)).Elem()
	t := &table{layout: l, n: m.Len()}
	t.keys = reflect.MakeSlice(reflect.SliceOf(l.key.typ), t.n, t.n)
	t.values = reflect.MakeSlice(reflect.SliceOf(l.value.typ), t.n, t.n)
	i := 0
	for each := m.MapRange(); each.Next(); i++ {
		t.keys.Index(i).SetIterKey(each)
		t.values.Index(i).SetIterValue(each)
	}
	return t
}
