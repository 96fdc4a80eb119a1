package run

import (
	"fmt"

	"parley/core/feed"
	"parley/core/metric"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Report is the result of a run, in the JSON of the command line.
type Report struct {
	Engine     string             `json:"engine"`
	Scenario   *scenario.Scenario `json:"scenario"`
	Digest     string             `json:"digest"`
	SimulatedS float64            `json:"simulated_s"`
	WallS      float64            `json:"wall_s"`  // filled by a caller that has a clock
	Speedup    float64            `json:"speedup"` // simulated_s / wall_s, likewise
	Events     uint64             `json:"events"`
	// means over the window of the columns of package metric that mean something for the work
	Metrics  map[string]float64  `json:"metrics"`
	AtEnd    map[string]float64  `json:"at_end"`             // the same at the end, or of the minute before it
	Window   Window              `json:"window"`             // the interval of the means
	Played   *Played             `json:"played,omitempty"`   // of the files; filled by their reader
	System   map[string]any      `json:"system"`             // counts, and time means of the system's own gauges
	Supplies []metric.Column     `json:"supplies,omitempty"` // columns of Metrics: other resources of the workload
	Tasks    *metric.TasksReport `json:"tasks,omitempty"`    // where placed tasks ended
	Jobs     *metric.JobReport   `json:"jobs,omitempty"`     // if the workload has rigid jobs
	Graphs   *metric.GraphReport `json:"graphs,omitempty"`   // if it has task graphs
	Trace    *trace.Tally        `json:"trace,omitempty"`    // counts of the rows of the files
	Repairs  Repairs             `json:"repairs"`
	Warnings []string            `json:"warnings"`
}

// Report summarises the run up to now; it changes nothing. Metrics are means over the window, AtEnd the latest
// values.
func (r *Run) Report() Report {
	now := r.kernel.Now()
	mean := r.measured.table.Mean(now)
	out := Report{
		Engine: Engine, Scenario: r.scenario, Digest: r.measured.digest.String(), SimulatedS: now.Seconds(),
		Events:  r.kernel.Fired(),
		Metrics: map[string]float64{}, AtEnd: map[string]float64{}, Window: r.windowUntil(now),
		System: map[string]any{}, Tasks: r.measured.tasks.Report(), Jobs: r.measured.jobs.Report(),
		Graphs: r.measured.graphs.Report(now), Repairs: r.feed.repairs, Warnings: []string{},
		Supplies: r.Supplies(),
	}
	if r.measured.energy != nil && out.Jobs != nil {
		out.Jobs.Energy = r.measured.energy.Report()
	}
	latest := r.measured.table.Latest()
	for _, i := range metric.ColumnsOf(r.inputs.Shape) {
		out.Metrics[metric.Columns[i].ID], out.AtEnd[metric.Columns[i].ID] = mean[i], latest[i]
	}
	if r.inputs.Shape != workload.ShapeJobs {
		r.reportTasks(&out, mean)
	}
	if m, ok := r.system.(system.Messenger); ok {
		out.System["messages"], out.System["messages_lost"] = m.Messages()
	}
	if s, ok := r.system.(system.Reporter); ok {
		for name, value := range s.Report() {
			out.System[name] = value
		}
	}
	for i, c := range r.measured.table.Columns()[metric.Width:] {
		out.AtEnd[c.ID] = r.measured.table.LatestOwn(i)
		value := r.measured.table.MeanOwn(i)
		if c.SoFar() {
			value = out.AtEnd[c.ID]
		}
		if i < len(r.entry.Metrics) {
			out.System[c.ID] = value
		} else {
			out.Metrics[c.ID] = value
		}
	}
	out.Warnings = append(out.Warnings, r.inputs.Choices...)
	if w, ok := r.system.(system.WarningSource); ok {
		out.Warnings = append(out.Warnings, w.Warnings()...)
	}
	if out.Trace = r.tally(); out.Trace != nil {
		out.Warnings = append(out.Warnings, out.Trace.Sentences()...)
	}
	if n := r.feed.repairs.Ended; n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d records of the workload are about tasks, jobs, graphs or machines that had ended or never came; they were passed over", n))
	}
	if n := r.feed.repairs.Elsewhere; n > 0 && r.entry.FollowsRecords(r.scenario.Settings) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d recorded placements are on machines that the cluster does not have (files without machines, or cluster.keep); they were passed over, and their tasks wait", n))
	}
	out.Warnings = append(out.Warnings, r.unended()...)
	out.Warnings = append(out.Warnings, r.unseenKinds()...)
	out.Warnings = append(out.Warnings, r.faults.warnings(r.scenario.Faults, r.until)...)
	return out
}

// unseenKinds returns a sentence for each kind of nodes of cluster.power with nodes that never joined.
func (r *Run) unseenKinds() (all []string) {
	n := r.cluster.View().Nodes()
	for i, k := range r.scenario.Cluster.PowerKinds() {
		if i < len(r.scenario.Cluster.Power.Kinds) && int(k.Last) >= n {
			all = append(all, fmt.Sprintf("cluster.power.kinds[%d] has nodes up to %d, and the cluster has %d, numbered from 0: those beyond have no effect", i, k.Last, n))
		}
	}
	return all
}

// reportTasks adds the figures of a workload of tasks: the load of the nodes, and counts.
func (r *Run) reportTasks(out *Report, mean metric.Row) {
	totals := r.cluster.View().Totals()
	for _, i := range []int{
		metric.Idle, metric.Overloaded, metric.SuperTight, metric.Tight, metric.Proportional,
		metric.Disproportionate, metric.UsageSpikes,
	} {
		out.System[metric.Columns[i].ID] = mean[i]
	}
	for how := range totals.Ended {
		out.System["tasks_"+workload.End(how).String()] = totals.Ended[how]
	}
	for name, value := range map[string]any{
		"tasks_submitted": totals.Submitted, "tasks_placed": totals.Placements, "tasks_waiting": totals.Waiting,
		"tasks_running": totals.Running, "tasks_migrating": totals.Migrating, "tasks_displaced": totals.Displaced,
		"migrations": totals.Migrations, "migration_mb": float64(totals.Moved) / float64(unit.MB),
		"placements_forced": totals.ForcedPlacements, "migrations_forced": totals.Forced, "migrations_broken": totals.Aborted,
	} {
		out.System[name] = value
	}
}

// tally returns the counts of the rows of the files so far. A row that was read and is after the
// end of the run counts as left out. tally returns nil if the run plays no files.
func (r *Run) tally() *trace.Tally {
	t := feed.Tally(r.feed.source, r.scenario.Workload.Scale)
	if t != nil && !r.feed.ended && !r.Behind() && r.Now() >= r.until {
		switch r.feed.record.Kind {
		case workload.TaskArrives, workload.JobArrives:
			t.LeaveOut(trace.AfterEnd, "after the end of the run, where the reading of the files ended", 1)
		}
	}
	return t
}
