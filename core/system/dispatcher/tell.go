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
			{Name: "Why here", Value: "of the ready subtasks the one that had to begin first, and of the resources with room the one that was expected to be done with it first, travel of its inputs included"},
			{Name: "Done with all it has at", Value: fmt.Sprintf("%.6g s", c.nodes[n].free.Seconds())},
		}
		if g, alive := c.env.View.Graph(id); alive && g.Due < unit.Forever {
			facts = append(facts, system.Fact{Name: "Had to begin by", Value: fmt.Sprintf("%.6g s", o.latest[v].Seconds())})
		}
		return facts
	}
	return nil
}

// NameJob implements system.NodeTeller: there are no rigid jobs here.
func (c *central) NameJob(unit.JobID) (string, bool) { return "", false }
