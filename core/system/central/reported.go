package central

import (
	"slices"

	"parley/core/metric"
)

// reported describes the numbers of Report.
func reported() []metric.Column {
	return slices.Concat([]metric.Column{{ID: "preempted", Name: "Tasks preempted", About: "tasks evicted for tasks of higher priority"}}, reportedOfGangs(), reportedOfDevices())
}

// sometimes are the names of the figures that not every run has.
func sometimes() (names []string) {
	for _, c := range reported() {
		names = append(names, c.ID)
	}
	return names
}

// reportedOfGangs describes the numbers that a run of gangs reports.
func reportedOfGangs() []metric.Column {
	return []metric.Column{
		{ID: "gpus_idle", Name: "Idle GPUs", Unit: "GPUs", About: "that nothing holds at the moment of the report, of nodes that are up"},
		{ID: "gpus_idle_pct", Name: "Idle GPUs, share", Unit: "%", About: "100 × idle GPUs / GPUs of nodes that are up, at the moment of the report"},
		{ID: "gpus_useless", Name: "Idle GPUs of no use", Unit: "GPUs", About: "idle ones on nodes that could hold no part of the gang that heads the queue, as they are; of tasks on parts of GPUs, what the task that waits first cannot use; 0 if none waits"},
		{ID: "gpus_idle_on_one_node", Name: "Idle GPUs of one node", Unit: "GPUs", About: "the most idle GPUs that one node has at the moment of the report"},
		{ID: "head_gpus", Name: "GPUs for the first in the queue", Unit: "GPUs", About: "that the gang or task asks for which the latest decision left waiting first; 0 if none waits"},
		{ID: "head_waited_s", Name: "Wait of the first in the queue", Unit: "s", About: "time since it was submitted"},
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
		{ID: "allocation_pct", Name: "Allocation", Unit: "%", About: "100 × GPU time that was held / GPU time that was there, from the first submission to the latest end of a gang; of tasks on parts of GPUs, to the moment of the report"},
		{ID: "stranded_pct", Name: "Stranded", Unit: "%", About: "100 × GPU time that was free while a gang or task had no place although enough GPUs were free / GPU time that was there"},
		{ID: "blocked_short_gpu_h", Name: "Blocked: too few free", Unit: "GPU h", About: "GPUs × time that gangs or tasks waited for because too few were free"},
		{ID: "blocked_no_place_gpu_h", Name: "Blocked: no place", Unit: "GPU h", About: "GPUs × time that gangs or tasks waited for although enough were free, as the placement found none: fragmentation"},
		{ID: "blocked_promise_gpu_h", Name: "Blocked: order or promise", Unit: "GPU h", About: "GPUs × time that gangs waited for with a place, for the order of the queue or a promise to another one"},
	}
}

// reportedOfDevices describes the numbers that only a run of tasks on parts of GPUs reports.
func reportedOfDevices() []metric.Column {
	return []metric.Column{
		{ID: "gpus_held", Name: "GPUs held", Unit: "GPUs", About: "that tasks hold at the moment of the report, parts added up"},
		{ID: "gpus_held_pct", Name: "GPUs held, share", Unit: "%", About: "100 × GPUs held / GPUs of nodes that are up"},
		{ID: "gpus_fragmented", Name: "Fragmented GPUs", Unit: "GPUs", About: "idle ones that the typical tasks cannot use, on the average over them (Weng and others, USENIX ATC 2023), at the moment of the report"},
		{ID: "gpus_fragmented_pct", Name: "Fragmented GPUs, share", Unit: "%", About: "100 × fragmented GPUs / GPUs of nodes that are up"},
		{ID: "idle_fragmented_pct", Name: "Fragmented part of idle GPUs", Unit: "%", About: "100 × fragmented GPUs / idle GPUs"},
		{ID: "waiting_short", Name: "Tasks short of GPUs", About: "that wait at the moment of the report because too little is free in all"},
		{ID: "waiting_no_place", Name: "Tasks without a place", About: "that wait although as much of GPUs is free: no node has it in one device, or the CPU and memory beside it"},
		{ID: "waiting_other", Name: "Tasks without GPUs that wait", About: "for CPU or memory"},
	}
}
