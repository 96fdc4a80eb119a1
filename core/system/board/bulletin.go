package board

import (
	"slices"

	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
	"parley/core/workload"
)

// notices is a bulletin board: a passive node that keeps descriptors and changes them on request of
// agents. The descriptors survive a crash; while the board is down it neither receives nor sends.
type notices struct {
	number  int
	down    bool
	changes uint64 // of descriptors, ever
	offers  offers
	expired []*task  // whose deadline passed while the board was down
	outages []outage // whose lease ran out while the board was down
}

// outage is when a node went down.
type outage struct {
	node unit.NodeID
	at   unit.Time
}

// publish puts a graph onto its board.
func (d *dispatch) publish(t *task) {
	d.touch(t)
	d.note(notePosted, unit.NoNode, t, float64(t.posted.Graph.Len()))
}

// touch notes that a descriptor changed so that an agent which found nothing in it may
// find something now.
func (d *dispatch) touch(t *task) {
	d.boards[t.board].change(t)
	d.list(t)
}

// list records the subtasks that a task offers now. With rules that take vertices from one side
// only, an offer changes when vertices join that side.
func (d *dispatch) list(t *task) {
	b := &d.boards[t.board]
	ends, ready := t.posted.Grown()
	grown := ends
	switch d.ruleOf(t) {
	case thread.Ready:
		grown = ready
	case thread.Literal:
		grown = ends + ready + uint64(t.posted.Count(posted.Taken)) + uint64(t.posted.Count(posted.Done))<<32
	}
	if grown != t.grown {
		t.grown = grown
		b.change(t)
	}
	if t.state.over() {
		b.offers.drop(t)
		return
	}
	b.offers.put(t, d.offered(t))
}

// offered returns the types of subtasks that a thread of a task would have to end or
// begin with.
func (d *dispatch) offered(t *task) posted.Kinds {
	if t.state != onBoard || t.posted.Count(posted.Open) == 0 {
		return 0
	}
	switch d.ruleOf(t) {
	case thread.Safe:
		return t.posted.EndKinds()
	case thread.Ready:
		return t.posted.ReadyKinds()
	}
	return ^posted.Kinds(0)
}

// change counts a change of a descriptor.
func (b *notices) change(t *task) {
	b.changes++
	t.changed = b.changes
}

// polled answers a free agent (steps 1 to 12). An agent that is free has no thread:
// where the board thinks otherwise, a message was lost or the agent's node was down,
// and the thread opens again.
func (d *dispatch) polled(b *notices, m *message) {
	n := nodeOf(m.From)
	if c := d.agents[n].at[b.number].joined; c != nil {
		if m.Payload.gen < c.gen {
			return // it was sent before the agent asked for its thread
		}
		d.reopen(c, noteLostMember)
	}
	if c := d.search(b, n); c != nil {
		d.send(bulletin(b.number), resource(n), payload{kind: offer, claim: c, gen: m.Payload.gen})
		return
	}
	d.send(bulletin(b.number), resource(n), payload{kind: nothing, gen: m.Payload.gen})
}

// search runs the agent's algorithm on the descriptors that it reads: it tries the tasks in the
// order of posting until it finds a thread. Descriptors without a thread are skipped until they
// change, because time alone only makes threads later.
func (d *dispatch) search(b *notices, n unit.NodeID) *claim {
	a, now := &d.agents[n], d.env.Clock.Now()
	seen := a.at[b.number].seen
	if seen == b.changes {
		return nil
	}
	for t, at := b.offers.next(0, seen, a.kinds); t != nil; t, at = b.offers.next(at, seen, a.kinds) {
		d.count.searches++
		d.finder.Rule = d.ruleOf(t)
		found, ok := d.finder.Find(t.posted, &a.resource, now)
		if !ok {
			continue
		}
		a.at[b.number].seen = 0
		return &claim{
			task: t, node: n, vertices: slices.Clone(found.Vertices), starts: slices.Clone(found.Starts),
			needed: found.Due, ahead: d.finder.Rule == thread.Ready,
		}
	}
	a.at[b.number].seen = b.changes
	return nil
}

