package yield

import (
	"fmt"

	"parley/core/system"
	"parley/core/unit"
)

// The kinds of Note, which NoteKinds describes.
const (
	noteAdapted uint8 = iota
	notePlaced
	noteMoves
	noteRefused
	noteStuck
)

// NoteKinds implements system.NoteDescriber.
func (*controller) NoteKinds() []system.NoteKind {
	const (
		ref  = "ref: number of adaptations so far"
		task = "task: the task"
	)
	return []system.NoteKind{
		noteAdapted: {
			ID: "adapted", About: "a new plan is in force",
			Fields: []string{ref, "value: the smallest yield that it plans"},
		},
		notePlaced: {ID: "placed", About: "a task starts", Fields: []string{ref, task, "node: the node"}},
		noteMoves: {
			ID: "moves", About: "a task migrates",
			Fields: []string{ref, task, "node: the node that it leaves", "other: the node that it moves to"},
		},
		noteRefused: {
			ID: "refused", About: "a new job may not start",
			Fields: []string{ref, "task: its first task", "value: how many tasks it has"},
		},
		noteStuck: {
			ID: "stuck", About: "the plan drops moves that wait for one another's memory",
			Fields: []string{ref, "value: how many moves"},
		},
	}
}

// note sends a note with the number of the latest adaptation, if notes are read.
func (c *controller) note(kind uint8, task unit.TaskID, n, other unit.NodeID, value float64) {
	if c.env.Note != nil {
		c.env.Note(system.Note{
			At: c.env.Clock.Now(), Kind: kind, Node: n, Other: other, Task: task,
			Ref: uint32(c.repacks), Value: value,
		})
	}
}

// FormatNote implements system.NoteFormatter.
func (c *controller) FormatNote(n system.Note) string {
	switch n.Kind {
	case noteAdapted:
		return fmt.Sprintf("Adaptation %d: every job now gets at least %.1f %% of its CPU", n.Ref, 100*n.Value)
	case notePlaced:
		return fmt.Sprintf("A task starts on node %d", n.Node)
	case noteMoves:
		return fmt.Sprintf("A task migrates from node %d to node %d", n.Node, n.Other)
	case noteRefused:
		return fmt.Sprintf(
			"A job of %s is refused: it would push the smallest yield below %.1f %%, or there is too little memory",
			system.Count(n.Value, "task"), 100*c.settings.FloorYield,
		)
	case noteStuck:
		return fmt.Sprintf("The plan drops %s: each waits for memory that another holds", system.Count(n.Value, "move"))
	}
	return "Something else happened"
}

// keptHosts is how many candidates of a decision are kept beside the chosen one.
const keptHosts = 6

// remember records the host of a task and, for the least loaded hosts, the yield there: the yield
// if all of the host's tasks were cut alike.
func (c *controller) remember(i intent) {
	if !c.env.Wants(i.task) {
		return
	}
	d := system.Decision{At: c.env.Clock.Now(), Task: i.task, From: unit.NoNode, To: i.node, Rule: i.rule()}
	if i.migrates {
		d.From = i.from
	}
	t, _ := c.env.View.Task(i.task)
	after := func(n unit.NodeID) unit.Vec {
		if n == i.node || n == d.From { // it is counted there already
			return c.env.View.Requested(n)
		}
		return c.env.View.Requested(n).Add(t.Request)
	}
	score := func(n unit.NodeID) float64 {
		load := c.env.View.Requested(n)[unit.CPU]
		if n != i.node && n != d.From {
			load += t.Request[unit.CPU]
		}
		return min(1, c.env.View.Capacity(n)[unit.CPU].Float()/max(load, 1).Float())
	}
	d.Candidates = append(d.Candidates, system.Candidate{
		Node: i.node, Score: score(i.node), Answer: system.Chosen,
		After: after(i.node),
	})
	for _, n := range c.emptiest(i) {
		answer := "rejected" // the plan as a whole is better without it
		if c.env.View.Requested(n)[unit.Memory]+t.Request[unit.Memory] > c.env.View.Capacity(n)[unit.Memory] {
			answer = "refused" // it lacks the memory
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: n, Score: score(n), Answer: answer, After: after(n)})
	}
	c.Remember(d)
}

// rule names the rule that decided the host of a task.
func (i intent) rule() string {
	switch {
	case i.byHand:
		return "among the suitable hosts with enough memory, the one with the least CPU requested relative to its capacity"
	case i.migrates:
		return "the best plan found for the pool (largest minimum yield) moves it here, within the migration budget"
	}
	return "the best plan found for the pool (largest minimum yield) puts it here"
}

// emptiest returns where else the task might have gone: the host it leaves, and
// those with the least CPU need of a sample of the others.
func (c *controller) emptiest(i intent) []unit.NodeID {
	v := c.env.View
	var some []unit.NodeID
	for k := range min(v.Nodes(), 64) {
		n := unit.NodeID((int(i.task.Slot())*31 + k) % v.Nodes())
		if v.Up(n) && n != i.node && !(i.migrates && n == i.from) {
			some = append(some, n)
		}
	}
	for at := range min(len(some), keptHosts) {
		lowest := at
		for k := at + 1; k < len(some); k++ {
			if v.Requested(some[k])[unit.CPU] < v.Requested(some[lowest])[unit.CPU] {
				lowest = k
			}
		}
		some[at], some[lowest] = some[lowest], some[at]
	}
	some = some[:min(len(some), keptHosts)]
	if i.migrates {
		some = append([]unit.NodeID{i.from}, some...)
	}
	return some
}
