package metric

import "slices"

// The figures of the reports: what TasksReport, JobReport and GraphReport hold, by
// the path that sweeps use. A * stands for the name of a group.

// TaskFigures describes a TasksReport.
func TaskFigures() []Column {
	return slices.Concat(
		[]Column{
			{"tasks.submitted", "Tasks submitted", "", "tasks that arrived"},
			{"tasks.ended", "Tasks ended", "", "tasks that ended while they ran"},
			{"tasks.withdrawn", "Tasks withdrawn", "", "tasks that ended while they waited"},
			{"tasks.makespan_s", "Makespan", "s", "from the first submission to the last end"},
		},
		waits("tasks", "task", "start − submission, and what it ran before it lost its place", "run, 10 s"),
		groups("tasks.by_class", "tasks", "of a class"),
	)
}

// JobFigures describes a JobReport.
func JobFigures() []Column {
	return slices.Concat(
		[]Column{
			{"jobs.submitted", "Jobs submitted", "", "jobs that arrived"},
			{"jobs.ended", "Jobs ended", "", "jobs that came within the window and ended"},
			{"jobs.killed", "Killed at their limit", "", "ended jobs that ran into the limit that their user gave"},
			{"jobs.backfilled", "Backfilled", "", "ended jobs that started while a job that came before them waited"},
			{"jobs.waiting", "Jobs waiting", "", "jobs that wait at the end of the run"},
			{"jobs.running", "Jobs running", "", "jobs that run at the end of the run"},
			{"jobs.displaced", "Jobs displaced", "", "times that a job lost its processors"},
			{"jobs.deadlines", "Deadlines", "", "submitted jobs with a deadline"},
			{"jobs.deadlines_met", "Deadlines met", "", "jobs that finished by their deadline"},
			{"jobs.makespan_s", "Makespan", "s", "from the first submission to the last end"},
			{"jobs.utilisation_pct", "Utilisation", "%", "100 × processor time of ended jobs / processor time of the nodes that were up, from the beginning of the window to its end or the last end of a job"},
			{"jobs.offered_load", "Offered load", "", "processor time of submitted jobs / processor time of the nodes that were up, from the first submission to the last"},
			{"jobs.energy.run_j", "Energy", "J", "of all nodes, from the first submission to the last end (cluster.power)"},
			{"jobs.energy.idle_j", "Energy of idle nodes", "J", "of that, of nodes while they had no job"},
			{"jobs.energy.off_j", "Energy of nodes that are off", "J", "of that, of nodes while they were off"},
			{"jobs.energy.switch_j", "Energy of switching", "J", "of that, of nodes while they shut down or booted (batch.off)"},
			{"jobs.energy.boots", "Boots", "", "times that a node had booted by the last end"},
			{"jobs.energy.mean_w", "Mean power", "W", "energy / that time"},
			{"jobs.energy.per_job_j", "Energy a job", "J", "mean over ended jobs of what their nodes drew while they ran, whole nodes even where others ran there too"},
			{"jobs.slowdown_bound_s", "Bound of the slowdown", "s", "the shortest run that a bounded slowdown counts"},
		},
		waits("jobs", "job", "start − submission, and what it ran before it lost its place", "run, 10 s"),
		groups("jobs.by_class", "jobs", "of a queue"),
		groups("jobs.by_size", "jobs", "of a class of sizes (1, 2, 3-4, 5-8 … processors)"),
	)
}

// GraphFigures describes a GraphReport.
func GraphFigures() []Column {
	return slices.Concat(
		[]Column{
			{"graphs.arrived", "Graphs arrived", "", "task graphs that arrived"},
			{"graphs.done", "Graphs done", "", "graphs of which all subtasks are finished"},
			{"graphs.aborted", "Graphs given up", "", "graphs that were given up"},
			{"graphs.open", "Graphs open", "", "graphs that are not done at the end of the run"},
			{"graphs.makespan_s", "Makespan", "s", "from the first arrival to the last end"},
			{"graphs.deadlines", "Deadlines", "", "graphs with a deadline"},
			{"graphs.deadlines_met", "Deadlines met", "", "graphs that were done by their deadline"},
			{"graphs.deadlines_missed", "Deadlines missed", "", "graphs whose deadline passed before they were done"},
			{"graphs.deadlines_passed", "Deadlines passed", "", "deadlines, met or missed, that passed before the end of the run"},
			{"graphs.deadlines_met_pct", "Deadlines met", "%", "100 × deadlines that passed and were met / deadlines that passed; 100 if none passed"},
			{"graphs.bonus", "Bonus", "credits", "bonuses of the graphs that met their deadline"},
			{"graphs.busy_pct", "Machines busy", "%", "100 × time that machines computed / time that machines were up"},
			{"graphs.useful_pct", "Machines busy with use", "%", "as busy_pct, without work that was lost, withdrawn or given up"},
			{"graphs.subtasks_finished", "Subtasks finished", "", "subtasks that were finished"},
			{"graphs.subtasks_lost", "Subtasks lost", "", "subtasks that a failure lost"},
			{"graphs.transfers", "Transfers", "", "transfers that ended"},
			{"graphs.transferred_mb", "Transferred", "MB", "bytes that transfers moved"},
		},
		waits("graphs", "graph", "start of the first subtask − arrival", "ideal, 10 s"),
		spread("graphs.length_ratio", "Schedule length ratio", "", "response / ideal, the critical path on the fastest machines without transfers"),
		groups("graphs.by_class", "graphs", "with a deadline, or without"),
		[]Column{{"graphs.by_class.*.deadlines_met", "Deadlines met", "", "graphs that were done by their deadline, of a class"}},
	)
}

// waits describes the columns of waits and slowdowns of one kind of work.
func waits(of, one, wait, bound string) []Column {
	return slices.Concat(
		spread(of+".wait_s", "Wait", "s", wait),
		spread(of+".response_s", "Response", "s", "end − submission of a "+one),
		spread(of+".bounded_slowdown", "Bounded slowdown", "", "max(1, response / max("+bound+"))"),
	)
}

// spread describes a Distribution.
func spread(id, name, unit, about string) []Column {
	return []Column{
		{id + ".mean", name + ", mean", unit, "mean of " + about},
		{id + ".median", name + ", median", unit, "median of the same"},
		{id + ".p95", name + ", 95th percentile", unit, "95 % of the values are at most this"},
		{id + ".max", name + ", maximum", unit, "largest value of the same"},
	}
}

// groups describes the means of a part of the work.
func groups(id, things, of string) []Column {
	return []Column{
		{id + ".*." + things, "Number of " + things, "", things + " that ended, " + of},
		{id + ".*.wait_s", "Wait, mean", "s", "mean wait of the " + things + " " + of},
		{id + ".*.response_s", "Response, mean", "s", "mean response of the " + things + " " + of},
		{id + ".*.bounded_slowdown", "Bounded slowdown, mean", "", "mean bounded slowdown of the " + things + " " + of},
	}
}
