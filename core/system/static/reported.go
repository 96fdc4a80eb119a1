package static

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "plans", Name: "Plans", About: "plans made for graphs that arrived"},
		{ID: "replans", Name: "Replans", About: "plans made again after a failure"},
		{
			ID: "subtasks_planned_again", Name: "Subtasks planned again",
			About: "subtasks whose machine or result was lost",
		},
		{
			ID: "took_over_planned", Name: "Time over plan",
			About: "mean of the time that a graph took / the time planned",
		},
		{
			ID: "took_over_planned_most", Name: "Worst time over plan",
			About: "largest time that a graph took / the time planned",
		},
	}
}
