package board

import (
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
	"parley/core/workload"
)

// The paper's rule takes graphs from their end, and agents wait for the subtasks before. If there
// are fewer agents than threads, all wait for subtasks that no agent is left to take: until their
// latest starts, and for ever if a graph has no deadline. So an agent that has waited for a while
// asks its board. If no agent has taken the subtasks that it waits for, the graph is stalled: from
// then on it is taken from its beginning, by the rule Ready, and the agent puts its thread back.
// Each graph stalls once at most, and ready subtasks wait for no other; so every graph that has all
// types it needs ends.

// ruleOf returns by which rule a graph is taken.
func (d *dispatch) ruleOf(t *task) thread.Rule {
	if t.stalled {
		return thread.Ready
	}
	return d.rule
}

// askInterval returns the time after which an agent that waits for inputs asks its board, again and again.
func (d *dispatch) askInterval() unit.Time {
	if d.settings.Patience > 0 {
		return d.settings.Patience
	}
	return usualPatience
}

// stuckIn handles a member's message that it waits for the inputs of a subtask. If agents have taken all subtasks
// that it waits for, or graphs never stall, they receive addresses again, as the first message may be lost.
// Otherwise the graph is stalled from now on, and the member is told to put its thread back.
func (d *dispatch) stuckIn(m *message) {
	c, v := m.Payload.claim, m.Payload.arc // in this message arc has the subtask
	t := c.task
	if !c.held || t.state != onBoard {
		return
	}
	if d.settings.Patience == 0 || !d.needsUntaken(t, v) {
		d.sendAddresses(c)
		return
	}
	if !t.stalled {
		t.stalled = true
		if t.posted.Estimate == nil {
			t.posted.Estimate = d.estimate(t)
		}
		d.count.stalled++
		d.note(noteStalled, c.node, t, float64(t.posted.Count(posted.Open)))
		d.touch(t)
	}
	d.send(m.To, m.From, payload{kind: yield, claim: c})
}

// needsUntaken reports whether a subtask needs, directly or not, the result of one that
// no agent has taken.
func (d *dispatch) needsUntaken(t *task, v int32) bool {
	if t.posted.Count(posted.Open) == 0 {
		return false
	}
	g := t.posted.Graph
	met := map[int32]bool{v: true}
	for line := []int32{v}; len(line) > 0; {
		v := line[len(line)-1]
		line = line[:len(line)-1]
		for _, a := range g.In(v) {
			from := g.Arc(a).From
			if from == workload.Home || met[from] || t.posted.State(from) == posted.Done {
				continue
			}
			if t.posted.State(from) == posted.Open {
				return true
			}
			met[from] = true
			line = append(line, from)
		}
	}
	return false
}
