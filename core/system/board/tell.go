package board

import (
	"fmt"
	"strconv"

	"parley/core/system"
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
)

// The kinds of Note, which NoteKinds describes.
const (
	notePosted uint8 = iota
	noteTaken
	noteStalled
	noteReleased
	noteLostMember
	noteLostResults
	noteDone
	noteMissed
	noteGivenUp
	noteMet
	noteLate
)

// NoteKinds implements system.NoteDescriber.
func (*dispatch) NoteKinds() []system.NoteKind {
	of := func(more ...string) []string {
		return append([]string{"ref: number of the graph, from 1 in the order of posting", "graph: its name"}, more...)
	}
	some := func(node, which string) []string {
		return of("node: "+node, "value: how many subtasks", "subtasks: "+which+", by their numbers in the graph")
	}
	return []system.NoteKind{
		notePosted: {ID: "posted", About: "a graph is posted", Fields: of("value: how many subtasks it has")},
		noteTaken: {
			ID: "taken", About: "an agent takes a thread",
			Fields: some("its node", "those of the thread, in its order"),
		},
		noteStalled: {
			ID:     "stalled",
			About:  "the members of a graph wait for work that no agent takes: the graph starts again",
			Fields: of("node: a node that waits", "value: how many subtasks are open"),
		},
		noteReleased: {
			ID: "released", About: "an agent would miss the deadline and returns its thread",
			Fields: some("its node", "those that are open again"),
		},
		noteLostMember: {
			ID: "lost_member", About: "a graph loses a member",
			Fields: some("its node", "those that are open again"),
		},
		noteLostResults: {
			ID: "lost_results", About: "a node goes down with finished results that are needed",
			Fields: some("the node", "those to compute again"),
		},
		noteDone: {
			ID: "done", About: "an agent has finished its thread",
			Fields: some("its node", "those of the thread, in its order"),
		},
		noteMissed:  {ID: "missed", About: "a graph has missed its deadline", Fields: of()},
		noteGivenUp: {ID: "given_up", About: "a graph is abandoned", Fields: of()},
		noteMet: {
			ID: "met", About: "a graph is finished in time",
			Fields: of("value: seconds since it was posted"),
		},
		noteLate: {
			ID: "late", About: "a graph is finished late",
			Fields: of("value: seconds after the deadline"),
		},
	}
}

func (d *dispatch) note(kind uint8, n unit.NodeID, t *task, value float64) {
	d.noteOf(system.Note{Kind: kind, Node: n, Value: value}, t)
}

// noteOf completes and sends a note about a graph.
func (d *dispatch) noteOf(n system.Note, t *task) {
	if d.env.Note != nil {
		n.At, n.Other, n.Ref = d.env.Clock.Now(), unit.NoNode, t.number
		n.Details = []system.Detail{system.Text("graph", strconv.FormatUint(t.key.Job, 10))}
		d.env.Note(n)
	}
}

// noteSubtasks notes an event of some subtasks of a graph and keeps the slice: their number is the
// value.
func (d *dispatch) noteSubtasks(kind uint8, n unit.NodeID, t *task, which []int32) {
	minor := kind == noteTaken || kind == noteDone
	d.noteOf(system.Note{Kind: kind, Minor: minor, Node: n, Value: float64(len(which)), Subtasks: which}, t)
}

// FormatNote implements system.NoteFormatter.
func (d *dispatch) FormatNote(n system.Note) string {
	switch n.Kind {
	case notePosted:
		return fmt.Sprintf("Graph %d is posted with %s", n.Ref, system.Count(n.Value, "subtask"))
	case noteTaken:
		return fmt.Sprintf("Node %d takes a thread of %s of graph %d", n.Node, system.Count(n.Value, "subtask"), n.Ref)
	case noteStalled:
		return fmt.Sprintf(
			"Graph %d has stalled: no node takes the work that node %d needs. Its %s restart from the beginning", n.Ref,
			n.Node, system.Count(n.Value, "open subtask"),
		)
	case noteReleased:
		return fmt.Sprintf("Node %d would miss the deadline and returns %s of graph %d", n.Node,
			system.Count(n.Value, "subtask"), n.Ref)
	case noteLostMember:
		return fmt.Sprintf("Graph %d loses node %d: %s back on the board", n.Ref, n.Node,
			system.Count(n.Value, "subtask"))
	case noteLostResults:
		return fmt.Sprintf("Node %d went down with %s of graph %d, to be computed again", n.Node,
			system.Count(n.Value, "result"), n.Ref)
	case noteDone:
		return fmt.Sprintf("Node %d has finished its thread of %s of graph %d", n.Node,
			system.Count(n.Value, "subtask"), n.Ref)
	case noteMissed:
		return fmt.Sprintf("Graph %d has missed its deadline: its nodes stop working on it", n.Ref)
	case noteGivenUp:
		return fmt.Sprintf("Graph %d is abandoned", n.Ref)
	case noteMet:
		return fmt.Sprintf("Graph %d finished in time, %s after it was posted", n.Ref, system.Span(n.Value))
	}
	return fmt.Sprintf("Graph %d finished %s late", n.Ref, system.Span(n.Value))
}

// times returns the total time that resources were up, in communities, and computing. Aborted and
// lost work is included, since that time was used.
func (d *dispatch) times() (present, engaged, computing unit.Time) {
	now := d.env.Clock.Now()
	for n := range d.agents {
		a := &d.agents[n]
		if !a.is {
			continue
		}
		present += a.present
		engaged += a.engaged
		if a.state != away {
			present += now - a.up
		}
		if a.state == working {
			engaged += now - a.since
		}
		busy, since, before := d.env.View.Computing(unit.NodeID(n))
		computing += before + a.wasted
		if busy {
			computing += now - since
		}
	}
	return present, engaged, computing
}

