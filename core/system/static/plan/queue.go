package plan

import "container/heap"

// queue holds vertices that are ready, the highest priority first, of equal ones
// the lowest number.
type queue struct{ byPriority }

type byPriority struct {
	vertices []int32
	priority []float64
}

func newQueue(priority []float64) *queue { return &queue{byPriority{priority: priority}} }

func (q *queue) len() int { return len(q.vertices) }

func (q *queue) push(vertices ...int32) {
	for _, v := range vertices {
		heap.Push(&q.byPriority, v)
	}
}

func (q *queue) pop() int { return int(heap.Pop(&q.byPriority).(int32)) }

// Len implements heap.Interface.
func (b *byPriority) Len() int { return len(b.vertices) }

// Less implements heap.Interface.
func (b *byPriority) Less(i, j int) bool {
	u, v := b.vertices[i], b.vertices[j]
	return b.priority[u] > b.priority[v] || b.priority[u] == b.priority[v] && u < v
}

// Swap implements heap.Interface.
func (b *byPriority) Swap(i, j int) { b.vertices[i], b.vertices[j] = b.vertices[j], b.vertices[i] }

// Push implements heap.Interface.
func (b *byPriority) Push(v any) { b.vertices = append(b.vertices, v.(int32)) }

// Pop implements heap.Interface.
func (b *byPriority) Pop() any {
	last := len(b.vertices) - 1
	v := b.vertices[last]
	b.vertices = b.vertices[:last]
	return v
}
