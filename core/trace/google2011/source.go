package google2011

import (
	"fmt"
	"io"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
	"parley/core/workload"
)

// Source is the trace as a workload. Its state is the live part: the machines,
// the tasks between submission and end, and the names they use.
type Source struct {
	options trace.Options
	given   []*table.Part
	merge   *table.Merge
	repairs Repairs
	names   workload.Names

	bringsMachines bool
	holdsTasks     bool
	machines       machines
	tasks          tasks
	constraints    constraintSets
	forming        constraintGroup
	users          map[string]uint32

	out  []workload.Record // out[sent:] is due
	sent int
	err  error
}

// Open looks into the files and returns the workload they hold. Nothing is
// read before the first Next but their beginnings.
func Open(files []trace.File, o trace.Options) (*Source, error) {
	o = o.WithDefaults().OfTasks()
	given, parts, err := table.Look(files, Format(), schema, o)
	if err != nil {
		return nil, err
	}
	s := &Source{options: o, given: given, users: map[string]uint32{}}
	s.machines.init()
	s.constraints.init()
	var read []*table.Part
	var toCount []trace.File
	for _, p := range parts {
		switch idOf(p) {
		case jobEvents:
			p.Note("not read: a run needs nothing of it")
			continue
		case machineEvents:
			s.bringsMachines = true
		case taskEvents:
			s.holdsTasks = true
		case taskUsage:
			s.tasks.measured = true
		}
		read = append(read, p)
		toCount = append(toCount, p.File)
	}
	s.merge = table.NewMerge(read, trace.NewMeter(toCount, o.Progress))
	return s, nil
}

// HoldsTasks reports whether task events are among the files. Without them no
// record is about a task.
func (s *Source) HoldsTasks() bool { return s.holdsTasks }

// Header reports whether machine events are among the files. Without them no record is about a
// node, and TaskRecorded names machines that only the original scheduler knew.
func (s *Source) Header() workload.Header {
	return workload.Header{
		Shape: workload.ShapeTasks, Machineless: !s.bringsMachines, Lacks: "open some parts of task_events as well",
	}
}

// Names translates the numbers of attribute names and values.
func (s *Source) Names() *workload.Names { return &s.names }

// Report returns the report on the rows read so far; its Summary is a Repairs.
func (s *Source) Report() trace.Report {
	return trace.Report{Files: table.Reports(s.given), Summary: s.repairs}
}

// Tally returns the counts of rows read, left out and repaired so far.
func (s *Source) Tally() trace.Tally {
	c := &s.repairs
	t := trace.NewTally("rows", table.Reports(s.given))
	ahead := s.merge.Ahead() // read and not yet judged
	t.Rows, t.Played = t.Rows-ahead, t.Played-ahead
	t.LeaveOut("every_job", "not of the one of every few jobs that is kept", c.RowsLeftOut)
	t.LeaveOut("after_the_end", "dated after the end of the trace", c.AfterTheEnd)
	t.LeaveOut("removed_twice", "removing machines that are absent", c.RemovedTwice)
	t.LeaveOut("task_events_ignored", "about tasks that were not submitted or have ended", c.TaskEventsIgnored)
	t.LeaveOut("usage_without_task", "measuring tasks that are not alive", c.UsageWithoutTask)
	t.LeaveOut("usage_without_value", "measuring no CPU or no memory", c.UsageWithoutValue)
	t.Repair("machines_given_capacity", "machines without a capacity, which get the one before or the most common one",
		c.MachinesGivenCapacity)
	t.Repair("machines_added", "machines known from task events only, which are added", c.MachinesAdded)
	t.Repair("added_twice", "machines added while present, read as an update", c.AddedTwice)
	t.Repair("attributes_without_node", "attributes of absent machines, which have them when they return",
		c.AttributesWithoutNode)
	t.Repair("tasks_given_request", "tasks without a request, which get the median one", c.TasksGivenRequest)
	t.Repair("tasks_submitted", "tasks scheduled or updated without having been submitted", c.TasksSubmitted)
	t.Repair("submitted_twice", "tasks submitted while alive, read as a change", c.SubmittedTwice)
	t.Repair("scheduled_twice", "tasks scheduled while placed, read as a move", c.ScheduledTwice)
	t.Repair("scheduled_nowhere", "tasks scheduled without a machine, which go on waiting", c.ScheduledNowhere)
	t.Repair("scheduled_on_absent", "tasks scheduled on machines that are not there", c.ScheduledOnAbsent)
	t.Repair("constraints_without_task", "sets of constraints of tasks that never came", c.ConstraintsWithoutTask)
	t.Repair("evicted_and_resubmitted", "tasks evicted and submitted again, read as one task that waits again",
		c.EvictedAndResubmitted)
	t.Repair("evicted_for_good", "tasks evicted and not submitted again, which ends them", c.EvictedForGood)
	return t
}

