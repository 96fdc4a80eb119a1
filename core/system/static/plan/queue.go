package plan

import "parley/core/heap"

// queue holds vertices that are ready, the highest priority first, of equal ones
// the lowest number.
type queue struct{ ready *heap.Heap[int32] }

func newQueue(priority []float64) *queue {
	return &queue{heap.New(func(u, v int32) bool { return priority[u] > priority[v] || priority[u] == priority[v] && u < v })}
}

func (q *queue) len() int { return q.ready.Len() }

func (q *queue) push(vertices ...int32) {
	for _, v := range vertices {
		q.ready.Push(v)
	}
}

func (q *queue) pop() int { return int(q.ready.Pop()) }
