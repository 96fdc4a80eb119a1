package events

import (
	"slices"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// JobLog keeps the outcome of each rigid job of a run, in the order of arrival.
//
//	jobs := &events.JobLog{}
//	r, err := run.Open(s, source, run.KeepJobs(jobs))
//	err = r.Advance(unit.Forever)
//	for _, job := range jobs.Rows { … }
type JobLog struct {
	Rows []JobRow

	view       cluster.View
	backfilled func(unit.JobID) bool
	fairness   func(unit.JobID) float64
	energy     func(unit.JobID) float64
	rows       []int // by slot of the job: its index in Rows
	nodes      []unit.NodeID
}

// JobRow is the outcome of one job.
type JobRow struct {
	workload.Job
	Key        workload.Key
	Submitted  unit.Time
	Started    unit.Time // for the last time; -1: never
	Ended      unit.Time // -1: not yet
	State      JobState
	Backfilled bool          // it started while a job that came before it waited
	Restarts   int           // times that it lost its processors and waited again
	First      unit.Time     // its first start; -1: never
	Fairness   float64       // finish-time fairness of a job that ended, if the system has it; else 0
	Energy     float64       // joules of its nodes while it ran, if the scenario has the power of nodes; else 0
	kept       unit.Time     // time in earlier runs whose progress it keeps
	Nodes      []unit.NodeID // the last ones that it held, in rising order
}

// JobState is the state of a job at the end of a run.
type JobState uint8

// The states of a job.
const (
	JobWaiting JobState = iota
	JobRunning
	JobCompleted
	JobKilled    // at the limit that its user gave
	JobCancelled // it ended otherwise, for example because it cannot run here
)

// String returns the state as tables spell it.
func (s JobState) String() string {
	return [...]string{"waiting", "running", "completed", "killed", "cancelled"}[s]
}

// Begin receives the cluster before the first event. backfilled reports whether a job that has just started passed
// one that came before it and waits; fairness and energy return the finish-time fairness and the energy of a
// job that ends. They are called while the event is observed.
func (l *JobLog) Begin(v cluster.View, backfilled func(unit.JobID) bool, fairness, energy func(unit.JobID) float64) {
	l.view, l.backfilled, l.fairness, l.energy = v, backfilled, fairness, energy
}

// Wait returns the time from the submission to the end less the run: time in which the job
// lost a run counts as waiting. It returns -1 for a job that did not start.
func (j *JobRow) Wait() unit.Time {
	if j.Started < 0 {
		return -1
	}
	return j.Started - j.Submitted - j.kept
}

// Ran returns the run time of a job that has ended, with earlier runs whose progress it kept;
// -1 for other jobs.
func (j *JobRow) Ran() unit.Time {
	if j.Ended < 0 || j.Started < 0 {
		return -1
	}
	return j.Ended - j.Started + j.kept
}

// BoundedSlowdown returns max(1, response / max(run, 10 s)) of a job that ran to an end, and
// 0 of other jobs.
func (j *JobRow) BoundedSlowdown() float64 {
	if j.Ran() < 0 {
		return 0
	}
	return max(1, (j.Ended-j.Submitted).Seconds()/max(j.Ran(), metric.SlowdownBound).Seconds())
}

// Observe adds a row for a job that is submitted, and updates its row at its later events; other events are
// ignored. ProcessorsTaken events collect the nodes of the JobPlaced that follows them.
func (l *JobLog) Observe(e cluster.Event) {
	if e.Kind < cluster.JobSubmitted || e.Kind > cluster.JobDisplaced {
		return
	}
	slot := int(e.Job().Slot())
	if e.Kind == cluster.JobSubmitted {
		for slot >= len(l.rows) {
			l.rows = append(l.rows, 0)
		}
		j, _ := l.view.Job(e.Job())
		l.rows[slot] = len(l.Rows)
		l.Rows = append(l.Rows, JobRow{Job: j.Job, Key: j.Key, Submitted: e.At, Started: -1, First: -1, Ended: -1})
		return
	}
	j := &l.Rows[l.rows[slot]]
	switch e.Kind {
	case cluster.ProcessorsTaken:
		l.nodes = append(l.nodes, e.Node) // of the job that is placed next
	case cluster.JobPlaced:
		slices.Sort(l.nodes)
		j.Nodes = slices.Clone(slices.Compact(l.nodes))
		l.nodes = l.nodes[:0]
		j.Started, j.State, j.Backfilled = e.At, JobRunning, l.backfilled(e.Job())
		if j.First < 0 {
			j.First = e.At
		}
	case cluster.JobDisplaced:
		if j.kept += e.At - j.Started; e.Detail != cluster.Suspended {
			j.kept = 0
		}
		j.Started, j.State, j.Backfilled = -1, JobWaiting, false
		j.Restarts++
	case cluster.JobEnded:
		j.Ended, j.Fairness, j.Energy = e.At, l.fairness(e.Job()), l.energy(e.Job())
		switch how := workload.End(e.Detail); {
		case how == workload.Finished && j.Started >= 0:
			j.State = JobCompleted
		case how == workload.Killed && j.Started >= 0:
			j.State = JobKilled
		default:
			j.State = JobCancelled
		}
	}
}