// expire is steps 3 and 22: the deadline of a graph that is not done has passed. In the
// paper the next agent that looks finds it; here the board's clock does, so that no
// community works on in vain until somebody is free. A board that is down finds it when it
// is back.
func (d *dispatch) expire(t *task) {
	b := &d.boards[t.board]
	switch {
	case t.state != onBoard:
		return
	case b.down:
		b.expired = append(b.expired, t)
		return
	}
	t.state = cancelled
	d.note(noteMissed, unit.NoNode, t, 0)
	d.touch(t)
	d.stopCommunity(t)
}

// stopCommunity is step 22: all members are ordered to stop, again and again until they
// say that they have. Then the graph is given up.
func (d *dispatch) stopCommunity(t *task) {
	if t.state != cancelled {
		return
	}
	if len(t.community) == 0 {
		d.giveUp(t)
		return
	}
	for _, c := range t.community {
		d.send(bulletin(t.board), resource(c.node), payload{kind: abort, claim: c})
	}
	d.env.Clock.At(d.env.Clock.Now()+d.settings.Reply, (*stopper)(d), uint64(t.number))
}

// stopper repeats the message of stopCommunity.
type stopper dispatch

// Fire notifies the community of task arg again.
func (s *stopper) Fire(_ unit.Time, arg uint64) {
	d := (*dispatch)(s)
	if t := d.task(uint32(arg)); t != nil {
		d.stopCommunity(t)
	}
}

func (d *dispatch) giveUp(t *task) {
	d.end(t, missed)
	_ = d.env.Acts.Abort(t.id) // it is not a fault that it has ended meanwhile
}

// decideClaim decides about a claim (step 13): the first agent to ask for open subtasks has them. A
// claim that is held already is accepted again, because the first answer was late or lost. An earlier
// thread of the agent is opened again, unless the request is older than that thread's.
func (d *dispatch) decideClaim(b *notices, m *message) {
	c := m.Payload.claim
	if old := d.agents[c.node].at[b.number].joined; old != nil && old != c {
		if m.Payload.gen < old.gen {
			return // the agent sent it before its present request
		}
		d.reopen(old, noteLostMember)
	}
	if c.held { // asked twice: the first answer was late or lost
		d.send(m.To, m.From, payload{kind: accepted, claim: c, gen: m.Payload.gen})
		return
	}
	if !d.acceptable(c) {
		d.count.refused++
		d.send(m.To, m.From, payload{kind: refused, claim: c, gen: m.Payload.gen})
		return
	}
	t := c.task
	t.posted.Take(int32(c.node), c.vertices, c.starts)
	c.held, c.taken, c.gen = true, d.env.Clock.Now(), m.Payload.gen
	d.agents[c.node].at[b.number].joined = c
	t.community = append(t.community, c)
	d.count.accepted++
	d.count.taken += int64(len(c.vertices))
	d.list(t)
	d.sendAddresses(c)
	c.sends = d.recipients(t, c)
	d.noteSubtasks(noteTaken, c.node, t, c.vertices)
	d.send(m.To, m.From, payload{kind: accepted, claim: c, gen: m.Payload.gen})
}

// acceptable reports whether a claim can still be accepted: its vertices are open, no agent
// needs its results earlier than the agent thought, and there is time.
func (d *dispatch) acceptable(c *claim) bool {
	t := c.task
	if t.state != onBoard || c.stopped || c.starts[0] < d.env.Clock.Now() {
		return false
	}
	for i, v := range c.vertices {
		if t.posted.State(v) != posted.Open {
			return false
		}
		needed, labelled := t.posted.Due(v)
		if i == len(c.vertices)-1 && (!labelled || needed < c.needed) {
			return false
		}
	}
	return true
}

// sendAddresses sends the address of a thread's agent to the makers of its inputs.
func (d *dispatch) sendAddresses(c *claim) {
	t := c.task
	g := t.posted.Graph
	for _, v := range c.vertices {
		for _, a := range g.In(v) {
			from := g.Arc(a).From
			if from == workload.Home || t.posted.State(from) == posted.Open || t.posted.Agent(from) == int32(c.node) {
				continue
			}
			d.sendAddress(t, a, c.node)
		}
	}
}

// sendAddress sends the maker of an arc's data the address for it.
func (d *dispatch) sendAddress(t *task, a int32, to unit.NodeID) {
	t.stamp++
	maker := unit.NodeID(t.posted.Agent(t.posted.Graph.Arc(a).From))
	d.send(bulletin(t.board), resource(maker), payload{kind: deliver, task: t, arc: a, node: to, stamp: t.stamp})
}

