package cluster

import (
	"slices"

	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// Reserve allocates memory for a number of concurrent tasks. More may be submitted, but
// growing arrays leave several times their size to the garbage collector.
func (c *Cluster) Reserve(tasks int) {
	c.tasks = slices.Grow(c.tasks, tasks)
	c.details = slices.Grow(c.details, tasks)
}

// Submit adds a task, which waits, and returns its ID. Until it is placed, its usage is the average of its model.
func (c *Cluster) Submit(key workload.Key, w *workload.Task) unit.TaskID {
	slot := slab.Take(&c.free, &c.tasks)
	if int(slot) == len(c.details) {
		c.details = append(c.details, detail{})
	}
	t := &c.tasks[slot]
	*t = task{
		node: unit.NoNode, target: unit.NoNode, move: -1,
		use: t.use + 1, state: Waiting, class: w.Class, priority: w.Priority, request: w.Request,
		measured: w.Usage.Measured, model: c.models.take(&w.Usage),
	}
	t.usage = w.Usage.Average(t.request)
	d := &c.details[slot]
	*d = detail{
		key: key, user: w.User, image: w.Image, lifetime: w.Lifetime, submitted: c.clock.Now(),
		spread: w.Spread,
	}
	c.constrain(slot, w.Constraints)
	c.totals.Submitted++
	c.totals.Waiting++
	id := c.id(slot)
	c.emit(Event{Kind: TaskSubmitted, Task: id, Node: unit.NoNode})
	return id
}

// End ends a task in any state. A task that has ended is not changed.
func (c *Cluster) End(id unit.TaskID, how workload.End) {
	if slot, ok := c.lookup(id); ok {
		c.clock.Cancel(c.details[slot].ending)
		c.end(slot, how)
	}
}

// end ends the task of a slot, in any state, and frees the slot. The caller has cancelled its ending, or is its
// handler.
func (c *Cluster) end(slot uint32, how workload.End) {
	node := c.tasks[slot].node
	switch c.tasks[slot].state {
	case Waiting:
		c.totals.Waiting--
	case Migrating:
		c.breakMove(uint32(c.tasks[slot].move))
		fallthrough
	default:
		c.detach(slot)
		c.totals.Running--
	}
	c.models.leave(&c.tasks[slot])
	c.tasks[slot].state, c.tasks[slot].allotted = Free, false
	c.free = append(c.free, slot)
	c.totals.Ended[how]++
	c.emit(Event{Kind: TaskEnded, Task: c.id(slot), Node: node, Detail: uint8(how)})
}

// Change replaces a task's request, class, priority and constraints; a task that has ended is ignored. The task
// keeps its node, unless the node's sums cannot hold the new figures: then it waits again. A task without
// measured usage takes new usage from its model.
func (c *Cluster) Change(id unit.TaskID, w *workload.Task) {
	slot, ok := c.lookup(id)
	if !ok {
		return
	}
	t := &c.tasks[slot]
	c.unload(slot, t.node)
	c.unload(slot, t.target)
	t.request, t.class, t.priority = w.Request, w.Class, w.Priority
	switch {
	case t.measured:
		if t.allotted {
			t.usage[unit.CPU] = c.allotments[slot].need
		}
	case t.state == Waiting:
		t.usage = t.model.average(t.request)
	default:
		t.usage = c.modelled(slot)
	}
	less := t.allotted && c.trim(slot)
	fits := (t.node < 0 || c.sumsFit(t, t.node)) && (t.target < 0 || c.sumsFit(t, t.target))
	c.constrain(slot, w.Constraints)
	if w.Image > 0 {
		c.details[slot].image = w.Image
	}
	c.load(slot, t.node)
	c.load(slot, t.target)
	c.emit(Event{Kind: TaskChanged, Task: id, Node: t.node})
	if less {
		c.emitShare(slot)
	}
	if !fits {
		c.displace(slot)
	}
}

// Measure sets a task's usage, up to the maximum of its node's sums; a task that has ended is ignored. Its usage
// model no longer applies.
func (c *Cluster) Measure(id unit.TaskID, use unit.Vec) {
	slot, ok := c.lookup(id)
	if !ok {
		return
	}
	c.models.leave(&c.tasks[slot])
	c.setUsage(slot, use)
	c.emit(Event{Kind: UsageMeasured, Task: id, Node: c.tasks[slot].node})
}

// Record reports where the workload's own scheduler placed a task; n is NoNode if it
// removed the task. The cluster only passes this on to systems.
func (c *Cluster) Record(id unit.TaskID, n unit.NodeID) {
	if _, ok := c.lookup(id); !ok {
		return
	}
	kind := TaskRecorded
	if n == unit.NoNode {
		kind = TaskReleased
	}
	c.emit(Event{Kind: kind, Task: id, Node: n})
}

// attach puts a waiting task onto a node and lets it run.
func (c *Cluster) attach(slot uint32, n unit.NodeID) {
	t := &c.tasks[slot]
	t.node = n
	c.nodes.tasks[n] = append(c.nodes.tasks[n], slot)
	c.nodes.state[n].count++
	if t.allotted {
		c.nodes.state[n].allotted += c.allotments[slot].share
	}
	c.load(slot, n)
}

// detach takes a task off its node.
func (c *Cluster) detach(slot uint32) {
	t := &c.tasks[slot]
	c.unload(slot, t.node)
	if t.allotted {
		c.nodes.state[t.node].allotted -= c.allotments[slot].share
	}
	own := c.nodes.tasks[t.node]
	last := len(own) - 1
	later := own[last]
	for i := last - 1; later != slot; i-- { // those after it move up: usually a dozen
		own[i], later = later, own[i]
	}
	c.nodes.tasks[t.node] = own[:last]
	c.nodes.state[t.node].count--
	t.node = unit.NoNode
}

// displace takes a running or migrating task off its node, so that it waits again without a share; a migration
// is broken off first.
func (c *Cluster) displace(slot uint32) {
	if c.tasks[slot].state == Migrating {
		c.breakMove(uint32(c.tasks[slot].move))
	}
	n := c.tasks[slot].node
	c.detach(slot)
	if c.tasks[slot].allotted {
		c.forfeit(slot)
	}
	c.clock.Cancel(c.details[slot].ending)
	c.details[slot].ending = 0
	c.tasks[slot].state = Waiting
	c.totals.Running--
	c.totals.Waiting++
	c.totals.Displaced++
	c.emit(Event{Kind: TaskDisplaced, Task: c.id(slot), Node: n})
}

// load adds the figures of a task to the sums of a node and of the cluster, and unload subtracts them; on
// unit.NoNode both do nothing. Between the two, the figures of the task must not change.
func (c *Cluster) load(slot uint32, n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	t := &c.tasks[slot]
	use := t.held(n)
	c.nodes.used[n] = c.nodes.used[n].Add(use)
	c.nodes.state[n].requested = c.nodes.state[n].requested.Add(t.request)
	if c.nodes.any {
		c.take(slot, n, 1)
	}
	add(&c.totals.Used, use)
	add(&c.totals.Requested, t.request)
	if t.class == workload.Production {
		c.nodes.state[n].byProduction = c.nodes.state[n].byProduction.Add(t.request)
		add(&c.totals.Production, t.request)
	}
}

// unload takes the use and the request of a task off node n, which may be NoNode, and off the totals.
func (c *Cluster) unload(slot uint32, n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	t := &c.tasks[slot]
	use := t.held(n)
	c.nodes.used[n] = c.nodes.used[n].Sub(use)
	c.nodes.state[n].requested = c.nodes.state[n].requested.Sub(t.request)
	if c.nodes.any {
		c.take(slot, n, -1)
	}
	sub(&c.totals.Used, use)
	sub(&c.totals.Requested, t.request)
	if t.class == workload.Production {
		c.nodes.state[n].byProduction = c.nodes.state[n].byProduction.Sub(t.request)
		sub(&c.totals.Production, t.request)
	}
}
