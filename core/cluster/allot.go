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

// Allot implements Acts.
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

// begin gives a task that has none a share of 0.
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

// unallotted returns how much CPU of n has no owner but the task in slot.
func (c *Cluster) unallotted(slot uint32, n unit.NodeID) unit.Share {
	left := c.nodes.capacity[n][unit.CPU] - c.nodes.state[n].allotted
	if t := &c.tasks[slot]; t.allotted && t.node == n {
		left += c.allotments[slot].share
	}
	return left
}

// setShare gives a placed task that has a share another one.
func (c *Cluster) setShare(slot uint32, cpu unit.Share) {
	t, a := &c.tasks[slot], &c.allotments[slot]
	c.nodes.state[t.node].allotted += cpu - a.share
	a.share = cpu
	use := t.usage
	use[unit.CPU] = a.need
	c.applyUsage(t, c.capped(slot, use), &c.totals.Used)
}

// capped records the CPU that a task with a share needs and returns its use.
func (c *Cluster) capped(slot uint32, use unit.Vec) unit.Vec {
	a := &c.allotments[slot]
	a.need = use[unit.CPU]
	use[unit.CPU] = min(a.need, a.share)
	return use
}

// carry moves a task with a share to another node, as far as that has CPU left.
// It reports whether the share became less.
func (c *Cluster) carry(slot uint32, to unit.NodeID) (less bool) {
	a := &c.allotments[slot]
	if most := max(0, c.unallotted(slot, to)); a.share > most {
		c.setShare(slot, most)
		less = true
	}
	return less
}

// held returns a task's use of one of its two nodes: a share of CPU stays
// on the node that owns the task.
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
	if most := max(0, t.request[unit.CPU]); a.share > most {
		c.nodes.state[t.node].allotted -= a.share - most
		a.share, less = most, true
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
