package central

import (
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// The kinds of note, which NoteKinds describes.
const (
	notePreempt uint8 = iota + 1
	notePass
	noteMove
	noteArrive
	noteBreak
)

// NoteKinds implements system.NoteDescriber.
func (*scheduler) NoteKinds() []system.NoteKind {
	moves := []string{"task: the task", "node: the node that it leaves", "other: the node that it moves to"}
	return []system.NoteKind{
		notePreempt: {ID: "preempt", About: "a task is evicted for another of higher priority", Fields: []string{"task: the task that is evicted", "node: the node that it leaves", "value: priority of the other"}},
		notePass:    {ID: "pass", About: "the rescheduler has looked at all nodes", Fields: []string{"value: how many tasks it moves"}},
		noteMove:    {ID: "move", About: "the rescheduler moves a task", Fields: moves},
		noteArrive:  {ID: "arrive", About: "the task runs on the other node", Fields: moves},
		noteBreak:   {ID: "break", About: "the migration fails", Fields: moves},
	}
}

// note publishes a Note if notes are read.
func (s *scheduler) note(kind uint8, node, other unit.NodeID, task unit.TaskID, value float64) {
	if s.env.Note != nil {
		s.env.Note(system.Note{At: s.env.Clock.Now(), Kind: kind, Node: node, Other: other, Task: task, Value: value})
	}
}

// noteMigration publishes how a migration ended.
func (s *scheduler) noteMigration(e cluster.Event) {
	switch e.Kind {
	case cluster.MigrationEnded:
		s.note(noteArrive, e.Node, e.Other, e.Task, 0)
	case cluster.MigrationBroken:
		s.note(noteBreak, e.Node, e.Other, e.Task, 0)
	}
}

// FormatNote implements system.NoteFormatter.
func (s *scheduler) FormatNote(n system.Note) string {
	switch n.Kind {
	case notePreempt:
		return fmt.Sprintf("Node %d evicted a task for a higher-priority one (%.0f)", n.Node, n.Value)
	case notePass:
		return fmt.Sprintf("The rescheduler moves %s", system.Count(n.Value, "task"))
	case noteMove:
		return fmt.Sprintf("The rescheduler moves a task from node %d to node %d", n.Node, n.Other)
	case noteArrive:
		return fmt.Sprintf("The task has moved from node %d to node %d", n.Node, n.Other)
	case noteBreak:
		return fmt.Sprintf("The migration from node %d to node %d fails", n.Node, n.Other)
	}
	return ""
}

// shown is how many candidates a decision lists; others fit too.
const shown = 12

// enters reports whether a score is among the k highest of a list by falling scores.
func enters(list []system.Candidate, k int, score float64) bool {
	return len(list) < k || score > list[len(list)-1].Score
}

// enter puts a node into a list of the k best by falling scores, k at least 1; among equal ones
// those that came first are ahead and stay.
func enter(list []system.Candidate, k int, n unit.NodeID, score float64) []system.Candidate {
	if !enters(list, k, score) {
		return list
	}
	at := len(list)
	for at > 0 && list[at-1].Score < score {
		at--
	}
	list = slices.Insert(list, at, system.Candidate{Node: n, Score: score, Answer: "accepted"})
	return list[:min(len(list), k)]
}

// first returns the candidates with the chosen one, of the given score, at their
// head.
func first(list []system.Candidate, chosen unit.NodeID, score float64) []system.Candidate {
	list = slices.DeleteFunc(list, func(c system.Candidate) bool { return c.Node == chosen })
	return slices.Insert(list[:min(shown-1, len(list))],
		0, system.Candidate{Node: chosen, Score: score, Answer: system.Chosen})
}

// remember keeps why a task went from one node (unit.NoNode: it waited) to another
// (unit.NoNode: it found none).
func (s *scheduler) remember(id unit.TaskID, from, to unit.NodeID, considered []system.Candidate, rule string) {
	switch {
	case !s.env.Wants(id):
	case s.replayed():
		s.Pass(id, s.env.Clock.Now())
	default:
		s.Remember(system.Decision{
			At: s.env.Clock.Now(), Task: id, From: from, To: to, Candidates: considered,
			Rule: rule,
		})
	}
}

// become fills in each candidate's load with the task, as admission counts it.
func (s *scheduler) become(d *demand, list []system.Candidate) []system.Candidate {
	for i := range list {
		c := &list[i]
		c.After = s.env.View.Used(c.Node).Add(d.need)
		if s.book.limits.byRequest {
			c.After = s.env.View.Requested(c.Node).Add(d.need)
		}
	}
	return list
}

// The rules beside those of the policies.
const (
	ruleNoRoom   = "no suitable node has room, and preempting tasks of lower priority is not allowed or would not make enough: it waits"
	rulePreempt  = "no node had room: this is where evicting tasks of lower priority cost least"
	ruleNoUnder  = "the rescheduler moves tasks only to underused nodes, and none of those has room: it stays"
	ruleReplayed = "the trace recorded this placement: the policy repeats it"
)

// Report implements system.Reporter.
func (s *scheduler) Report() map[string]any {
	report := map[string]any{"preempted": s.counts.preempted}
	if s.resched.settings.Every > 0 {
		report["rescheduler"] = map[string]any{
			"passes": s.counts.passes, "overused": s.counts.overused, "moved": s.counts.moved, "stuck": s.counts.stuck,
		}
	}
	return report
}
