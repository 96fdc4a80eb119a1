// Package fifo holds values in the order in which they came: a Queue, from which the
// first is taken, and a Ring, which forgets the oldest.
//
//	var q fifo.Queue[task]
//	q.Push(t)
//	for q.Len() > 0 {
//		begin(q.Pop())
//	}
package fifo

// Queue is values of which the first to come is the first to go. Its zero value is
// empty. It holds no more than twice as many places as it ever held values at a time,
// or few.
type Queue[T any] struct {
	values []T // from head on
	head   int
}

// few is how many spent places are not worth a move.
const few = 4096

// Len returns how many values there are.
func (q *Queue[T]) Len() int { return len(q.values) - q.head }

// Values returns them, the first one first. The slice belongs to the queue.
func (q *Queue[T]) Values() []T { return q.values[q.head:] }

// Push adds a value at the end.
func (q *Queue[T]) Push(x T) { q.values = append(q.values, x) }

// Pop takes the first value out. There must be one.
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

// Clear takes all values out.
func (q *Queue[T]) Clear() { q.values, q.head = q.values[:0], 0 }

// Ring keeps the latest values, up to its capacity.
type Ring[T any] struct {
	values []T
	most   int
	next   int // the place of the oldest, once it is full
}

// NewRing returns an empty ring that keeps up to most values, above 0.
func NewRing[T any](most int) *Ring[T] { return &Ring[T]{most: most} }

// Len returns how many values there are.
func (r *Ring[T]) Len() int { return len(r.values) }

// Add keeps one more value, in the place of the oldest where it is full.
func (r *Ring[T]) Add(x T) {
	if len(r.values) < r.most {
		r.values = append(r.values, x)
		return
	}
	r.values[r.next] = x
	r.next = (r.next + 1) % r.most
}

// Leaving returns the value in whose place the next one is kept, which belongs to the
// ring; nil while there is room beside it.
func (r *Ring[T]) Leaving() *T {
	if len(r.values) < r.most {
		return nil
	}
	return &r.values[r.next]
}

// Latest returns the i-th newest value; 0 is the newest. It belongs to the ring.
func (r *Ring[T]) Latest(i int) *T {
	n := len(r.values)
	return &r.values[(r.next+n-1-i)%n]
}
