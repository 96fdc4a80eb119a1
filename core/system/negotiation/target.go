package negotiation

import (
	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/unit"
)

// target is step 4: the agent scores those that accepted by what they told,
// draws one by score, and tells it to take the task. Forced ones come last.
// When none is left the negotiation is over, and the agent selects anew if its
// node is still overloaded in the next minute.
func (a *balancer) target(ref uint32) {
	t := &a.negotiations[ref]
	task, alive := a.env.View.Task(t.task)
	if !alive || task.State != cluster.Running {
		a.close(ref)
		return
	}
	if a.env.Clock.Now()-t.at > a.settings.Expiry {
		a.counts.expired++
		a.note(noteExpire, t.node, unit.NoNode, t.task, t.serial, 0)
		a.close(ref)
		return
	}
	i := a.drawTarget(t, &task)
	if i < 0 {
		a.remember(t, -1)
		a.fail(ref)
		return
	}
	c := &t.candidates[i]
	a.counts.attempts++
	t.stage, t.target = moving, uint8(i)
	a.remember(t, i)
	a.wait(ref)
	a.note(noteTarget, t.node, c.node, t.task, t.serial, c.score)
	a.post.Send(mail.Message{
		From: mail.Agent(t.node), To: mail.Agent(c.node), Kind: processRequest, Flag: uint8(i), Ref: ref, Gen: t.gen, Task: t.task,
	})
}

// drawTarget returns the index of the drawn candidate, or -1.
func (a *balancer) drawTarget(t *negotiation, task *cluster.Task) int {
	d := demandOf(task)
	total := 0.0
	for i := range t.candidates[:t.count] {
		c := &t.candidates[i]
		c.score = 0
		if c.answer == accepted && !c.forced {
			c.score = a.rescore(c, &d, t.node)
			total += c.score
		}
	}
	if total > 0 {
		x := a.random.Float64() * total
		last := -1
		for i := range t.candidates[:t.count] {
			if s := t.candidates[i].score; s > 0 {
				last = i
				if x -= s; x < 0 {
					break
				}
			}
		}
		return last
	}
	return t.drawForced(d.need, a.env.View)
}

// drawForced returns the index of the next forced candidate, or -1: first those
// that have room after all, though not of a shape that scores, and last those
// that said nothing.
func (t *negotiation) drawForced(need unit.Vec, v cluster.View) int {
	next, rank := -1, 0
	for i := range t.candidates[:t.count] {
		c := &t.candidates[i]
		if !c.forced || c.answer == failed {
			continue
		}
		here := 1
		if c.answer != silent {
			here = 2
			if c.used.Add(need).Within(v.Capacity(c.node)) {
				here = 3
			}
		}
		if here > rank {
			next, rank = i, here
		}
	}
	return next
}

// rescore is the re-allocation score of a candidate by its own figures, less
// for a far one where distance counts.
func (a *balancer) rescore(c *candidate, d *demand, from unit.NodeID) float64 {
	capacity := a.env.View.Capacity(c.node)
	before := percent(c.used, capacity)
	after := percent(c.used.Add(d.need), capacity)
	if d.promise != (unit.Vec{}) && a.settings.Headroom > 0 {
		for _, p := range percent(c.promised.Add(d.promise), capacity) {
			if p > a.move.limit {
				return 0
			}
		}
	}
	score := a.move.rate(before, after, c.used == unit.Vec{})
	return score / a.discount(from, c.node)
}

// onProcessRequest is the target's side of step 5: a last check, then the
// migration starts.
func (a *balancer) onProcessRequest(m *mail.Message) {
	t := a.live(m, moving)
	if t == nil {
		return
	}
	n := m.To.Node()
	by, takes := cluster.ByUse, !a.crowds(m.Task, n)
	if takes && t.candidates[m.Flag].forced {
		by, takes = a.force(m.Task, n)
	}
	reply := mail.Message{From: m.To, To: m.From, Kind: processResponse, Flag: m.Flag, Ref: m.Ref, Gen: m.Gen, Task: m.Task}
	if !takes || a.env.Acts.Migrate(m.Task, n, by) != nil {
		reply.Kind = processError
	} else {
		a.note(noteStart, t.node, n, t.task, t.serial, 0)
	}
	a.post.Send(reply)
}

// onProcessError sends the negotiation back to step 4.
func (a *balancer) onProcessError(m *mail.Message) {
	t := a.live(m, moving)
	if t == nil {
		return
	}
	a.counts.rejected++
	a.note(noteRefuse, t.node, m.From.Node(), t.task, t.serial, 0)
	a.again(m.Ref)
}

// again returns a negotiation to step 4 after its target failed.
func (a *balancer) again(ref uint32) {
	t := &a.negotiations[ref]
	t.candidates[t.target].answer = failed
	a.target(ref)
}

// fail ends a negotiation that found no target.
func (a *balancer) fail(ref uint32) {
	t := &a.negotiations[ref]
	n := t.node
	a.note(noteFail, n, unit.NoNode, t.task, t.serial, 0)
	a.counts.failed++
	a.close(ref)
	if a.settings.Later.Preempt {
		a.shutDown(n)
	}
}

// negotiationTimeout ends a wait for answers that did not come.
func (a *balancer) negotiationTimeout(ref, gen uint32) {
	t := &a.negotiations[ref]
	if t.gen != gen {
		return
	}
	switch t.stage {
	case polled:
		for _, c := range t.candidates[:t.count] {
			if c.answer == silent {
				a.note(noteSilent, t.node, c.node, t.task, t.serial, 0)
				a.blacklist(c.node)
			}
		}
		a.target(ref)
	case moving:
		if task, alive := a.env.View.Task(t.task); !alive || task.State != cluster.Migrating {
			a.note(noteSilent, t.node, t.candidates[t.target].node, t.task, t.serial, 0)
			a.blacklist(t.candidates[t.target].node)
			a.again(ref)
		}
	case asking:
		a.note(noteUnheard, t.node, unit.NoNode, t.task, t.serial, 0)
		a.close(ref)
	}
}

// broken returns the negotiation of a task whose migration broke off to step
// 4; there it ends if the task is lost to the node.
func (a *balancer) broken(id unit.TaskID) {
	if ref, open := a.negotiationOf[id]; open {
		a.again(ref)
	}
}

// settled ends the negotiation of a task that moved, lost its node or ended.
func (a *balancer) settled(id unit.TaskID) {
	if ref, open := a.negotiationOf[id]; open {
		a.close(ref)
	}
}

func (a *balancer) close(ref uint32) {
	t := &a.negotiations[ref]
	delete(a.negotiationOf, t.task)
	t.stage, t.task = over, unit.NoTask
	t.gen++
	a.freeNegotiations = append(a.freeNegotiations, ref)
}
