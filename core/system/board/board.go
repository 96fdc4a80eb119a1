// Package board implements dispatching by bulletin boards. Task graphs with deadlines and
// bonuses are posted on passive boards. An agent on each free resource searches the boards,
// takes the longest thread of a graph that it can finish in time, computes it, sends the
// results on and leaves. The agents that work on one graph form a community, which dissolves
// when the graph is finished.
//
// Model: resources are nodes that are workers, and graphs are part of the workload. Package cluster
// computes subtasks and transfers results. Agents and boards communicate only by messages (package
// mail): an agent knows its own node, and a board knows the messages that it received. Package
// posted holds the description of a posted graph; package thread searches it.
//
// Source: I. Kalyaev, A. Kalyaev, Ya. Korovin, "Algorithm of multi-agent dispatching of resources
// in heterogeneous cloud environments", Computational Technologies 21(5), 2016; the README lists
// its open points.
//
//	{"boards":1,"thread_rule":"safe","channels":true}
package board

import (
	"encoding/json"
	"fmt"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
)

// dispatch implements system.System.
type dispatch struct {
	env      system.Env
	settings Settings
	post     *mail.Post[payload]
	random   *rng.Stream
	rule     thread.Rule // of graphs that have not stalled
	finder   thread.Search

	agents       []agent // by node
	boards       []notices
	live         []*task // posted and not settled, in the order of posting
	byID         map[unit.GraphID]*task
	numbers      uint32 // of tasks, ever
	obligations  uint32 // of agents, ever: numbers them
	waits        mail.Deadlines
	ackDeadlines mail.Deadlines

	timeline system.GraphTimeline
	sink     uint32 // of alarms.Prefetch

	fleet fleet
	count counts
	rows  []row
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	d := &dispatch{
		env: env, settings: s, random: env.Rand("agents"), byID: map[unit.GraphID]*task{},
		boards: make([]notices, s.Boards),
	}
	for b := range d.boards {
		d.boards[b].number = b
	}
	d.finder = thread.Search{DropVertices: s.Exclude == "vertices", Looks: s.Looks}
	d.rule = map[string]thread.Rule{"safe": thread.Safe, "literal": thread.Literal, "ready": thread.Ready}[s.Rule]
	how := mail.Settings{Latency: s.Mail.Latency, Jitter: s.Mail.Jitter, Loss: s.Mail.Loss}
	d.post = mail.New[payload](env.Clock, how, env.Rand("mail"))
	d.post.Deliver, d.post.Connected = d, d.connected
	d.waits = mail.Deadlines{Clock: env.Clock, After: s.Reply, Expire: d.silent}
	d.ackDeadlines = mail.Deadlines{Clock: env.Clock, After: s.Reply, Expire: d.retransmit}
	return d, nil
}

// On implements system.System. Events of nodes begin and end the membership of their agents, events of subtasks and
// transfers concern the agent that has the subtask, and events of graphs the task on its board. Events of graphs that
// are on no board are ignored.
func (d *dispatch) On(e cluster.Event) error {
	if e.Kind != cluster.GraphArrived { // that is kept when it is posted
		d.keep(e)
	}
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeChanged:
		d.arrives(e.Node)
	case cluster.NodeDown:
		d.departs(e.Node)
	case cluster.GraphArrived:
		return d.submitted(e)
	case cluster.SubtaskStarted:
		d.started(e)
	case cluster.SubtaskFinished:
		d.computed(e)
	case cluster.SubtaskWithdrawn:
		d.interrupted(e)
	case cluster.SubtaskLost:
		d.interrupted(e)
		d.dropped(e)
	case cluster.TransferEnded, cluster.TransferBroken:
		if t := d.byID[e.Graph()]; t != nil && t.addresses != nil {
			d.push(t, e.Arc())
		}
	case cluster.GraphMissed:
		if t := d.byID[e.Graph()]; t != nil {
			d.expire(t)
		}
	case cluster.GraphDone:
		if t := d.byID[e.Graph()]; t != nil {
			d.completed(t, e.At, e.Detail == 1)
		}
	case cluster.GraphAborted:
		if t := d.byID[e.Graph()]; t != nil && t.state == onBoard { // its user took it back
			t.state = cancelled
			d.touch(t)
			d.stopCommunity(t)
		}
	}
	return nil
}

// submitted posts a graph that arrived on the next board in turn. A graph that has ended already is
// ignored. impossible counts graphs whose critical path alone is longer than their deadline allows.
func (d *dispatch) submitted(e cluster.Event) error {
	g, ok := d.env.View.Graph(e.Graph())
	if !ok {
		return nil // it was taken back at once
	}
	d.numbers++
	t := newTask(e.Graph(), &g.Graph)
	t.number, t.board, t.key, t.arrived, t.due = d.numbers, int(d.numbers-1)%len(d.boards), g.Key, g.Arrived, g.Due
	t.posted = posted.New(g.Subtasks, g.Due)
	d.byID[t.id] = t
	d.live = append(d.live, t)
	d.count.posted++
	if critical, _ := d.ideal(t); g.Due != unit.Forever && critical > (g.Due-g.Arrived).Seconds() {
		d.count.impossible++
	}
	if g.Due == unit.Forever {
		d.count.endless++
	}
	if d.rule == thread.Ready {
		t.posted.Estimate = d.estimate(t)
	}
	d.publish(t)
	d.keep(e)
	return nil
}

