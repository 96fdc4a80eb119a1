package static

import (
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "static", Name: "Static list scheduling",
		About:    "Each task graph is planned when it arrives, by HEFT, CPOP, PEFT, min-min or max-min, and the plan is followed.",
		Paper:    "H. Topcuoglu, S. Hariri, M.-Y. Wu, Performance-effective and low-complexity task scheduling for heterogeneous computing, IEEE TPDS 13(3), 2002",
		Supports: []workload.Shape{workload.ShapeGraphs},
		Now:      []system.Sentence{{Words: "{graphs_open:graph} under way; {computing_pct} % of the machines compute."}},
		Story: []system.Happening{
			{Kind: notePlanned, One: "graph planned", Many: "graphs planned", Look: "new"},
			{Kind: noteReplanned, One: "graph planned again", Many: "graphs planned again", Look: "warn"},
			{Kind: noteWaits, One: "graph waits for a machine", Many: "graphs wait for a machine", Look: "warn"},
			{Kind: noteDone, One: "graph finished", Many: "graphs finished", Look: "good"},
		},
		Settings: Default().described(),
		Agents:   []system.Role{},
		Group:    "graph",
		Figures:  reported(),
		Metrics: []metric.Column{
			{
				ID: "computing_pct", Name: "Machines that compute", Unit: "%",
				About: "100 × machines that compute / machines that are up",
			},
			{
				ID: "sending_pct", Name: "Machines that send", Unit: "%",
				About: "100 × machines that send results / machines that are up",
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
				Title: "Machines that compute, %", Top: 100,
				Lines: []metric.Line{
					{Column: "computing_pct", Name: "compute", Tone: "accent"},
					{Column: "sending_pct", Name: "send", Tone: "warn"},
				},
			},
			{
				Title: "Graphs under way",
				Lines: []metric.Line{{Column: "graphs_open", Name: "under way", Tone: "accent"}},
			},
			{
				Title: "Subtasks in queues",
				Lines: []metric.Line{{Column: "subtasks_queued", Name: "in queues", Tone: "accent"}},
			},
			{
				Title: "Nodes down",
				Lines: []metric.Line{{Column: metric.Columns[metric.NodesDown].ID, Name: "down", Tone: "bad"}},
			},
		},
		Layers: []frame.Layer{
			system.GraphLayer("works_for", "Graph",
				"Each machine has the colour of the graph whose subtask is first in its queue. Its plan may keep it waiting although other work is there."),
			{
				ID: "work", Name: "Work",
				About: "A machine that waits for inputs has a subtask in its queue whose inputs have not arrived. A static plan does not give it anything else meanwhile.", Names: []string{"idle", "waits for inputs", "computing", "down"},
			},
		},
		Views: []system.View{system.ViewGantt, system.ViewGraph},
		Terms: []system.Term{
			{Words: []string{"makespan"}, Means: "The time from the beginning until the last subtask is done."},
			{
				Words: []string{"subtask"},
				Means: "A part of a graph that one machine computes when all its inputs have come.",
			},
		},
	}, New: New}
}
