package workload

import (
	"fmt"

	"parley/core/unit"
)

// Moving describes how usage follows from requests if it was not measured, in a way that moves as
// the jobs of the Google trace do. The use of a task is
//
//	request × mean × (its job's constant) × (its own) × 2^movement
//
// and movement is a sum of logarithms: phases of the job, which last for hours, phases of the task,
// noise of each window, bursts of the job (partly in step with other jobs), the hour of the day,
// and rare moments of the whole cell. A few jobs are restless: all of their movements are larger.
// It is computed from hashes of job, task and window, and nothing is stored, so that any window of
// any task can be computed at once. All windows of a cell change together, as those of the trace
// do.
//
// Spreads are standard deviations of natural logarithms. Every moving part keeps the mean: its
// effect on the mean is subtracted as a constant of the job, except for the cut by MaxUse and the
// effect of events. A window is UsageWindow.
//
// README.md lists the properties of measured series, how the start values meet them, and which
// targets exclude one another.
type Moving struct {
	Batch      Ratios `json:"batch"`      // mean of used / requested of batch tasks
	Production Ratios `json:"production"` // likewise of production tasks
	Jobs       Ratios `json:"jobs"`       // spread of that ratio between jobs
	Tasks      Ratios `json:"tasks"`      // spread between the tasks of a job

	JobPhases  Ratios `json:"job_phases"`         // spread between a job's phases
	JobPhase   int    `json:"job_phase_windows"`  // mean length of a job's phase, in windows
	TaskPhases Ratios `json:"task_phases"`        // spread between a task's own phases
	TaskPhase  int    `json:"task_phase_windows"` // mean length of a task's own phase, in windows
	Noise      Ratios `json:"noise"`              // spread between a task's windows

	// spread of the restlessness of jobs, which multiplies the spreads of phases and noise and the chance of
	// bursts; its middle is 1
	Restless    float64 `json:"restless"`
	MaxRestless float64 `json:"max_restless" was:"restless_most"` // the largest restlessness

	Bursts        float64 `json:"bursts"`         // chance of a burst in six hours, for a job of restlessness 1
	BurstFactor   float64 `json:"burst_factor"`   // by which a burst multiplies the use of CPU
	BurstTogether float64 `json:"burst_together"` // which part of the bursts begins in the cell's own moments

	// by which part batch tasks use more at the day's height, in the mean: jobs follow it from not at all to twice
	// as far
	DayBatch      Ratios `json:"day_batch"`
	DayProduction Ratios `json:"day_production"` // likewise production tasks

	EventEvery int     `json:"event_windows"` // one event of the cell in this many windows; 0 for no events
	EventShare float64 `json:"event_share"`   // mean part of the jobs that take part in an event
	EventDepth float64 `json:"event_depth"`   // by which part they use less CPU in its window; below 0: more

	MaxUse Ratios `json:"max_use" was:"most"` // the largest use of a task, in parts of its request, up to 2
}

// DefaultMoving is calibrated on Borg's own placements at the beginning of the
// Google trace and on the series of real jobs of that trace: see `parley paper
// negotiation/calibration`.
func DefaultMoving() Moving {
	return Moving{
		Batch:      Ratios{unit.CPU: 0.37, unit.Memory: 0.52},
		Production: Ratios{unit.CPU: 0.385, unit.Memory: 0.725},
		Jobs:       Ratios{unit.CPU: 0.25, unit.Memory: 0.06},
		Tasks:      Ratios{unit.CPU: 0.15, unit.Memory: 0.03},
		JobPhases:  Ratios{unit.CPU: 0.14, unit.Memory: 0.04}, JobPhase: 96,
		TaskPhases: Ratios{unit.CPU: 0.19}, TaskPhase: 12,
		Noise:    Ratios{unit.CPU: 0.175, unit.Memory: 0.004},
		Restless: 0.9, MaxRestless: 3,
		Bursts: 0.2, BurstFactor: 1.7, BurstTogether: 0.3,
		DayBatch: Ratios{unit.CPU: 0.06}, DayProduction: Ratios{unit.CPU: 0.12},
		EventEvery: 576, EventShare: 0.20, EventDepth: 0.6,
		MaxUse: Ratios{unit.CPU: 2, unit.Memory: 1},
	}
}

// Validate returns an error that names a field, by its name in the document, and its range if a value is outside
// of it.
func (m *Moving) Validate() error {
	for r := range m.MaxUse {
		if !(m.MaxUse[r] >= 0 && m.MaxUse[r] <= 2) {
			return fmt.Errorf("max_use of %v is %v: choose 0 to 2", unit.Resource(r), m.MaxUse[r])
		}
		for _, f := range []struct {
			name         string
			value, limit float64
		}{
			{"batch", m.Batch[r], min(1, m.MaxUse[r])},
			{"production", m.Production[r], min(1, m.MaxUse[r])},
			{"jobs", m.Jobs[r], 1},
			{"tasks", m.Tasks[r], 1},
			{"job_phases", m.JobPhases[r], 1},
			{"task_phases", m.TaskPhases[r], 1},
			{"noise", m.Noise[r], 1},
			{"day_batch", m.DayBatch[r], 1},
			{"day_production", m.DayProduction[r], 1},
		} {
			if !(f.value >= 0 && f.value <= f.limit) {
				return fmt.Errorf("%s of %v is %v: choose 0 to %v", f.name, unit.Resource(r), f.value, f.limit)
			}
		}
	}
	for _, f := range []struct {
		name                 string
		value, lowest, limit float64
	}{
		{"job_phase_windows", float64(m.JobPhase), 1, maxPhase},
		{"task_phase_windows", float64(m.TaskPhase), 1, maxPhase},
		{"restless", m.Restless, 0, 2},
		{"max_restless", m.MaxRestless, 1, 5},
		{"bursts", m.Bursts, 0, 1},
		{"burst_factor", m.BurstFactor, 1, 5},
		{"burst_together", m.BurstTogether, 0, 1},
		{"event_windows", float64(m.EventEvery), 0, 1 << 20},
		{"event_share", m.EventShare, 0, 0.5},
		{"event_depth", m.EventDepth, -4, 0.99},
	} {
		if !(f.value >= f.lowest && f.value <= f.limit) {
			return fmt.Errorf("%s is %v: choose %v to %v", f.name, f.value, f.lowest, f.limit)
		}
	}
	return nil
}

// maxPhase bounds the length of phases: the value that chooses a place within one has twelve bits.
const maxPhase = 1 << 12
