package google2011

import (
	"parley/core/trace/table"
	"parley/core/unit"
	"parley/core/workload"
)

// Columns of task_events, task_usage and job_events.
const (
	taskTime      = 0 // of all three
	taskMissing   = 1
	taskJob       = 2 // of all three
	taskIndex     = 3
	taskMachine   = 4
	taskEvent     = 5
	taskUser      = 6
	taskPriority  = 8
	taskCPU       = 9
	taskMemory    = 10
	taskDifferent = 12

	usageCPU    = 5
	usageMemory = 6

	jobEvent = 3
)

// Event types of task_events and job_events.
const (
	eventSubmit uint8 = iota
	eventSchedule
	eventEvict
	eventFail
	eventFinish
	eventKill
	eventLost
	eventUpdatePending
	eventUpdateRunning
	eventTypes
)

// ends are the meanings of the events that end a task. An eviction is an act of the original
// scheduler, see resubmitWithin.
var ends = [eventTypes]workload.End{
	eventFail: workload.Failed, eventFinish: workload.Finished, eventKill: workload.Killed, eventLost: workload.Lost,
}

// resubmitWithin is how long after an eviction a task is expected back. In the
// public part 0 each of the 4,338 evicted tasks is submitted again within 100
// microseconds: the eviction took it off its machine, it did not end it. The
// same time a task that ended keeps its constraints, and constraints wait for
// their task.
const resubmitWithin = unit.Second

// productionPriority is the least priority of production tasks. The trace's own
// page calls 9, 10 and 11 production and 12 monitoring, which keeps its promises too.
const productionPriority = 9

// medianRequest returns the request of a task that is submitted without one: the medians
// of the 201,200 SUBMIT rows with a request in part 0 of the public trace, in millionths of
// the largest machine.
func medianRequest() unit.Vec { return unit.Vec{unit.CPU: 24_990, unit.Memory: 25_450} }

// state is how far a task is.
type state uint8

const (
	announced state = iota + 1 // has constraints, is not submitted
	waiting
	placed
	evicted // off its machine, not yet submitted again
	ended   // its constraints are kept in case it is submitted again
)

// lives reports whether a task of this state has arrived and not ended.
func (s state) lives() bool { return s == waiting || s == placed || s == evicted }

type task struct {
	state         state
	class         workload.PriorityClass
	priority      uint8
	stamp         uint32 // of the waiting period that still counts
	set           int32  // of constraintSets
	constrainedAt unit.Time
	request       unit.Vec
}

// period is a time after which something happens to a task, unless its stamp
// is out of date by then.
type period struct {
	until unit.Time
	key   workload.Key
	stamp uint32
}

// tasks are the tasks that are alive, and the periods that run, in order of
// their ends: all are equally long.
type tasks struct {
	alive    taskTable
	measured bool // usage files are given
	periods  []period
	over     int // periods[:over] are over
	stamps   uint32
}

// wait begins the period after which expire looks at the task.
func (t *tasks) wait(key workload.Key, k *task, now unit.Time) {
	t.stamps++
	k.stamp = t.stamps
	if t.over > 1024 && t.over > len(t.periods)/2 {
		t.periods = t.periods[:copy(t.periods, t.periods[t.over:])]
		t.over = 0
	}
	t.periods = append(t.periods, period{now + resubmitWithin, key, k.stamp})
}

// overdue returns a task whose period ends before now.
func (t *tasks) overdue(now unit.Time) (key workload.Key, ok bool) {
	for t.over < len(t.periods) && t.periods[t.over].until < now {
		p := t.periods[t.over]
		t.over++
		if k := t.alive.get(p.key); k != nil && k.stamp == p.stamp {
			return p.key, true
		}
	}
	return key, false
}

// expire ends the wait for a task's submission.
func (s *Source) expire(key workload.Key) {
	last := s.tasks.alive.get(key).state
	s.tasks.alive.remove(key)
	switch last {
	case announced:
		s.repairs.ConstraintsWithoutTask++
	case evicted:
		s.repairs.EvictedForGood++
		r := s.emit(s.tasks.periods[s.tasks.over-1].until, workload.TaskEnds)
		r.Key, r.End = key, workload.Evicted
	}
}

func (s *Source) takeTaskEvent(p *table.Part) {
	key := workload.Key{Job: p.Row.Value(taskJob), Index: p.Row.Index(taskIndex)}
	if t := s.tasks.alive.get(key); t != nil {
		s.tell(p, key, t)
		return
	}
	var t task
	if s.tell(p, key, &t); t.state != 0 {
		s.tasks.alive.insert(key, t)
	}
}

// tell applies the row's event to a task; an unknown task has state 0.
func (s *Source) tell(p *table.Part, key workload.Key, t *task) {
	switch event := p.Row.Code(taskEvent); event {
	case eventSubmit:
		s.submit(p, key, t)
	case eventSchedule, eventUpdatePending, eventUpdateRunning:
		s.bringTask(p, key, t)
		if event == eventSchedule {
			s.schedule(p, key, t)
		} else {
			s.update(p, key, t)
		}
	case eventEvict:
		s.evict(p, key, t)
	default:
		s.end(p, key, t)
	}
}

// submit lets a task arrive, unless it is alive: then a row after an eviction
// only ends the eviction, and any other is a change.
func (s *Source) submit(p *table.Part, key workload.Key, t *task) {
	switch {
	case t.state.lives():
		if t.state == evicted {
			s.repairs.EvictedAndResubmitted++
			t.state = waiting
		} else {
			s.repairs.SubmittedTwice++
		}
		t.stamp = 0
		if s.readDemand(p, t) {
			s.emitChange(p.Now, key, t)
		}
	default:
		s.arrive(p, key, t)
	}
}

