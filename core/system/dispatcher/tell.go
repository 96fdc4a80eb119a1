package dispatcher

import (
	"fmt"

	"parley/core/system"
	"parley/core/unit"
)

// TellNode implements system.NodeTeller: what this resource was given, and why.
func (c *central) TellNode(n unit.NodeID) []system.Fact {
	if int(n) >= len(c.nodes) {
		return nil
	}
	for id, v := range c.env.View.Queue(n) {
		o := c.graphs[id]
		if o == nil {
			continue
		}
		facts := []system.Fact{
			{Name: "Graph", Value: fmt.Sprint(o.number)},
			{Name: "Subtask", Value: o.Name(v)},
			{Name: "Why here", Value: "it had to begin before all other ready subtasks, and this resource was expected to finish it first, transfer of its inputs included"},
			{Name: "Finishes its queue at", Value: system.SpanOf(c.nodes[n].free)},
		}
		if g, alive := c.env.View.Graph(id); alive && g.Due < unit.Forever {
			facts = append(facts, system.Fact{Name: "Latest start", Value: system.SpanOf(o.latest[v])})
		}
		return facts
	}
	return nil
}

// NameJob implements system.NodeTeller: there are no rigid jobs here.
func (c *central) NameJob(unit.JobID) (string, bool) { return "", false }
