package cluster

import (
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// View reads the truth without being able to change it. It is a small value:
// pass it by value.
type View struct{ c *Cluster }

// View returns the read-only face of c.
func (c *Cluster) View() View { return View{c} }

// Nodes returns how many nodes have ever joined; unit.NodeIDs lie below it.
func (v View) Nodes() int { return len(v.c.nodes.machine) }

// Up reports whether a node is up.
func (v View) Up(n unit.NodeID) bool { return v.c.nodes.state[n].up }

// Vacant reports whether a node has nothing to do: no task, none on its way to it,
// no job and no piece of work.
func (v View) Vacant(n unit.NodeID) bool {
	s := &v.c.nodes.state[n]
	return s.count == 0 && s.incoming == 0 && v.Queued(n) == 0 && v.BusyProcessors(n) == 0
}

// Capacity returns what a node offers.
func (v View) Capacity(n unit.NodeID) unit.Vec { return v.c.nodes.capacity[n] }

// Used returns what a node's tasks use, with those on their way to it.
func (v View) Used(n unit.NodeID) unit.Vec { return v.c.nodes.used[n] }

// Requested returns what a node's tasks request, with those on their way to it.
func (v View) Requested(n unit.NodeID) unit.Vec { return v.c.nodes.state[n].requested }

// Promised returns what a node's production tasks request, likewise.
func (v View) Promised(n unit.NodeID) unit.Vec { return v.c.nodes.state[n].promised }

// Count returns how many tasks a node owns.
func (v View) Count(n unit.NodeID) int { return int(v.c.nodes.state[n].count) }

// Incoming returns how many migrations are on their way to a node.
func (v View) Incoming(n unit.NodeID) int { return int(v.c.nodes.state[n].incoming) }

// Prefetch announces an act that concerns a node: its figures are read
// ahead. What it returns means nothing; keep it, so that the reads have a use.
func (v View) Prefetch(n unit.NodeID) uint32 { return v.c.nodes.prefetch(n) }

// Rack and Site return where a node stands.
func (v View) Rack(n unit.NodeID) int32 { return v.c.nodes.rack[n] }

// Site returns the site of a node's rack.
func (v View) Site(n unit.NodeID) int32 { return v.c.nodes.site[n] }

// Racks returns the rack of every node. The slice belongs to the cluster.
func (v View) Racks() []int32 { return v.c.nodes.rack }

// Machine returns the workload's own number of a node.
func (v View) Machine(n unit.NodeID) uint64 { return v.c.nodes.machine[n] }

// Node returns the node of a machine that has joined at least once.
func (v View) Node(machine uint64) (unit.NodeID, bool) { return v.c.Node(machine) }

// Totals returns the sums over the cluster.
func (v View) Totals() Totals { return v.c.totals }

// Overloaded reports whether a node's tasks use more than it has.
func (v View) Overloaded(n unit.NodeID) bool {
	return !v.c.nodes.used[n].Within(v.c.nodes.capacity[n])
}

// Tasks calls yield for every task that a node owns, the latest first, until
// yield returns false. The node must not change meanwhile.
func (v View) Tasks(n unit.NodeID) func(yield func(unit.TaskID) bool) {
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
func (v View) Alive(yield func(unit.TaskID) bool) {
	for slot := range v.c.tasks {
		if v.c.tasks[slot].state != Free && !yield(v.c.id(uint32(slot))) {
			return
		}
	}
}

// Task is what a View tells about a task that has not ended.
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
func (v View) Task(id unit.TaskID) (Task, bool) {
	slot, ok := v.c.lookup(id)
	if !ok {
		return Task{}, false
	}
	t, d := &v.c.tasks[slot], &v.c.details[slot]
	return Task{
		State: t.state, Node: t.node, Target: t.target, Class: t.class, Priority: t.priority, Spread: d.spread, User: d.user,
		Request: t.request, Usage: t.usage, Image: d.image, Key: d.key, Submitted: d.submitted, Constraints: v.c.constraints(slot),
	}, true
}

// Suits reports whether a node satisfies a task's constraints.
func (v View) Suits(id unit.TaskID, n unit.NodeID) bool {
	slot, ok := v.c.lookup(id)
	return ok && v.c.suits(slot, n)
}

// Constrained reports whether a task has constraints at all.
func (v View) Constrained(id unit.TaskID) bool {
	slot, ok := v.c.lookup(id)
	return ok && v.c.details[slot].constrained
}

// Fits reports whether an act with this check would be accepted now.
func (v View) Fits(id unit.TaskID, n unit.NodeID, by Check) error { return v.c.Fits(id, n, by) }

// MigrationCost returns how many bytes a live migration of a task would move.
func (v View) MigrationCost(id unit.TaskID) unit.Bytes {
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
func (v View) Migrations(yield func(Migration) bool) {
	for i := range v.c.moves {
		if m := &v.c.moves[i]; m.active && !yield(Migration{m.task, m.from, m.to, m.began, m.ends, m.forced}) {
			return
		}
	}
}

// Attribute returns a node's value of an attribute, workload.Unset where it has
// none. Names lie below Attributes.
func (v View) Attribute(n unit.NodeID, name workload.AttributeName) int64 {
	return v.c.attribute(n, name)
}

// Attributes returns how many names of attributes there are.
func (v View) Attributes() int { return len(v.c.nodes.attributes) }
