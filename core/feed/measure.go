package feed

import (
	"errors"
	"io"

	"parley/core/batch"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// SampleStep is the simulated time between two samples of a run's metrics: a run ends at one.
const SampleStep = unit.Minute

// Extent describes the content of a recorded workload.
type Extent struct {
	Jobs       int64     // rigid jobs that can be played
	Processors int64     // of the machines
	First      unit.Time // the first record about work; -1 if there is none
	End        unit.Time // see Measure
	LongestRun unit.Time // of rigid jobs: the greatest length of a run
}

// Measure reads a recorded workload to its end and returns its extent. End is the time of the last
// record about a task, or the last end of a task with a known run time, or the time of the last record
// if none is about a task. The machines of the Google trace are known for a month, its tasks often for
// an hour: the records after that hour have no work for a scheduler.
//
// Jobs are recorded on arrival and run after it. They end when the last of them would if all
// ran in the order of arrival. That is a guess, because limits,
// reservations and failures can delay them: see Bound. Task graphs end when they would if nothing ran
// concurrently, each subtask at its slowest place. A source of wishes, which has the times until
// which they hold and no outcomes, has an end of its own: Ends.
func Measure(source workload.Source) (extent Extent, err error) {
	if s, is := source.(interface{ Ends() unit.Time }); is {
		extent.End = min(s.Ends(), scenario.MaxUntil)
		return extent, nil
	}
	extent.First = -1
	var r workload.Record
	var last, lastTask, lastEnd unit.Time
	var graphs slowest
	var work unit.Time // run times of all jobs, one after the other
	processors, jobs := 0, batch.NewFirstCome()
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
			jobs.Grow(int(r.Node.Processors))
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
		extent.LongestRun = min(extent.End+2*work+30*unit.Day, scenario.MaxUntil)
	}
	return extent, nil
}

// Bound lets a scenario end with the work, at the sample after its end. A log of rigid jobs is played
// until its work has ended.
func (e *Extent) Bound(s *scenario.Scenario) {
	e.End = max((e.End+SampleStep-1)/SampleStep*SampleStep, SampleStep)
	s.Until, s.MaxUntil = scenario.Duration(e.End), 0
	if e.LongestRun > 0 {
		last := scenario.Duration(e.LongestRun)
		for _, f := range s.Faults {
			last = max(last, f.At+scenario.Duration(e.LongestRun))
		}
		s.MaxUntil = min(last, scenario.Duration(scenario.MaxUntil))
	}
}

// slowest bounds how long graphs take: one subtask and one transfer after the other,
// each where that takes longest.
type slowest struct {
	speeds  []unit.Work // by type, of those that can do it
	any     unit.Work   // of machines that do every type
	channel unit.Bytes
	latency unit.Time
	sum     float64 // seconds
}

// machine lowers the speeds and the channel to those of a machine, if it is slower; 0 means that it has none.
func (x *slowest) machine(w *workload.Worker) {
	lower := func(a, b int64) int64 {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	if w.Speeds == nil {
		x.any = unit.Work(lower(int64(x.any), int64(w.Speed)))
	}
	for t, s := range w.Speeds {
		for t >= len(x.speeds) {
			x.speeds = append(x.speeds, 0)
		}
		x.speeds[t] = unit.Work(lower(int64(x.speeds[t]), int64(s)))
	}
	x.channel = unit.Bytes(lower(int64(x.channel), int64(w.Channel)))
	x.latency = max(x.latency, w.CompLatency, w.CommLatency)
}

func (x *slowest) graph(g *workload.Graph) {
	for v := range g.Len() {
		s := g.Subtask(int32(v))
		speed := x.any
		if t := int(s.Type); t < len(x.speeds) && x.speeds[t] > 0 && (speed == 0 || x.speeds[t] < speed) {
			speed = x.speeds[t]
		}
		x.sum += x.latency.Seconds() + s.Work.Float()/max(1e-6, speed.Float())
	}
	for i := range g.Arcs() {
		if x.sum += x.latency.Seconds(); x.channel > 0 {
			x.sum += float64(g.Arc(int32(i)).Bytes) / float64(x.channel)
		}
	}
}
