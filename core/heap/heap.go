// Package heap holds values of which the first by some order is wanted next: a binary
// heap. Where the order is total, what comes out does not depend on how it went in.
//
//	h := heap.New(func(a, b event) bool { return a.at < b.at || a.at == b.at && a.serial < b.serial })
//	h.Push(e)
//	next := h.Pop()
//
// The event queue of a simulation (core/des) has a heap of its own with four branches:
// everything waits for that one.
package heap

// Heap is the values. Use New.
type Heap[T any] struct {
	before func(a, b T) bool
	values []T
}

// New returns a heap of values, which it owns from now on. Before reports whether a comes
// out before b.
func New[T any](before func(a, b T) bool, values ...T) *Heap[T] {
	h := &Heap[T]{before, values}
	h.Order()
	return h
}

// Len returns how many values there are.
func (h *Heap[T]) Len() int { return len(h.values) }

// Values returns them, the first one first and the others in no order. The slice
// belongs to the heap: after a change of an entry call Fix.
func (h *Heap[T]) Values() []T { return h.values }

// Push adds a value.
func (h *Heap[T]) Push(x T) {
	h.values = append(h.values, x)
	h.up(len(h.values) - 1)
}

// Pop takes the first value out. There must be one.
func (h *Heap[T]) Pop() T {
	last := len(h.values) - 1
	first := h.values[0]
	h.values[0] = h.values[last]
	var none T
	h.values[last] = none // what it points to is free
	h.values = h.values[:last]
	h.down(0)
	return first
}

// Fix brings an entry of Values whose order has changed to its place.
func (h *Heap[T]) Fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

// Order brings all values to their places, after more than one has changed.
func (h *Heap[T]) Order() {
	for i := len(h.values)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *Heap[T]) up(i int) {
	v := h.values
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(v[i], v[parent]) {
			return
		}
		v[i], v[parent] = v[parent], v[i]
		i = parent
	}
}

// down moves an entry towards the leaves and reports whether it moved.
func (h *Heap[T]) down(i int) bool {
	v, from := h.values, i
	for {
		first := 2*i + 1
		if first >= len(v) {
			break
		}
		if second := first + 1; second < len(v) && h.before(v[second], v[first]) {
			first = second
		}
		if !h.before(v[first], v[i]) {
			break
		}
		v[i], v[first] = v[first], v[i]
		i = first
	}
	return i > from
}
