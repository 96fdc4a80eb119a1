package program

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/words"
)

// act is an act on the cluster that a program can call.
type act struct {
	Field
	do func(*scheduler, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)
}

// acts are the methods of cluster, with their usage and meaning for readers of programs.
func acts() []act {
	return []act{
		{Field{
			"place", `cluster.place(task, node, by="use")`,
			"puts a waiting task onto a node; returns None, or why not: \"full\", \"down\", \"constraint\", \"gone\" or \"state\"",
		}, place},
		{Field{
			"migrate", `cluster.migrate(task, node, by="use")`,
			"starts to move a running task to another node; returns as place does",
		}, migrate},
		{Field{
			"preempt", `cluster.preempt(task)`,
			"takes a running task off its node, so that it waits again; returns as place does",
		}, preempt},
		{Field{
			"best", `cluster.best(nodes, formula, fits=None, by="use", fill=1)`,
			"the node of a list, or of cluster.nodes, with the highest score; with fits=task only of those that have room for it, and of which at most the part fill is full with it, unless it is alone there; the first of equals; None if there is none",
		}, best},
		{Field{
			"sample", `cluster.sample(n, fits=None, by="use", fill=1)`,
			"n nodes drawn at random, one perhaps twice; with fits=task only those of them that have room for it, as in best",
		}, sample},
		{
			Field{"fits", `cluster.fits(task, node, by="use")`, "True if place with the same arguments would succeed"},
			fits,
		},
		{Field{
			"start", `cluster.start(job)`,
			"gives a waiting rigid job its processors, of the lowest nodes that have any free; returns None, or why not: \"full\", \"gone\" or \"state\"",
		}, start},
		{Field{
			"retry", `cluster.retry(ids)`,
			"empties a list of numbers of tasks and returns those tasks that still wait",
		}, retry},
		{Field{"tasks", `cluster.tasks(node)`, "the tasks on a node, the latest first"}, tasksOn},
		{Field{"task", `cluster.task(id)`, "the task of a number; None if it has ended"}, taskOf},
		{Field{"node", `cluster.node(id)`, "the node of a number"}, nodeOf},
		{Field{
			"wake", `cluster.wake(seconds, data=None)`,
			"calls on_wake(data, cluster, state) once that time has passed",
		}, wake},
		{Field{
			"random", `cluster.random(n=None)`,
			"a random whole number from 0 to n - 1; without n a number from 0 up to, not including, 1",
		}, random},
	}
}

// ClusterFields are the methods and the fields of cluster.
func ClusterFields() []Field {
	var all []Field
	for _, a := range acts() {
		all = append(all, a.Field)
	}
	return append(
		all,
		Field{"nodes", "cluster.nodes", "all nodes by number, those included that are down"},
		Field{"now", "cluster.now", "simulated seconds since the beginning"},
		Field{"waiting", "cluster.waiting", "number of tasks that wait"},
		Field{"running", "cluster.running", "number of tasks that run"},
		Field{"queue", "cluster.queue", "the rigid jobs that wait, in the order of their arrival"},
		Field{"jobs", "cluster.jobs", "the rigid jobs that run, in the order of their starts"},
		Field{"processors", "cluster.processors", "number of processors of the nodes that are up"},
		Field{"free", "cluster.free", "number of these that no job holds"},
	)
}

// bound is an act of one run's cluster.
type bound struct {
	s *scheduler
	*act
}

func (b *bound) String() string        { return b.Usage }
func (b *bound) Type() string          { return "act" }
func (b *bound) Freeze()               {}
func (b *bound) Truth() starlark.Bool  { return true }
func (b *bound) Hash() (uint32, error) { return 0, errors.New("an act has no hash") }
func (b *bound) Name() string          { return b.act.Name }

// CallInternal implements starlark.Callable.
func (b *bound) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
	error,
) {
	if err := charge(thread, 10); err != nil {
		return nil, err
	}
	return b.do(b.s, thread, args, kwargs)
}

