package cluster

import (
	"slices"

	"parley/core/unit"
)

// A CPU share limits the CPU that a running task uses: memory is rigid and CPU fluid (Stillwell and
// others, arXiv 1006.5376, section 2). A task has no share, and uses all CPU that it needs, until
// Allot gives it one. From then on
//
//   - it uses min(its need, its share);
//   - its share counts on the node that owns it, and shares there never sum to
//     more than the node has: a node that shrinks cuts them all alike, and a
//     migration that ends takes along at most the share left on the target;
//   - while it migrates, only its memory is held on the target as well;
//   - its share is at most its request, and is removed when it waits again.

// allotment is the share that a task holds; see task.allotted.
type allotment struct {
	share unit.Share
	need  unit.Share // CPU it would use without
}

// Allot implements Acts. It returns ErrGone if the task has ended, ErrState if it waits, ErrShare if cpu is not within
// 0 and its request, and ErrFull if the node has less CPU unallotted.
func (c *Cluster) Allot(id unit.TaskID, cpu unit.Share) error {
	slot, ok := c.lookup(id)
	if !ok {
		return ErrGone
	}
	t := &c.tasks[slot]
	switch {
	case t.state == Waiting:
		return ErrState
	case cpu < 0 || cpu > t.request[unit.CPU]:
		return ErrShare
	case cpu > c.unallotted(slot, t.node):
		return ErrFull
	}
	if !t.allotted {
		c.begin(slot)
	} else if c.allotments[slot].share == cpu {
		return nil
	}
	c.setShare(slot, cpu)
	c.emitShare(slot)
	return nil
}

// begin gives a task a share of 0. The sums of a migration's target lose the CPU of the task, because a share is
// held on its own node only.
func (c *Cluster) begin(slot uint32) {
	for len(c.allotments) < len(c.tasks) {
		c.allotments = append(c.allotments, allotment{})
	}
	t := &c.tasks[slot]
	c.unload(slot, t.target)
	t.allotted = true
	c.allotments[slot] = allotment{need: t.usage[unit.CPU]}
	c.load(slot, t.target)
}

// unallotted returns the CPU of node n that is allotted to no task other than that in slot; below 0 if the node
// shrank.
func (c *Cluster) unallotted(slot uint32, n unit.NodeID) unit.Share {
	left := c.nodes.capacity[n][unit.CPU] - c.nodes.state[n].allotted
	if t := &c.tasks[slot]; t.allotted && t.node == n {
		left += c.allotments[slot].share
	}
	return left
}

// setShare changes the share of a task that has one and is on a node, and its use to the lesser of share and need.
func (c *Cluster) setShare(slot uint32, cpu unit.Share) {
	t, a := &c.tasks[slot], &c.allotments[slot]
	c.nodes.state[t.node].allotted += cpu - a.share
	a.share = cpu
	use := t.usage
	use[unit.CPU] = a.need
	c.applyUsage(t, c.capped(slot, use), &c.totals.Used)
}

// capped records the CPU in use as the need of a task that has a share, and returns use with the CPU that it gets.
func (c *Cluster) capped(slot uint32, use unit.Vec) unit.Vec {
	a := &c.allotments[slot]
	a.need = use[unit.CPU]
	use[unit.CPU] = min(a.need, a.share)
	return use
}

// carry limits the share of a task that moves to a node to the CPU unallotted there, and reports whether it became
// less.
func (c *Cluster) carry(slot uint32, to unit.NodeID) (less bool) {
	a := &c.allotments[slot]
	if limit := max(0, c.unallotted(slot, to)); a.share > limit {
		c.setShare(slot, limit)
		less = true
	}
	return less
}

// held returns the resources in use by a task on node n, its own or its migration's target: a share of CPU is held
// only on its own.
func (t *task) held(n unit.NodeID) unit.Vec {
	use := t.usage
	if t.allotted && n != t.node {
		use[unit.CPU] = 0
	}
	return use
}

// trim cuts the share of a task whose request has changed to that, and its use
// to its share. The task must be off the sums. It reports whether the share
// became less.
func (c *Cluster) trim(slot uint32) (less bool) {
	t, a := &c.tasks[slot], &c.allotments[slot]
	if limit := max(0, t.request[unit.CPU]); a.share > limit {
		c.nodes.state[t.node].allotted -= a.share - limit
		a.share, less = limit, true
	}
	t.usage = c.capped(slot, t.usage)
	return less
}

// forfeit takes the share off a task that no longer runs.
func (c *Cluster) forfeit(slot uint32) {
	t := &c.tasks[slot]
	t.allotted = false
	t.usage[unit.CPU] = c.allotments[slot].need
}

// reduceShares cuts the shares on a node alike until they are within its capacity.
func (c *Cluster) reduceShares(n unit.NodeID) {
	sum, capacity := int64(c.nodes.state[n].allotted), int64(c.nodes.capacity[n][unit.CPU])
	if sum <= capacity {
		return
	}
	for _, slot := range slices.Backward(c.nodes.tasks[n]) {
		if c.tasks[slot].allotted {
			c.setShare(slot, unit.Share(int64(c.allotments[slot].share)*max(0, capacity)/sum))
			c.emitShare(slot)
		}
	}
}

func (c *Cluster) emitShare(slot uint32) {
	c.emit(Event{
		Kind: TaskAllotted, Task: c.id(slot), Node: c.tasks[slot].node,
		Amount: int64(c.allotments[slot].share),
	})
}

// Share returns the CPU allotted to a task, and whether it has a share at all.
func (v TaskView) Share(id unit.TaskID) (unit.Share, bool) {
	slot, ok := v.c.lookup(id)
	if !ok || !v.c.tasks[slot].allotted {
		return 0, false
	}
	return v.c.allotments[slot].share, true
}

// Allotted returns the sum of the shares of the tasks that a node owns.
func (v TaskView) Allotted(n unit.NodeID) unit.Share {
	return v.c.nodes.state[n].allotted
}
