package run

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"parley/core/batch"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Measure reads a recorded workload to its end and returns what it holds. End is when its
// last record about a task is, or the last task ends that says how long it runs, or its last record where none is about a task. The
// machines of the Google trace are known for a month, its tasks often for an
// hour: after that hour nothing more is recorded that a scheduler could do.
//
// Jobs are recorded when they come, and run after that: they end when the last of
// them would if all ran in the order of their arrival. That is a guess, for limits,
// reservations and failures let them end later: see Bound. Task graphs end when they would if nothing were
// done at the same time, each where that takes longest. A source of wishes, which say
// until when they hold and not what came of them, has an end of its own: Ends.
func Measure(source workload.Source) (extent Extent, err error) {
	if s, says := source.(interface{ Ends() unit.Time }); says {
		extent.End = min(s.Ends(), scenario.MaxUntil)
		return extent, nil
	}
	extent.First = -1
	var r workload.Record
	var last, lastTask, lastEnd unit.Time
	var graphs slowest
	var work unit.Time // run times of all jobs, one after the other
	processors, site := 0, batch.NewSite(batch.FCFS, 0)
	jobs := batch.NewStream(site)
	for {
		if err := source.Next(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return extent, err
		}
		last = r.At
		switch {
		case r.Kind == workload.NodeJoins:
			processors += int(r.Node.Processors)
			site.Resize(processors)
			if r.Node.Worker != nil {
				graphs.machine(r.Node.Worker)
			}
		case r.Kind == workload.GraphArrives:
			graphs.graph(r.Graph)
		case r.Kind == workload.JobArrives:
			j := batch.Job{Processors: int(r.Job.Processors), Estimate: r.Job.Estimate}
			jobs.Add(batch.Logged{Job: j, Submit: r.At, Run: r.Job.Run})
			extent.Jobs++
			work += min(r.Job.Run, scenario.MaxUntil-work)
			for _, after := range r.Job.After {
				work += min(after.Think, scenario.MaxUntil-work)
			}
		}
		if r.Kind == workload.TaskArrives && r.Task.Lifetime > 0 {
			lastEnd = max(lastEnd, r.At+min(r.Task.Lifetime, scenario.MaxUntil))
		}
		if r.Kind >= workload.TaskArrives {
			lastTask = r.At
			if extent.First < 0 {
				extent.First = r.At
			}
		}
	}
	extent.Processors = int64(processors)
	lastTask = max(lastTask, lastEnd, jobs.End())
	if graphs.sum > 0 {
		lastTask += unit.Time(min(graphs.sum, scenario.MaxUntil.Seconds()) * float64(unit.Second))
	}
	if extent.End = last; lastTask > 0 {
		extent.End = min(lastTask, scenario.MaxUntil)
	}
	if extent.Jobs > 0 {
		extent.Most = min(extent.End+2*work+30*unit.Day, scenario.MaxUntil)
	}
	return extent, nil
}

// Bound lets a scenario end with what a workload holds, at the sample that follows its
// end. A log of rigid jobs is played until its work has ended.
func (e *Extent) Bound(s *scenario.Scenario) {
	e.End = max((e.End+SampleStep-1)/SampleStep*SampleStep, SampleStep)
	s.Until, s.Most = scenario.Duration(e.End), 0
	if e.Most > 0 {
		last := scenario.Duration(e.Most)
		for _, f := range s.Faults {
			last = max(last, f.At+scenario.Duration(e.Most))
		}
		s.Most = min(last, scenario.Duration(scenario.MaxUntil))
	}
}

// endWithWork ends the run of a log at the first sample after its last job has ended, or
// when those that wait can never start. Where its end was a guess and work is left, it
// moves the end.
func (r *Run) endWithWork(now unit.Time) {
	if !r.feed.ended {
		r.later(now)
		return
	}
	t := r.cluster.View().Totals().Jobs
	left := slices.ContainsFunc(r.scenario.Faults, func(f scenario.Fault) bool { return unit.Time(f.At) > now })
	mended := len(r.faults.due) == 0 // no repair of a random failure is due
	still := r.kernel.Pending() <= 1 // the cluster sweeps usage every minute, and nothing else is to come
	timers := r.kernel.Fired() > r.fired+uint64((now-r.moved)/unit.Minute)+100
	switch {
	case t.Running > 0:
	case t.Waiting == 0 && len(r.feed.chains.slots) == 0:
		r.stop(now)
		return
	case !left && mended && still, !left && now >= r.until && r.placed == t.Placements && (still || timers):
		r.stuck = true
		r.stop(now)
		return
	}
	r.later(now)
}

// stop ends the run now.
func (r *Run) stop(now unit.Time) {
	if r.until = now; r.scenario.Most > 0 {
		r.scenario.Until = scenario.Duration(now)
	}
}

// later moves an end that was a guess.
func (r *Run) later(now unit.Time) {
	if most := unit.Time(r.scenario.Most); now >= r.until && r.until < most {
		more := max(r.until/8, unit.Hour, 10*unit.Time(r.scenario.Chaos.MTTR))
		if r.cluster.View().Totals().Jobs.Running == 0 {
			more = max(more, unit.Day)
		}
		r.until = min(r.until+(more+SampleStep-1)/SampleStep*SampleStep, most)
		r.placed, r.fired, r.moved = r.cluster.View().Totals().Jobs.Placements, r.kernel.Fired(), now
		r.scenario.Until = scenario.Duration(r.until)
	}
}

// mostNamed is how many jobs a sentence names.
const mostNamed = 5

// waiting names the first jobs that wait, by their numbers in the log.
func (r *Run) waiting() string {
	var names []string
	v := r.cluster.View()
	for id := range v.AliveJobs {
		if len(names) == mostNamed {
			names = append(names, "…")
			break
		}
		j, _ := v.Job(id)
		names = append(names, fmt.Sprintf("job %d of %s", j.Key.Job, system.Count(float64(j.Processors), "processor")))
	}
	for _, name := range r.feed.chains.neverCome(mostNamed + 1 - len(names)) {
		if len(names) == mostNamed {
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