// world is the value cluster of a program.
type world struct {
	s     *scheduler
	acts  []*bound
	nodes *nodes
}

func (w *world) String() string        { return "cluster" }
func (w *world) Type() string          { return "cluster" }
func (w *world) Freeze()               {}
func (w *world) Truth() starlark.Bool  { return true }
func (w *world) Hash() (uint32, error) { return 0, errors.New("cluster has no hash") }
func (w *world) AttrNames() []string   { return namesOf(ClusterFields()) }

// Attr implements starlark.HasAttrs: a method, or a value as it is now. The lists queue and jobs are
// copies, whose lengths are charged.
func (w *world) Attr(name string) (starlark.Value, error) {
	for _, a := range w.acts {
		if a.act.Name == name {
			return a, nil
		}
	}
	switch name {
	case "nodes":
		return w.nodes, nil
	case "now":
		return starlark.Float(w.s.env.Clock.Now().Seconds()), nil
	case "waiting":
		return starlark.MakeInt(w.s.env.View.Totals().Waiting), nil
	case "running":
		return starlark.MakeInt(w.s.env.View.Totals().Running), nil
	case "queue":
		return w.s.listed(w.s.jobs.waiting), charge(w.s.thread, len(w.s.jobs.waiting))
	case "jobs":
		return w.s.listed(w.s.jobs.running), charge(w.s.thread, len(w.s.jobs.running))
	case "processors":
		return starlark.MakeInt64(w.s.env.View.Totals().Jobs.Processors), nil
	case "free":
		t := w.s.env.View.Totals().Jobs
		return starlark.MakeInt64(t.Processors - t.Busy), nil
	}
	return nil, nil
}

// checks are how by spells a cluster.Check.
func checkOf(by string) (cluster.Check, error) {
	switch by {
	case "use":
		return cluster.ByUse, nil
	case "request":
		return cluster.ByRequest, nil
	case "total":
		return cluster.ByTotal, nil
	}
	return 0, fmt.Errorf("by is %q: choose \"use\", \"request\" or \"total\"", shorten(by))
}

func shorten(text string) string { return words.Cut(text, 40) }

// verdict is the value that an act returns to the program.
func verdict(err error) (starlark.Value, error) {
	switch {
	case err == nil:
		return starlark.None, nil
	case errors.Is(err, cluster.ErrFull):
		return starlark.String("full"), nil
	case errors.Is(err, cluster.ErrDown):
		return starlark.String("down"), nil
	case errors.Is(err, cluster.ErrConstraint):
		return starlark.String("constraint"), nil
	case errors.Is(err, cluster.ErrGone):
		return starlark.String("gone"), nil
	case errors.Is(err, cluster.ErrState):
		return starlark.String("state"), nil
	}
	return starlark.String(err.Error()), nil
}

// taskID returns the task that an argument names.
func (s *scheduler) taskID(v starlark.Value) (unit.TaskID, error) {
	switch v := v.(type) {
	case *task:
		return v.id, nil
	case starlark.Int:
		if id, ok := v.Uint64(); ok {
			return unit.TaskID(id), nil
		}
	}
	return 0, fmt.Errorf("a task is wanted, or its id, and this is of the type %s", v.Type())
}

// nodeID returns the node that an argument names: a node, or its number, which must be that of a node of
// the cluster. A node that is down counts.
func (s *scheduler) nodeID(v starlark.Value) (unit.NodeID, error) {
	switch v := v.(type) {
	case *node:
		return v.id, nil
	case starlark.Int:
		if id, ok := v.Int64(); ok && id >= 0 && id < int64(s.env.View.Nodes()) {
			return unit.NodeID(id), nil
		}
		return 0, fmt.Errorf("there is no node %v: nodes have the numbers 0 to %d", v, s.env.View.Nodes()-1)
	}
	return 0, fmt.Errorf("a node is wanted, or its id, and this is of the type %s", v.Type())
}

