package dispatcher

import (
	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "dispatcher", Name: "Central dispatcher",
		About:    "One dispatcher that sees everything at once gives each subtask that is ready to the resource that is done with it first.",
		Supports: []workload.Shape{workload.ShapeGraphs},
		Node:     "resource",
		Now:      []system.Sentence{{Words: "{graphs_open:graph} under way; {computing_pct} % of the resources compute."}},
		Settings: Default().described(),
		Agents:   []system.Role{},
		Figures:  reported(),
		Metrics: []metric.Column{
			{
				ID: "computing_pct", Name: "Resources that compute", Unit: "%",
				About: "100 × machines that compute / machines that are up",
			},
			{ID: "graphs_open", Name: "Graphs under way", About: "graphs that arrived and are not done"},
			{
				ID: "subtasks_queued", Name: "Subtasks in queues",
				About: "subtasks that are assigned to a machine and not finished",
			},
		},
		Omissions: []system.Omission{system.DeadlineMissed},
		Charts: []metric.Chart{
			{
				Title: "Resources that compute, %", Top: 100,
				Lines: []metric.Line{{Column: "computing_pct", Name: "compute", Tone: "accent"}},
			},
			{
				Title: "Graphs under way",
				Lines: []metric.Line{{Column: "graphs_open", Name: "under way", Tone: "accent"}},
			},
			{
				Title: "Nodes down",
				Lines: []metric.Line{{Column: metric.Columns[metric.NodesDown].ID, Name: "down", Tone: "bad"}},
			},
		},
		Layers: []frame.Layer{
			system.GraphLayer("works_for", "Graph",
				"Each resource has the colour of the graph whose subtask is first in its queue. The dispatcher gives out the most urgent ready subtask of all graphs, so that colours mix."),
			{
				ID: "work", Name: "Work",
				About: "A resource that waits for inputs was given a subtask ahead of time, so that its inputs travel meanwhile.", Names: []string{"idle", "waits for inputs", "computing", "down"},
			},
		},
		Views: []system.View{system.ViewGantt, system.ViewGraph},
		Terms: []system.Term{
			{
				Words: []string{"subtask"},
				Means: "A part of a graph that one resource computes when all its inputs have come.",
			},
			{Words: []string{"laxity"}, Means: "How long a subtask may still wait without missing the deadline."},
		},
	}, New: New}
}

// Settings of the system.
type Settings struct {
	Ahead  int  `json:"ahead"`   // subtasks that a resource has beside the one that it computes
	GiveUp bool `json:"give_up"` // graphs that missed their deadline are aborted
}

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Ahead: 1, GiveUp: true} }

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	return system.Describe(
		system.Setting{
			ID: "ahead", Name: "Ahead", Value: s.Ahead, Range: system.Between(0, 100),
			About: "subtasks that a resource is given beside the one that it computes, so that inputs travel meanwhile",
		},
		system.Setting{
			ID: "give_up", Name: "Give up", Value: s.GiveUp,
			About: "graphs that missed their deadline are aborted",
		},
	)
}

// Report implements system.Reporter.
func (c *central) Report() map[string]any {
	return map[string]any{"subtasks_given": c.given, "subtasks_withdrawn": c.withdrew}
}

// Measure implements system.MetricSource.
func (c *central) Measure(values []float64) {
	up := 0
	for n := range c.nodes {
		if c.nodes[n].is && c.nodes[n].up {
			up++
		}
	}
	t := c.env.View.GraphTotals()
	values[0], values[1], values[2] = 100*float64(t.Computing)/float64(max(1, up)), float64(t.Open), float64(t.Queued)
}

// The values of the layer "work".
const (
	workIdle byte = iota
	workWaits
	workComputing
	workDown
)

// FillLayer implements system.LayerSource: layer 0 has the graph that each node works for, layer 1 its work.
func (c *central) FillLayer(i int, cells []byte) {
	if i == 0 {
		system.FillGraphs(c.env.View, cells, c.numberOf)
		return
	}
	for n := range cells {
		busy, _, _ := c.env.View.Computing(unit.NodeID(n))
		switch {
		case !c.env.View.Up(unit.NodeID(n)):
			cells[n] = workDown
		case busy:
			cells[n] = workComputing
		case c.env.View.Queued(unit.NodeID(n)) > 0:
			cells[n] = workWaits
		default:
			cells[n] = workIdle
		}
	}
}

// Warnings implements system.WarningSource.
func (c *central) Warnings() []string {
	if c.env.View.GraphTotals() == (cluster.GraphTotals{}) {
		return []string{"no task graph arrived, so there was nothing to dispatch: give graphs in the workload"}
	}
	return nil
}