// arrive makes the row's task a new one.
func (s *Source) arrive(p *table.Part, key workload.Key, t *task) {
	t.stamp = 0
	t.request = medianRequest()
	if !p.Row.HoldsBoth(taskCPU, taskMemory) {
		s.repairs.TasksGivenRequest++
	}
	s.readDemand(p, t)
	t.state = waiting
	r := s.emit(p.Now, workload.TaskArrives)
	r.Key = key
	r.Task = s.describe(t)
	r.Task.User = s.user(p.Rows.Fields().At(taskUser))
	r.Task.Spread = p.Row.Code(taskDifferent) == 1
	r.Task.Usage = s.options.Usage(key, t.class, t.request)
	r.Task.Usage.Measured = s.tasks.measured
}

// bringTask makes sure that a row's task is there: one that was never submitted is
// submitted now.
func (s *Source) bringTask(p *table.Part, key workload.Key, t *task) {
	if !t.state.lives() {
		s.repairs.TasksSubmitted++
		s.arrive(p, key, t)
	}
}

// schedule places a task. Its row has the request as it is by then: for a
// quarter of the tasks that run when the trace begins it is not the one they
// were submitted with.
func (s *Source) schedule(p *table.Part, key workload.Key, t *task) {
	t.stamp = 0
	if s.readDemand(p, t) {
		s.emitChange(p.Now, key, t)
	}
	if !p.Row.Holds(taskMachine) {
		s.repairs.ScheduledNowhere++
		return
	}
	if t.state == placed {
		s.repairs.ScheduledTwice++
		s.emit(p.Now, workload.TaskReleased).Key = key
	}
	s.place(p, key, t)
}

func (s *Source) place(p *table.Part, key workload.Key, t *task) {
	id := p.Row.Value(taskMachine)
	s.bring(p.Now, id)
	t.state = placed
	r := s.emit(p.Now, workload.TaskRecorded)
	r.Key, r.Machine = key, id
}

// update reads UPDATE_PENDING and UPDATE_RUNNING. A running task that was not
// seen to be scheduled is so now.
func (s *Source) update(p *table.Part, key workload.Key, t *task) {
	if s.readDemand(p, t) {
		s.emitChange(p.Now, key, t)
	}
	if p.Row.Code(taskEvent) == eventUpdateRunning && t.state != placed && p.Row.Holds(taskMachine) {
		t.stamp = 0
		s.place(p, key, t)
	}
}

// evict takes a task off its machine and waits whether it comes back.
func (s *Source) evict(p *table.Part, key workload.Key, t *task) {
	switch t.state {
	case placed:
		s.emit(p.Now, workload.TaskReleased).Key = key
		fallthrough
	case waiting:
		t.state = evicted
		s.tasks.wait(key, t, p.Now)
	case evicted:
	default:
		s.repairs.TaskEventsIgnored++
	}
}

func (s *Source) end(p *table.Part, key workload.Key, t *task) {
	switch {
	case t.state.lives():
		r := s.emit(p.Now, workload.TaskEnds)
		r.Key, r.End = key, ends[p.Row.Code(taskEvent)]
		t.state = ended
		s.tasks.wait(key, t, p.Now)
	default:
		s.repairs.TaskEventsIgnored++
	}
}

// readDemand takes a task's class and request from the row and reports whether they
// changed. If the row has no request, the old one stays.
func (s *Source) readDemand(p *table.Part, t *task) (changed bool) {
	before := *t
	t.priority = p.Row.Code(taskPriority)
	t.class = workload.Batch
	if t.priority >= productionPriority {
		t.class = workload.Production
	}
	if p.Row.Holds(taskCPU) {
		t.request[unit.CPU] = p.Row.Share(taskCPU)
	}
	if p.Row.Holds(taskMemory) {
		t.request[unit.Memory] = p.Row.Share(taskMemory)
	}
	return *t != before
}

// describe returns the fields that TaskArrives and TaskChanges share.
func (s *Source) describe(t *task) workload.Task {
	return workload.Task{
		Class: t.class, Priority: t.priority, Request: t.request, Image: s.options.Image(t.request),
		Constraints: s.constraints.lists[t.set],
	}
}

func (s *Source) emitChange(at unit.Time, key workload.Key, t *task) {
	r := s.emit(at, workload.TaskChanges)
	r.Key, r.Task = key, s.describe(t)
}

// user numbers users in the order of their first appearance.
func (s *Source) user(name []byte) uint32 {
	n, ok := s.users[string(name)]
	if !ok {
		n = uint32(len(s.users))
		s.users[string(name)] = n
	}
	return n
}

// takeUsage reads task_usage: the usage of a task from the start of the row's
// window on. Memory is the canonical usage, which leaves out the page cache
// that the machine may drop.
func (s *Source) takeUsage(p *table.Part) {
	key := workload.Key{Job: p.Row.Value(taskJob), Index: p.Row.Index(taskIndex)}
	t := s.tasks.alive.get(key)
	switch {
	case t == nil || !t.state.lives():
		s.repairs.UsageWithoutTask++
	case !p.Row.HoldsBoth(usageCPU, usageMemory):
		s.repairs.UsageWithoutValue++
	default:
		r := s.emit(p.Now, workload.TaskUses)
		r.Key, r.Use = key, amounts(&p.Row, usageCPU, usageMemory)
	}
}
