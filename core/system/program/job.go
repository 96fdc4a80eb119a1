package program

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// Rigid jobs. on_jobs is called once a moment, after all that happens at it. A program
// starts those of cluster.queue that it chooses.

var (
	errNoJobs = system.Unsupported(
		"the program schedules tasks, and the workload brings rigid jobs: write def on_jobs(cluster, state), as the example EASY backfilling does, or choose the system central",
	)
	errNoTasks = system.Unsupported(
		"the program schedules rigid jobs, and the workload brings tasks: write def on_submit(task, cluster, state), or open a log of rigid jobs (SWF)",
	)
)

// passJobs is the argument of the event that calls on_jobs; those of wakes begin with 1.
const passJobs = 0

// line is a scheduler's queue of rigid jobs.
type line struct {
	waiting []unit.JobID // in the order of their arrival
	running []unit.JobID // in the order of their starts
	due     bool         // on_jobs is to be called at this moment
}

// onJob keeps the lists of waiting and running jobs up to date, and lets on_jobs be called when the
// moment is over. A displaced job goes back to its place by arrival.
func (s *scheduler) onJob(e cluster.Event) error {
	if s.hooks.jobs == nil {
		return errNoJobs
	}
	id, l := e.Job(), &s.jobs
	is := func(other unit.JobID) bool { return other == id }
	switch e.Kind {
	case cluster.JobSubmitted:
		if !slices.ContainsFunc(l.running, is) {
			l.waiting = append(l.waiting, id)
		}
	case cluster.JobDisplaced:
		if j, _ := s.env.View.Job(id); j.State != cluster.Waiting {
			break // it was started again before this event came
		}
		l.running = slices.DeleteFunc(l.running, is)
		arrived := func(id unit.JobID) unit.Time { j, _ := s.env.View.Job(id); return j.Submitted }
		at := len(l.waiting)
		for at > 0 && arrived(l.waiting[at-1]) > arrived(id) {
			at--
		}
		l.waiting = slices.Insert(l.waiting, at, id)
	case cluster.JobEnded:
		l.running, l.waiting = slices.DeleteFunc(l.running, is), slices.DeleteFunc(l.waiting, is)
	}
	s.soon()
	return nil
}

// soon calls on_jobs when all that is known to happen at this moment has happened.
func (s *scheduler) soon() {
	if !s.jobs.due && s.hooks.jobs != nil {
		s.jobs.due = true
		s.env.Clock.At(s.env.Clock.Now(), s, passJobs)
	}
}

// listed returns jobs as a list.
func (s *scheduler) listed(ids []unit.JobID) starlark.Value {
	all := make([]starlark.Value, len(ids))
	for i, id := range ids {
		all[i] = &job{s, id}
	}
	return starlark.NewList(all)
}

// start is cluster.start(job): it takes free processors of the lowest nodes that are up. Its value is
// that of verdict, such as "full". Its steps grow with the number of nodes.
func start(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
	error,
) {
	var of starlark.Value
	if err := starlark.UnpackArgs("start", args, kwargs, "job", &of); err != nil {
		return nil, err
	}
	id, err := s.jobID(of)
	if err == nil {
		err = charge(thread, s.env.View.Nodes()/64)
	}
	if err != nil {
		return nil, err
	}
	j, alive := s.env.View.Job(id)
	switch t := s.env.View.Totals().Jobs; {
	case !alive:
		return s.count(cluster.ErrGone)
	case j.State != cluster.Waiting:
		return s.count(cluster.ErrState)
	case int64(j.Processors) > t.Processors-t.Busy:
		return s.count(cluster.ErrFull)
	}
	var parts []cluster.Part
	for n, need := unit.NodeID(0), j.Processors; need > 0 && int(n) < s.env.View.Nodes(); n++ {
		if take := min(need, s.env.View.FreeProcessors(n)); take > 0 && s.env.View.Up(n) {
			parts = append(parts, cluster.Part{Node: n, Processors: take})
			need -= take
		}
	}
	done := s.env.Acts.PlaceAll(id, parts)
	if done == nil {
		is := func(one unit.JobID) bool { return one == id }
		s.jobs.waiting = slices.DeleteFunc(s.jobs.waiting, is) // not in it if its event is still to come
		if !slices.ContainsFunc(s.jobs.running, is) {
			s.jobs.running = append(s.jobs.running, id)
		}
	}
	return s.count(done)
}

