package google2011

import (
	"parley/core/unit"
	"parley/core/workload"
)

// Columns of task_events, task_usage and job_events.
const (
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

// ends is what the events that end a task mean. An eviction is the original
// scheduler's act, see resubmitWithin.
var ends = [eventTypes]workload.End{
	eventFail: workload.Failed, eventFinish: workload.Finished, eventKill: workload.Killed, eventLost: workload.Lost,
}

// resubmitWithin is how long after an eviction a task is expected back. In the
// public part 0 each of the 4,338 evicted tasks is submitted again within 100
// microseconds: the eviction took it off its machine, it did not end it. The
// same time a task that ended keeps its constraints, and constraints wait for
// their task.
const resubmitWithin = unit.Second

// state is how far a task is.
type state uint8

const (
	announced state = iota + 1 // has constraints, is not submitted
	waiting
	placed
	evicted // off its machine, not yet submitted again
	ended   // its constraints are kept in case it is submitted again
	skipped // left out by a rule
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

// expire ends what was waited for in vain.
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

func (s *Source) takeTaskEvent(p *part) {
	key := workload.Key{Job: p.row.values[taskJob], Index: p.row.index(taskIndex)}
	if t := s.tasks.alive.get(key); t != nil {
		s.tell(p, key, t)
		return
	}
	var t task
	if s.tell(p, key, &t); t.state != 0 {
		s.tasks.alive.insert(key, t)
	}
}

// tell lets the row's event happen to a task, of state 0 where it is unknown.
func (s *Source) tell(p *part, key workload.Key, t *task) {
	switch event := p.row.code(taskEvent); event {
	case eventSubmit:
		s.submit(p, key, t)
	case eventSchedule, eventUpdatePending, eventUpdateRunning:
		if !s.exists(p, key, t) {
			return
		}
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
func (s *Source) submit(p *part, key workload.Key, t *task) {
	switch {
	case t.state == skipped:
	case t.state.lives():
		if t.state == evicted {
			s.repairs.EvictedAndResubmitted++
			t.state = waiting
		} else {
			s.repairs.SubmittedTwice++
		}
		t.stamp = 0
		if s.readDemand(p, t) {
			s.emitChange(p.now, key, t)
		}
	default:
		s.arrive(p, key, t)
	}
}

// arrive makes the row's task a new one.
func (s *Source) arrive(p *part, key workload.Key, t *task) {
	t.stamp = 0
	t.request = s.settings.MedianRequest
	if !p.row.holdsBoth(taskCPU, taskMemory) {
		if s.settings.TaskWithoutRequest == Skip {
			s.repairs.TasksSkipped++
			t.state = skipped
			return
		}
		s.repairs.TasksGivenRequest++
	}
	s.readDemand(p, t)
	t.state = waiting
	r := s.emit(p.now, workload.TaskArrives)
	r.Key = key
	r.Task = s.describe(t)
	r.Task.User = s.user(p.rows.Fields().At(taskUser))
	r.Task.Spread = p.row.code(taskDifferent) == 1
	r.Task.Usage = s.options.Usage(key, t.class, t.request)
	r.Task.Usage.Measured = s.tasks.measured
}

// exists reports whether the row's task is alive, after submitting it where
// nobody did and the rule says so.
func (s *Source) exists(p *part, key workload.Key, t *task) bool {
	switch {
	case t.state.lives():
		return true
	case t.state == skipped:
		return false
	case s.settings.UnknownTask == Skip:
		s.repairs.TaskEventsIgnored++
		return false
	}
	s.repairs.TasksSubmitted++
	s.arrive(p, key, t)
	return t.state != skipped
}

// schedule places a task. Its row tells the request as it is by then: for a
// quarter of the tasks that run when the trace begins it is not the one they
// were submitted with.
func (s *Source) schedule(p *part, key workload.Key, t *task) {
	t.stamp = 0
	if s.readDemand(p, t) {
		s.emitChange(p.now, key, t)
	}
	if !p.row.holds(taskMachine) {
		s.repairs.ScheduledNowhere++
		return
	}
	if t.state == placed {
		s.repairs.ScheduledTwice++
		s.emit(p.now, workload.TaskReleased).Key = key
	}
	s.place(p, key, t)
}

func (s *Source) place(p *part, key workload.Key, t *task) {
	id := p.row.values[taskMachine]
	s.bring(p.now, id)
	t.state = placed
	r := s.emit(p.now, workload.TaskRecorded)
	r.Key, r.Machine = key, id
}

// update reads UPDATE_PENDING and UPDATE_RUNNING. A running task that was not
// seen to be scheduled is so now.
func (s *Source) update(p *part, key workload.Key, t *task) {
	if s.readDemand(p, t) {
		s.emitChange(p.now, key, t)
	}
	if p.row.code(taskEvent) == eventUpdateRunning && t.state != placed && p.row.holds(taskMachine) {
		t.stamp = 0
		s.place(p, key, t)
	}
}

// evict takes a task off its machine and waits whether it comes back.
func (s *Source) evict(p *part, key workload.Key, t *task) {
	switch t.state {
	case placed:
		s.emit(p.now, workload.TaskReleased).Key = key
		fallthrough
	case waiting:
		t.state = evicted
		s.tasks.wait(key, t, p.now)
	case evicted, skipped:
	default:
		s.repairs.TaskEventsIgnored++
	}
}

func (s *Source) end(p *part, key workload.Key, t *task) {
	switch {
	case t.state.lives():
		r := s.emit(p.now, workload.TaskEnds)
		r.Key, r.End = key, ends[p.row.code(taskEvent)]
		fallthrough
	case t.state == skipped:
		t.state = ended
		s.tasks.wait(key, t, p.now)
	default:
		s.repairs.TaskEventsIgnored++
	}
}

// readDemand takes over what the row says about a task's class and request and
// reports whether that is news. Where the row has no request, the old one
// stays.
func (s *Source) readDemand(p *part, t *task) (changed bool) {
	before := *t
	t.priority = p.row.code(taskPriority)
	t.class = workload.Batch
	if t.priority >= s.settings.ProductionPriority {
		t.class = workload.Production
	}
	if p.row.holds(taskCPU) {
		t.request[unit.CPU] = p.row.share(taskCPU)
	}
	if p.row.holds(taskMemory) {
		t.request[unit.Memory] = p.row.share(taskMemory)
	}
	return *t != before
}

// describe returns what TaskArrives and TaskChanges both tell.
func (s *Source) describe(t *task) workload.Task {
	return workload.Task{
		Class: t.class, Priority: t.priority, Request: t.request, Image: s.options.Image(t.request),
		Constraints: s.sets.sets[t.set],
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

// takeUsage reads task_usage: what a task used from the start of the row's
// window on. Memory is the canonical usage, which leaves out the page cache
// that the machine may drop.
func (s *Source) takeUsage(p *part) {
	key := workload.Key{Job: p.row.values[taskJob], Index: p.row.index(taskIndex)}
	t := s.tasks.alive.get(key)
	switch {
	case t == nil || !t.state.lives() && t.state != skipped:
		s.repairs.UsageWithoutTask++
	case t.state == skipped:
	case !p.row.holdsBoth(usageCPU, usageMemory):
		s.repairs.UsageWithoutValue++
	default:
		r := s.emit(p.now, workload.TaskUses)
		r.Key, r.Use = key, p.row.vec(usageCPU, usageMemory)
	}
}
