package board

import (
	"fmt"
	"strings"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/board/posted"
	"parley/core/unit"
)

// Graphs implements system.GraphSource: the graphs on the boards, as they and their agents know
// them.
func (d *dispatch) Graphs(limit int) (list []system.GraphTask, rest int) {
	list = make([]system.GraphTask, 0, min(limit, len(d.live)))
	for _, t := range d.live {
		if len(list) == limit {
			return list, len(d.live) - limit
		}
		taken, done := t.progress()
		one := system.GraphTask{
			Number: t.number, Name: fmt.Sprintf("%d-%d", t.key.Job, t.key.Index), Arrived: t.arrived, Deadline: -1,
			State:    t.state.String(),
			Subtasks: t.posted.Graph.Len(), Taken: taken, Done: done, Agents: len(t.community),
		}
		if t.due != unit.Forever {
			one.Deadline = t.due
		}
		if t.state == onBoard && t.stalled {
			one.State = "stalled"
		}
		list = append(list, one)
	}
	return list, 0
}

// progress returns how many subtasks of a graph are taken, and how many are done: a board
// often learns of a thread when all of it is done, its agent knows of each subtask.
func (t *task) progress() (taken, done int) {
	taken, done = t.posted.Count(posted.Taken), t.posted.Count(posted.Done)
	for _, c := range t.community {
		for _, v := range c.vertices[:c.at] {
			if t.posted.State(v) == posted.Taken {
				taken--
				done++
			}
		}
	}
	return taken, done
}

// Graph implements system.GraphSource. The agent of a subtask is the one that took it, even before it computes.
func (d *dispatch) Graph(number uint32) (p system.GraphPicture, known bool) {
	t := d.task(number)
	if t == nil {
		return p, false
	}
	p = system.DrawGraph(t.posted.Graph)
	for v := range int32(len(p.Agents)) {
		p.Agents[v] = t.posted.Agent(v)
		if s, ok := d.env.View.Subtask(t.id, v); ok && s.State == cluster.SubtaskDone &&
			t.posted.Agent(v) != posted.NoAgent {
			p.Agents[v] = -2 - t.posted.Agent(v)
		}
	}
	return p, true
}

// NameJob implements system.NodeFactSource: there are no rigid jobs here.
func (d *dispatch) NameJob(unit.JobID) (string, bool) { return "", false }

// keptThreads is how many of its past threads an agent remembers.
const keptThreads = 3

// remember keeps the thread that an agent works on, which ends now, while somebody
// watches.
func (d *dispatch) remember(a *agent) {
	if d.env.Note == nil || a.state != working {
		return
	}
	if len(a.past) == keptThreads {
		a.past = a.past[:copy(a.past, a.past[1:])]
	}
	a.past = append(a.past, a.claim)
}

// NodeFacts implements system.NodeFactSource: the reasons for this resource's present and earlier
// activity.
func (d *dispatch) NodeFacts(n unit.NodeID) []system.Fact {
	if int(n) >= len(d.agents) || !d.agents[n].is {
		return nil
	}
	a := &d.agents[n]
	facts := []system.Fact{
		{Name: "Agent", Value: a.state.String()},
		{Name: "Subtasks done", Value: fmt.Sprint(a.done)},
		{Name: "Bonus earned", Value: system.Price(a.earned.Float())},
	}
	if c := a.claim; c != nil {
		facts = append(
			facts,
			system.Fact{Name: "Graph", Value: fmt.Sprint(c.task.number)},
			system.Fact{Name: "Thread", Value: c.names()},
			system.Fact{Name: "Why this one", Value: c.why()},
			system.Fact{Name: "Done of it", Value: fmt.Sprintf("%d of %d", c.at, len(c.vertices))},
		)
		if c.at < len(c.starts) && c.starts[c.at] < unit.Forever/4 {
			facts = append(facts, system.Fact{Name: "Latest start of the next", Value: system.SpanOf(c.starts[c.at])})
		}
	} else if a.state != away {
		facts = append(facts, system.Fact{Name: "Why no thread", Value: d.freeReason(a)})
	}
	for i := len(a.past) - 1; i >= 0; i-- {
		c := a.past[i]
		end := "all are done"
		switch {
		case c.at < len(c.vertices) && c.task.state != onBoard:
			end = fmt.Sprintf("%d of %d were done when the graph ended", c.at, len(c.vertices))
		case c.at < len(c.vertices):
			end = fmt.Sprintf("%d of %d were done, the others it put back", c.at, len(c.vertices))
		}
		facts = append(facts, system.Fact{
			Name:  "Before",
			Value: fmt.Sprintf("graph %d, %s: %s; %s", c.task.number, c.names(), c.why(), end),
		})
	}
	return facts
}

// freeReason returns the reason why an agent has no thread.
func (d *dispatch) freeReason(a *agent) string {
	switch {
	case a.state == polling || a.state == asking:
		return "a board's answer is under way"
	case a.state == parting:
		return "its board has not heard yet that its last thread has ended"
	case len(d.live) == 0:
		return "no graph is on a board"
	}
	return "no board had a thread of types that it knows, which it could finish in time, when it looked last"
}

// why returns the reason why an agent took a thread.
func (c *claim) why() string {
	if c.ahead {
		return "of the threads whose inputs were there and that it could finish in time, the longest"
	}
	return "of the threads that end where a result is needed and that it could finish in time, the longest"
}

// names lists the subtasks of a thread, at most twelve of them.
func (c *claim) names() string {
	const limit = 12
	var names []string
	for i, v := range c.vertices {
		if i == limit {
			names = append(names, fmt.Sprintf("and %d more", len(c.vertices)-limit))
			break
		}
		names = append(names, c.task.posted.Graph.Name(v))
	}
	return strings.Join(names, " → ")
}

// String names the activity of an agent for people.
func (s agentState) String() string {
	return [...]string{
		"its resource is down", "rests until it looks again", "asks a board for work",
		"asks for a thread", "works", "waits to be heard by its board",
	}[s]
}
