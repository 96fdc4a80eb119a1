package board

import (
	"fmt"
	"strings"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// Graphs implements system.GraphSource: what is on the boards, as they know it.
func (d *dispatch) Graphs(most int) (list []system.GraphTask, rest int) {
	list = make([]system.GraphTask, 0, min(most, len(d.live)))
	for _, t := range d.live {
		if len(list) == most {
			return list, len(d.live) - most
		}
		one := system.GraphTask{
			Number: t.number, Name: fmt.Sprintf("%d-%d", t.key.Job, t.key.Index), Arrived: t.arrived, Deadline: -1, State: t.state.String(),
			Subtasks: t.posted.Graph.Len(), Taken: t.posted.Count(posted.Taken), Done: t.posted.Count(posted.Done), Agents: len(t.community),
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

// Graph implements system.GraphSource.
func (d *dispatch) Graph(number uint32) (p system.GraphPicture, known bool) {
	t := d.task(number)
	if t == nil {
		return p, false
	}
	g := t.posted.Graph
	p.Depth, p.Agents = make([]int32, g.Len()), make([]int32, g.Len())
	for _, v := range g.Graph().Order() {
		first, end := g.Out(v)
		for a := first; a < end; a++ {
			if to := g.Arc(a).To; to != workload.Home {
				p.Depth[to] = max(p.Depth[to], p.Depth[v]+1)
				p.From, p.To = append(p.From, v), append(p.To, to)
			}
		}
		p.Agents[v] = t.posted.Agent(v)
		if s, ok := d.env.View.Subtask(t.id, v); ok && s.State == cluster.SubtaskDone && t.posted.Agent(v) != posted.Nobody {
			p.Agents[v] = -2 - t.posted.Agent(v)
		}
	}
	return p, true
}

// NameJob implements system.NodeTeller: there are no rigid jobs here.
func (d *dispatch) NameJob(unit.JobID) (string, bool) { return "", false }

// TellNode implements system.NodeTeller: why this resource does what it does.
func (d *dispatch) TellNode(n unit.NodeID) []system.Fact {
	if int(n) >= len(d.agents) || !d.agents[n].is {
		return nil
	}
	a := &d.agents[n]
	facts := []system.Fact{{Name: "Agent", Value: a.state.String()}, {Name: "Subtasks done", Value: fmt.Sprint(a.done)}, {Name: "Bonus earned", Value: fmt.Sprintf("%.6g", a.earned.Float())}}
	c := a.claim
	if c == nil {
		return facts
	}
	g := c.task.posted.Graph
	names := make([]string, 0, len(c.vertices))
	for _, v := range c.vertices {
		names = append(names, g.Name(v))
		if len(names) == 12 {
			names = append(names, fmt.Sprintf("and %d more", len(c.vertices)-12))
			break
		}
	}
	why := "of the threads that end where a result is needed and that it could finish in time, the longest"
	if c.ahead {
		why = "of the threads whose inputs were there and that it could finish in time, the longest"
	}
	facts = append(
		facts,
		system.Fact{Name: "Graph", Value: fmt.Sprint(c.task.number)},
		system.Fact{Name: "Thread", Value: strings.Join(names, " → ")},
		system.Fact{Name: "Why this one", Value: why},
		system.Fact{Name: "Done of it", Value: fmt.Sprintf("%d of %d", c.at, len(c.vertices))},
	)
	if c.at < len(c.starts) && c.starts[c.at] < unit.Forever/4 {
		facts = append(facts, system.Fact{Name: "Next begins at the latest", Value: fmt.Sprintf("%.6g s", c.starts[c.at].Seconds())})
	}
	return facts
}

// String returns what an agent does as people read it.
func (s agentState) String() string {
	return [...]string{"its resource is down", "rests until it looks again", "asks a board for work", "asks for a thread", "works", "waits to be heard by its board"}[s]
}
