// Package fifo provides two first-in, first-out collections: Queue, which grows as needed,
// and Ring, which overwrites its oldest value when it is full.
//
//	var q fifo.Queue[task]
//	q.Push(t)
//	for q.Len() > 0 {
//		begin(q.Pop())
//	}
package fifo

// Queue is a first-in, first-out queue. Its zero value is an empty queue. Its capacity is at
// most twice its peak length, or 4,096 if that is more.
type Queue[T any] struct {
	values []T // from head on
	head   int
}

// few is the number of popped entries below which the rest is not moved.
const few = 4096

// Len returns the number of values.
func (q *Queue[T]) Len() int { return len(q.values) - q.head }

// Values returns the values, oldest first. The slice belongs to the queue.
func (q *Queue[T]) Values() []T { return q.values[q.head:] }

// Push appends a value.
func (q *Queue[T]) Push(x T) { q.values = append(q.values, x) }

// Pop removes and returns the oldest value. It panics if the queue is empty.
func (q *Queue[T]) Pop() T {
	x := q.values[q.head]
	q.head++
	switch {
	case q.head == len(q.values):
		q.Clear()
	case q.head > few && 2*q.head > len(q.values):
		q.values = q.values[:copy(q.values, q.values[q.head:])]
		q.head = 0
	}
	return x
}

// Clear removes all values.
func (q *Queue[T]) Clear() { q.values, q.head = q.values[:0], 0 }

// Ring keeps the latest values, up to a fixed number. Create one with NewRing.
type Ring[T any] struct {
	values []T
	limit  int
	next   int // index of the oldest value if the ring is full
}

// NewRing returns an empty ring that keeps up to limit values; limit is above 0.
func NewRing[T any](limit int) *Ring[T] { return &Ring[T]{limit: limit} }

// Len returns the number of values.
func (r *Ring[T]) Len() int { return len(r.values) }

// Add appends a value and overwrites the oldest one if the ring is full.
func (r *Ring[T]) Add(x T) {
	if len(r.values) < r.limit {
		r.values = append(r.values, x)
		return
	}
	r.values[r.next] = x
	r.next = (r.next + 1) % r.limit
}

// Leaving returns the value that the next Add overwrites, or nil if the ring is not full.
// The pointer is valid until then.
func (r *Ring[T]) Leaving() *T {
	if len(r.values) < r.limit {
		return nil
	}
	return &r.values[r.next]
}

// Parts returns the values in two parts, oldest first. The slices belong to the ring and are
// valid until the next Add.
func (r *Ring[T]) Parts() (older, newer []T) { return r.values[r.next:], r.values[:r.next] }

// Latest returns the i-th newest value; 0 is the newest. The pointer is valid until Add
// overwrites the value.
func (r *Ring[T]) Latest(i int) *T {
	n := len(r.values)
	return &r.values[(r.next+n-1-i)%n]
}