// interrupted counts the computing time of withdrawn or lost subtasks.
func (d *dispatch) interrupted(e cluster.Event) {
	if e.Detail == cluster.UnderWay && int(e.Node) < len(d.agents) {
		a := &d.agents[e.Node]
		a.wasted += e.At - a.began
	}
}

// dropped gives back the thread of an agent that lost a subtask although its node is up: the node no
// longer supports the type.
func (d *dispatch) dropped(e cluster.Event) {
	if e.Detail == cluster.Stored || int(e.Node) >= len(d.agents) || !d.env.View.Up(e.Node) {
		return
	}
	if a := &d.agents[e.Node]; a.state == working && a.claim.task.id == e.Graph() {
		d.giveBack(e.Node)
	}
}

// task returns a task that has not been settled.
func (d *dispatch) task(number uint32) *task {
	for _, t := range d.live {
		if t.number == number {
			return t
		}
	}
	return nil
}

func isDone(s cluster.SubtaskState) bool { return s == cluster.SubtaskDone }

// isWaiting reports whether the result of a subtask is lost and needed.
func (d *dispatch) isWaiting(t *task, v int32) bool {
	s, ok := d.env.View.Subtask(t.id, v)
	return ok && s.State == cluster.SubtaskWaiting
}

func (d *dispatch) send(from, to mail.Agent, p payload) { d.post.Send(from, to, p) }

// connected reports whether a message can pass: both ends must be up.
func (d *dispatch) connected(from, to mail.Agent) bool { return d.answers(from) && d.answers(to) }

func (d *dispatch) answers(id mail.Agent) bool {
	if id.Role() == boardRole {
		return !d.boards[id.Number()].down
	}
	return d.env.View.Up(nodeOf(id))
}

// Receive implements mail.Receiver: a message to an agent, or one of the requests and reports to a
// board.
func (d *dispatch) Receive(_ unit.Time, m *message) {
	if m.To.Role() == resourceRole {
		d.receiveAgent(m)
		return
	}
	b := &d.boards[m.To.Number()]
	switch m.Payload.kind {
	case poll:
		d.polled(b, m)
	case ask:
		d.decideClaim(b, m)
	case stuck:
		d.stuckIn(m)
	case release:
		d.reopen(m.Payload.claim, noteReleased)
		d.send(m.To, m.From, payload{kind: acknowledge, claim: m.Payload.claim})
	case progress:
		d.progressed(m)
	case report:
		d.reported(m)
	case left:
		if d.leave(m.Payload.claim) {
			d.stopCommunity(m.Payload.claim.task)
			d.settle(m.Payload.claim.task)
		}
	}
}

// Fail implements system.FaultTarget. A board that is up again handles the outages and deadlines that it
// missed.
func (d *dispatch) Fail(f system.AgentFault) {
	switch f.Kind {
	case "board_down", "board_up":
		if f.Target < 0 || f.Target >= len(d.boards) {
			return
		}
		b := &d.boards[f.Target]
		b.down = f.Kind == "board_down"
		if b.down {
			return
		}
		kept, expired := b.outages, b.expired
		b.outages, b.expired = nil, nil
		for _, o := range kept {
			d.lost(b, o)
		}
		for _, t := range expired {
			d.expire(t)
		}
	case "mail_loss":
		d.post.SetLoss(f.Value)
	case "mail_delay":
		d.post.SetDelay(unit.Time(f.Value * float64(unit.Second)))
	}
}

// Messages implements system.Messenger.
func (d *dispatch) Messages() (sent, lost int64) { return d.post.Sent(), d.post.Lost() }

// Audit implements system.Auditor: descriptors agree with themselves and with the
// communities, and no more is paid than was offered.
func (d *dispatch) Audit() error {
	for _, t := range d.live {
		if err := t.posted.Audit(); err != nil {
			return fmt.Errorf("task %d: %w", t.number, err)
		}
		if o := &d.boards[t.board].offers; t.place > 0 &&
			o.tree[o.width+t.place-1] != (demand{t.changed, d.offered(t)}) {
			return fmt.Errorf("task %d: its board keeps that it offers other types, or changed at another time",
				t.number)
		}
		has := map[int32]int32{} // agents of vertices in communities
		for _, c := range t.community {
			for _, v := range c.vertices {
				has[v] = int32(c.node)
			}
			if d.agents[c.node].at[t.board].joined != c {
				return fmt.Errorf(
					"task %d: node %d is in the community with a thread that the board does not know of it",
					t.number, c.node,
				)
			}
		}
		for v := range int32(t.posted.Graph.Len()) {
			if t.state == cancelled { // its members leave one after the other, and no agent takes their subtasks
				break
			}
			if n, is := has[v]; t.posted.State(v) == posted.Taken && (!is || n != t.posted.Agent(v)) {
				return fmt.Errorf("task %d: subtask %q is taken by node %d, which is not in the community", t.number,
					t.posted.Graph.Name(v), t.posted.Agent(v))
			}
		}
	}
	var sum unit.Money
	for n := range d.agents {
		sum += d.agents[n].earned
	}
	if sum != d.count.paid || d.count.paid > d.count.offered {
		return fmt.Errorf("agents earned %d, %d was paid and %d offered by tasks that were met", sum, d.count.paid,
			d.count.offered)
	}
	return nil
}
