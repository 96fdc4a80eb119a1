package central

import (
	"slices"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// ranking finds the best node for a task over the whole cluster. Tasks come in
// jobs of equals, so it keeps a heap of the nodes that fit one kind of task:
// the first of a job costs a scan, each further one a step in the heap.
type ranking struct {
	view   cluster.View
	score  score
	by     cluster.Check
	random *rng.Stream

	valid       bool
	request     unit.Vec
	constraints []workload.Constraint
	heap        []ranked // highest score first, then lowest node
}

type ranked struct {
	score float64
	node  unit.NodeID
}

func (a ranked) above(b ranked) bool {
	return a.score > b.score || a.score == b.score && a.node < b.node
}

// forget drops the heap: the cluster changed under it.
func (r *ranking) forget() { r.valid = false }

// best returns the best node that fits the task, or unit.NoNode.
func (r *ranking) best(id unit.TaskID, t *cluster.Task) unit.NodeID {
	if !r.valid || r.request != t.Request || !slices.Equal(r.constraints, t.Constraints) {
		r.scan(id, t)
	}
	for len(r.heap) > 0 {
		if r.view.Fits(id, r.heap[0].node, r.by) == nil {
			return r.heap[0].node
		}
		r.pop()
	}
	return unit.NoNode
}

// moved tells that a task of this kind was placed on n, the top of the heap.
func (r *ranking) moved(n unit.NodeID) {
	r.heap[0].score = r.score(r.view, n, r.request, r.random)
	r.down(0)
}

// first returns the best k nodes, the best first, by the scores they were
// ranked with; some of those behind the first may no longer fit.
func (r *ranking) first(k int) (best []ranked) {
	open := []int{0} // places of the heap whose parents are all in best
	for len(best) < k && len(open) > 0 {
		top := 0
		for i, place := range open {
			if place < len(r.heap) && (open[top] >= len(r.heap) || r.heap[place].above(r.heap[open[top]])) {
				top = i
			}
		}
		place := open[top]
		if place >= len(r.heap) {
			return best
		}
		best = append(best, r.heap[place])
		open[top] = 2*place + 1
		open = append(open, 2*place+2)
	}
	return best
}

func (r *ranking) scan(id unit.TaskID, t *cluster.Task) {
	r.valid, r.request = true, t.Request
	r.constraints = append(r.constraints[:0], t.Constraints...)
	r.heap = r.heap[:0]
	for n := unit.NodeID(0); int(n) < r.view.Nodes(); n++ {
		if r.view.Fits(id, n, r.by) == nil {
			r.heap = append(r.heap, ranked{r.score(r.view, n, t.Request, r.random), n})
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
}

func (r *ranking) pop() {
	last := len(r.heap) - 1
	r.heap[0] = r.heap[last]
	r.heap = r.heap[:last]
	if last > 0 {
		r.down(0)
	}
}

func (r *ranking) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if child+1 < len(r.heap) && r.heap[child+1].above(r.heap[child]) {
			child++
		}
		if !r.heap[child].above(r.heap[i]) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}
