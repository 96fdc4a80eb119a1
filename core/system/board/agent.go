package board

import (
	"slices"

	"parley/core/des"
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
	"parley/core/workload"
)

// agent represents the resource of one node. If its node goes down, it loses its state.
type agent struct {
	// The fields that each look reads come first, so that they share a cache line.
	is    bool // its node is a resource
	state agentState
	gen   uint32 // of the wait it is in: answers to earlier ones are passed over
	board int    // that it asks now, or asked last
	tried int    // boards that had nothing since it rested
	wake  des.Ticket
	claim *claim       // that it asks for, or works on
	at    []boardState // by board

	unacknowledged []obligation // messages to repeat until they are acknowledged
	kinds          posted.Kinds // that the resource knows
	resource       thread.Resource

	since   unit.Time // it joined the community that it is in
	engaged unit.Time // how long it was in communities before
	began   unit.Time // when its resource began its present or latest computation
	wasted  unit.Time // computing time of its resource that was withdrawn or lost
	up      unit.Time // since when its node is up
	present unit.Time // how long its node was up before
	earned  unit.Money
	done    int64    // subtasks
	past    []*claim // threads that it had, the latest last; kept while somebody watches
}

// boardState is an agent's view of one board.
type boardState struct {
	seen   uint64 // the agent's: the board's count of changes at the last fruitless look
	joined *claim // the board's: the agent's thread, as the board believes
}

// agentState is the activity of an agent.
type agentState uint8

const (
	away    agentState = iota // its node is down
	resting                   // until it looks again
	polling                   // waits for a board's answer to a poll
	asking                    // waits for a board's answer about a thread
	working                   // it is in a community
	parting                   // waits for acknowledgements: it owes a message to every board
)

// obligation is a release or a report that was not acknowledged.
type obligation struct {
	kind  kind
	claim *claim
	gen   uint32
}

// arrives starts or updates the agent of a node that is up or changed. A new agent, or one whose node
// was down, begins without any state and looks after a random part of the poll interval. A change of
// types makes the agent look at all tasks again.
func (d *dispatch) arrives(n unit.NodeID) {
	for int(n) >= len(d.agents) {
		d.agents = append(d.agents, agent{})
	}
	w, is := d.env.View.Worker(n)
	if !is {
		return
	}
	a := &d.agents[n]
	if !a.is {
		a.is = true
		d.fleet.join(&w)
		a.at = make([]boardState, len(d.boards))
		a.resource = thread.Resource{Node: n, NoChannel: !d.settings.Channels}
	}
	a.resource.Worker, a.kinds = w, kindsOf(&w)
	for b := range a.at {
		a.at[b].seen = 0
	}
	if a.state != away || !d.env.View.Up(n) {
		return
	}
	a.up = d.env.Clock.Now()
	a.board = d.random.Intn(len(d.boards))
	d.rest(n, unit.Time(d.random.Uint64n(uint64(d.settings.Poll)))+1)
}

// kindsOf returns the types that a resource supports; all if its speed is the same for each.
func kindsOf(w *workload.Worker) (kinds posted.Kinds) {
	if w.Speeds == nil {
		return ^posted.Kinds(0)
	}
	for kind, speed := range w.Speeds {
		if speed > 0 {
			kinds |= posted.KindOf(workload.SubtaskType(kind))
		}
	}
	return kinds
}

// departs clears the state of the agent of a node that went down. The boards notice it only when its
// lease has run out.
func (d *dispatch) departs(n unit.NodeID) {
	if int(n) >= len(d.agents) || !d.agents[n].is || d.agents[n].state == away {
		return
	}
	a := &d.agents[n]
	now := d.env.Clock.Now()
	d.disengage(a)
	a.present += now - a.up
	a.gen++
	d.env.Clock.Cancel(a.wake)
	d.remember(a)
	a.state, a.claim, a.unacknowledged, a.wake = away, nil, nil, 0
	d.env.Clock.At(now+d.settings.Lease, (*leases)(d), uint64(n))
}

// leases ends the membership of nodes that went down.
type leases dispatch

// Fire reports to the boards that the lease of node arg has run out; a board that is down keeps the
// report. The outage began a lease ago.
func (l *leases) Fire(now unit.Time, arg uint64) {
	d := (*dispatch)(l)
	o := outage{unit.NodeID(arg), now - d.settings.Lease}
	for b := range d.boards {
		if one := &d.boards[b]; one.down {
			one.outages = append(one.outages, o)
		} else {
			d.lost(one, o)
		}
	}
}

func (d *dispatch) disengage(a *agent) {
	if a.state == working {
		a.engaged += d.env.Clock.Now() - a.since
		d.count.members--
	}
}

// rest makes an agent look again after a while.
func (d *dispatch) rest(n unit.NodeID, after unit.Time) {
	a := &d.agents[n]
	a.state, a.tried = resting, 0
	a.gen++
	a.wake = d.env.Clock.At(d.env.Clock.Now()+after, (*alarms)(d), uint64(n))
}

