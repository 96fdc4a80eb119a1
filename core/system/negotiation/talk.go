package negotiation

import (
	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/unit"
)

// maxCandidates bounds Settings.Candidates.
const maxCandidates = 32

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
	target     uint8     // step 5: which candidate was told to take the task
	at         unit.Time // when the recommendations came
	candidates [maxCandidates]candidate
}

type stage uint8

const (
	over   stage = iota // the entry is free
	asking              // step 2: a broker was asked for candidates
	polled              // step 3: the candidates were asked
	moving              // step 5: the target was told to take the task, or takes it
)

// candidate is a node that a broker recommended.
type candidate struct {
	node     unit.NodeID
	forced   bool
	answer   answer
	used     unit.Vec // as the node itself told
	promised unit.Vec
	score    float64 // the broker's, then the agent's own of step 4
}

type answer uint8

const (
	silent answer = iota
	accepted
	rejected
	failed // it accepted and then refused at step 5
)

// open begins the negotiation of a task: step 2, the broker is asked.
func (a *balancer) open(id unit.TaskID, n unit.NodeID) {
	var ref uint32
	if k := len(a.freeNegotiations); k > 0 {
		ref = a.freeNegotiations[k-1]
		a.freeNegotiations = a.freeNegotiations[:k-1]
	} else {
		ref = uint32(len(a.negotiations))
		a.negotiations = append(a.negotiations, negotiation{})
	}
	a.negotiationOf[id] = ref
	t := &a.negotiations[ref]
	t.task, t.node, t.stage, t.count = id, n, asking, 0
	a.counts.negotiations++
	t.serial = uint32(a.counts.negotiations)
	b := a.random.Intn(len(a.brokers))
	a.note(noteAsk, n, unit.NoNode, id, t.serial, float64(b))
	a.wait(ref)
	a.post.Send(mail.Message{From: mail.Agent(n), To: mail.Broker(b), Kind: candidatesRequest, Ref: ref, Gen: t.gen, Task: id})
}

// wait starts the reply timeout for the present stage of a negotiation.
func (a *balancer) wait(ref uint32) {
	a.negotiations[ref].gen++
	a.negotiationLimit.watch(ref, a.negotiations[ref].gen)
}

// negotiating reports whether a task is being negotiated.
func (a *balancer) negotiating(id unit.TaskID) bool {
	_, open := a.negotiationOf[id]
	return open
}

// live returns the negotiation a message belongs to while it waits for it.
func (a *balancer) live(m *mail.Message, in stage) *negotiation {
	if t := &a.negotiations[m.Ref]; t.gen == m.Gen && t.stage == in && t.task == m.Task {
		return t
	}
	return nil
}

// onCandidatesRequest is the broker's side of step 2.
func (a *balancer) onCandidatesRequest(m *mail.Message) {
	t := a.live(m, asking)
	task, alive := a.env.View.Task(m.Task)
	if t == nil || !alive {
		return
	}
	d := demandOf(&task)
	b := &a.brokers[m.To.Broker()]
	fits, forced := a.recommend(b, m.Task, &d, &a.move, a.settings.ScanReallocation, a.settings.Candidates, false)
	t.count = 0
	for _, f := range fits {
		t.add(candidate{node: f.node, score: f.score})
	}
	for _, n := range forced {
		t.add(candidate{node: n, forced: true})
	}
	a.post.Send(mail.Message{From: m.To, To: m.From, Kind: candidatesResponse, Ref: m.Ref, Gen: m.Gen, Task: m.Task})
}

func (t *negotiation) add(c candidate) {
	t.candidates[t.count] = c
	t.count++
}

// onCandidatesResponse is step 3: every recommended node is asked.
func (a *balancer) onCandidatesResponse(m *mail.Message) {
	t := a.live(m, asking)
	if t == nil {
		return
	}
	a.note(noteCandidates, t.node, unit.NoNode, t.task, t.serial, float64(t.count))
	if t.count == 0 {
		a.fail(m.Ref)
		return
	}
	t.stage, t.replies, t.at = polled, 0, a.env.Clock.Now()
	a.wait(m.Ref)
	for i := range t.count {
		a.post.Send(mail.Message{
			From: mail.Agent(t.node), To: mail.Agent(t.candidates[i].node), Kind: migrationRequest, Flag: i, Ref: m.Ref, Gen: t.gen, Task: t.task,
		})
	}
}

// onMigrationRequest is the candidate's side of step 3: would it take the
// task? It promises nothing.
func (a *balancer) onMigrationRequest(m *mail.Message) {
	t := a.live(m, polled)
	if t == nil {
		return
	}
	n := m.To.Node()
	reply := mail.Message{From: m.To, To: m.From, Kind: acceptanceResponse, Flag: m.Flag, Ref: m.Ref, Gen: m.Gen, Task: m.Task}
	by := cluster.ByUse
	if t.candidates[m.Flag].forced {
		by = cluster.ByTotal
	}
	if a.crowds(m.Task, n) || a.env.View.Fits(m.Task, n, by) != nil {
		reply.Kind = rejectionResponse
	}
	reply.A, reply.B = a.env.View.Used(n), a.env.View.Promised(n)
	a.post.Send(reply)
}

// onReply counts the answers of step 3; when all are there, step 4 begins.
func (a *balancer) onReply(m *mail.Message) {
	t := a.live(m, polled)
	if t == nil {
		return
	}
	c := &t.candidates[m.Flag]
	c.answer, c.used, c.promised = rejected, m.A, m.B
	if m.Kind == acceptanceResponse {
		c.answer = accepted
	}
	a.note(noteAnswer, t.node, c.node, t.task, t.serial, flagValue(c.answer == accepted))
	if t.replies++; t.replies == t.count {
		a.target(m.Ref)
	}
}
