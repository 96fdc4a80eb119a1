package static

import (
	"fmt"

	"parley/core/system"
	"parley/core/unit"
)

// rule describes how an algorithm chooses a subtask's machine. Any other name stands for the best plan of all.
func rule(algorithm string) string {
	switch algorithm {
	case "heft":
		return "subtasks in the order of their upward rank, each on the machine that is done with it first"
	case "cpop":
		return "subtasks of the critical path on the machine that does that path fastest, the others where they are done first"
	case "peft":
		return "subtasks by their optimistic cost table, each where its finish and the optimistic rest after it are least"
	case "min-min":
		return "it can finish before all other ready subtasks, and this machine finishes it first"
	case "max-min":
		return "its earliest end is the latest among the ready subtasks, and this machine finishes it first"
	}
	return "the plan with the shortest makespan of all algorithms"
}

// NodeFacts implements system.NodeFactSource: the plans of this machine, with their reasons.
func (p *planner) NodeFacts(n unit.NodeID) []system.Fact {
	for id, v := range p.env.View.Queue(n) {
		one := p.graphs[id]
		if one == nil {
			continue
		}
		return []system.Fact{
			{Name: "Graph", Value: fmt.Sprint(id.Slot() + 1)},
			{Name: "Subtask", Value: fmt.Sprintf("%s, number %d of %d in the plan", one.Name(v), one.rank[v]+1,
				one.Len())},
			{Name: "Why here", Value: p.settings.Algorithm + ": " + rule(p.settings.Algorithm)},
			{Name: "Finishes its plans at", Value: system.Span(p.booked.until(n))},
		}
	}
	return nil
}

// NameJob implements system.NodeFactSource: there are no rigid jobs here.
func (p *planner) NameJob(unit.JobID) (string, bool) { return "", false }