// alarms wake agents: those that rest, and those whose inputs have not come.
type alarms dispatch

// Prefetch implements des.Prefetcher: it reads the agents that will look in a moment, and their
// state at the board that they will ask.
func (l *alarms) Prefetch(args []uint64) {
	for _, arg := range args {
		a := &l.agents[arg]
		l.sink ^= a.gen
	}
	for _, arg := range args {
		a := &l.agents[arg]
		l.sink ^= uint32(a.at[a.board].seen) ^ l.env.View.Prefetch(unit.NodeID(arg))
	}
}

// Fire wakes the agent of node arg: one that rests looks for work, and one that works has waited too long for inputs.
func (l *alarms) Fire(_ unit.Time, arg uint64) {
	d, n := (*dispatch)(l), unit.NodeID(arg)
	a := &d.agents[n]
	a.wake = 0
	switch a.state {
	case resting:
		d.look(n)
	case working:
		d.impatient(n)
	}
}

// look polls the next board to which the agent owes no message (step 1). If it owes one to every board,
// it waits for an acknowledgement.
func (d *dispatch) look(n unit.NodeID) {
	a := &d.agents[n]
	for range d.boards {
		b := a.board
		if !slices.ContainsFunc(a.unacknowledged, func(o obligation) bool { return o.claim.task.board == b }) {
			a.state = polling
			a.gen++
			d.send(resource(n), bulletin(b), payload{kind: poll, gen: a.gen})
			d.waits.Watch(uint32(n), a.gen)
			return
		}
		a.board = (a.board + 1) % len(d.boards)
	}
	a.state = parting
	a.gen++
}

// next looks at the board after the one that had nothing, or rests after all of them had nothing.
func (d *dispatch) next(n unit.NodeID) {
	a := &d.agents[n]
	a.board = (a.board + 1) % len(d.boards)
	if a.tried++; a.tried >= len(d.boards) {
		d.rest(n, d.settings.Poll)
		return
	}
	d.look(n)
}

// silent handles a poll or a request without an answer in time; if gen is no longer the agent's, it does
// not wait for that answer any more. A board that does not answer a poll had nothing.
func (d *dispatch) silent(ref, gen uint32) {
	n := unit.NodeID(ref)
	a := &d.agents[n]
	if a.gen != gen {
		return
	}
	switch a.state {
	case polling:
		d.next(n)
	case asking: // the board may have accepted: a new look opens the thread again
		a.claim = nil
		d.look(n)
	}
}

// retransmit is called when a release or a report was not acknowledged in time.
func (d *dispatch) retransmit(ref, gen uint32) {
	for _, o := range d.agents[ref].unacknowledged {
		if o.gen == gen {
			d.say(unit.NodeID(ref), o)
		}
	}
}

// sendReliably sends something that the board must receive.
func (d *dispatch) sendReliably(n unit.NodeID, k kind, c *claim) {
	a := &d.agents[n]
	d.obligations++
	o := obligation{k, c, d.obligations}
	a.unacknowledged = append(a.unacknowledged, o)
	d.say(n, o)
}

func (d *dispatch) say(n unit.NodeID, o obligation) {
	d.send(resource(n), bulletin(o.claim.task.board), payload{kind: o.kind, claim: o.claim})
	d.ackDeadlines.Watch(uint32(n), o.gen)
}

// receiveAgent handles a message to an agent. Answers to an earlier wait (gen) are ignored, except that
// a thread accepted too late is released again.
func (d *dispatch) receiveAgent(m *message) {
	n, p := nodeOf(m.To), &m.Payload
	a := &d.agents[n]
	current := p.gen == a.gen
	switch p.kind {
	case nothing:
		if current && a.state == polling {
			d.next(n)
		}
	case offer:
		if current && a.state == polling {
			d.askFor(n, p.claim)
		}
	case accepted:
		switch {
		case current && a.state == asking:
			d.begin(n, p.claim)
		case a.claim != p.claim: // it has stopped waiting for the answer
			d.sendReliably(n, release, p.claim)
		}
	case refused:
		if current && a.state == asking {
			a.claim = nil
			d.look(n)
		}
	case deliver:
		d.redirect(p)
	case acknowledge:
		a.unacknowledged = slices.DeleteFunc(a.unacknowledged, func(o obligation) bool { return o.claim == p.claim })
		if a.state == parting {
			d.look(n)
		}
	case yield:
		if a.state == working && a.claim == p.claim && !d.computes(n) {
			d.giveBack(n)
		}
	case abort:
		d.stop(n, p.claim)
	}
}

// askFor asks the board for an offered thread, or looks again if its latest start has passed.
func (d *dispatch) askFor(n unit.NodeID, c *claim) {
	a := &d.agents[n]
	if c.starts[0] < d.env.Clock.Now() {
		d.look(n)
		return
	}
	a.state, a.claim = asking, c
	a.gen++
	d.send(resource(n), bulletin(c.task.board), payload{kind: ask, claim: c, gen: a.gen})
	d.waits.Watch(uint32(n), a.gen)
}
