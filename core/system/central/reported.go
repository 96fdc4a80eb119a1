package central

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "preempted", Name: "Tasks preempted", About: "tasks evicted for tasks of higher priority"},
	}
}
