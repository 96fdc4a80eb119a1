package dispatcher

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "subtasks_given", Name: "Subtasks assigned", About: "subtasks assigned to a machine"},
		{ID: "subtasks_withdrawn", Name: "Subtasks withdrawn", About: "subtasks taken back from a machine"},
	}
}
