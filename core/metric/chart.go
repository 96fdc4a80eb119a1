package metric

// Chart is some columns that are read together.
type Chart struct {
	Title   string  `json:"title"`
	Lines   []Line  `json:"lines"`
	Stacked bool    `json:"stacked,omitempty"` // the lines are parts of one whole, the first at the bottom
	Top     float64 `json:"top,omitempty"`     // of the scale, unless values lie above; 0: what the values need
}

// Line is one column of a Chart.
type Line struct {
	Column string `json:"column"`          // its ID
	Name   string `json:"name"`            // short, for the chart's key
	Tone   string `json:"tone"`            // "accent", "bad", "warn", "quiet", or "cycle.2": the third of the colours that categories have on the map
	Scale  string `json:"scale,omitempty"` // lines of one name share a scale; empty: the chart's left one
}

// TaskCharts returns the charts of physical columns that every scheduler of
// tasks has: how loaded the nodes are, what moves and what waits.
func TaskCharts() []Chart {
	line := func(column int, name, tone string) Line {
		return Line{Column: Columns[column].ID, Name: name, Tone: tone}
	}
	return []Chart{
		{Title: "Classes, % of nodes", Stacked: true, Top: 100, Lines: []Line{
			line(Proportional, "PA", "cycle.2"), line(Disproportionate, "DA", "cycle.3"), line(Tight, "TA", "cycle.1"), line(SuperTight, "STA", "cycle.0"),
		}},
		{Title: "Nodes in trouble", Lines: []Line{line(Overloaded, "overloaded", "bad"), line(Idle, "idle", "accent")}},
		{Title: "Migrations a minute", Lines: []Line{line(Migrations, "tasks", "accent")}},
		{Title: "Memory moved, MB a minute", Lines: []Line{line(MigratedMB, "moved", "warn")}},
		UsedChart(),
		{Title: "Waiting tasks", Lines: []Line{line(Waiting, "waiting", "warn")}},
		{Title: "Usage spikes a minute", Lines: []Line{line(Breaches, "spikes", "accent")}},
	}
}

// UsedChart returns the chart of how much of the cluster is used.
func UsedChart() Chart {
	return Chart{Title: "Used", Top: 100, Lines: []Line{
		{Column: Columns[CPUUsed].ID, Name: "CPU", Tone: "accent"}, {Column: Columns[MemoryUsed].ID, Name: "memory", Tone: "warn"},
	}}
}
