package plan

import "parley/core/heap"

// queue holds vertices that are ready, the highest priority first, of equal ones
// the lowest number.
type queue struct{ ready *heap.Heap[int32] }

// newQueue returns an empty queue. Priorities that rounding may have set apart are
// equal: see near.
func newQueue(priority []float64) *queue {
	place := places(priority)
	return &queue{heap.New(func(u, v int32) bool { return place[u] > place[v] || place[u] == place[v] && u < v })}
}

func (q *queue) len() int { return q.ready.Len() }

func (q *queue) push(vertices ...int32) {
	for _, v := range vertices {
		q.ready.Push(v)
	}
}

func (q *queue) pop() int { return int(q.ready.Pop()) }
