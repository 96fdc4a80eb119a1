// Package heap implements a priority queue as a binary min-heap. If the order is total,
// the sequence of Pop does not depend on the sequence of Push.
//
//	h := heap.New(func(a, b event) bool { return a.at < b.at || a.at == b.at && a.serial < b.serial })
//	h.Push(e)
//	next := h.Pop()
//
// The event queue of a simulation (core/des) has a heap of its own with four children a
// node, because the speed of every run depends on it.
package heap

// Heap is a binary min-heap. Create one with New.
type Heap[T any] struct {
	before func(a, b T) bool
	values []T
}

// New returns a heap of the given values and takes ownership of them. before reports
// whether a must be popped before b.
func New[T any](before func(a, b T) bool, values ...T) *Heap[T] {
	h := &Heap[T]{before, values}
	h.Order()
	return h
}

// Len returns the number of values.
func (h *Heap[T]) Len() int { return len(h.values) }

// Values returns the values: the first is the minimum, the others have no order. The slice
// belongs to the heap; call Fix after changing an entry.
func (h *Heap[T]) Values() []T { return h.values }

// Push adds a value.
func (h *Heap[T]) Push(x T) {
	h.values = append(h.values, x)
	h.up(len(h.values) - 1)
}

// Pop removes and returns the minimum. It panics if the heap is empty.
func (h *Heap[T]) Pop() T {
	last := len(h.values) - 1
	first := h.values[0]
	h.values[0] = h.values[last]
	var none T
	h.values[last] = none // release the memory it points to
	h.values = h.values[:last]
	h.down(0)
	return first
}

// Fix restores the order after entry i of Values has changed.
func (h *Heap[T]) Fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

// Order restores the order after any number of entries have changed.
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
