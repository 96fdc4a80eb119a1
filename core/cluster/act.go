package cluster

import (
	"errors"

	"parley/core/unit"
	"parley/core/workload"
)

// Acts are the acts of a system. Every act is checked against the state and either
// succeeds as a whole or returns one of the errors below and changes nothing.
type Acts interface {
	TaskActs
	JobActs
	LoadActs
	GraphActs
}

// TaskActs are the acts on tasks, which hold shares of nodes.
type TaskActs interface {
	// Place puts a waiting task onto a node, if it fits by the given check.
	Place(task unit.TaskID, n unit.NodeID, by Check) error
	// Migrate starts to move a running task to another node. The task's
	// resources are held on both nodes until the migration ends.
	Migrate(task unit.TaskID, to unit.NodeID, by Check) error
	// Preempt takes a running task off its node; it waits again.
	Preempt(task unit.TaskID) error
	// Allot sets the CPU share of a placed task, at most its request and the CPU left on its node.
	// From now on the task uses at most its share, on every node to which it moves.
	Allot(task unit.TaskID, cpu unit.Share) error
}

// JobActs are the acts on rigid jobs.
type JobActs interface {
	// PlaceAll gives a waiting job processors of nodes, as many as it asks for in
	// all: every one of them or none. It runs from now on.
	PlaceAll(job unit.JobID, at []Part) error
	// PreemptAll takes a running job off its processors; it waits again.
	PreemptAll(job unit.JobID) error
	// SuspendAll is PreemptAll for a job that keeps its progress. Its next run loses the cost
	// before it continues; if that run is stopped too by SuspendAll, it loses the cost of that act
	// as well.
	SuspendAll(job unit.JobID, cost unit.Time) error
	// Slow lets a job that was placed at this moment take pace thousandths of the time that it would, 1000 or more
	// and at most MaxPace, until it ends or is stopped. Its limit is stretched alike.
	Slow(job unit.JobID, pace int64) error
	// CancelAll ends a job for good, running or not; it counts as evicted.
	CancelAll(job unit.JobID) error
	// SwitchOff lets a node that is on and has no job shut down. It takes no job until it is on again.
	SwitchOff(n unit.NodeID) error
	// SwitchOn lets a node boot, one that shuts down as soon as it is off; one that is on stays so.
	SwitchOn(n unit.NodeID) error
}

// LoadActs are the acts on a divisible load.
type LoadActs interface {
	// Send puts a chunk of the master's load onto its port, towards a worker. The port is busy
	// until ChunkReceived or ChunkLost.
	Send(to unit.NodeID, amount unit.Work) error
}

// GraphActs are the acts on task graphs.
type GraphActs interface {
	// Assign puts a waiting subtask of a graph at the end of the queue of a node that can do its
	// type. It starts by itself when it is the first there and all its inputs are on the node.
	Assign(g unit.GraphID, subtask int32, n unit.NodeID) error
	// Withdraw takes a subtask off its node, even while it is computed; it waits again.
	Withdraw(g unit.GraphID, subtask int32) error
	// Transfer sends the data of an arc to a node, or home (NoNode). The source is the node that
	// computed it, else the node to which it was delivered, else home. An arc has at most one
	// transfer at a time. The data is not sent to a node while the subtask that needs it is on
	// another.
	Transfer(g unit.GraphID, arc int32, to unit.NodeID) error
	// StopTransfer cancels the transfer of an arc.
	StopTransfer(g unit.GraphID, arc int32) error
	// Abort gives a graph up: all of it is taken off its nodes and ports.
	Abort(g unit.GraphID) error
}

// The answers that an act may get. A system that loses a race sees ErrFull.
var (
	ErrFull       = errors.New("the node has not enough left")
	ErrDown       = errors.New("the node is down")
	ErrConstraint = errors.New("the node does not satisfy the task's constraints")
	ErrGone       = errors.New("the task has ended")
	ErrState      = errors.New("the task is not in a state for that")
	ErrShare      = errors.New("the share is not between nothing and what the task requests")
	ErrNoWorker   = errors.New("the node cannot compute that")
	ErrBusy       = errors.New("that is being sent, or the port that it needs is sending")
	ErrPace       = errors.New("the pace is not between 1000 and 100000 thousandths")
	ErrProcessors = errors.New("these are not as many processors as the job asks for")
	ErrLoad       = errors.New("the master has not that much to send")
	ErrNoResult   = errors.New("there is no result to send yet")
	ErrThere      = errors.New("it is there already")
	ErrWorld      = errors.New("the system's description does not name work of that shape")
	ErrWork       = errors.New("the graphs hold more work than can be counted")
)

