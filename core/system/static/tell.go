package static

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// The kinds of Note, which NoteKinds describes.
const (
	notePlanned uint8 = iota
	noteReplanned
	noteWaits
	noteDone
)

// NoteKinds implements system.NoteDescriber.
func (*planner) NoteKinds() []system.NoteKind {
	of := func(value string) []string {
		return []string{"ref: a number that no other graph has at the time", "graph: name of the graph", value}
	}
	return []system.NoteKind{
		notePlanned: {
			ID: "planned", About: "a graph is planned",
			Fields: of("value: seconds until it is done, by the plan"),
		},
		noteReplanned: {
			ID: "replanned", About: "the rest of a graph is planned again",
			Fields: of("value: seconds until it is done, by the plan"),
		},
		noteWaits: {
			ID: "waits", About: "no machine that is up can run some of a graph",
			Fields: of("value: how many subtasks are left"),
		},
		noteDone: {ID: "done", About: "a graph is done", Fields: of("value: seconds since it arrived")},
	}
}

// note sends a note about a graph, if notes are read; n may be unit.NoNode.
func (p *planner) note(kind uint8, n unit.NodeID, id unit.GraphID, value float64) {
	if p.env.Note != nil {
		_, key, _ := p.env.View.Submitted(id)
		p.env.Note(system.Note{
			At: p.env.Clock.Now(), Kind: kind, Node: n, Other: unit.NoNode, Ref: id.Slot() + 1,
			Value: value, Details: []system.Detail{system.Text("graph", strconv.FormatUint(key.Job, 10))},
		})
	}
}

// FormatNote implements system.NoteFormatter.
func (p *planner) FormatNote(n system.Note) string {
	switch n.Kind {
	case notePlanned:
		return fmt.Sprintf("%s plans graph %d: done in %s", strings.ToUpper(p.settings.Algorithm),
			n.Ref, system.Span(n.Value))
	case noteReplanned:
		return fmt.Sprintf("%s plans the rest of graph %d again: done in %s", strings.ToUpper(p.settings.Algorithm),
			n.Ref, system.Span(n.Value))
	case noteWaits:
		return fmt.Sprintf("Graph %d waits: no machine that is up can run some of its %s", n.Ref,
			system.Count(n.Value, "remaining subtask"))
	}
	return fmt.Sprintf("Graph %d is done after %s", n.Ref, system.Span(n.Value))
}

// figures are the system's own figures.
type figures struct {
	plans, replans, lost int64
	done                 int64
	ratio                float64 // sum over graphs that were done: took / first plan
	worst                float64
}

func (f *figures) ended(one *planned, at unit.Time) {
	ratio := float64(at-one.arrived) / float64(one.finish-one.arrived)
	f.done++
	f.ratio += ratio
	f.worst = max(f.worst, ratio)
}

// Report implements system.Reporter.
func (p *planner) Report() map[string]any {
	f := &p.figures
	out := map[string]any{
		"plans": f.plans, "replans": f.replans, "subtasks_planned_again": f.lost,
		"took_over_planned": nil, "took_over_planned_most": f.worst,
	}
	if f.done > 0 {
		out["took_over_planned"] = f.ratio / float64(f.done)
	}
	return out
}

// Warnings implements system.WarningSource.
func (p *planner) Warnings() []string {
	if p.env.View.GraphTotals().Arrived > 0 {
		return nil
	}
	return []string{"no task graph arrived, so there was nothing to plan: give some in workload.graphs, or the files of workflows"}
}

// Measure implements system.MetricSource: the percentages of nodes that compute and that send, and the numbers of open
// graphs and of queued subtasks.
func (p *planner) Measure(values []float64) {
	view := p.env.View
	up, computing, sending := 0, 0, 0
	for n := range unit.NodeID(view.Nodes()) {
		if !view.Up(n) {
			continue
		}
		up++
		if busy, _, _ := view.Computing(n); busy {
			computing++
		}
		if view.Carrying(n) {
			sending++
		}
	}
	t := view.GraphTotals()
	share := 100 / float64(max(1, up))
	values[0], values[1], values[2], values[3] = float64(computing)*share, float64(sending)*share, float64(t.Open),
		float64(t.Queued)
}

// The values of the layer "work".
const (
	idle byte = iota
	waiting
	computing
	down
)

// FillLayer implements system.LayerSource: layer 0 has the graph that each node computes, layer 1 its work.
func (p *planner) FillLayer(i int, cells []byte) {
	view := p.env.View
	if i == 0 {
		system.FillGraphs(view, cells, p.numberOf)
		return
	}
	for i := range cells {
		n := unit.NodeID(i)
		busy, _, _ := view.Computing(n)
		switch {
		case !view.Up(n):
			cells[i] = down
		case busy:
			cells[i] = computing
		case view.Queued(n) > 0:
			cells[i] = waiting
		default:
			cells[i] = idle
		}
	}
}

// numberOf returns the number of a graph that is open; 0 if it is not.
func (p *planner) numberOf(id unit.GraphID) uint32 {
	if one := p.graphs[id]; one != nil {
		return one.number
	}
	return 0
}

// Graphs implements system.GraphSource.
func (p *planner) Graphs(limit int) ([]system.GraphTask, int) {
	return system.GraphsOf(p.env.View, limit, p.numberOf)
}

// Graph implements system.GraphSource.
func (p *planner) Graph(number uint32) (system.GraphPicture, bool) {
	return system.GraphPictureOf(p.env.View, number, p.numberOf)
}

// Audit implements system.Auditor: the planner and the cluster must have the same open graphs, and
// each planned subtask must be in a queue, or wait with a reason.
func (p *planner) Audit() error {
	open := 0
	for id := range p.env.View.Graphs {
		open++
		if p.graphs[id] == nil {
			return fmt.Errorf("graph %d is open and in no plan", id.Slot())
		}
	}
	if len(p.graphs) != open {
		return fmt.Errorf("%d graphs are planned and %d are open", len(p.graphs), open)
	}
	for _, id := range p.order {
		one := p.graphs[id]
		if one == nil || one.waiting || one.disturbs || p.settings.Recover == waits {
			continue
		}
		for v := range int32(one.Len()) {
			if s, _ := p.env.View.Subtask(id, v); s.State == cluster.SubtaskWaiting {
				return fmt.Errorf("subtask %d of graph %d waits for a node, though it was planned", v, id.Slot())
			}
		}
	}
	return nil
}
