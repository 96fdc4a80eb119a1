package yield

import "parley/core/metric"

// reported describes the numbers of Report.
func reported() []metric.Column {
	return []metric.Column{
		{ID: "repacks", Name: "Replans", About: "plans made for all jobs"},
		{ID: "migrations", Name: "Migrations", About: "migrations that ended"},
		{ID: "migrated_mb", Name: "Migrated", Unit: "MB", About: "memory that migrations moved"},
		{ID: "rejected", Name: "Jobs rejected", About: "jobs that no plan could take"},
		{ID: "incomplete_jobs", Name: "Incomplete jobs", About: "jobs that run at the end with a task that waits"},
	}
}
