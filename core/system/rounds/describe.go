package rounds

import (
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/system/rounds/plan"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "rounds", Name: "Divisible-load rounds",
		About:    "A master with one port sends a divisible load to workers in rounds, and they compute while they receive.",
		Paper:    "Phan Thanh Toan, Nguyen The Loc, Resources management algorithm for the cloud environment, Journal of Science of HNUE 56(7), 2011",
		Supports: []workload.Shape{workload.ShapeLoads},
		Provides: system.ProvidesAlways,
		Node:     "worker", NoRacks: true,
		Now: []system.Sentence{{Words: "{load_left:unit} of work left; {computing_pct} % of the workers compute."}},
		Story: []system.Happening{
			{Kind: notePlanned, One: "work unit planned", Many: "work units planned", Look: "new", Sum: true},
			{Kind: noteSent, One: "piece sent", Many: "pieces sent", Look: "move"},
			{Kind: noteLost, One: "work unit lost", Many: "work units lost", Look: "bad", Sum: true},
			{Kind: noteFinished, One: "load finished", Many: "loads finished", Look: "good"},
		},
		Settings: Default().described(),
		Agents:   []system.Role{},
		Group:    "round",
		Figures:  reported(),
		Metrics: []metric.Column{
			{
				ID: "computing_pct", Name: "Workers that compute", Unit: "%",
				About: "100 × workers that compute / all workers",
			},
			{ID: "load_unsent", Name: "Load not sent", About: "work units that the master has not sent"},
			{
				ID: "load_left", Name: "Load not computed",
				About: "work units that arrived − work units that are computed",
			},
		},
		Charts: []metric.Chart{
			{
				Title: "Load left, work units",
				Lines: []metric.Line{
					{Column: "load_left", Name: "not computed", Tone: "accent"},
					{Column: "load_unsent", Name: "not sent", Tone: "warn"},
				},
			},
			{
				Title: "Workers that compute, %", Top: 100,
				Lines: []metric.Line{{Column: "computing_pct", Name: "computing", Tone: "accent"}},
			},
			{
				Title: "Nodes down",
				Lines: []metric.Line{{Column: metric.Columns[metric.NodesDown].ID, Name: "down", Tone: "bad"}},
			},
		},
		Layers: []frame.Layer{
			{
				ID: "work", Name: "Work",
				About: "The master sends to one worker after the other; a worker computes a piece when all of it has arrived. An idle worker waits for its turn at the master.", Names: []string{"idle", "receiving", "computing", "computing and receiving", "done", "down"},
			},
			{
				ID: "received", Name: "Load received", Unit: "of what was planned for the node",
				About: "How much of its part of the load a worker has received.",
			},
		},
		Views: []system.View{system.ViewGantt},
		Terms: []system.Term{
			{Words: []string{"makespan"}, Means: "The time from the beginning until the last piece is computed."},
			{
				Words: []string{"round"},
				Means: "Each worker gets one piece; later rounds have larger or smaller pieces, by the algorithm.",
			},
			{
				Words: []string{"lost"},
				Means: "A worker or the way to it failed: the piece is sent again to somebody else.",
			},
		},
	}, New: New, Workload: Workload}
}

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	return system.Describe(
		system.Setting{
			ID: "algorithm", Name: "Algorithm", Value: s.Algorithm, Choices: plan.Algorithms(),
			About: "that plans the rounds, where nothing is adapted; best: the one that plays shortest",
		},
		system.Setting{
			ID: "adapt", Name: "Adapt", Value: s.Adapt, Choices: []string{"fixed", "factoring", "guided"},
			About: "fixed follows the plan; factoring and guided decide at run time, without one",
		},
		system.Setting{
			ID: "rounds", Name: "Rounds", Value: s.Rounds, Range: system.Between(0, plan.DefaultMaxRounds),
			About: "how many umr, umr-strict, umr2 and mi plan; 0: the algorithm chooses",
		},
	)
}
