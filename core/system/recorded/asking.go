package recorded

import (
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/protocol"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// maxFacts bounds the facts of one moment that are sent at once, and so a line.
const maxFacts = 4096

// asking implements system.System by asking a Scheduler.
type asking struct {
	env       system.Env
	options   string
	seed      uint64
	scheduler protocol.Scheduler
	started   bool
	wantsUsed bool // it asked for the nodes' use
	failed    error
	moment    protocol.Moment
	tasks     ids
	jobs      ids
	own       int  // events of acts that are still to be delivered: preempted tasks and jobs
	due       bool // the scheduler is to be asked at this moment
	fresh     bool // something happened since that was scheduled
	wake      des.Ticket
	wakes     bool
}

// ids numbers tasks or jobs in the order of their arrival.
type ids struct {
	last   int64
	number map[uint64]int64 // by unit.TaskID or unit.JobID, of those that have not ended
	id     map[int64]uint64
}

func newIDs() ids { return ids{number: map[uint64]int64{}, id: map[int64]uint64{}} }

func (d *ids) add(id uint64) int64 {
	d.last++
	d.number[id], d.id[d.last] = d.last, id
	return d.last
}

func (d *ids) remove(id uint64) {
	delete(d.id, d.number[id])
	delete(d.number, id)
}

// The events of the system.
const (
	askNow uint64 = iota
	wakeUp
)

// On implements system.System.
func (s *asking) On(e cluster.Event) error {
	if s.failed != nil {
		return s.failed
	}
	f, relevant, err := s.fact(&e)
	if err != nil || !relevant {
		return err
	}
	s.moment.Facts = append(s.moment.Facts, f)
	s.fresh = true
	s.soon()
	return nil
}

// Err implements system.Failing.
func (s *asking) Err() error { return s.failed }

// soon makes the scheduler be asked when all that happens at this moment has happened.
func (s *asking) soon() {
	if !s.due {
		s.due, s.fresh = true, false
		s.env.Clock.At(s.env.Clock.Now(), s, askNow)
	}
}

// Fire implements des.Handler. The scheduler is asked when nothing happened since the last call of this
// moment; otherwise it waits once more, unless maxFacts facts have gathered. A failure ends all later
// work: see Err.
func (s *asking) Fire(now unit.Time, kind uint64) {
	if s.failed != nil {
		return
	}
	if kind == wakeUp {
		s.wakes = false
		s.soon()
		return
	}
	s.due = false
	if s.fresh && len(s.moment.Facts) < maxFacts { // more may happen at this moment
		s.soon()
		return
	}
	if err := s.ask(now); err != nil {
		s.failed = err
	}
}

// ask sends the facts and verdicts since the last time, performs the acts of the answer, and sets the
// wake-up, which replaces an earlier one. A meaningless answer is an error; acts before it were
// performed.
func (s *asking) ask(now unit.Time) error {
	if !s.started {
		if err := s.begin(now); err != nil {
			return err
		}
	}
	s.moment.At = now
	answer, err := s.scheduler.Decide(&s.moment)
	if err != nil {
		return err
	}
	if err := answer.Check(); err != nil {
		return fmt.Errorf("the scheduler's answer at %v: %w", now, err)
	}
	s.moment.Facts, s.moment.Verdicts = s.moment.Facts[:0], s.moment.Verdicts[:0]
	for i := range answer.Acts {
		verdict, err := s.act(&answer.Acts[i])
		if err != nil {
			return fmt.Errorf("the scheduler's answer at %v, acts[%d]: %w", now, i, err)
		}
		s.moment.Verdicts = append(s.moment.Verdicts, verdict)
	}
	if s.wakes {
		s.env.Clock.Cancel(s.wake)
		s.wakes = false
	}
	switch {
	case answer.WakeAt == 0:
	case answer.WakeAt <= now || answer.WakeAt > unit.Forever/2:
		return fmt.Errorf(
			"the scheduler's answer at %v: wake_at is %d and it is %d: give a later time in microseconds, or leave it out", now, answer.WakeAt, now,
		)
	default:
		s.wake, s.wakes = s.env.Clock.At(answer.WakeAt, s, wakeUp), true
	}
	return nil
}

// begin introduces the run to the scheduler and checks its welcome. The nodes that are up are sent at
// once, so the facts about nodes so far are dropped.
func (s *asking) begin(now unit.Time) error {
	hello := protocol.Hello{
		Parley: protocol.Version, Engine: cluster.Engine, Seed: s.seed, At: now, Options: s.options,
		Resources: []string{}, Nodes: []protocol.Node{},
	}
	for r := range unit.Resource(unit.Resources) {
		hello.Resources = append(hello.Resources, r.String())
	}
	for n := range unit.NodeID(s.env.View.Nodes()) {
		if s.env.View.Up(n) {
			hello.Nodes = append(hello.Nodes, *s.node(n))
		}
	}
	welcome, err := s.scheduler.Begin(&hello)
	if err != nil {
		return err
	}
	if welcome.Parley != protocol.Version {
		return fmt.Errorf(
			"the scheduler speaks version %d of the protocol, and this program version %d: let its first line be {\"parley\":%d}", welcome.Parley, protocol.Version, protocol.Version,
		)
	}
	for _, want := range welcome.Wants {
		if want != protocol.WantsUsed {
			return fmt.Errorf("the scheduler wants %q, which is not sent: it may want %s", want, protocol.WantsUsed)
		}
		s.wantsUsed = true
	}
	kept := s.moment.Facts[:0]
	for _, f := range s.moment.Facts {
		if f.Is == nil && f.Event != "node_down" {
			kept = append(kept, f)
		}
	}
	s.moment.Facts, s.started = kept, true
	return nil
}

// fact returns the fact to send about an event; false if it is not sent, because the verdict of an act
// reports it or the scheduler does not know the task. It also numbers tasks and jobs that arrive and
// drops those that end. Work that the protocol has no words for is an error.
func (s *asking) fact(e *cluster.Event) (f protocol.Fact, relevant bool, err error) {
	switch e.Kind {
	case cluster.NodeUp:
		return protocol.Fact{Event: "node_up", Is: s.node(e.Node)}, true, nil
	case cluster.NodeChanged:
		return protocol.Fact{Event: "node_changed", Is: s.node(e.Node)}, true, nil
	case cluster.NodeDown:
		return protocol.Fact{Event: "node_down", Node: at(e.Node)}, true, nil
	case cluster.TaskSubmitted:
		f, relevant = s.task("task_submitted", e.Task, true)
		return f, relevant, nil
	case cluster.TaskChanged:
		f, relevant = s.task("task_changed", e.Task, false)
		return f, relevant, nil
	case cluster.TaskEnded:
		f, relevant = s.about("task_ended", &s.tasks, e)
		f.How = workload.End(e.Detail).String()
		s.tasks.remove(uint64(e.Task))
		return f, relevant, nil
	case cluster.TaskDisplaced:
		f, relevant = s.about("task_displaced", &s.tasks, e)
		return f, relevant && !s.ours(), nil
	case cluster.TaskRecorded:
		f, relevant = s.about("task_recorded", &s.tasks, e)
		return f, relevant, nil
	case cluster.TaskReleased:
		f, relevant = s.about("task_released", &s.tasks, e)
		return f, relevant, nil
	case cluster.MigrationEnded:
		f, relevant = s.about("migration_ended", &s.tasks, e)
		f.To = at(e.Other)
		return f, relevant, nil
	case cluster.MigrationBroken:
		f, relevant = s.about("migration_broken", &s.tasks, e)
		f.To = at(e.Other)
		return f, relevant, nil
	case cluster.UsageSwept:
		if !s.wantsUsed {
			return f, false, nil
		}
		return protocol.Fact{Event: protocol.WantsUsed, Used: s.used()}, true, nil
	case cluster.JobSubmitted:
		f, relevant = s.job(e.Job())
		return f, relevant, nil
	case cluster.JobEnded:
		f, relevant = s.about("job_ended", &s.jobs, e)
		f.How = workload.End(e.Detail).String()
		s.jobs.remove(uint64(e.Task))
		return f, relevant, nil
	case cluster.JobDisplaced:
		f, relevant = s.about("job_displaced", &s.jobs, e)
		return f, relevant && !s.ours(), nil
	case cluster.LoadArrived, cluster.GraphArrived:
		return f, false, errShape
	}
	return f, false, nil // of its own acts, which the verdicts report
}

// errShape is the answer to work that the protocol has no words for.
var errShape = system.Unsupported(
	"a scheduler of one's own places tasks and starts rigid jobs, and the workload brings other work: choose a scenario of tasks or a log of rigid jobs",
)

// ours reports whether a task or job lost its place by an act of the scheduler. It only counts: while
// acts of preemption are outstanding, the next such event is taken as theirs.
func (s *asking) ours() bool {
	if s.own == 0 {
		return false
	}
	s.own--
	return true
}

func at(n unit.NodeID) *unit.NodeID {
	if n == unit.NoNode {
		return nil
	}
	return &n
}

// about returns a fact that names a task or job and its node; false if the scheduler does not know it.
func (s *asking) about(event string, known *ids, e *cluster.Event) (protocol.Fact, bool) {
	number, is := known.number[uint64(e.Task)]
	f := protocol.Fact{Event: event, Node: at(e.Node)}
	if known == &s.jobs {
		f.Job, f.Node = number, nil
	} else {
		f.Task = number
	}
	return f, is
}

// task describes a task that has not ended, and numbers it if it is fresh; false if it has ended or is
// unknown.
func (s *asking) task(event string, id unit.TaskID, fresh bool) (protocol.Fact, bool) {
	t, alive := s.env.View.Task(id)
	if !alive {
		return protocol.Fact{}, false
	}
	production := t.Class == workload.Production
	f := protocol.Fact{
		Event: event, Request: t.Request[:], Priority: &t.Priority, Production: &production,
		User: &t.User,
	}
	for _, c := range t.Constraints {
		f.Constraints = append(f.Constraints, [3]int64{int64(c.Name), int64(c.Op), c.Value})
	}
	if fresh {
		f.Task, f.Name = s.tasks.add(uint64(id)), t.Key.TaskName()
		return f, true
	}
	f.Task = s.tasks.number[uint64(id)]
	return f, f.Task > 0
}

// job describes a job that has not ended, and numbers it; false if it has ended.
func (s *asking) job(id unit.JobID) (protocol.Fact, bool) {
	j, alive := s.env.View.Job(id)
	if !alive {
		return protocol.Fact{}, false
	}
	return protocol.Fact{
		Event: "job_submitted", Job: s.jobs.add(uint64(id)), Name: j.Key.JobName(), Processors: j.Processors,
		Estimate: j.Estimate, User: &j.User, Queue: &j.Queue,
	}, true
}

// node describes a node.
func (s *asking) node(n unit.NodeID) *protocol.Node {
	v := s.env.View
	capacity := v.Capacity(n)
	d := &protocol.Node{
		Node: n, Machine: v.Machine(n), Rack: v.Rack(n), Capacity: capacity[:],
		Processors: v.Processors(n),
	}
	for name := range v.Attributes() {
		if value := v.Attribute(n, workload.AttributeName(name)); value != workload.Unset {
			d.Attributes = append(d.Attributes, [2]int64{int64(name), value})
		}
	}
	return d
}

// used returns the usage of each node.
func (s *asking) used() [][]unit.Share {
	all := make([][]unit.Share, s.env.View.Nodes())
	for n := range all {
		used := s.env.View.Used(unit.NodeID(n))
		all[n] = used[:]
	}
	return all
}

// verdicts are the words for why the cluster refuses an act.
var verdicts = []struct {
	err  error
	word string
}{
	{cluster.ErrFull, "full"},
	{cluster.ErrDown, "down"},
	{cluster.ErrConstraint, "constraint"},
	{cluster.ErrGone, "gone"},
	{cluster.ErrState, "state"},
	{cluster.ErrShare, "share"},
	{cluster.ErrProcessors, "processors"},
}

// Verdicts returns the words for the outcomes of an act, each with its meaning.
func Verdicts() [][2]string {
	list := [][2]string{{"ok", "it is done"}}
	for _, v := range verdicts {
		list = append(list, [2]string{v.word, v.err.Error()})
	}
	return list
}

// verdict returns the word for an answer of the cluster.
func verdict(err error) (string, error) {
	if err == nil {
		return "ok", nil
	}
	for _, v := range verdicts {
		if errors.Is(err, v.err) {
			return v.word, nil
		}
	}
	return "", err
}
