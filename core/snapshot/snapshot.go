// Package snapshot copies a value with everything that it reaches: structs, slices, maps,
// interfaces and the pointers between them, including aliases. It serves simulations that
// return to an earlier moment, but does not depend on them.
//
// A snapshot consists of bytes: blocks of memory in which numbers replace pointers. Only the
// blocks that differ from an earlier snapshot, the base, are stored. Many snapshots of one
// value therefore cost little more than its changes, and the garbage collector does not scan
// them.
//
// Channels, unsafe pointers and functions that may hold variables cannot be copied; the error
// names the path of fields to them. A method value of a pointer (d.expire) can be copied if
// its receiver is reached in another way, and so can plain functions. Strings, errors and the
// types that are given to New are shared by the value and its copies: they must never change.
//
//	t := snapshot.New(nil, nil)
//	s, err := t.Take(r)
//	copied, _, err := s.Restore()
//	again := copied.(*Run)
package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Taker takes snapshots of one living value. It is not safe for concurrent use.
type Taker struct {
	types  *types
	store  *store
	blocks numbering // of the snapshot before
	shared sharing   // likewise
	last   *Snapshot
}

// Snapshot is a value as it was. It stays as it is while the value lives on.
type Snapshot struct {
	store  *store
	on     *Snapshot // that it is based on; nil if none
	number uint      // how many were taken one after the other before it
	uses   int       // its owner, and the snapshots based on it
	blocks int       // numbers of blocks
	data   []byte
	root   uint64         // the word that stands for it
	typ    reflect.Type   // that it points to
	shared []pointer      // objects that copies share with the value, by number
	tokens []reflect.Type // of the values that Take was given
}

// New returns a Taker. Values of the types in shared, and functions of named types
// among them, belong to the value and all its copies: they never change. Pointers to
// the types in left are nil in copies.
func New(shared, left []reflect.Type) *Taker {
	k := newTypes()
	t := &Taker{types: k, store: &store{types: k}}
	for _, one := range shared {
		t.types.shared[one] = true
	}
	for _, one := range left {
		t.types.left[one] = true
	}
	return t
}

// Another returns a Taker for another value of the same type. The first of its snapshots has no
// base; the memory of all is counted together.
func (t *Taker) Another() *Taker {
	return &Taker{types: t.types, store: t.store, shared: share(nil)}
}

// Bytes returns about how much memory the snapshots hold that were taken of the value
// and of values restored from them, and not dropped.
func (t *Taker) Bytes() int { return t.store.bytes }

// wordBytes is the size of the words that a snapshot is made of. Each pointer becomes
// the code in one of them.
const wordBytes = 8

// Take takes a snapshot of root, a pointer. Of tokens, which are found in it, nothing
// is copied: Restore is given others in their place.
func (t *Taker) Take(root any, tokens ...any) (*Snapshot, error) {
	if unsafe.Sizeof(uintptr(0)) != wordBytes {
		return nil, errors.New("snapshots need a program of 64 bits, where a pointer fills a word")
	}
	w := newWalk(t, tokens)
	at := wordOf(root)
	w.add(at, t.types.of(reflect.TypeOf(root).Elem()), 1, -1, "")
	if err := w.discover(); err != nil {
		return nil, fmt.Errorf("%s cannot be copied: %w", reflect.TypeOf(root), err)
	}
	if err := w.merge(); err != nil {
		return nil, err
	}
	s, err := w.freeze()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be copied: %w", reflect.TypeOf(root), err)
	}
	s.typ = reflect.TypeOf(root).Elem()
	s.root, _ = w.code(target{at: at})
	for _, one := range tokens {
		s.tokens = append(s.tokens, reflect.TypeOf(one))
	}
	t.last = s
	return s, nil
}

// below returns the base of the next snapshot. Numbers count in powers of two: a snapshot with an
// odd number is based on the one before it, of the others every second on the second before it, and
// so on. So a reading goes through a few of them only, and half of all are no base of others, so
// that they can be dropped.
func (t *Taker) below() (on *Snapshot, number uint) {
	if t.last == nil {
		return nil, 0
	}
	number = t.last.number + 1
	// number&(number-1) is number without its lowest bit; a snapshot without uses was dropped.
	for on = t.last; on != nil && (on.uses == 0 || on.number > number&(number-1)); on = on.on {
	}
	return on, number
}

// Bare reports whether no other snapshot is based on this one: then dropping it frees its memory.
func (s *Snapshot) Bare() bool { return s.uses == 1 }

// snapshotBytes is the memory of a snapshot beside its data and its shared objects.
const snapshotBytes = 256

func (s *Snapshot) bytes() int { return snapshotBytes + len(s.data) + 8*len(s.shared) }

// Drop gives up a snapshot: it cannot be restored any more.
func (s *Snapshot) Drop() {
	for ; s != nil; s = s.on {
		if s.uses--; s.uses > 0 {
			return
		}
		s.store.bytes -= s.bytes()
		s.data, s.shared = nil, nil
	}
}
