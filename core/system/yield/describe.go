package yield

import (
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "yield", Name: "Virtual-cluster yield",
		About:    "Virtual clusters share hosts so that the smallest yield, what a job gets of the CPU it needs, is largest; after a change the allocation adapts within a limit on migrated memory.",
		Paper:    "M. Stillwell, D. Schanzenbach, F. Vivien, H. Casanova, Resource Allocation using Virtual Clusters, arXiv 1006.5376",
		Supports: []workload.Shape{workload.ShapeTasks},
		Provides: system.ProvidesOnRequest,
		Node:     "host", Zone: "pool", Moves: true,
		Now: []system.Sentence{{Words: "{running:task} running; each gets at least {min_yield:%} of the CPU that it needs."}},
		Story: []system.Happening{
			{Kind: noteAdapted, One: "new plan of shares", Many: "new plans of shares", Look: "new"},
			{Kind: notePlaced, One: "task started", Many: "tasks started", Look: "good"},
			{Kind: noteMoves, One: "task migrated", Many: "tasks migrated", Look: "move"},
			{Kind: noteRefused, One: "job refused", Many: "jobs refused", Look: "no"},
			{
				Kind: noteStuck, One: "move dropped: no memory", Many: "moves dropped: no memory", Look: "warn",
				Sum: true,
			},
		},
		Settings: Default().described(),
		Agents:   []system.Role{system.Live(Default().described(), "budget_mb", "floor_yield")},
		Group:    "adaptation",
		Figures:  reported(),
		Metrics: []metric.Column{
			{
				ID: "min_yield", Name: "Smallest yield",
				About: "least over the running jobs of CPU given / CPU needed; 1 without a job",
			},
			{
				ID: "avg_yield", Name: "Average yield",
				About: "mean over the running jobs of the least CPU given / CPU needed of their tasks; 1 without a job",
			},
			{
				ID: "bound", Name: "Bound of the smallest yield",
				About: "min(1, CPU capacity / CPU that all running tasks need): no smallest yield can be higher",
			},
			{
				ID: "jobs_below_floor", Name: "Jobs below the least yield",
				About: "running jobs whose yield is below the setting floor_yield",
			},
		},
		Omissions: []system.Omission{
			system.TasksWait,
			{Column: "jobs_below_floor", When: system.MissedGrows, Words: "More jobs below the least yield"},
		},
		Charts: append([]metric.Chart{{Title: "Yield, given / needed", Top: 1, Lines: []metric.Line{
			{Column: "avg_yield", Name: "average", Tone: "accent"}, {
				Column: "min_yield", Name: "smallest",
				Tone: "bad",
			}, {Column: "bound", Name: "its bound", Tone: "quiet"},
		}}}, metric.TaskCharts()...),
		Layers: []frame.Layer{
			{
				ID: "given", Name: "CPU given", Unit: "of the node",
				About: "How much of its CPU a node gives to its tasks. Below 100 % it has CPU left, or its tasks need no more.",
			},
			{
				ID: "least", Name: "Smallest yield", Unit: "of what the task needs",
				About: "Yield is the CPU that a task gets, divided by the CPU that it needs. A node has the colour of its task with the smallest yield. The system raises the smallest yield of all.",
			},
			{
				ID: "alike", Name: "Yield if all are cut equally", Unit: "CPU of the node / what its tasks need",
				About: "The yield that each task of a node would have if the CPU were cut equally. Nodes of the same colour are equally fair to their tasks; a node of a low value holds more than its share.",
			},
		},
		Terms: []system.Term{
			{
				Words: []string{"smallest yield", "yield"},
				Means: "CPU given / CPU wanted: 100 % is all that a task asked for. The system raises the smallest of all.",
			},
			{
				Words: []string{"adaptation"},
				Means: "A new plan for all that runs, with a limit on what may be moved for it.",
			},
			{Words: []string{"bound"}, Means: "No allocation can have a larger smallest yield than this."},
		},
		Views: []system.View{}, Score: "yield",
		Answers: []system.Answer{
			{ID: system.Chosen, Sign: "★", Words: "chosen"},
			{ID: "rejected", Sign: "✗", Words: "the plan as a whole is better without"},
			{ID: "refused", Sign: "✗", Words: "has not the memory"},
		},
	}, New: New, Workload: Workload}
}

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	const planning = "Planning"
	return system.Describe(
		system.Setting{
			ID: "algorithm", Name: "Algorithm", Value: s.Algorithm, Choices: []string{Adapt, Greedy},
			About: "adapt plans anew after a change; greedy: new tasks go to the least loaded host, nothing migrates",
		},
		system.Setting{
			ID: "budget_mb", Name: "May migrate", Unit: "MB", Value: s.BudgetMB, Range: system.Between(0, maxBudget),
			Stops: []float64{
				0, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000,
				1_024_000,
			},
			About: "what one adaptation may migrate, as it crosses the network: B of equation (31)",
		},
		system.Setting{
			ID: "window_us", Name: "Adapt at most every", Value: s.WindowUS,
			Range: system.Between(0, float64(unit.Day)),
			About: "an adaptation follows a change, but not sooner after the one before; 0: at each change; with more than 2,000 tasks at least a minute lies between",
		},
		system.Setting{
			ID: "floor_yield", Name: "Least yield", Value: s.FloorYield, Range: system.Between(0, 1),
			About: "a new job does not start where the smallest yield would fall below",
		},
		system.Setting{
			ID: "on_floor", Name: "Below it, a new job", Value: s.OnFloor, Choices: []string{Queue, Refuse},
			About: "what becomes of a job that may not start",
		},
		system.Setting{
			ID: "raise_average", Name: "Raise the average", Group: planning, Value: s.RaiseAverage,
			About: "hand out what CPU is left (section 3.5); else every job gets the smallest yield",
		},
		system.Setting{
			ID: "coupled", Name: "Tasks of a job alike", Group: planning, Value: s.Coupled,
			About: "equal tasks of a job receive equal CPU (section 5); else each is a job of its own",
		},
		system.Setting{
			ID: "exact_tasks", Name: "Exact up to", Group: planning, Unit: "tasks", Value: s.ExactTasks,
			Range: system.Between(0, 100),
			About: "the largest number of tasks on equal hosts for which branch and bound finds the optimum",
		},
		system.Setting{
			ID: "search_tasks", Name: "Search up to", Group: planning, Unit: "tasks", Value: s.SearchTasks,
			Range: system.Between(0, 500_000), About: "with more tasks, placement is greedy and not coupled",
		},
		system.Setting{
			ID: "step_limit", Name: "Steps of branch and bound", Group: planning, Value: s.StepLimit,
			Range: system.Between(1, 10_000_000), About: "hosts that it looks at before it takes the best so far",
		},
		system.Setting{
			ID: "tries", Name: "Tries", Group: planning, Unit: "plans", Value: s.Tries,
			Range: system.Between(1, 1000),
			About: "plans of one adaptation that may fail before the other new jobs are placed greedily",
		},
	)
}
