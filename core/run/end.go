package run

import (
	"errors"
	"io"

	"parley/core/batch"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// Measure reads a recorded workload to its end and returns what it holds. End is when its
// last record about a task is, or its last record where none is about a task. The
// machines of the Google trace are known for a month, its tasks often for an
// hour: after that hour nothing more is recorded that a scheduler could do.
//
// Jobs are recorded when they come, and run after that: they end when the last of
// them would if all ran in the order of their arrival. Policies that let jobs pass
// others hardly ever need longer. Task graphs end when they would if nothing were
// done at the same time, each where that takes longest. A source of wishes, which say
// until when they hold and not what came of them, has an end of its own: Ends.
func Measure(source workload.Source) (extent Extent, err error) {
	if s, says := source.(interface{ Ends() unit.Time }); says {
		extent.End = min(s.Ends(), scenario.MaxUntil)
		return extent, nil
	}
	extent.First = -1
	var r workload.Record
	var last, lastTask unit.Time
	var graphs slowest
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
		}
		if r.Kind >= workload.TaskArrives {
			lastTask = r.At
			if extent.First < 0 {
				extent.First = r.At
			}
		}
	}
	extent.Processors = int64(processors)
	lastTask = max(lastTask, jobs.End())
	if graphs.sum > 0 {
		lastTask += unit.Time(min(graphs.sum, scenario.MaxUntil.Seconds()) * float64(unit.Second))
	}
	if extent.End = last; lastTask > 0 {
		extent.End = min(lastTask, scenario.MaxUntil)
	}
	return extent, nil
}
