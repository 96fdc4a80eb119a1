package negotiation

import (
	"fmt"

	"parley/core/system"
	"parley/core/unit"
)

// The kinds of note, and what their fields mean beside At and Task. Ref is the
// negotiation, counted from 1. Those from noteAsk on are minor: there are many
// for every negotiation.
const (
	noteAllocate   uint8 = iota + 1 // a broker sends a new task to Node; minor
	noteForce                       // likewise, by force
	noteSelect                      // Node is overloaded; Value: tasks it chose from
	noteTarget                      // Node tells Other to take the task; Value: score, 0 by force
	noteRefuse                      // Other refused Node at the last moment
	noteFail                        // Node found no target
	noteAsk                         // Node asks broker Value for candidates
	noteCandidates                  // Node got Value candidates
	noteAnswer                      // Other answers Node; Value: 1 if it would take the task
	noteSilent                      // Other did not answer Node in time
	noteStart                       // Other takes the task from Node: the migration runs
	noteArrive                      // the task runs on Other now
	noteBreak                       // the migration from Node to Other broke off
	noteGone                        // the task ended or lost Node meanwhile
	noteExpire                      // Node's candidates are too old
	noteUnheard                     // Node's broker did not answer
)

// journal tells what only the system knows to those who listen, and remembers
// why tasks are where they are.
type journal struct {
	env              *system.Env
	system.Decisions // what Explain tells; empty unless somebody listens to notes
}

// note tells a Note if somebody listens.
func (j *journal) note(kind uint8, node, other unit.NodeID, task unit.TaskID, ref uint32, value float64) {
	if j.env.Note != nil {
		minor := kind == noteAllocate || kind >= noteAsk
		j.env.Note(system.Note{At: j.env.Clock.Now(), Kind: kind, Minor: minor, Node: node, Other: other, Task: task, Ref: ref, Value: value})
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
		return fmt.Sprintf("Node %d is overloaded and looks for tasks to move (%s)", n.Node, system.Count(n.Value, "candidate"))
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
