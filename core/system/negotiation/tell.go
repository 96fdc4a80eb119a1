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
		return fmt.Sprintf("a broker sends a new task to %d", n.Node)
	case noteForce:
		return fmt.Sprintf("a broker forces a new task upon %d", n.Node)
	case noteSelect:
		return fmt.Sprintf("%d is overloaded and chooses among %.0f tasks", n.Node, n.Value)
	case noteTarget:
		if n.Value == 0 {
			return fmt.Sprintf("%d tells %d to take the task by force", n.Node, n.Other)
		}
		return fmt.Sprintf("%d tells %d to take the task (score %.2f)", n.Node, n.Other, n.Value)
	case noteRefuse:
		return fmt.Sprintf("%d refuses %d at the last moment", n.Other, n.Node)
	case noteFail:
		return fmt.Sprintf("%d finds nobody to take the task", n.Node)
	case noteAsk:
		return fmt.Sprintf("%d asks broker %.0f where a task could go", n.Node, n.Value)
	case noteCandidates:
		if n.Value == 0 {
			return fmt.Sprintf("%d hears that the broker knows nobody for the task", n.Node)
		}
		return fmt.Sprintf("%d hears of %.0f candidates and asks them all", n.Node, n.Value)
	case noteAnswer:
		if n.Value == 0 {
			return fmt.Sprintf("%d answers %d: it cannot take the task", n.Other, n.Node)
		}
		return fmt.Sprintf("%d answers %d: it would take the task", n.Other, n.Node)
	case noteSilent:
		return fmt.Sprintf("%d does not answer %d in time", n.Other, n.Node)
	case noteStart:
		return fmt.Sprintf("%d takes the task: its memory moves there from %d", n.Other, n.Node)
	case noteArrive:
		return fmt.Sprintf("the task has moved from %d to %d", n.Node, n.Other)
	case noteBreak:
		return fmt.Sprintf("the migration from %d to %d breaks off", n.Node, n.Other)
	case noteGone:
		return fmt.Sprintf("the task ended or lost its place meanwhile: %d has nothing left to move", n.Node)
	case noteExpire:
		return fmt.Sprintf("%d gives up: what the broker recommended is too old", n.Node)
	case noteUnheard:
		return fmt.Sprintf("%d gives up: no broker answered", n.Node)
	}
	return ""
}
