package negotiation

import (
	"fmt"

	"parley/core/system"
	"parley/core/unit"
)

// The kinds of note, which NoteKinds describes. Those from noteAsk on are minor: there
// are many for every negotiation.
const (
	noteAllocate uint8 = iota + 1 // minor
	noteForce
	noteSelect
	noteTarget
	noteRefuse
	noteFail
	noteAsk
	noteCandidates
	noteAnswer
	noteSilent
	noteStart
	noteArrive
	noteBreak
	noteGone
	noteExpire
	noteUnheard
)

// NoteKinds implements system.NoteDescriber.
func (*journal) NoteKinds() []system.NoteKind {
	const (
		task   = "task: the task"
		ref    = "ref: number of the negotiation, from 1"
		node   = "node: the node that the task is to leave"
		other  = "other: the candidate"
		forced = "forced: true if the broker recommended the candidate by force, for want of a better one"
	)
	of := func(more ...string) []string { return append([]string{ref, task, node}, more...) }
	return []system.NoteKind{
		noteAllocate: {
			ID: "allocate", About: "a broker sends a new task to a node",
			Fields: []string{task, "node: the node"},
		},
		noteForce: {
			ID: "force", About: "a broker sends a task to a node by force",
			Fields: []string{task, "node: the node"},
		},
		noteSelect: {
			ID: "select", About: "a node is overloaded and selects tasks to move",
			Fields: []string{"node: the node", "value: how many tasks it chose from"},
		},
		noteTarget: {
			ID: "target", About: "the node asks a candidate to take the task",
			Fields: of(other, "value: its score, 0 if it has none", forced),
		},
		noteRefuse: {ID: "refuse", About: "the candidate refuses at the last check", Fields: of(other)},
		noteFail:   {ID: "fail", About: "the node finds no target", Fields: of()},
		noteAsk: {
			ID: "ask", About: "the node asks a broker for candidates",
			Fields: of("value: number of the broker"),
		},
		noteCandidates: {
			ID: "candidates", About: "the broker's candidates arrive",
			Fields: of("value: how many there are"),
		},
		noteAnswer: {
			ID: "answer", About: "a candidate answers",
			Fields: of(other, "value: 1 if it would take the task, else 0", forced),
		},
		noteSilent:  {ID: "silent", About: "a candidate has not answered in time", Fields: of(other, forced)},
		noteStart:   {ID: "start", About: "the candidate takes the task: the migration begins", Fields: of(other)},
		noteArrive:  {ID: "arrive", About: "the task runs on the candidate", Fields: of(other)},
		noteBreak:   {ID: "break", About: "the migration fails", Fields: of(other)},
		noteGone:    {ID: "gone", About: "the task has ended or was displaced meanwhile", Fields: of()},
		noteExpire:  {ID: "expire", About: "the node gives up: the candidates are too old", Fields: of()},
		noteUnheard: {ID: "unheard", About: "the node gives up: its broker has not answered", Fields: of()},
	}
}

// journal publishes the system's own facts to its listeners, and records the reasons for
// placements.
type journal struct {
	env              *system.Env
	system.Decisions // what Explain returns; empty unless notes are read
}

// note publishes a Note if notes are read.
func (j *journal) note(kind uint8, node, other unit.NodeID, task unit.TaskID, ref uint32, value float64) {
	j.publish(kind, node, other, task, ref, value, nil)
}

// about records a note about a candidate, and whether the placement there is forced.
func (j *journal) about(kind uint8, t *negotiation, c *candidate, value float64) {
	var forced []system.Detail
	if c.forced && j.env.Note != nil {
		forced = []system.Detail{system.Flag("forced")}
	}
	j.publish(kind, t.node, c.node, t.task, t.serial, value, forced)
}

// publish sends a note of the present moment, if notes are read. Placements and the kinds from noteAsk
// on are minor.
func (j *journal) publish(kind uint8, node, other unit.NodeID, task unit.TaskID, ref uint32, value float64,
	details []system.Detail,
) {
	if j.env.Note != nil {
		minor := kind == noteAllocate || kind >= noteAsk
		j.env.Note(system.Note{
			At: j.env.Clock.Now(), Kind: kind, Minor: minor, Node: node, Other: other, Task: task,
			Ref: ref, Value: value, Details: details,
		})
	}
}

// FormatNote implements system.NoteFormatter.
func (j *journal) FormatNote(n system.Note) string {
	switch n.Kind {
	case noteAllocate:
		return fmt.Sprintf("A broker sends a new task to node %d", n.Node)
	case noteForce:
		return fmt.Sprintf("A broker forces a new task onto node %d: it found no better one", n.Node)
	case noteSelect:
		return fmt.Sprintf("Node %d is overloaded and looks for tasks to move (%s)",
			n.Node, system.Count(n.Value, "candidate"))
	case noteTarget:
		if n.Value == 0 {
			return fmt.Sprintf("Node %d moves a task to node %d by force", n.Node, n.Other)
		}
		return fmt.Sprintf("Node %d moves a task to node %d (score %.1f)", n.Node, n.Other, n.Value)
	case noteRefuse:
		return fmt.Sprintf("Node %d turns down node %d's task at the last check", n.Other, n.Node)
	case noteFail:
		return fmt.Sprintf("Node %d finds no node that takes the task", n.Node)
	case noteAsk:
		return fmt.Sprintf("Node %d asks broker %.0f where a task could go", n.Node, n.Value)
	case noteCandidates:
		if n.Value == 0 {
			return fmt.Sprintf("Node %d learns that the broker knows no node for the task", n.Node)
		}
		return fmt.Sprintf("Node %d receives %s and asks each", n.Node, system.Count(n.Value, "candidate"))
	case noteAnswer:
		if n.Value == 0 {
			return fmt.Sprintf("Node %d answers node %d: it cannot take the task", n.Other, n.Node)
		}
		return fmt.Sprintf("Node %d answers node %d: it would take the task", n.Other, n.Node)
	case noteSilent:
		return fmt.Sprintf("Node %d does not answer node %d in time", n.Other, n.Node)
	case noteStart:
		return fmt.Sprintf("Node %d takes the task: its memory moves there from node %d", n.Other, n.Node)
	case noteArrive:
		return fmt.Sprintf("The task has moved from node %d to node %d", n.Node, n.Other)
	case noteBreak:
		return fmt.Sprintf("The migration from node %d to node %d fails", n.Node, n.Other)
	case noteGone:
		return fmt.Sprintf("The task has ended or was displaced: node %d has nothing left to move", n.Node)
	case noteExpire:
		return fmt.Sprintf("Node %d gives up: the broker's recommendation is too old", n.Node)
	case noteUnheard:
		return fmt.Sprintf("Node %d gives up: no broker answered", n.Node)
	}
	return ""
}
