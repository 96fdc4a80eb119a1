package board

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// begin takes a thread up (steps 13 and 14): its subtasks join the node's queue, where
// each begins when its inputs are there.
func (d *dispatch) begin(n unit.NodeID, c *claim) {
	a, now := &d.agents[n], d.env.Clock.Now()
	a.state, a.claim, a.since = working, c, now
	a.gen++
	d.count.members++
	for _, s := range c.sends {
		d.direct(c.task, s.arc, s.address)
	}
	for i, v := range c.vertices {
		if d.env.Acts.Assign(c.task.id, v, n) != nil {
			c.at = min(c.at, i)
			d.giveBack(n)
			return
		}
	}
	d.fetch(c)
	d.await(n)
}

// await waits for the inputs of the next subtask, at most until its latest start
// (steps 15 and 16).
func (d *dispatch) await(n unit.NodeID) {
	a, now := &d.agents[n], d.env.Clock.Now()
	latest := a.claim.starts[a.claim.at]
	d.env.Clock.Cancel(a.wake)
	a.wake = 0
	if latest < now {
		d.giveBack(n)
		return
	}
	if !d.computes(n) {
		a.wake = d.env.Clock.At(min(latest+1, now+d.askInterval()), (*alarms)(d), uint64(n))
	}
}

// computes reports whether the next subtask of an agent's thread has begun.
func (d *dispatch) computes(n unit.NodeID) bool {
	c := d.agents[n].claim
	s, ok := d.env.View.Subtask(c.task.id, c.vertices[c.at])
	return ok && s.State == cluster.SubtaskComputing
}

// impatient handles an agent whose inputs have not arrived for a while: it notifies the board, or
// gives the thread back if the latest start has passed (step 15).
func (d *dispatch) impatient(n unit.NodeID) {
	c := d.agents[n].claim
	if c.starts[c.at] >= d.env.Clock.Now() {
		d.send(resource(n), bulletin(c.task.board), payload{kind: stuck, claim: c, arc: c.vertices[c.at]})
		d.fetch(c)
	}
	d.await(n)
}

// started is called when a node begins to compute: the inputs are there.
func (d *dispatch) started(e cluster.Event) {
	if int(e.Node) < len(d.agents) {
		d.agents[e.Node].began = e.At
	}
	a := d.worksOn(e)
	if a != nil && a.wake != 0 {
		d.env.Clock.Cancel(a.wake)
		a.wake = 0
	}
}

// worksOn returns the agent of an event's node where the event is about the subtask
// that comes next in its thread.
func (d *dispatch) worksOn(e cluster.Event) *agent {
	if int(e.Node) >= len(d.agents) {
		return nil
	}
	a := &d.agents[e.Node]
	if c := a.claim; a.state != working || c.task.id != e.Graph() || c.vertices[c.at] != e.Subtask() {
		return nil
	}
	return a
}

// computed handles a finished subtask (steps 18 to 21): its results are sent, and the agent that
// computed it goes on with its thread or, after the last subtask, reports and leaves. The subtask may be
// of an agent that the board gave up.
func (d *dispatch) computed(e cluster.Event) {
	t := d.byID[e.Graph()]
	if t == nil {
		return
	}
	g := t.posted.Graph
	first, end := g.Out(e.Subtask())
	for arc := first; arc < end; arc++ {
		d.push(t, arc)
	}
	a := d.worksOn(e)
	if a == nil {
		return
	}
	c := a.claim
	c.at++
	a.done++
	if c.at < len(c.vertices) {
		if c.ahead && end > first+1 {
			d.send(resource(e.Node), bulletin(t.board), payload{kind: progress, claim: c, arc: e.Subtask()})
		}
		d.await(e.Node)
		return
	}
	d.part(e.Node, report)
}

// part leaves the community, notifies the board, and looks for other work.
func (d *dispatch) part(n unit.NodeID, k kind) {
	a := &d.agents[n]
	d.disengage(a)
	d.env.Clock.Cancel(a.wake)
	c := a.claim
	d.remember(a)
	a.claim, a.wake, a.state = nil, 0, resting
	a.tried = 0
	if k != left {
		d.sendReliably(n, k, c)
	} else {
		d.send(resource(n), bulletin(c.task.board), payload{kind: left, claim: c})
	}
	d.look(n)
}

// giveBack is step 17: the unfinished subtasks leave the node's queue, and the last result goes to
// the board.
func (d *dispatch) giveBack(n unit.NodeID) {
	c := d.agents[n].claim
	d.withdraw(n, c)
	if t := c.task; c.at > 0 && c.at < len(c.vertices) {
		g := t.posted.Graph
		first, end := g.Out(c.vertices[c.at-1])
		for arc := first; arc < end; arc++ {
			if g.Arc(arc).To == c.vertices[c.at] {
				t.stamp++
				d.direct(t, arc, address{unit.NoNode, t.stamp})
				d.push(t, arc)
			}
		}
	}
	c.stopped = true
	d.part(n, release)
}

// withdraw removes the unfinished subtasks of a thread from its node's queue.
func (d *dispatch) withdraw(n unit.NodeID, c *claim) {
	for i := len(c.vertices) - 1; i >= c.at; i-- {
		if s, ok := d.env.View.Subtask(c.task.id, c.vertices[i]); ok && s.Node == n && !isDone(s.State) {
			_ = d.env.Acts.Withdraw(c.task.id, c.vertices[i])
		}
	}
}

// stop is called when a graph is given up (step 19): the agent stops at once, so that
// nothing is computed in vain.
func (d *dispatch) stop(n unit.NodeID, c *claim) {
	a := &d.agents[n]
	c.stopped = true
	switch {
	case a.claim == c && a.state == working:
		d.withdraw(n, c)
		d.part(n, left)
	case a.claim == c && a.state == asking:
		a.claim = nil
		d.send(resource(n), bulletin(c.task.board), payload{kind: left, claim: c})
		d.look(n)
	default:
		d.send(resource(n), bulletin(c.task.board), payload{kind: left, claim: c})
	}
}
