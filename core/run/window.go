package run

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/feed"
	"parley/core/metric"
	"parley/core/scenario"
	"parley/core/unit"
)

// windowOf returns the part of a run that its means are about.
func windowOf(s *scenario.Scenario) (metric.Window, error) {
	w := s.Window
	if until := s.Until; w.WarmUp+w.CoolDown >= until && w != (scenario.Window{}) {
		return metric.Window{}, fmt.Errorf("window: %v of warm-up and %v of cool-down leave nothing of the %v that are played: shorten them", w.WarmUp, w.CoolDown, until)
	}
	to := unit.Forever
	if w.CoolDown > 0 {
		to = unit.Time(s.Until - w.CoolDown)
	}
	return metric.Window{WarmUp: unit.Time(w.WarmUp), To: to}, nil
}

// arrives reports whether an event is the arrival of work.
func arrives(k cluster.Kind) bool {
	return k == cluster.TaskSubmitted || k == cluster.JobSubmitted || k == cluster.GraphArrived
}

// Window is the part of a run that a report's means are about, in seconds of simulated
// time.
type Window struct {
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
}

// windowUntil returns the part of the window that was played.
func (r *Run) windowUntil(now unit.Time) Window {
	from := max(r.measured.began, 0) + r.window.WarmUp
	to := min(r.measured.table.End(now), r.window.To)
	return Window{FromS: min(from, to).Seconds(), ToS: to.Seconds()}
}

// Played is how much of the files a run played.
type Played struct {
	Jobs        int64   `json:"jobs"`
	JobsInFiles int64   `json:"jobs_in_files"`
	SpanS       float64 `json:"span_s"` // of the files: the run that plays all of them
}

// Played returns how much of a workload of rigid jobs, of an extent, the run played up to now. It returns
// nil of other work, and of work that the system made of the files itself.
func (r *Run) Played(e feed.Extent) *Played {
	if e.Jobs == 0 || r.inputs.Own != nil {
		return nil
	}
	return &Played{
		Jobs: r.cluster.View().Totals().Jobs.Submitted, JobsInFiles: e.Jobs,
		SpanS: max(e.End, r.until).Seconds(),
	}
}
