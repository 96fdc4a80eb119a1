// Package central implements the schedulers that are in use today: one scheduler that sees
// the whole cluster and places each task once, by a policy.
//
// Policies: best-fit (the fullest node with room), worst-fit (the emptiest), first-fit (the
// lowest node number), random (any node with room), those of kube-scheduler by its own
// formulas (least-allocated, most-allocated, balanced-allocation,
// requested-to-capacity-ratio, and kube, their weighted sum), formula (the node with the
// highest value of an expression that the user writes), and replay (the node that the trace
// recorded). Those of package device place tasks on parts of GPUs: fgd and its rivals.
//
// For every policy a node has room by use or by requests, with headroom and a limit for
// production tasks. A task that fits nowhere preempts tasks of lower priority, or waits and
// is tried again every minute, highest priority first. A rescheduler can move tasks off
// nodes that are used too much. README.md has the formulas, sources and deviations.
//
//	{"policy":"best-fit","admission":"use","fill":0.9}
package central

import (
	"encoding/json"
	"slices"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// scheduler implements system.System for every policy but replay.
type scheduler struct {
	env        system.Env
	book       *book
	policy     policy
	taped      *taped      // the policy, if its choices are recorded or replayed; else nil
	preemption *preemption // nil without preemption
	waiting    []unit.TaskID
	demand     demand // of the task that is being settled: here, so that none is left to collect
	failed     []failure
	resched    rescheduler
	counts     counts
	readsUse   bool     // usage matters: nodes are read again when it changes
	unread     []string // a warning about settings, or none

	system.Decisions // what Explain returns; empty unless notes are read
}

// counts are the system's own figures.
type counts struct{ preempted, passes, overused, moved, stuck int64 }

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(TaskPolicies, s.Policy):
		return newScheduler(env, &s)
	case slices.Contains(DevicePolicies, s.Policy):
		return newDeviceScheduler(env, &s), nil
	case s.gangs():
		return newGangScheduler(env, &s)
	}
	return newJobScheduler(env, &s)
}

// newOfTasks makes the system in a program that plays no rigid jobs.
func newOfTasks(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	if !slices.Contains(TaskPolicies, s.Policy) {
		return ofJobs{}, nil
	}
	return newScheduler(env, &s)
}

// ofJobs is a policy of rigid jobs if there are none.
type ofJobs struct{}

// On implements system.System.
func (ofJobs) On(e cluster.Event) error {
	if e.Kind == cluster.TaskSubmitted {
		return errNoTasks
	}
	return nil
}

// newScheduler makes the scheduler of a policy of tasks; replay has one of its own. The settings must be
// valid.
func newScheduler(env system.Env, s *Settings) (system.System, error) {
	if s.Policy == replay {
		return newReplayer(env), nil
	}
	b := newBook(env.View, newLimits(s))
	c := &scheduler{env: env, book: b, policy: newPolicy(s, b, env.Rand), unread: s.unread()}
	c.readsUse = b.limits.mindUse
	if p, is := c.policy.(*scored); is {
		c.readsUse = c.readsUse || p.readsUse()
	}
	if s.Preempt {
		c.preemption = newPreemption(b, c.policy, env.Rand("central/preempt"))
	}
	if env.Choices != nil {
		c.taped = &taped{policy: c.policy, log: env.Choices, clock: env.Clock}
		c.policy = c.taped
	}
	c.resched.start(c, s.Rescheduler)
	return c, nil
}

// Warnings implements system.WarningSource.
func (s *scheduler) Warnings() []string { return s.unread }

// Fail implements system.FaultTarget: it changes settings while the system runs.
func (s *scheduler) Fail(f system.AgentFault) {
	if f.Kind == "rescheduler_most_per_node" {
		s.resched.settings.MaxPerNode = int(f.Value)
	}
}

// On implements system.System. A node that may have more room ends the memory of failed searches;
// waiting tasks are tried again at each sweep of usage.
func (s *scheduler) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.JobSubmitted:
		return errNoJobs
	case cluster.TaskSubmitted:
		s.arrive(e.Task)
	case cluster.TaskDisplaced:
		s.changed(e.Node)
		s.arrive(e.Task)
	case cluster.UsageSwept:
		if s.readsUse {
			s.book.forget()
			s.failed = s.failed[:0]
		}
		s.retry()
	case cluster.TaskChanged, cluster.UsageMeasured:
		if t, alive := s.env.View.Task(e.Task); alive {
			s.changed(t.Target)
		}
		s.changed(e.Node)
	case cluster.TaskEnded, cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		s.changed(e.Node)
		if e.Kind == cluster.NodeChanged {
			s.policy.attributesChanged()
		}
	case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
		s.changed(e.Node)
		s.changed(e.Other)
		s.noteMigration(e)
	}
	return nil
}