// recipients lists where the results of a thread go, as far as the board knows.
func (d *dispatch) recipients(t *task, c *claim) (all []sending) {
	g := t.posted.Graph
	t.stamp++
	for _, v := range c.vertices {
		first, end := g.Out(v)
		for a := first; a < end; a++ {
			to := g.Arc(a).To
			if to != workload.Home && t.posted.State(to) == posted.Taken {
				all = append(all, sending{a, address{unit.NodeID(t.posted.Agent(to)), t.stamp}})
			}
		}
	}
	return all
}

// reopen puts back the unfinished subtasks of a thread whose agent has lost it (step 17). The
// makers of its inputs send them to the board until another agent takes the thread.
func (d *dispatch) reopen(c *claim, reason uint8) {
	t := c.task
	if !d.leave(c) {
		return
	}
	if t.state != onBoard {
		d.stopCommunity(t)
		d.settle(t)
		return
	}
	g := t.posted.Graph
	opened := []int32{}
	for _, v := range c.vertices {
		if t.posted.State(v) != posted.Taken || t.posted.Agent(v) != int32(c.node) {
			continue // it is done, or its result was lost and it is open, or another's, again
		}
		if s, alive := d.env.View.Subtask(t.id, v); alive && isDone(s.State) {
			t.posted.Finish(v)
			continue
		}
		t.posted.Release(v)
		opened = append(opened, v)
		for _, a := range g.In(v) {
			if from := g.Arc(a).From; from != workload.Home && t.posted.State(from) != posted.Open &&
				t.posted.Agent(from) != int32(c.node) {
				d.sendAddress(t, a, unit.NoNode)
			}
		}
	}
	d.count.released++
	d.noteSubtasks(reason, c.node, t, opened)
	d.touch(t)
	d.settle(t)
}

// leave takes a thread out of its community; false if it is not in it.
func (d *dispatch) leave(c *claim) bool {
	if !c.held {
		return false
	}
	c.held = false
	t := c.task
	if own := &d.agents[c.node].at[t.board].joined; *own == c {
		*own = nil
	}
	t.community = slices.DeleteFunc(t.community, func(o *claim) bool { return o == c })
	return true
}

// reported handles the report that a thread is done (step 21): its subtasks are done, and the agent
// leaves the community. A repeated report is only acknowledged.
func (d *dispatch) reported(m *message) {
	c := m.Payload.claim
	if d.leave(c) {
		t := c.task
		for _, v := range c.vertices {
			if t.posted.State(v) == posted.Taken && t.posted.Agent(v) == int32(c.node) {
				t.posted.Finish(v)
			}
			if t.posted.Agent(v) == int32(c.node) {
				t.whole[v] = true
			}
		}
		d.count.reported++
		d.noteSubtasks(noteDone, c.node, t, c.vertices)
		d.list(t)
		d.settle(t)
		if t.state == cancelled {
			d.stopCommunity(t)
		}
	}
	d.send(m.To, m.From, payload{kind: acknowledge, claim: c})
}

// progressed notes that one subtask of a thread is done: those that need it may be
// ready now.
func (d *dispatch) progressed(m *message) {
	c, v := m.Payload.claim, m.Payload.arc
	if t := c.task; c.held && t.posted.State(v) == posted.Taken && t.posted.Agent(v) == int32(c.node) {
		t.posted.Finish(v)
		d.list(t)
	}
}

// lost removes the thread of a node that went down, and results that no agent has any more. A
// thread that the node took after it came back stays. In the paper the board asks the agents that
// should have the results; this is not simulated.
func (d *dispatch) lost(b *notices, o outage) {
	n := o.node
	if c := d.agents[n].at[b.number].joined; c != nil && c.taken <= o.at {
		d.reopen(c, noteLostMember)
	}
	for _, t := range d.live {
		if t.board != b.number || t.state != onBoard || t.posted.Count(posted.Open) == t.posted.Graph.Len() {
			continue
		}
		opened := []int32{}
		for v := range int32(t.posted.Graph.Len()) {
			if t.posted.State(v) == posted.Done && d.isWaiting(t, v) {
				t.posted.Release(v)
				t.whole[v] = false
				opened = append(opened, v)
			}
		}
		if len(opened) > 0 {
			d.noteSubtasks(noteLostResults, n, t, opened)
			d.touch(t)
		}
	}
}