func percent(part, all float64) float64 {
	if all == 0 {
		return 0
	}
	return 100 * part / all
}

// Report implements system.Reporter. Times of tasks are in seconds, null if there is none; means are over the graphs
// that were done. bonus has the first keptRows agents that earned one.
func (d *dispatch) Report() map[string]any {
	c := &d.count
	present, engaged, computing := d.times()
	done := float64(max(1, c.met+c.late))
	tasks := []map[string]any{}
	for _, r := range d.rows {
		one := map[string]any{
			"id": fmt.Sprintf("%d-%d", r.key.Job, r.key.Index), "posted_s": r.posted.Seconds(),
			"deadline_s": nil, "finished_s": nil, "met": r.state == met,
		}
		if r.deadline != unit.Forever {
			one["deadline_s"] = r.deadline.Seconds()
		}
		if r.state != missed {
			one["finished_s"] = r.endedAt.Seconds()
		}
		tasks = append(tasks, one)
	}
	bonus := map[string]float64{}
	for n := range d.agents {
		if d.agents[n].earned > 0 && len(bonus) < keptRows {
			bonus[fmt.Sprint(n)] = d.agents[n].earned.Float()
		}
	}
	return map[string]any{
		"kpd_pct":         percent(computing.Seconds(), present.Seconds()),
		"kpd_engaged_pct": percent(engaged.Seconds(), present.Seconds()),
		"kgv_pct":         d.kept(), "graphs_posted_total": c.posted, "graphs_met": c.met, "graphs_late": c.late,
		"graphs_missed":     c.missed,
		"graphs_impossible": c.impossible, "makespan_s": c.makespan / done, "slr": c.slr / done,
		"speedup":        c.speedup / done,
		"transferred_mb": float64(d.env.View.TransferTotals().Bytes) / float64(unit.MB), "threads": c.accepted,
		"refused": c.refused, "releases": c.released, "stalled": c.stalled,
		"searches": c.searches, "subtasks_a_thread": float64(c.taken) / float64(max(1, c.accepted)),
		"waiting_pct":   percent((engaged - computing).Seconds(), present.Seconds()),
		"bonus_offered": c.offered.Float(), "bonus_paid": c.paid.Float(), "bonus": bonus, "tasks": tasks,
	}
}

// Warnings implements system.WarningSource. It warns of a workload without graphs, of deadlines that no schedule could
// meet, and of agents that may wait for each other for ever.
func (d *dispatch) Warnings() (all []string) {
	if d.count.posted == 0 {
		all = append(all, "no task graph arrived, so there was nothing to post: give graphs in the workload")
	}
	if n := d.count.impossible; n > 0 {
		all = append(all,
			fmt.Sprintf("%d of %d graphs could not be done by their deadline even alone on the fastest resources",
				n, d.count.posted))
	}
	if n := d.count.endless; n > 0 && d.settings.Patience == 0 && d.rule != thread.Ready {
		all = append(all,
			fmt.Sprintf(
				"%d of %d graphs have no deadline, so agents that wait for their inputs never put a thread back: where there are more threads than agents all wait for ever; give deadlines, or let patience_us be above 0", n, d.count.posted,
			))
	}
	return all
}

// Measure implements system.MetricSource: the percentages of agents that compute and that belong to a community, the
// figure of kept, and the numbers of tasks on boards and of their open subtasks.
func (d *dispatch) Measure(values []float64) {
	up, open, inWork := 0, 0, 0
	for n := range d.agents {
		if d.agents[n].is && d.agents[n].state != away {
			up++
		}
	}
	for _, t := range d.live {
		if t.state == onBoard {
			inWork++
			open += t.posted.Count(posted.Open)
		}
	}
	values[0] = percent(float64(d.env.View.GraphTotals().Computing), float64(up))
	values[1] = percent(float64(d.count.members), float64(up))
	values[2] = d.kept()
	values[3], values[4] = float64(inWork), float64(open)
}

// The values of the layer "work".
const (
	cellFree byte = iota
	cellWaits
	cellComputes
	cellSends
	cellDown
)

// FillLayer implements system.LayerSource.
func (d *dispatch) FillLayer(i int, cells []byte) {
	for n := range cells {
		if i == 0 {
			cells[n] = d.colour(unit.NodeID(n))
		} else {
			cells[n] = d.work(unit.NodeID(n))
		}
	}
}

// colour returns the graph for which a node works, as in the paper's figure 8.
func (d *dispatch) colour(n unit.NodeID) byte {
	switch {
	case !d.env.View.Up(n):
		return system.GraphDown
	case int(n) >= len(d.agents) || d.agents[n].state != working:
		return 0
	}
	return system.GraphValue(d.agents[n].claim.task.number)
}

// work returns the cell of a node on the map of activities: down, computing, waiting within a community,
// sending, or free.
func (d *dispatch) work(n unit.NodeID) byte {
	v := d.env.View
	computes, _, _ := v.Computing(n)
	switch {
	case !v.Up(n):
		return cellDown
	case computes:
		return cellComputes
	case int(n) < len(d.agents) && d.agents[n].state == working:
		return cellWaits
	case v.Carrying(n):
		return cellSends
	}
	return cellFree
}
