package google2011

import (
	"fmt"
	"io"
	"math"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
)

// Summary summarises the rows of a trace as they are: nothing is
// repaired.
type Summary struct {
	// of the machine events or, without those, of the task events
	Machines          int                `json:"machines"`
	MachinesOnlyInUse int                `json:"machines_only_in_task_events"`
	MachineEvents     MachineEventCounts `json:"machine_events"`
	MachineAttributes int64              `json:"machine_attributes"`
	Jobs              int                `json:"jobs"`  // of the task events or, without those, of the job events
	Tasks             int                `json:"tasks"` // of the task events
	TaskEvents        EventCounts        `json:"task_events"`
	TaskConstraints   int64              `json:"task_constraints"`
	TaskUsage         int64              `json:"task_usage"`
	JobEvents         EventCounts        `json:"job_events"`
	FirstS            float64            `json:"first_s"`
	LastS             float64            `json:"last_s"`
	// task events at 0 s: tasks alive when the trace begins
	BeforeStart     int64 `json:"before_start"`
	AfterEnd        int64 `json:"after_end"` // rows dated 2^63-1
	WithoutCapacity int64 `json:"without_capacity"`
	WithoutRequest  int64 `json:"without_request"`
	WithoutMachine  int64 `json:"without_machine"` // task events: not on a machine
	// task events that Google put in if records were missing
	MissingInformation int64 `json:"missing_information"`
	Production         int64 `json:"production_submits"` // SUBMIT rows of priority 9 and above
}

// MachineEventCounts counts machine events by kind.
type MachineEventCounts struct {
	Add    int64 `json:"add"`
	Remove int64 `json:"remove"`
	Update int64 `json:"update"`
}

// EventCounts counts task or job events by kind.
type EventCounts struct {
	Submit        int64 `json:"submit"`
	Schedule      int64 `json:"schedule"`
	Evict         int64 `json:"evict"`
	Fail          int64 `json:"fail"`
	Finish        int64 `json:"finish"`
	Kill          int64 `json:"kill"`
	Lost          int64 `json:"lost"`
	UpdatePending int64 `json:"update_pending"`
	UpdateRunning int64 `json:"update_running"`
}

// tally collects the counts of a summary. Counts by kind are indexed by the
// trace's own numbers.
type tally struct {
	Summary
	machineEvents       [machineEventTypes]int64
	taskEvents          [eventTypes]int64
	jobEvents           [eventTypes]int64
	machines, inUse     keySet // machine numbers of machine events, of task events
	tasks, jobs, listed keySet // of task events, and jobs of job events
	first, last         unit.Time
	limit               int // see trace.Options.MaxTasks
	slice               trace.Slice
}

// Summarise reads all rows of all files, one file after another, and returns
// their summary. With an error it returns the part read before it.
func Summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	o = o.WithDefaults()
	given, parts, err := table.Look(files, Format(), schema, o)
	if err != nil {
		return trace.Report{}, err
	}
	t := &tally{first: math.MaxInt64, limit: o.MaxTasks, slice: o.Slice}
	meter := trace.NewMeter(files, o.Progress)
	for _, p := range parts {
		if err = t.readAll(p, meter); err != nil {
			break
		}
	}
	return trace.Report{Files: table.Reports(given), Summary: t.summary()}, err
}