// move reads the arguments of place, migrate and fits: a task, a node and by, whose default is "use". It
// checks neither state nor room.
func (s *scheduler) move(name string, args starlark.Tuple, kwargs []starlark.Tuple) (id unit.TaskID, n unit.NodeID,
	check cluster.Check, err error,
) {
	var t, at starlark.Value
	by := "use"
	if len(args) == 2 && len(kwargs) == 0 {
		t, at = args[0], args[1]
	} else if err = starlark.UnpackArgs(name, args, kwargs, "task", &t, "node", &at, "by?", &by); err != nil {
		return
	}
	if id, err = s.taskID(t); err != nil {
		return
	}
	if n, err = s.nodeID(at); err != nil {
		return
	}
	check, err = checkOf(by)
	return
}

// place is cluster.place(task, node, by="use"). Its value is that of verdict: a refusal of the cluster
// is a result that the program can read, and only invalid arguments end the call with an error.
func place(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	id, n, check, err := s.move("place", args, kwargs)
	if err != nil {
		return nil, err
	}
	done := s.env.Acts.Place(id, n, check)
	if done == nil {
		s.touch(n)
		s.decided(id, unit.NoNode, n, check == cluster.ByTotal)
	}
	return s.count(done)
}

// migrate is cluster.migrate(task, node, by="use"), with the same value as place.
func migrate(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	id, n, check, err := s.move("migrate", args, kwargs)
	if err != nil {
		return nil, err
	}
	from := unit.NoNode
	if t, alive := s.env.View.Task(id); alive {
		from = t.Node
	}
	done := s.env.Acts.Migrate(id, n, check)
	if done == nil {
		s.touch(from)
		s.touch(n)
		s.decided(id, from, n, check == cluster.ByTotal)
	}
	return s.count(done)
}

// preempt is cluster.preempt(task), with the same value as place. The nodes where the task was are
// marked as changed.
func preempt(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	if err := starlark.UnpackArgs("preempt", args, kwargs, "task", &of); err != nil {
		return nil, err
	}
	id, err := s.taskID(of)
	if err != nil {
		return nil, err
	}
	t, alive := s.env.View.Task(id)
	done := s.env.Acts.Preempt(id)
	if done == nil && alive {
		s.touch(t.Node)
		s.touch(t.Target)
	}
	return s.count(done)
}

// count counts an act and returns its verdict.
func (s *scheduler) count(err error) (starlark.Value, error) {
	s.counts.acts++
	if err != nil {
		s.counts.refused++
	}
	return verdict(err)
}

func fits(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	id, n, check, err := s.move("fits", args, kwargs)
	if err != nil {
		return nil, err
	}
	return starlark.Bool(s.env.View.Fits(id, n, check) == nil), nil
}

// retry is cluster.retry(ids): it returns the tasks of the list that still wait, and empties the list.
func retry(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
	error,
) {
	var ids *starlark.List
	if err := starlark.UnpackArgs("retry", args, kwargs, "ids", &ids); err != nil {
		return nil, err
	}
	if err := charge(thread, ids.Len()); err != nil {
		return nil, err
	}
	var waiting []starlark.Value
	for i := range ids.Len() {
		id, err := s.taskID(ids.Index(i))
		if err != nil {
			return nil, err
		}
		if t, alive := s.env.View.Task(id); alive && t.State == cluster.Waiting {
			waiting = append(waiting, &task{s, id})
		}
	}
	return starlark.NewList(waiting), ids.Clear()
}

// tasksOn is cluster.tasks(node): a list of the node's tasks.
func tasksOn(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
	error,
) {
	var at starlark.Value
	if err := starlark.UnpackArgs("tasks", args, kwargs, "node", &at); err != nil {
		return nil, err
	}
	n, err := s.nodeID(at)
	if err == nil {
		err = charge(thread, s.env.View.Count(n))
	}
	if err != nil {
		return nil, err
	}
	var all []starlark.Value
	for id := range s.env.View.Tasks(n) {
		all = append(all, &task{s, id})
	}
	return starlark.NewList(all), nil
}

