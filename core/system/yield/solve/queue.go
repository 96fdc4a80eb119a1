package solve

import "math"

// queue is a sorted list of tasks from which the first one that fits is taken.
// It is a tree of minima: a node holds the least CPU and the least memory of the
// tasks below it, so that a search skips every part in which nothing can fit.
// Scanning the list instead costs its whole length for every full host.
type queue struct {
	leaves int // a power of two
	lowest []need
	task   []int32
}

type need struct{ cpu, mem float64 }

var taken = need{math.Inf(1), math.Inf(1)}

// reset loads the tasks in the given order.
func (q *queue) reset(order []int32, cpu, mem []float64) {
	q.leaves = 1
	for q.leaves < len(order) {
		q.leaves *= 2
	}
	if cap(q.lowest) < 2*q.leaves {
		q.lowest = make([]need, 2*q.leaves)
	}
	q.lowest = q.lowest[:2*q.leaves]
	q.task = append(q.task[:0], order...)
	for i, task := range order {
		q.lowest[q.leaves+i] = need{cpu[task], mem[task]}
	}
	for i := len(order); i < q.leaves; i++ {
		q.lowest[q.leaves+i] = taken
	}
	for i := q.leaves - 1; i >= 1; i-- {
		q.lowest[i] = lesser(q.lowest[2*i], q.lowest[2*i+1])
	}
}

func lesser(a, b need) need { return need{min(a.cpu, b.cpu), min(a.mem, b.mem)} }

// take removes and returns the first task whose CPU and memory need fit, or
// returns -1.
func (q *queue) take(cpu, mem float64) int32 {
	node := 1
	for {
		if lowest := q.lowest[node]; lowest.cpu <= cpu && lowest.mem <= mem {
			if node >= q.leaves {
				break
			}
			node *= 2
			continue
		}
		for node&1 == 1 { // nothing here or to the left: climb to the next part on the right
			node /= 2
		}
		if node == 0 {
			return -1
		}
		node++
	}
	task := q.task[node-q.leaves]
	q.lowest[node] = taken
	for node /= 2; node >= 1; node /= 2 {
		rest := lesser(q.lowest[2*node], q.lowest[2*node+1])
		if rest == q.lowest[node] {
			break
		}
		q.lowest[node] = rest
	}
	return task
}
