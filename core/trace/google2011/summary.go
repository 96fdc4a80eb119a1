package google2011

import (
	"fmt"
	"io"
	"math"

	"parley/core/trace"
	"parley/core/unit"
)

// Summary is what the rows of a trace say, as they stand there: nothing is
// repaired.
type Summary struct {
	Machines           int                `json:"machines"` // of the machine events or, without those, of the task events
	MachinesOnlyInUse  int                `json:"machines_only_in_task_events"`
	MachineEvents      MachineEventCounts `json:"machine_events"`
	MachineAttributes  int64              `json:"machine_attributes"`
	Jobs               int                `json:"jobs"`  // of the task events or, without those, of the job events
	Tasks              int                `json:"tasks"` // of the task events
	TaskEvents         EventCounts        `json:"task_events"`
	TaskConstraints    int64              `json:"task_constraints"`
	TaskUsage          int64              `json:"task_usage"`
	JobEvents          EventCounts        `json:"job_events"`
	FirstS             float64            `json:"first_s"`
	LastS              float64            `json:"last_s"`
	BeforeStart        int64              `json:"before_start"` // task events at 0 s: what was there when the trace begins
	AfterEnd           int64              `json:"after_end"`    // rows dated 2^63-1
	WithoutCapacity    int64              `json:"without_capacity"`
	WithoutRequest     int64              `json:"without_request"`
	WithoutMachine     int64              `json:"without_machine"`     // task events: not on a machine
	MissingInformation int64              `json:"missing_information"` // task events that Google put in where records were missing
	Production         int64              `json:"production_submits"`  // SUBMIT rows of priority 9 and above
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

// tally is what a summary is made of. Counts by kind are indexed by the
// trace's own numbers.
type tally struct {
	Summary
	machineEvents       [machineEventTypes]int64
	taskEvents          [eventTypes]int64
	jobEvents           [eventTypes]int64
	machines, used      keySet // machine numbers of machine events, of task events
	tasks, jobs, listed keySet // of task events, and jobs of job events
	first, last         unit.Time
	productionFrom      uint8
}

// Summarise reads all rows of all files, one file after another, and says what
// they hold. With an error it returns what it learned before.
func Summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	settings, err := decodeSettings(o.Settings)
	if err != nil {
		return trace.Report{}, err
	}
	o = o.WithDefaults()
	given, parts, err := partsOf(files, o)
	if err != nil {
		return trace.Report{}, err
	}
	t := &tally{first: math.MaxInt64, productionFrom: settings.ProductionPriority}
	meter := trace.NewMeter(files, o.Progress)
	for _, p := range parts {
		if err = t.readAll(p, meter); err != nil {
			break
		}
	}
	return trace.Report{Files: reportsOf(given), Summary: t.summary()}, err
}

func (t *tally) readAll(p *part, meter *trace.Meter) error {
	err := p.open(meter)
	for ; err == nil; err = p.next() {
		t.add(p)
		if most := p.options.MaxTasks; max(t.tasks.used, t.jobs.used, t.listed.used, t.machines.used, t.used.used) > most {
			p.close()
			return &trace.Error{
				Kind: trace.TooLarge, File: p.file.Name, Line: p.rows.Line(),
				Why:  fmt.Sprintf("with this row there are more than %d different jobs or machines", most),
				Hint: "raise the limit on the command line",
			}
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// add counts a part's present row.
func (t *tally) add(p *part) {
	row := &p.row
	if row.afterTheEnd() {
		t.AfterEnd++
	} else {
		t.first, t.last = min(t.first, p.now), max(t.last, p.now)
	}
	switch p.table {
	case machineEvents:
		t.machineEvents[row.code(machineEvent)]++
		t.addID(&t.machines, row.values[machineID])
		if !row.holdsBoth(machineCPUs, machineMemory) {
			t.WithoutCapacity++
		}
	case machineAttributes:
		t.MachineAttributes++
	case taskConstraints:
		t.TaskConstraints++
	case taskUsage:
		t.TaskUsage++
	case jobEvents:
		t.jobEvents[row.code(jobEvent)]++
		t.addID(&t.listed, row.values[taskJob])
	case taskEvents:
		t.addTaskEvent(row)
	}
}

func (t *tally) addTaskEvent(row *row) {
	event := row.code(taskEvent)
	t.taskEvents[event]++
	t.tasks.add(row.values[taskJob], row.values[taskIndex])
	t.addID(&t.jobs, row.values[taskJob])
	if row.holds(taskMachine) {
		t.addID(&t.used, row.values[taskMachine])
	} else {
		t.WithoutMachine++
	}
	if !row.holdsBoth(taskCPU, taskMemory) {
		t.WithoutRequest++
	}
	if row.holds(taskMissing) {
		t.MissingInformation++
	}
	if row.time() == 0 {
		t.BeforeStart++
	}
	if event == eventSubmit && row.code(taskPriority) >= t.productionFrom {
		t.Production++
	}
}

// addID puts a number into a set of numbers.
func (t *tally) addID(set *keySet, id uint64) { set.add(id>>6, id&63) }

func (t *tally) summary() Summary {
	s := t.Summary
	s.MachineEvents = MachineEventCounts{t.machineEvents[machineAdd], t.machineEvents[machineRemove], t.machineEvents[machineUpdate]}
	s.TaskEvents = eventCounts(t.taskEvents)
	s.JobEvents = eventCounts(t.jobEvents)
	s.Tasks = t.tasks.size
	s.Jobs = t.jobs.size
	if s.Jobs == 0 {
		s.Jobs = t.listed.size
	}
	s.Machines = t.machines.size
	if s.Machines == 0 {
		s.Machines = t.used.size
	} else {
		s.MachinesOnlyInUse = t.used.without(&t.machines)
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
