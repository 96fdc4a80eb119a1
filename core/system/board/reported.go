package board

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{
			ID: "kpd_pct", Name: "Time used", Unit: "%",
			About: "100 × time that machines computed / time that machines were up (KPD)",
		},
		{
			ID: "kpd_engaged_pct", Name: "Time used in communities", Unit: "%",
			About: "100 × time that machines computed / time that they were in a community",
		},
		{
			ID: "kgv_pct", Name: "Deadlines met", Unit: "%",
			About: "100 × graphs done by their deadline / graphs that are done or whose deadline passed (KGV)",
		},
		{ID: "graphs_posted_total", Name: "Graphs posted", About: "graphs posted so far"},
		{ID: "graphs_met", Name: "Graphs in time", About: "graphs done by their deadline, or done without one"},
		{ID: "graphs_late", Name: "Graphs late", About: "graphs done after their deadline"},
		{ID: "graphs_missed", Name: "Graphs missed", About: "graphs given up at their deadline"},
		{
			ID: "graphs_impossible", Name: "Impossible deadlines",
			About: "graphs that could not meet their deadline even alone on the fastest machines",
		},
		{ID: "makespan_s", Name: "Makespan", Unit: "s", About: "mean of end − posting over the graphs that are done"},
		{ID: "slr", Name: "Schedule length ratio", About: "mean of makespan / critical path on the fastest machines"},
		{ID: "speedup", Name: "Speed-up", About: "mean of the time on one machine / makespan"},
		{ID: "transferred_mb", Name: "Transferred", Unit: "MB", About: "bytes that transfers between machines moved"},
		{ID: "threads", Name: "Threads taken", About: "threads that agents took"},
		{
			ID: "refused", Name: "Threads refused",
			About: "threads that a board refused because another agent had taken a part",
		},
		{ID: "releases", Name: "Threads put back", About: "threads that agents put back"},
		{
			ID: "stalled", Name: "Graphs stalled",
			About: "times that a graph was restarted because no subtask could begin",
		},
		{ID: "searches", Name: "Searches", About: "searches of agents for a thread"},
		{ID: "subtasks_a_thread", Name: "Subtasks a thread", About: "subtasks taken / threads taken"},
		{
			ID: "waiting_pct", Name: "Time waited", Unit: "%",
			About: "100 × time that machines in a community did not compute / time that machines were up",
		},
		{ID: "bonus_offered", Name: "Bonus offered", Unit: "credits", About: "bonuses of all graphs posted"},
		{ID: "bonus_paid", Name: "Bonus paid", Unit: "credits", About: "bonuses of the graphs done by their deadline"},
	}
}
