package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// endWithWork ends the run of a log at the first sample after its last job has ended, or
// when those that wait can never start. If its end was a guess and work is left, it
// moves the end.
func (r *Run) endWithWork(now unit.Time) {
	if !r.feed.ended {
		r.later(now)
		return
	}
	t := r.cluster.View().Totals().Jobs
	left := slices.ContainsFunc(r.scenario.Faults, func(f scenario.Fault) bool { return unit.Time(f.At) > now })
	repaired := len(r.faults.due) == 0 // no repair of a random failure is due
	still := r.kernel.Pending() <= 1   // the cluster sweeps usage every minute, and nothing else is to come
	timers := r.kernel.Fired() > r.fired+uint64((now-r.moved)/unit.Minute)+100
	switch {
	case t.Running > 0:
	case t.Waiting == 0 && len(r.feed.chains.slots) == 0:
		r.stop(now)
		return
	case !left && repaired && still, !left && now >= r.until && r.placed == t.Placements && (still || timers):
		r.stuck = true
		r.stop(now)
		return
	}
	r.later(now)
}

// stop ends the run now.
func (r *Run) stop(now unit.Time) {
	if r.until = now; r.scenario.MaxUntil > 0 {
		r.scenario.Until = scenario.Duration(now)
	}
}

// later moves an end that was a guess.
func (r *Run) later(now unit.Time) {
	if limit := unit.Time(r.scenario.MaxUntil); now >= r.until && r.until < limit {
		more := max(r.until/8, unit.Hour, 10*unit.Time(r.scenario.Chaos.MTTR))
		if r.cluster.View().Totals().Jobs.Running == 0 {
			more = max(more, unit.Day)
		}
		r.until = min(r.until+(more+SampleStep-1)/SampleStep*SampleStep, limit)
		r.placed, r.fired, r.moved = r.cluster.View().Totals().Jobs.Placements, r.kernel.Fired(), now
		r.scenario.Until = scenario.Duration(r.until)
	}
}

// maxNamed is how many jobs a sentence names.
const maxNamed = 5

// waiting names the first jobs that wait, by their numbers in the log.
func (r *Run) waiting() string {
	var names []string
	v := r.cluster.View()
	for id := range v.AliveJobs {
		if len(names) == maxNamed {
			names = append(names, "…")
			break
		}
		j, _ := v.Job(id)
		names = append(names, fmt.Sprintf("job %d of %s", j.Key.Job, system.Count(float64(j.Processors), "processor")))
	}
	for _, name := range r.feed.chains.neverCome(maxNamed + 1 - len(names)) {
		if len(names) == maxNamed {
			name = "…"
		}
		names = append(names, name)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// unended says which jobs had not ended when the run did.
func (r *Run) unended() []string {
	t := r.cluster.View().Totals().Jobs
	held := len(r.feed.chains.slots)
	n := t.Waiting + t.Running + held
	left, all := unit.Grouped(strconv.Itoa(n)), system.Count(float64(t.Submitted+int64(held)), "job")
	switch {
	case n == 0 || !r.Done() || r.err != nil:
		return nil
	case r.stuck:
		return []string{fmt.Sprintf("%s of %s can never start, for nothing runs and nothing more comes: they are in no mean%s", left, all, r.waiting())}
	}
	return []string{fmt.Sprintf("%s of %s had not ended when the run did: they are in no mean; a later end (until) lets them end", left, all)}
}
