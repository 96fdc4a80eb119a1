package dispatcher

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// NodeFacts implements system.NodeFactSource: the subtask that this resource was given, with the reason.
func (c *central) NodeFacts(n unit.NodeID) []system.Fact {
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
			{
				Name:  "Why here",
				Value: "it had to begin before all other ready subtasks, and this resource was expected to finish it first, transfer of its inputs included",
			},
			{Name: "Finishes its queue at", Value: system.SpanOf(c.nodes[n].free)},
		}
		if g, alive := c.env.View.Graph(id); alive && g.Due < unit.Forever {
			facts = append(facts, system.Fact{Name: "Latest start", Value: system.SpanOf(o.latest[v])})
		}
		return facts
	}
	return nil
}

// NameJob implements system.NodeFactSource: there are no rigid jobs here.
func (c *central) NameJob(unit.JobID) (string, bool) { return "", false }

// numberOf returns the number of a graph that is open; 0 if it is not.
func (c *central) numberOf(id unit.GraphID) uint32 {
	if o := c.graphs[id]; o != nil {
		return uint32(o.number)
	}
	return 0
}

// Graphs implements system.GraphSource.
func (c *central) Graphs(limit int) ([]system.GraphTask, int) {
	return system.GraphsOf(c.env.View, limit, c.numberOf)
}

// Graph implements system.GraphSource.
func (c *central) Graph(number uint32) (system.GraphPicture, bool) {
	return system.GraphPictureOf(c.env.View, number, c.numberOf)
}

// Timeline implements system.TimelineSource.
func (c *central) Timeline() ([]system.TimelineEvent, bool) { return c.timeline.Timeline() }

// keep records an event of a graph, a subtask or a resource, if notes are read.
func (c *central) keep(e cluster.Event) {
	if c.env.Note == nil {
		return
	}
	c.timeline.Keep(e, func(id unit.GraphID) (uint32, *workload.Subtasks) {
		o := c.graphs[id]
		if o == nil { // it has ended
			return 0, nil
		}
		return uint32(o.number), o.Subtasks
	})
}
