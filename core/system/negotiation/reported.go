package negotiation

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "negotiations", Name: "Negotiations", About: "negotiations begun"},
		{ID: "negotiations_open", Name: "Negotiations open", About: "negotiations under way at the end"},
		{ID: "negotiations_failed", Name: "Negotiations failed", About: "negotiations that moved no task"},
		{
			ID: "recommendations_expired", Name: "Expired recommendations",
			About: "negotiations whose broker did not answer in time",
		},
		{ID: "migration_attempts", Name: "Migration attempts", About: "targets that were told to take a task"},
		{
			ID: "migration_rejected", Name: "Migrations refused",
			About: "targets that refused at the last check (step 5)",
		},
		{
			ID: "step5_failures_pct", Name: "Refused at the last check", Unit: "%",
			About: "100 × migration_rejected / migration_attempts",
		},
		{
			ID: "candidates_rejected", Name: "Candidates that refused",
			About: "candidates that would not take the task (step 3)",
		},
		{
			ID: "migrations_by_force", Name: "Migrations by force",
			About: "targets that were told to take a task by force",
		},
		{ID: "allocations_by_force", Name: "Placements by force", About: "new tasks placed without room"},
		{ID: "allocations", Name: "Placements", About: "nodes that were told to take a new task"},
		{ID: "allocations_rejected", Name: "Placements refused", About: "nodes that refused a new task"},
		{ID: "tasks_parked", Name: "Tasks parked", About: "tasks that wait for room at the end"},
		{ID: "tasks_preempted", Name: "Tasks preempted", About: "tasks evicted for tasks of higher priority"},
	}
}