// changed records that a node may have more room than before.
func (s *scheduler) changed(n unit.NodeID) {
	if n != unit.NoNode {
		s.book.touch(n)
		s.failed = s.failed[:0]
	}
}

// arrive places a task, or lets it wait.
func (s *scheduler) arrive(id unit.TaskID) {
	if !s.settle(id) {
		s.remember(id, unit.NoNode, unit.NoNode, nil, ruleNoRoom)
		s.waiting = append(s.waiting, id)
	}
}

// settle tries to place a task, with preemption if that is on. It returns false if the task has to wait;
// a task that is gone or not waiting needs nothing, so that is true. A task that fits nowhere is added
// to s.failed, and larger ones are not searched for until a node changes.
func (s *scheduler) settle(id unit.TaskID) bool {
	task, alive := s.env.View.Task(id)
	if !alive || task.State != cluster.Waiting {
		return true
	}
	if s.hopeless(&task) {
		return false
	}
	s.demand = s.book.limits.demand(id, &task)
	d := &s.demand
	n := s.policy.choose(d)
	if n == unit.NoNode && s.book.limits.relax(d) {
		n = s.policy.choose(d)
	}
	if n != unit.NoNode && s.place(d, n, true, s.policy.rule()) {
		return true
	}
	if n != unit.NoNode { // the node changed and the news is still to come, or its sums are full
		s.book.forget()
		n = s.policy.scan(d, func(n unit.NodeID) bool { return s.env.View.Fits(id, n, s.book.limits.check) == nil })
		if n != unit.NoNode {
			return s.place(d, n, false, s.policy.rule())
		}
	}
	if s.preempt(d, task.Priority) {
		return true
	}
	if len(task.Constraints) == 0 && len(s.failed) < maxFailures {
		s.failed = append(s.failed, failure{task.Request, task.Priority, task.Class})
	}
	return false
}

// place puts a task onto a node and records the decision if it is asked for; false if the cluster
// refuses. chosen means that policy.choose has just found n, so best can list the other candidates.
func (s *scheduler) place(d *demand, n unit.NodeID, chosen bool, rule string) bool {
	var considered []system.Candidate
	if s.env.Wants(d.task) && !s.replayed() {
		if chosen {
			considered = s.policy.best(d, shown)
		}
		considered = s.become(d, first(considered, n, s.policy.rank(d, n)))
	}
	err := s.env.Acts.Place(d.task, n, s.book.limits.check)
	s.book.touch(n)
	if err != nil {
		return false
	}
	if s.preemption != nil {
		s.preemption.started(d.task, s.env.Clock.Now())
	}
	s.remember(d.task, unit.NoNode, n, considered, rule)
	return true
}

// preempt stops tasks of lower priority to make room for a task, and places it there. It returns false
// if no node can be cleared or the placement is refused; then victims may have been stopped in vain.
func (s *scheduler) preempt(d *demand, priority uint8) bool {
	if s.preemption == nil {
		return false
	}
	n, victims := s.find(d, priority)
	if n != unit.NoNode && !s.env.View.Up(n) { // it went down and the news is still to come
		s.book.forget()
		s.policy.scan(d, func(unit.NodeID) bool { return false }) // reads all nodes anew
		n, victims = s.find(d, priority)
	}
	for _, id := range victims {
		if s.env.Acts.Preempt(id) == nil {
			s.counts.preempted++
			s.note(notePreempt, n, unit.NoNode, id, float64(priority))
		}
	}
	if n == unit.NoNode {
		return false
	}
	s.changed(n)
	return s.place(d, n, false, rulePreempt)
}

// failure is a task that fits nowhere as long as no node changes, and has no task to
// preempt.
type failure struct {
	request  unit.Vec
	priority uint8
	class    workload.PriorityClass
}

// maxFailures bounds how many of them are kept.
const maxFailures = 32

// hopeless reports whether a task asks for at least as much as one that failed, and
// is of no higher rank.
func (s *scheduler) hopeless(t *cluster.Task) bool {
	return slices.ContainsFunc(s.failed, func(f failure) bool {
		return f.request.Within(t.Request) && f.priority >= t.Priority && f.class <= t.Class
	})
}

// retry tries the waiting tasks again, highest priority first. Those that are
// preempted for others meanwhile wait for the next time.
func (s *scheduler) retry() {
	tasks := s.waiting
	s.waiting = nil
	alive := tasks[:0]
	for _, id := range tasks {
		if t, ok := s.env.View.Task(id); ok && t.State == cluster.Waiting {
			alive = append(alive, id)
		}
	}
	slices.SortStableFunc(alive, func(a, b unit.TaskID) int {
		ta, _ := s.env.View.Task(a)
		tb, _ := s.env.View.Task(b)
		return int(tb.Priority) - int(ta.Priority)
	})
	still := alive[:0]
	for _, id := range alive {
		if !s.settle(id) {
			still = append(still, id)
		}
	}
	s.waiting = still
}
