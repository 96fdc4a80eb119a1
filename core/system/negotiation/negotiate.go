package negotiation

import (
	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/slab"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// negotiations are the node agents as far as they look for somebody who takes a
// task: steps 2 to 5, as the agent of the overloaded node sees them.
type negotiations struct {
	*base
	brokers    *brokers
	unrelieved interface{ shutDown(n unit.NodeID) } // notified of a node that no other relieves
	move       score.Scorer
	all        []negotiation // by Ref
	free       []uint32
	of         map[unit.TaskID]uint32 // the open ones
	deadlines  mail.Deadlines

	counts struct {
		begun, failed, expired int64
		declined               int64 // candidates of step 3 that would not take the task
		attempts, forced       int64 // targets ordered to take it; of these by force
		rejected               int64 // of these refused in step 5
	}
}

func newNegotiations(b *base, k *brokers) *negotiations {
	a := &negotiations{base: b, brokers: k, move: k.move, of: map[unit.TaskID]uint32{}}
	a.deadlines = mail.Deadlines{Clock: b.Clock, After: b.settings.patience(), Expire: a.timeout}
	return a
}

// negotiation is one service allocation negotiation: one task that its node's agent
// wants to move out.
type negotiation struct {
	task       unit.TaskID
	node       unit.NodeID
	serial     uint32 // of the negotiation, from 1
	gen        uint32 // counts the uses of the entry and, within one, the waits
	stage      stage
	replies    uint8
	count      uint8
	target     uint8     // step 5: which candidate was ordered to take the task
	at         unit.Time // when the recommendations came
	candidates [broker.MaxCandidates]candidate
}

type stage uint8

const (
	over   stage = iota // the entry is free
	asking              // step 2: a broker was asked for candidates
	polled              // step 3: the candidates were asked
	moving              // step 5: the target was ordered to take the task, or takes it
)

// candidate is a node that a broker recommended.
type candidate struct {
	node   unit.NodeID
	forced bool
	answer verdict
	report broker.Report // as the node itself reported
	score  float64       // the broker's, then the agent's own of step 4
}

type verdict uint8

const (
	silent verdict = iota
	accepted
	rejected
	failed // it accepted and then refused at step 5
)

// open returns how many negotiations are open.
func (a *negotiations) open() int { return len(a.all) - len(a.free) }

// begin opens the negotiation of a task: step 2, a broker is asked.
func (a *negotiations) begin(id unit.TaskID, n unit.NodeID) {
	ref := slab.Take(&a.free, &a.all)
	a.of[id] = ref
	t := &a.all[ref]
	t.task, t.node, t.stage, t.count = id, n, asking, 0
	a.counts.begun++
	t.serial = uint32(a.counts.begun)
	b := a.random.Intn(a.settings.Brokers)
	a.journal.note(noteAsk, n, unit.NoNode, id, t.serial, float64(b))
	a.wait(ref)
	task, _ := a.View.Task(id)
	a.post.Send(nodeAgent(n), brokerAgent(b),
		payload{kind: candidatesRequest, ref: ref, gen: t.gen, task: id, form: &form{demand: demandOf(&task)}})
}

// wait starts the reply timeout for the present stage of a negotiation.
func (a *negotiations) wait(ref uint32) {
	a.all[ref].gen++
	a.deadlines.Watch(ref, a.all[ref].gen)
}

// leaving reports whether a task is on its way out of its node already, or its
// agent negotiates about it.
func (a *negotiations) leaving(id unit.TaskID, t *cluster.Task) bool {
	_, open := a.of[id]
	return open || t.State == cluster.Migrating
}

// live returns the negotiation a message belongs to while it waits for it.
func (a *negotiations) live(m *message, in stage) *negotiation {
	p := &m.Payload
	if t := &a.all[p.ref]; t.gen == p.gen && t.stage == in && t.task == p.task {
		return t
	}
	return nil
}

// onCandidates is step 3: it asks every recommended node. The last list.forced of them are nodes for a
// forced migration. Without candidates the negotiation fails.
func (a *negotiations) onCandidates(m *message) {
	t, list := a.live(m, asking), m.Payload.form
	if t == nil {
		return
	}
	a.journal.note(noteCandidates, t.node, unit.NoNode, t.task, t.serial, float64(list.count))
	if list.count == 0 {
		a.fail(m.Payload.ref)
		return
	}
	t.stage, t.replies, t.at, t.count = polled, 0, a.Clock.Now(), list.count
	a.wait(m.Payload.ref)
	for i := range t.count {
		forced := i >= list.count-list.forced
		t.candidates[i] = candidate{node: list.nodes[i], forced: forced}
		a.post.Send(nodeAgent(t.node), nodeAgent(list.nodes[i]), payload{
			kind: migrationRequest, index: i, forced: forced, ref: m.Payload.ref, gen: t.gen, task: t.task,
		})
	}
}

// onReply records an answer of step 3, with the node's report. When all have answered, step 4 begins.
func (a *negotiations) onReply(m *message) {
	t := a.live(m, polled)
	if t == nil {
		return
	}
	p := &m.Payload
	c := &t.candidates[p.index]
	c.answer, c.report = rejected, p.report
	if p.kind == acceptanceResponse {
		c.answer = accepted
	} else {
		a.counts.declined++
	}
	a.journal.about(noteAnswer, t, c, flagValue(c.answer == accepted))
	if t.replies++; t.replies == t.count {
		a.target(p.ref)
	}
}
