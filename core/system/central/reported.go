package central

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return append([]metric.Column{{ID: "preempted", Name: "Tasks preempted", About: "tasks evicted for tasks of higher priority"}}, reportedOfGangs()...)
}

// gangFigures are the names of the figures that a run of gangs has.
func gangFigures() (names []string) {
	names = []string{"preempted"} // tasks only
	for _, c := range reportedOfGangs() {
		names = append(names, c.ID)
	}
	return names
}

// reportedOfGangs describes the numbers that a run of gangs reports.
func reportedOfGangs() []metric.Column {
	return []metric.Column{
		{ID: "gpus_idle", Name: "Idle GPUs", Unit: "GPUs", About: "that no gang holds at the moment of the report, of nodes that are up"},
		{ID: "gpus_idle_pct", Name: "Idle GPUs, share", Unit: "%", About: "100 × idle GPUs / GPUs of nodes that are up, at the moment of the report"},
		{ID: "gpus_useless", Name: "Idle GPUs of no use", Unit: "GPUs", About: "idle ones on nodes that could hold no part of the gang that heads the queue, as they are; 0 if no gang waits"},
		{ID: "gpus_idle_on_one_node", Name: "Idle GPUs of one node", Unit: "GPUs", About: "the most idle GPUs that one node has at the moment of the report"},
		{ID: "head_gpus", Name: "GPUs for the first in the queue", Unit: "GPUs", About: "that the gang asks for which the latest decision left waiting first; 0 if none waits"},
		{ID: "head_waited_s", Name: "Wait of the first in the queue", Unit: "s", About: "time since that gang was submitted"},
		{ID: "jct_mean_s", Name: "Mean JCT", Unit: "s", About: "of gangs of GPUs that ended: end − submission"},
		{ID: "jct_median_s", Name: "Median JCT", Unit: "s", About: "of gangs that ended"},
		{ID: "jct_p95_s", Name: "JCT, 95th percentile", Unit: "s", About: "of gangs that ended"},
		{ID: "jct_p99_s", Name: "JCT, 99th percentile", Unit: "s", About: "of gangs that ended"},
		{ID: "queueing_mean_s", Name: "Mean queueing", Unit: "s", About: "time that gangs which ended waited, in all"},
		{ID: "first_start_mean_s", Name: "Mean wait for the first start", Unit: "s", About: "first start − submission of gangs that ended"},
		{ID: "preemptions", Name: "Preemptions", About: "times that a gang was stopped for others; it kept what it had done"},
		{ID: "moves", Name: "Moves", About: "times that a gang was stopped and started on other GPUs at once"},
		{ID: "starts", Name: "Starts", About: "times that a gang started or went on"},
		{ID: "fairness_mean", Name: "Mean finish-time fairness", About: "JCT / time that the gang had taken on an equal share of the GPUs (ρ)"},
		{ID: "fairness_worst", Name: "Worst finish-time fairness", About: "largest ρ of a gang that ended"},
		{ID: "unfair_pct", Name: "Unfair", Unit: "%", About: "100 × gangs with ρ above 1.05 / gangs that ended"},
		{ID: "allocation_pct", Name: "Allocation", Unit: "%", About: "100 × GPU time that gangs held / GPU time that was there, from the first submission to the latest end"},
		{ID: "stranded_pct", Name: "Stranded", Unit: "%", About: "100 × GPU time that was free while a gang had no place although enough GPUs were free / GPU time that was there"},
		{ID: "blocked_short_gpu_h", Name: "Blocked: too few free", Unit: "GPU h", About: "GPUs × time that gangs waited for because too few were free"},
		{ID: "blocked_no_place_gpu_h", Name: "Blocked: no place", Unit: "GPU h", About: "GPUs × time that gangs waited for although enough were free, as the placement found none: fragmentation"},
		{ID: "blocked_promise_gpu_h", Name: "Blocked: order or promise", Unit: "GPU h", About: "GPUs × time that gangs waited for with a place, for the order of the queue or a promise to another one"},
	}
}