// jobID returns the job that an argument names.
func (s *scheduler) jobID(v starlark.Value) (unit.JobID, error) {
	switch v := v.(type) {
	case *job:
		return v.id, nil
	case starlark.Int:
		if id, ok := v.Uint64(); ok {
			return unit.JobID(id), nil
		}
	}
	return 0, fmt.Errorf("a job is wanted, or its id, and this is of the type %s", v.Type())
}

// JobFields are the fields of a rigid job.
func JobFields() []Field {
	return []Field{
		{"id", "job.id", "its number in the run, which state may keep"},
		{"number", "job.number", "its number in the log"},
		{"processors", "job.processors", "processors that it takes, all at once"},
		{"estimate", "job.estimate", "seconds that its user says it may run; it is stopped then"},
		{"user", "job.user", "number of its user"},
		{"group", "job.group", "number of its group"},
		{"queue", "job.queue", "number of the queue that it was put into; -1 if none"},
		{"priority", "job.priority", "its priority; higher is more urgent"},
		{"submitted", "job.submitted", "simulated second at which it arrived"},
		{"wait", "job.wait", "seconds since it arrived"},
		{"state", "job.state", "\"waiting\", \"running\" or, after its end, \"ended\""},
		{"ends", "job.ends", "simulated second at which it ends at the latest, by its estimate; None while it waits"},
	}
}

// job is the value that a program has for a rigid job.
type job struct {
	s  *scheduler
	id unit.JobID
}

func (j *job) String() string        { return fmt.Sprintf("job %d", uint64(j.id)) }
func (j *job) Type() string          { return "job" }
func (j *job) Freeze()               {}
func (j *job) Truth() starlark.Bool  { return true }
func (j *job) Hash() (uint32, error) { return j.id.Slot(), nil }
func (j *job) AttrNames() []string   { return namesOf(JobFields()) }

// CompareSameType implements starlark.Comparable: there may be several values of a job.
func (j *job) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	same := j.id == other.(*job).id
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("jobs have no order: compare a figure of them, such as job.estimate")
}

// Attr implements starlark.HasAttrs. Values are read from the cluster at each access; of a job that has
// ended only id and state are left. Times are in simulated seconds.
func (j *job) Attr(name string) (starlark.Value, error) {
	if name == "id" {
		return starlark.MakeUint64(uint64(j.id)), nil
	}
	now, alive := j.s.env.View.Job(j.id)
	if !alive {
		if name == "state" {
			return starlark.String("ended"), nil
		}
		return nil, fmt.Errorf("the job has ended: of it only id and state are left")
	}
	switch name {
	case "number":
		return starlark.MakeUint64(now.Key.Job), nil
	case "processors":
		return starlark.MakeInt(int(now.Processors)), nil
	case "estimate":
		return starlark.Float(now.Estimate.Seconds()), nil
	case "user":
		return starlark.MakeUint64(uint64(now.User)), nil
	case "group":
		return starlark.MakeUint64(uint64(now.Group)), nil
	case "queue":
		return starlark.MakeInt(int(now.Queue)), nil
	case "priority":
		return starlark.MakeInt(int(now.Priority)), nil
	case "submitted":
		return starlark.Float(now.Submitted.Seconds()), nil
	case "wait":
		return starlark.Float((j.s.env.Clock.Now() - now.Submitted).Seconds()), nil
	case "state":
		return starlark.String(now.State.String()), nil
	case "ends":
		if now.State == cluster.Waiting {
			return starlark.None, nil
		}
		return starlark.Float((now.Started + now.Estimate).Seconds()), nil
	}
	return nil, nil
}