// readAll adds all rows of a part. It fails at the row with which one of the sets fills more slots than the limit
// allows: memory grows with the slots, not with the numbers in them.
func (t *tally) readAll(p *table.Part, meter *trace.Meter) error {
	err := p.Open(meter)
	for ; err == nil; err = p.Next() {
		t.add(p)
		slots := max(t.tasks.filled, t.jobs.filled, t.listed.filled, t.machines.filled, t.inUse.filled)
		if slots > t.limit {
			p.Close()
			return &trace.Error{
				Kind: trace.TooLarge, File: p.File.Name, Line: p.Rows.Line(),
				Reason: fmt.Sprintf("with this row there are more than %d different tasks, jobs or machines", t.limit),
				Hint:   "allow more with --max-tasks",
			}
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// holds reports whether a row about a job is of the slice: of its window of time and its jobs.
func (t *tally) holds(p *table.Part, job uint64) bool {
	s := &t.slice
	return p.Now >= s.From && (s.To == 0 || p.Now < s.To) && (s.Every <= 1 || rng.Mix(job)%s.Every == 0)
}

// add counts a part's present row.
func (t *tally) add(p *table.Part) {
	row := &p.Row
	if job := jobColumn[idOf(p)]; job > 0 && !t.holds(p, row.Value(job)) {
		return
	}
	if afterTheEnd(p) {
		t.AfterEnd++
	} else {
		t.first, t.last = min(t.first, p.Now), max(t.last, p.Now)
	}
	switch idOf(p) {
	case machineEvents:
		t.machineEvents[row.Code(machineEvent)]++
		t.addID(&t.machines, row.Value(machineID))
		if !row.HoldsBoth(machineCPUs, machineMemory) {
			t.WithoutCapacity++
		}
	case machineAttributes:
		t.MachineAttributes++
	case taskConstraints:
		t.TaskConstraints++
	case taskUsage:
		t.TaskUsage++
	case jobEvents:
		t.jobEvents[row.Code(jobEvent)]++
		t.addID(&t.listed, row.Value(taskJob))
	case taskEvents:
		t.addTaskEvent(row)
	}
}

// addTaskEvent counts a row of task_events.
func (t *tally) addTaskEvent(row *table.Row) {
	event := row.Code(taskEvent)
	t.taskEvents[event]++
	t.tasks.add(row.Value(taskJob), row.Value(taskIndex))
	t.addID(&t.jobs, row.Value(taskJob))
	if row.Holds(taskMachine) {
		t.addID(&t.inUse, row.Value(taskMachine))
	} else {
		t.WithoutMachine++
	}
	if !row.HoldsBoth(taskCPU, taskMemory) {
		t.WithoutRequest++
	}
	if row.Holds(taskMissing) {
		t.MissingInformation++
	}
	if row.At(taskTime) == 0 {
		t.BeforeStart++
	}
	if event == eventSubmit && row.Code(taskPriority) >= productionPriority {
		t.Production++
	}
}

// addID puts a number into a set of numbers.
func (t *tally) addID(set *keySet, id uint64) { set.add(id>>6, id&63) }

// summary returns the counts. Machines and jobs are those of the table that lists them, or of the task events
// without it.
func (t *tally) summary() Summary {
	s := t.Summary
	s.MachineEvents = MachineEventCounts{
		t.machineEvents[machineAdd], t.machineEvents[machineRemove],
		t.machineEvents[machineUpdate],
	}
	s.TaskEvents = eventCounts(t.taskEvents)
	s.JobEvents = eventCounts(t.jobEvents)
	s.Tasks = t.tasks.size
	s.Jobs = t.jobs.size
	if s.Jobs == 0 {
		s.Jobs = t.listed.size
	}
	s.Machines = t.machines.size
	if s.Machines == 0 {
		s.Machines = t.inUse.size
	} else {
		s.MachinesOnlyInUse = t.inUse.without(&t.machines)
	}
	if t.first <= t.last {
		s.FirstS, s.LastS = t.first.Seconds(), t.last.Seconds()
	}
	return s
}

func eventCounts(n [eventTypes]int64) EventCounts {
	return EventCounts{
		Submit: n[eventSubmit], Schedule: n[eventSchedule], Evict: n[eventEvict], Fail: n[eventFail],
		Finish: n[eventFinish], Kill: n[eventKill], Lost: n[eventLost],
		UpdatePending: n[eventUpdatePending], UpdateRunning: n[eventUpdateRunning],
	}
}
