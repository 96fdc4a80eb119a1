package metric

import "parley/core/workload"

// Chart is some columns of one unit that are read together, on one axis.
type Chart struct {
	Title   string         `json:"title"`
	Lines   []Line         `json:"lines"`
	Stacked bool           `json:"stacked,omitempty"` // the lines are parts of one whole, the first at the bottom
	Top     float64        `json:"top,omitempty"`     // of the scale, unless values are above; 0: set by the values
	Of      workload.Shape `json:"of,omitempty"`      // the kind of work that it is about; empty: any
}

// Line is one column of a Chart.
type Line struct {
	Column string `json:"column"` // its ID
	Name   string `json:"name"`   // short, for the chart's key
	// "accent", "bad", "warn", "quiet", or "cycle.2": the third of the colours that categories have on the map
	Tone string `json:"tone"`
}

// TaskCharts returns the charts of physical columns that every scheduler of tasks has: first those
// that a fault or a wave of work changes, then the nodes' load, moves and waiting tasks.
func TaskCharts() []Chart {
	return []Chart{
		{Title: "Displaced tasks", Lines: []Line{{"displaced", "tasks a minute", "bad"}}},
		{Title: "Migrations a minute", Lines: []Line{{"migrations", "tasks", "accent"}, {"migrations_forced", "forced", "bad"}}},
		{Title: "Overloaded nodes, %", Lines: []Line{{"overloaded_pct", "overloaded", "bad"}}},
		{Title: "Memory moved, MB a minute", Lines: []Line{{"migration_mb", "moved", "warn"}}},
		UsedChart(),
		{Title: "Waiting tasks", Lines: []Line{{"waiting", "waiting", "warn"}}},
		{Title: "Usage spikes a minute", Lines: []Line{{"rus_breaches_per_min", "spikes", "accent"}}},
		{Title: "Idle nodes, %", Top: 100, Lines: []Line{{"idle_pct", "idle", "accent"}}},
	}
}

// ClassChart returns the chart of how many of the nodes that are neither idle nor overloaded are in each class of
// load, for systems whose words these are.
func ClassChart() Chart {
	return Chart{Title: "Classes, % of busy nodes", Stacked: true, Top: 100, Lines: []Line{
		{"pa_pct", "PA", "cycle.2"}, {"da_pct", "DA", "cycle.3"}, {"ta_pct", "TA", "cycle.1"}, {"sta_pct", "STA", "cycle.0"},
	}}
}

// JobCharts returns the charts of waits and slowdowns of rigid jobs, of the columns of JobColumns
// among others.
func JobCharts() []Chart {
	return []Chart{
		{Title: "Jobs", Lines: []Line{{"waiting", "waiting", "warn"}, {"running", "running", "accent"}}},
		{Title: "Wait, minutes", Lines: []Line{{"job_wait_latest_min", "latest 100", "warn"}, {"job_wait_min", "all", "accent"}}},
		{Title: "Bounded slowdown", Lines: []Line{{"job_slowdown_latest", "latest 100", "warn"}, {"job_slowdown", "all", "accent"}}},
		{Title: "Processors used, %", Top: 100, Lines: []Line{{"cpu_used_pct", "processors", "accent"}}},
	}
}

// UsedChart returns the chart of how much of the cluster is used.
func UsedChart() Chart {
	return Chart{Title: "Used, %", Top: 100, Lines: []Line{{"cpu_used_pct", "CPU", "accent"}, {"memory_used_pct", "memory", "warn"}}}
}

// About returns charts that are shown for one kind of work alone.
func About(shape workload.Shape, charts []Chart) []Chart {
	for i := range charts {
		charts[i].Of = shape
	}
	return charts
}
