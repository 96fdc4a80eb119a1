package negotiation

import (
	"parley/core/cluster"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// target is step 4: the agent scores the nodes that accepted by their reports, draws one by score,
// and orders it to take the task. Forced ones come last. When none is left the negotiation is over,
// and the agent selects again if its node is still overloaded in the next minute.
func (a *negotiations) target(ref uint32) {
	t := &a.all[ref]
	task, alive := a.View.Task(t.task)
	if !alive || task.State != cluster.Running {
		a.close(ref)
		return
	}
	if a.Clock.Now()-t.at > a.settings.Expiry {
		a.counts.expired++
		a.journal.note(noteExpire, t.node, unit.NoNode, t.task, t.serial, 0)
		a.close(ref)
		return
	}
	i := a.drawTarget(t, &task)
	if i < 0 {
		a.journal.remember(t, -1, demandOf(&task).Need, a.brokers.machines.Figures)
		a.fail(ref)
		return
	}
	c := &t.candidates[i]
	a.counts.attempts++
	a.counts.forced += int64(flag(c.forced))
	t.stage, t.target = moving, uint8(i)
	a.journal.remember(t, i, demandOf(&task).Need, a.brokers.machines.Figures)
	a.wait(ref)
	a.journal.about(noteTarget, t, c, c.score)
	a.post.Send(nodeAgent(t.node), nodeAgent(c.node), payload{
		kind: processRequest, index: uint8(i), forced: c.forced, ref: ref, gen: t.gen, task: t.task,
	})
}

// drawTarget returns the index of the candidate that gets the task, drawn by score among those that
// accepted; if none has a score, that of a forced one; -1 if there is none.
func (a *negotiations) drawTarget(t *negotiation, task *cluster.Task) int {
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
	return a.drawForced(t, d.Need)
}

// drawForced returns the index of the next forced candidate, or -1: first those that have room
// after all, though not of a shape that scores, and last those that did not answer.
func (a *negotiations) drawForced(t *negotiation, need unit.Vec) int {
	next, rank := -1, 0
	for i := range t.candidates[:t.count] {
		c := &t.candidates[i]
		if !c.forced || c.answer == failed {
			continue
		}
		grade := 1
		if c.answer != silent {
			grade = 2
			if used, _, capacity := a.brokers.machines.Figures(&c.report); used.Add(need).Within(capacity) {
				grade = 3
			}
		}
		if grade > rank {
			next, rank = i, grade
		}
	}
	return next
}

// rescore is the re-allocation score of a candidate by its own figures, less
// for a far one where distance counts.
func (a *negotiations) rescore(c *candidate, d *broker.Demand, from unit.NodeID) float64 {
	used, byProduction, capacity := a.brokers.machines.Figures(&c.report)
	before, after := score.Of(used, capacity), score.Of(used.Add(d.Need), capacity)
	if d.Promise != (unit.Vec{}) && a.settings.Headroom > 0 &&
		score.Of(byProduction.Add(d.Promise), capacity).Max() > a.move.Limit {
		return 0
	}
	value := a.move.Rate(before, after, used == unit.Vec{})
	return value / a.discount(from, c.node)
}

// onProcessError sends the negotiation back to step 4.
func (a *negotiations) onProcessError(m *message) {
	t := a.live(m, moving)
	if t == nil {
		return
	}
	a.counts.rejected++
	a.journal.note(noteRefuse, t.node, nodeOf(m.From), t.task, t.serial, 0)
	a.again(m.Payload.ref)
}

// again returns a negotiation to step 4 after its target failed.
func (a *negotiations) again(ref uint32) {
	t := &a.all[ref]
	t.candidates[t.target].answer = failed
	a.target(ref)
}

// fail ends a negotiation that found no target.
func (a *negotiations) fail(ref uint32) {
	t := &a.all[ref]
	n := t.node
	a.journal.note(noteFail, n, unit.NoNode, t.task, t.serial, 0)
	a.counts.failed++
	a.close(ref)
	if a.settings.Later.Preempt {
		a.unrelieved.shutDown(n)
	}
}

// timeout ends a wait for answers, unless the negotiation has moved on since (gen). Silent nodes are
// blacklisted; then the target is drawn among those that answered, another one is tried, or the
// negotiation is closed, by its stage.
func (a *negotiations) timeout(ref, gen uint32) {
	t := &a.all[ref]
	if t.gen != gen {
		return
	}
	switch t.stage {
	case polled:
		for i := range t.candidates[:t.count] {
			if c := &t.candidates[i]; c.answer == silent {
				a.journal.about(noteSilent, t, c, 0)
				a.brokers.blacklist(c.node)
			}
		}
		a.target(ref)
	case moving:
		if task, alive := a.View.Task(t.task); !alive || task.State != cluster.Migrating {
			a.journal.about(noteSilent, t, &t.candidates[t.target], 0)
			a.brokers.blacklist(t.candidates[t.target].node)
			a.again(ref)
		}
	case asking:
		a.journal.note(noteUnheard, t.node, unit.NoNode, t.task, t.serial, 0)
		a.close(ref)
	}
}

// began publishes that a target took its task.
func (a *negotiations) began(id unit.TaskID, target unit.NodeID) {
	if ref, open := a.of[id]; open {
		a.journal.note(noteStart, a.all[ref].node, target, id, a.all[ref].serial, 0)
	}
}

// broken returns the negotiation of a task whose migration broke off to step
// 4; there it ends if the task is lost to the node.
func (a *negotiations) broken(id unit.TaskID, target unit.NodeID) {
	if ref, open := a.of[id]; open {
		a.journal.note(noteBreak, a.all[ref].node, target, id, a.all[ref].serial, 0)
		a.again(ref)
	}
}

// settled ends the negotiation of a task that moved, lost its node or ended, with a note of this
// kind.
func (a *negotiations) settled(kind uint8, id unit.TaskID, target unit.NodeID) {
	if ref, open := a.of[id]; open {
		a.journal.note(kind, a.all[ref].node, target, id, a.all[ref].serial, 0)
		a.close(ref)
	}
}

func (a *negotiations) close(ref uint32) {
	t := &a.all[ref]
	delete(a.of, t.task)
	t.stage, t.task = over, unit.NoTask
	t.gen++
	a.free = append(a.free, ref)
}
