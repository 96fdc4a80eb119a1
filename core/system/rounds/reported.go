package rounds

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "rounds", Name: "Rounds", About: "rounds of the plan"},
		{
			ID: "makespan_s", Name: "Makespan", Unit: "s",
			About: "from the beginning to the end of the last chunk; missing while load is left",
		},
		{
			ID: "makespan_predicted_s", Name: "Makespan by the formula", Unit: "s",
			About: "what the algorithm's own formula predicts",
		},
		{
			ID: "makespan_planned_s", Name: "Makespan as planned", Unit: "s",
			About: "what the plan takes on the stated platform",
		},
		{ID: "load", Name: "Load", Unit: "units", About: "load that arrived"},
		{ID: "load_done", Name: "Load computed", Unit: "units", About: "load that was computed"},
		{ID: "load_lost", Name: "Load lost", Unit: "units", About: "load that was lost with a worker or on its way"},
		{ID: "chunks", Name: "Chunks", About: "chunks sent"},
		{ID: "workers", Name: "Workers", About: "workers that computed"},
		{
			ID: "idle_pct", Name: "Idle time", Unit: "%",
			About: "100 × (1 − time computed / (span × workers that computed))",
		},
	}
}
