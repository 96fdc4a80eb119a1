package yield

import (
	"parley/core/cluster"
	"parley/core/heap"
	"parley/core/unit"
)

// spread places tasks as the paper's GR does: on the host with the least CPU
// need, by its capacity, that has the memory and suits the task.
type spread struct {
	order *heap.Heap[unit.NodeID] // least load first
	load  []float64               // by node: sum of CPU needs / capacity
	free  []int64                 // by node: memory that no task requests
	cpu   []float64               // by node: capacity
}

// newSpread returns a spread over the nodes that are up and have CPU, with the requests that are on them
// now.
func newSpread(v cluster.View) *spread {
	n := v.Nodes()
	s := &spread{load: make([]float64, n), free: make([]int64, n), cpu: make([]float64, n)}
	var up []unit.NodeID
	for i := range unit.NodeID(n) {
		capacity, requested := v.Capacity(i), v.Requested(i)
		if !v.Up(i) || capacity[unit.CPU] <= 0 {
			continue
		}
		s.cpu[i] = capacity[unit.CPU].Float()
		s.load[i] = requested[unit.CPU].Float() / s.cpu[i]
		s.free[i] = int64(capacity[unit.Memory] - requested[unit.Memory])
		up = append(up, i)
	}
	s.order = heap.New(s.less, up...)
	return s
}

// less orders by load, equal loads by number.
func (s *spread) less(a, b unit.NodeID) bool {
	return s.load[a] < s.load[b] || s.load[a] == s.load[b] && a < b
}

// take reserves the least loaded host that has memory for a task, is suitable, and whose load stays at
// most limit, and returns it; unit.NoNode if there is none. need is that of the task. After popped hosts
// by rank it looks at all of the others, whose order does not matter then.
func (s *spread) take(need unit.Vec, limit float64, suitable func(unit.NodeID) bool) unit.NodeID {
	fits := func(n unit.NodeID) bool {
		return int64(need[unit.Memory]) <= s.free[n] && s.load[n]+need[unit.CPU].Float()/s.cpu[n] <= limit &&
			suitable(n)
	}
	var passed []unit.NodeID
	found := unit.NoNode
	for s.order.Len() > 0 && found == unit.NoNode && len(passed) < popped {
		n := s.order.Pop()
		passed = append(passed, n)
		if fits(n) {
			found = n
		}
	}
	at := -1
	if found == unit.NoNode { // few hosts do: look at each of the others
		for i, n := range s.order.Values() {
			if (at < 0 || s.load[n] < s.load[found] || s.load[n] == s.load[found] && n < found) && fits(n) {
				found, at = n, i
			}
		}
	}
	if found != unit.NoNode {
		s.load[found] += need[unit.CPU].Float() / s.cpu[found]
		s.free[found] -= int64(need[unit.Memory])
	}
	if at >= 0 {
		s.order.Fix(at)
	}
	for _, n := range passed {
		s.order.Push(n)
	}
	return found
}

// popped is how many hosts take tries by rank before it looks at all of them.
const popped = 32

// giveBack undoes a reservation of take for the same node and need.
func (s *spread) giveBack(n unit.NodeID, need unit.Vec) {
	s.load[n] -= need[unit.CPU].Float() / s.cpu[n]
	s.free[n] += int64(need[unit.Memory])
	s.order.Order()
}

// placeGreedily places jobs one by one without a plan: those with constraints, which the solver
// does not support, and all if nothing is planned. A new job starts with all of its tasks or not at
// all, and only if the yield of its hosts stays at the floor. It returns the jobs that found no
// room beside the tasks that are there and those that the plan still has to place.
func (c *controller) placeGreedily(list []candidate) (turned []candidate) {
	if len(list) == 0 {
		return nil
	}
	s := newSpread(c.env.View)
	for _, i := range c.intents {
		if t, alive := c.env.View.Task(i.task); alive {
			s.free[i.node] -= int64(t.Request[unit.Memory])
		}
	}
	for _, w := range list {
		largest := 1e18
		if !w.job.admitted && c.settings.FloorYield > 0 {
			largest = 1 / c.settings.FloorYield
		}
		need := w.job.key.need
		var hosts []unit.NodeID
		for _, id := range w.tasks {
			n := s.take(need, largest, func(n unit.NodeID) bool { return c.env.View.Satisfies(id, n) })
			if n == unit.NoNode && !w.job.admitted {
				break
			}
			hosts = append(hosts, n)
		}
		if len(hosts) < len(w.tasks) {
			for _, n := range hosts {
				s.giveBack(n, need)
			}
			turned = append(turned, w)
			continue
		}
		w.job.admitted = true
		for k, id := range w.tasks {
			if hosts[k] != unit.NoNode {
				c.begin(intent{task: id, node: hosts[k], byHand: true})
			}
		}
	}
	return turned
}