// Close ends the reading early.
func (s *Source) Close() error {
	s.merge.Close()
	if s.err == nil {
		s.err = io.EOF
	}
	return nil
}

// Next fills r with the next record, see workload.Source. Errors are io.EOF, a
// *trace.Error, or the error of the progress callback.
func (s *Source) Next(r *workload.Record) error {
	for s.sent == len(s.out) {
		if s.err != nil {
			return s.err
		}
		s.out, s.sent = s.out[:0], 0
		if s.err = s.step(); s.err != nil {
			s.merge.Close()
		}
	}
	*r = s.out[s.sent]
	s.sent++
	return nil
}

// step does the one thing that is next: it ends a group of constraints, lets a
// waiting period run out, or takes a row.
func (s *Source) step() error {
	p, err := s.merge.Peek()
	if err != nil && err != io.EOF {
		return err
	}
	if s.forming.active && (err == io.EOF || !s.forming.takes(p)) {
		s.endGroup()
		return nil
	}
	if err == io.EOF {
		return err
	}
	if key, ok := s.tasks.overdue(p.Now); ok {
		s.expire(key)
		return nil
	}
	if err := s.take(p); err != nil {
		return err
	}
	return s.merge.Advance()
}

// take turns a part's present row into records.
func (s *Source) take(p *table.Part) error {
	if afterTheEnd(p) {
		s.repairs.AfterTheEnd++
		return nil
	}
	if job := jobColumn[idOf(p)]; job > 0 && s.options.EveryJob > 1 &&
		rng.Mix(p.Row.Value(job))%s.options.EveryJob != 0 {
		s.repairs.RowsLeftOut++
		return nil
	}
	var err error
	switch idOf(p) {
	case machineEvents:
		s.takeMachineEvent(p)
	case machineAttributes:
		err = s.takeAttribute(p)
	case taskConstraints:
		err = s.takeConstraint(p)
	case taskEvents:
		s.takeTaskEvent(p)
	case taskUsage:
		s.takeUsage(p)
	}
	if err != nil {
		return err
	}
	return s.checkSize(p)
}

// jobColumn is where each table has its job, 0 if it has none.
var jobColumn = [tables]int{taskConstraints: 1, taskEvents: 2, taskUsage: 2, jobEvents: 2}

// checkSize refuses a trace that would not fit into memory.
func (s *Source) checkSize(p *table.Part) error {
	switch limit := s.options.MaxTasks; {
	case s.tasks.alive.size > limit:
		return s.tooLarge(p, "with this row more than %d tasks are alive at once", limit)
	case len(s.machines.known) > limit:
		return s.tooLarge(p, "with this row there are more than %d machines", limit)
	case s.names.Len()+len(s.users)+s.constraints.size > limit:
		return s.tooLarge(p, "with this row there are more than %d names, values and constraints", limit)
	}
	return nil
}

// maxPerOwner limits the attributes of a machine and the constraints of a
// task: the trace has some twenty attributes and at most a few constraints.
const maxPerOwner = 1000

func (s *Source) tooLarge(p *table.Part, reason string, limit int) error {
	return &trace.Error{
		Kind: trace.TooLarge, File: p.File.Name, Line: p.Rows.Line(), Reason: fmt.Sprintf(reason, limit),
		Hint: "take one of every few jobs with --every-job, or allow more with --max-tasks",
	}
}

// emit appends a record for the caller to fill.
func (s *Source) emit(at unit.Time, kind workload.Kind) *workload.Record {
	s.out = append(s.out, workload.Record{At: at, Kind: kind})
	return &s.out[len(s.out)-1]
}
