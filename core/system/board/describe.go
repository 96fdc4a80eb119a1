package board

import (
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "board", Name: "Bulletin boards",
		About:    "Task graphs with deadlines are posted on bulletin boards; agents of free resources take the longest thread that they can finish in time.",
		Paper:    "I. Kalyaev, A. Kalyaev, Ya. Korovin, Algorithm of multi-agent dispatching of resources in heterogeneous cloud environments, Computational Technologies 21(5), 2016",
		Supports: []workload.Shape{workload.ShapeGraphs},
		Node:     "resource",
		Now:      []system.Sentence{{Words: "{graphs_posted:graph} under way; {graphs_missed_sum:deadline} missed so far."}},
		Story: []system.Happening{
			{Kind: notePosted, One: "graph posted", Many: "graphs posted", Look: "new"},
			{Kind: noteStalled, One: "graph stalled and restarted", Many: "graphs stalled and restarted", Look: "warn"},
			{
				Kind: noteReleased, One: "subtask returned to the board", Many: "subtasks returned to the board",
				Look: "no", Sum: true,
			},
			{
				Kind: noteLostMember, One: "subtask lost with its node", Many: "subtasks lost with their nodes",
				Look: "bad", Sum: true,
			},
			{
				Kind: noteLostResults, One: "result to compute again", Many: "results to compute again", Look: "bad",
				Sum: true,
			},
			{Kind: noteMissed, One: "deadline missed", Many: "deadlines missed", Look: "warn"},
			{Kind: noteGivenUp, One: "graph abandoned", Many: "graphs abandoned", Look: "bad"},
			{Kind: noteMet, One: "graph finished in time", Many: "graphs finished in time", Look: "good"},
			{Kind: noteLate, One: "graph finished late", Many: "graphs finished late", Look: "warn"},
		},
		Settings: Default().described(),
		Agents: []system.Role{
			{
				ID: "resource", Name: "agent", On: "node", About: "looks for work for its resource and does it",
				Faults: []system.FaultKind{},
			},
			{
				ID: "board", Name: "board", Setting: "boards", About: "keeps the descriptors of posted graphs",
				Faults: []system.FaultKind{
					{
						ID: "board_down", Revert: "board_up", Name: "Crash", Repair: "Restart", Label: "is down",
						Target: "board",
					},
				},
			},
			{ID: "mail", Name: "mail", About: "the messages between agents and boards", Faults: []system.FaultKind{
				{ID: "mail_loss", Name: "Messages lost", Target: "mail", Unique: true, Value: system.Until(0, 1)},
				{
					ID: "mail_delay", Name: "Messages delayed", Target: "mail", Unique: true, Unit: "s",
					Value: system.Between(0, 3600),
				},
			}},
		},
		Group:   "graph",
		Figures: reported(),
		Metrics: []metric.Column{
			{
				ID: "computing_pct", Name: "Resources that compute", Unit: "%",
				About: "100 × machines that compute / machines that are up",
			},
			{
				ID: "engaged_pct", Name: "Resources in communities", Unit: "%",
				About: "100 × machines in a community / machines that are up",
			},
			{
				ID: "met_pct", Name: "Deadlines met so far", Unit: "%",
				About: "100 × graphs done by their deadline / graphs that are done or whose deadline passed",
			},
			{ID: "graphs_posted", Name: "Graphs in work", About: "graphs on a board that are not done"},
			{
				ID: "subtasks_open", Name: "Subtasks not taken",
				About: "subtasks of these graphs that no agent has taken",
			},
		},
		Omissions: []system.Omission{system.DeadlineMissed},
		Charts: []metric.Chart{
			{
				Title: "Resources in use, %", Top: 100,
				Lines: []metric.Line{
					{Column: "computing_pct", Name: "computing", Tone: "accent"},
					{Column: "engaged_pct", Name: "in a community", Tone: "warn"},
				},
			},
			{
				Title: "Deadlines met, %", Top: 100,
				Lines: []metric.Line{{Column: "met_pct", Name: "met so far", Tone: "accent"}},
			},
			{Title: "Graphs in work", Lines: []metric.Line{{Column: "graphs_posted", Name: "in work", Tone: "accent"}}},
			{
				Title: "Nodes down",
				Lines: []metric.Line{{Column: metric.Columns[metric.NodesDown].ID, Name: "down", Tone: "bad"}},
			},
		},
		Layers: []frame.Layer{
			system.GraphLayer("community", "Community",
				"Each resource has the colour of the graph for which its agent works. The resources of one colour are a community. They need not be neighbours: agents take threads, not racks."),
			{
				ID: "work", Name: "Work", About: workAbout,
				Names: []string{"idle", "waits for inputs", "computing", "sending", "down"},
			},
		},
		Views: []system.View{system.ViewGraph, system.ViewGantt},
		Terms: []system.Term{
			{
				Words: []string{"thread"},
				Means: "Subtasks that need one another's results, one after the other; an agent takes the longest that it can finish in time.",
			},
			{Words: []string{"community"}, Means: "The resources that work on one graph."},
			{Words: []string{"bonus"}, Means: "What an agent earns with subtasks that were done in time."},
		},
	}, New: New}
}

// workAbout explains the layer "work".
const workAbout = "A resource that waits for inputs has a thread whose results from other resources have not arrived. Many of them at once mean that transfers are slow, or that agents took threads too early."