// Check defines by which figures a task must fit a node.
type Check uint8

// The checks. A waiting task needs its request, a running one its usage.
const (
	ByUse      Check = iota // need + use on the node ≤ capacity
	ByRequest               // request + requests on the node ≤ capacity
	ByTotal                 // need ≤ capacity: a forced placement, whatever runs there
	Unchecked               // a recorded placement: the original scheduler did it
	ByMemory                // all but CPU requested by it and there ≤ capacity: CPU is shared, see Allot
	ByCapacity              // need ≤ capacity: the system keeps its own account of the node; not forced
)

// Fits returns nil if a task fits a node by a check, or the error that Place would return for that. A waiting
// task needs its request, a running one its present usage, unless the check says otherwise. The state of the
// task is not checked.
func (c *Cluster) Fits(id unit.TaskID, n unit.NodeID, by Check) error {
	slot, ok := c.lookup(id)
	switch {
	case !ok:
		return ErrGone
	case !c.known(n) || !c.nodes.state[n].up:
		return ErrDown
	case by != Unchecked && !c.satisfies(slot, n):
		return ErrConstraint
	}
	t := &c.tasks[slot]
	need := t.usage
	if t.state == Waiting || by == ByRequest {
		need = t.request
	}
	limit := c.nodes.capacity[n]
	switch by {
	case ByUse:
		limit = limit.Sub(c.nodes.used[n])
	case ByRequest:
		limit = limit.Sub(c.nodes.state[n].requested)
	}
	if by == ByMemory {
		need = t.request.Add(c.nodes.state[n].requested)
		need[unit.CPU] = 0
	}
	if by != Unchecked && !need.Within(limit) || !c.sumsFit(t, n) {
		return ErrFull
	}
	return nil
}

// sumsFit reports whether the sums of node n stay within their integer limits when t is added. It is about
// overflow, not capacity, and so holds even for a forced placement.
func (c *Cluster) sumsFit(t *task, n unit.NodeID) bool {
	requested, used := &c.nodes.state[n].requested, &c.nodes.used[n]
	for r := range t.request {
		if t.request[r] > maxRequestedPerNode-requested[r] || t.usage[r] > maxUsedPerNode-used[r] {
			return false
		}
	}
	return true
}

// Place implements Acts. It returns an error of Fits, or ErrState unless the task waits. A task that no trace measured
// begins with the usage of the model. If the task has a lifetime, its end is scheduled from now.
func (c *Cluster) Place(id unit.TaskID, n unit.NodeID, by Check) error {
	if err := c.Fits(id, n, by); err != nil {
		return err
	}
	slot := id.Slot()
	t, d := &c.tasks[slot], &c.details[slot]
	if t.state != Waiting {
		return ErrState
	}
	if !t.measured {
		t.usage = c.modelled(slot)
	}
	t.state = Running
	c.attach(slot, n)
	c.totals.Waiting--
	c.totals.Running++
	c.totals.Placements++
	c.totals.ForcedPlacements += int64(flag(by == ByTotal))
	if d.lifetime > 0 {
		d.ending = c.clock.At(c.clock.Now()+d.lifetime, (*finisher)(c), uint64(id))
	}
	c.emit(Event{Kind: TaskPlaced, Task: id, Node: n})
	return nil
}

// Preempt implements Acts. A task that migrates is taken off both nodes. It returns ErrGone if the task has ended, and
// ErrState if it waits.
func (c *Cluster) Preempt(id unit.TaskID) error {
	slot, ok := c.lookup(id)
	if !ok {
		return ErrGone
	}
	if c.tasks[slot].state == Waiting {
		return ErrState
	}
	c.displace(slot)
	return nil
}

// finisher ends tasks whose lifetime is over.
type finisher Cluster

// Fire ends the task whose ID is arg, if it has not ended.
func (f *finisher) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(f)
	if slot, ok := c.lookup(unit.TaskID(arg)); ok {
		c.end(slot, workload.Finished)
	}
}

// Prefetch implements des.Prefetcher: it reads the tasks that are about to end, with
// the details that new tasks will replace in a moment, then their nodes.
func (f *finisher) Prefetch(args []uint64) {
	c := (*Cluster)(f)
	for _, arg := range args {
		slot := unit.TaskID(arg).Slot()
		c.sink ^= c.tasks[slot].use ^ c.details[slot].user
	}
	for _, arg := range args {
		if n := c.tasks[unit.TaskID(arg).Slot()].node; n >= 0 {
			c.sink ^= c.nodes.prefetch(n)
		}
	}
}