// taskOf is cluster.task(id): the task, or None if it has ended.
func taskOf(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("task", args, kwargs, "id", &v); err != nil {
		return nil, err
	}
	id, err := s.taskID(v)
	if err != nil {
		return nil, err
	}
	if _, alive := s.env.View.Task(id); !alive {
		return starlark.None, nil
	}
	return &task{s, id}, nil
}

// nodeOf is cluster.node(id): the node; a number that no node has is an error.
func nodeOf(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("node", args, kwargs, "id", &v); err != nil {
		return nil, err
	}
	n, err := s.nodeID(v)
	if err != nil {
		return nil, err
	}
	return s.node(n), nil
}

// minWake is the shortest wait, in seconds: time has to go on.
const minWake = 0.001

// wake is cluster.wake(seconds, data=None): it schedules a call of on_wake with data, at least minWake
// from now. data must be a value that state may hold, because snapshots of a run copy it.
func wake(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var after starlark.Value
	var data starlark.Value = starlark.None
	if err := starlark.UnpackArgs("wake", args, kwargs, "seconds", &after, "data?", &data); err != nil {
		return nil, err
	}
	seconds, is := starlark.AsFloat(after)
	if !is || !(seconds >= minWake && seconds <= 1e9) {
		return nil, fmt.Errorf("seconds is %s: choose %v to a thousand million", shorten(after.String()), minWake)
	}
	if s.hooks.wake == nil {
		return nil, errors.New("the program has no on_wake(data, cluster, state), which wake would call")
	}
	if len(s.wakes) >= MaxWakes {
		return nil, fmt.Errorf("%d calls of on_wake are to come already", MaxWakes)
	}
	if err := chargeAll(thread, 1, data); err != nil {
		return nil, err
	}
	if err := onlyPlain("data", data); err != nil {
		return nil, err
	}
	s.nextWake++
	s.wakes[s.nextWake] = data
	s.env.Clock.At(s.env.Clock.Now()+unit.Time(seconds*float64(unit.Second)), s, s.nextWake)
	return starlark.None, nil
}

// random is cluster.random(n=None): a fraction in [0, 1) or, with n, a whole number from 0 to n-1, of
// the program's own stream.
func random(s *scheduler, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value = starlark.None
	if err := starlark.UnpackArgs("random", args, kwargs, "n?", &of); err != nil {
		return nil, err
	}
	if of == starlark.None {
		return starlark.Float(s.random.Float64()), nil
	}
	n := 0
	if err := starlark.AsInt(of, &n); err != nil || n < 1 {
		return nil, fmt.Errorf("n is %s: choose a whole number above 0", shorten(of.String()))
	}
	return starlark.MakeInt(s.random.Intn(n)), nil
}

// writeNote is note(text, task=None, node=None, value=0), which only hooks may call. It writes a note of
// the present moment and costs 50 steps.
func writeNote(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	s, running := thread.Local(threadKey).(*scheduler)
	if !running {
		return nil, errors.New("note can be called in hooks only")
	}
	var text string
	var about, at starlark.Value = starlark.None, starlark.None
	var value starlark.Float
	if err := starlark.UnpackArgs("note", args, kwargs, "text", &text, "task?", &about, "node?", &at, "value?",
		&value); err != nil {
		return nil, err
	}
	if err := charge(thread, 50); err != nil {
		return nil, err
	}
	n := system.Note{
		At: s.env.Clock.Now(), Node: unit.NoNode, Other: unit.NoNode, Ref: uint32(s.counts.calls),
		Value: float64(value), Details: []system.Detail{system.Text("text", text)},
	}
	var err error
	if about != starlark.None {
		if n.Task, err = s.taskID(about); err != nil {
			return nil, err
		}
	}
	if at != starlark.None {
		if n.Node, err = s.nodeID(at); err != nil {
			return nil, err
		}
	}
	s.say(n, text)
	return starlark.None, nil
}
