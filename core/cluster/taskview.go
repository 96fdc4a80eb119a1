package cluster

import (
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// TaskView reads tasks and the resources that they hold on nodes.
type TaskView struct{ c *Cluster }

// Used returns the usage of a node's tasks, with those on their way to it.
func (v TaskView) Used(n unit.NodeID) unit.Vec { return v.c.nodes.used[n] }

// Requested returns the requests of a node's tasks, with those on their way to it.
func (v TaskView) Requested(n unit.NodeID) unit.Vec { return v.c.nodes.state[n].requested }

// Production returns the requests of a node's production tasks, likewise.
func (v TaskView) Production(n unit.NodeID) unit.Vec { return v.c.nodes.state[n].byProduction }

// Count returns how many tasks a node owns.
func (v TaskView) Count(n unit.NodeID) int { return int(v.c.nodes.state[n].count) }

// Incoming returns how many migrations are on their way to a node.
func (v TaskView) Incoming(n unit.NodeID) int { return int(v.c.nodes.state[n].incoming) }

// Overloaded reports whether a node's tasks use more than it has.
func (v TaskView) Overloaded(n unit.NodeID) bool {
	return !v.c.nodes.used[n].Within(v.c.nodes.capacity[n])
}

// Tasks calls yield for every task that a node owns, the latest first, until
// yield returns false. The node must not change meanwhile.
func (v TaskView) Tasks(n unit.NodeID) func(yield func(unit.TaskID) bool) {
	return func(yield func(unit.TaskID) bool) {
		for _, slot := range slices.Backward(v.c.nodes.tasks[n]) {
			if !yield(v.c.id(slot)) {
				return
			}
		}
	}
}

// Alive calls yield for every task that has not ended, by slot, until yield returns
// false. No task must come or end meanwhile.
func (v TaskView) Alive(yield func(unit.TaskID) bool) {
	for slot := range v.c.tasks {
		if v.c.tasks[slot].state != Free && !yield(v.c.id(uint32(slot))) {
			return
		}
	}
}

// Task is a View's description of a task that has not ended.
type Task struct {
	State       State
	Node        unit.NodeID // NoNode while it waits
	Target      unit.NodeID // of the migration under way, else NoNode
	Class       workload.PriorityClass
	Priority    uint8
	Spread      bool
	User        uint32
	Request     unit.Vec
	Usage       unit.Vec
	Image       unit.Bytes
	Key         workload.Key
	Submitted   unit.Time
	Constraints []workload.Constraint // belongs to the cluster
}

// Task returns a task, or false when it has ended.
func (v TaskView) Task(id unit.TaskID) (Task, bool) {
	slot, ok := v.c.lookup(id)
	if !ok {
		return Task{}, false
	}
	t, d := &v.c.tasks[slot], &v.c.details[slot]
	return Task{
		State: t.state, Node: t.node, Target: t.target, Class: t.class, Priority: t.priority, Spread: d.spread,
		User:    d.user,
		Request: t.request, Usage: t.usage, Image: d.image, Key: d.key, Submitted: d.submitted,
		Constraints: v.c.constraints(slot),
	}, true
}

// Satisfies reports whether a node satisfies a task's constraints.
func (v TaskView) Satisfies(id unit.TaskID, n unit.NodeID) bool {
	slot, ok := v.c.lookup(id)
	return ok && v.c.satisfies(slot, n)
}

// Constrained reports whether a task has constraints at all.
func (v TaskView) Constrained(id unit.TaskID) bool {
	slot, ok := v.c.lookup(id)
	return ok && v.c.details[slot].constrained
}

// Fits reports whether an act with this check would be accepted now.
func (v TaskView) Fits(id unit.TaskID, n unit.NodeID, by Check) error { return v.c.Fits(id, n, by) }

// MigrationCost returns how many bytes a live migration of a task would move.
func (v TaskView) MigrationCost(id unit.TaskID) unit.Bytes {
	slot, ok := v.c.lookup(id)
	if !ok {
		return 0
	}
	return v.c.transfer(slot)
}

// Migration is a migration under way.
type Migration struct {
	Task        unit.TaskID
	From, To    unit.NodeID
	Began, Ends unit.Time
	Forced      bool
}

// Migrations calls yield for every migration under way.
func (v TaskView) Migrations(yield func(Migration) bool) {
	for i := range v.c.moves {
		if m := &v.c.moves[i]; m.active && !yield(Migration{m.task, m.from, m.to, m.began, m.ends, m.forced}) {
			return
		}
	}
}
