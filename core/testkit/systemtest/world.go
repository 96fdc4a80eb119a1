package systemtest

import (
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/testkit/follow"
	"parley/core/unit"
	"parley/core/workload"
)

// world is a cluster with the ledger that the events write.
type world struct {
	trial    trial
	about    system.Description
	kernel   *des.Kernel
	cluster  *recorder
	system   system.System
	turn     bool // the system may act now
	inside   bool // the system is in On
	ids      []unit.TaskID
	ledger   *follow.Checker // what is alive by the events
	ended    map[unit.TaskID]unit.Time
	digest   cluster.Digest
	schedule *Schedule // checks the execution of graphs; nil if there are none
	misstep  error     // an act that should not have been recorded
	events   int
	stuck    int // kernel events at one moment
	at       unit.Time
}

func newWorld(s trial, about system.Description) *world {
	physical := cluster.Default()
	physical.RackSize, physical.SiteRacks = rackSize, siteRacks
	k := des.New()
	return &world{
		trial: s, about: about, kernel: k, cluster: recorded(cluster.New(physical, k), k),
		ledger: follow.New(), ended: map[unit.TaskID]unit.Time{},
	}
}

func (w *world) env(note func(system.Note)) system.Env {
	return system.Env{
		Clock: w.kernel, View: w.cluster.View(), Acts: acts{w.cluster.ActsOn(w.about.Supports...), w}, Note: note,
		Rand: func(name string) *rng.Stream { return rng.New(w.trial.seed, "systemtest/"+name) },
	}
}

// acts checks that acts on tasks are valid and in turn, and passes them on.
type acts struct {
	cluster.Acts
	w *world
}

func (a acts) Place(id unit.TaskID, n unit.NodeID, by cluster.Check) error {
	a.w.watch("places", id)
	return a.w.outcome(id, a.Acts.Place(id, n, by))
}

func (a acts) Migrate(id unit.TaskID, n unit.NodeID, by cluster.Check) error {
	a.w.watch("migrates", id)
	return a.w.outcome(id, a.Acts.Migrate(id, n, by))
}

func (a acts) Preempt(id unit.TaskID) error {
	a.w.watch("preempts", id)
	return a.w.outcome(id, a.Acts.Preempt(id))
}

func (a acts) Allot(id unit.TaskID, cpu unit.Share) error {
	a.w.watch("allots CPU to", id)
	return a.w.outcome(id, a.Acts.Allot(id, cpu))
}

func (a acts) Assign(g unit.GraphID, v int32, n unit.NodeID) error {
	a.w.inTurn("assigns a subtask")
	return a.Acts.Assign(g, v, n)
}

func (a acts) Withdraw(g unit.GraphID, v int32) error {
	a.w.inTurn("withdraws a subtask")
	return a.Acts.Withdraw(g, v)
}

func (a acts) Transfer(g unit.GraphID, arc int32, to unit.NodeID) error {
	a.w.inTurn("sends a result")
	return a.Acts.Transfer(g, arc, to)
}

func (a acts) StopTransfer(g unit.GraphID, arc int32) error {
	a.w.inTurn("stops a transfer")
	return a.Acts.StopTransfer(g, arc)
}

func (a acts) Abort(g unit.GraphID) error {
	a.w.inTurn("gives a graph up")
	return a.Acts.Abort(g)
}

// inTurn notes an act out of turn.
func (w *world) inTurn(does string) {
	if w.misstep == nil && !w.turn {
		w.misstep = fmt.Errorf("it %s while it was only asked something", does)
	}
}

// memory is the time after a task's end during which an act on it may still arrive.
const memory = 10 * unit.Minute

// watch notes an act out of turn, or on a task that is long gone or never was.
func (w *world) watch(does string, id unit.TaskID) {
	switch at, gone := w.ended[id]; {
	case w.misstep != nil:
	case !w.turn:
		w.misstep = fmt.Errorf("it %s task %s while it was only asked something", does, w.cluster.name(id))
	case gone && w.kernel.Now() > at+memory:
		w.misstep = fmt.Errorf("at %v it %s task %s, which ended at %v", w.kernel.Now(), does, w.cluster.name(id), at)
	case !gone && !w.known(id):
		w.misstep = fmt.Errorf("it %s task %s, which never was", does, w.cluster.name(id))
	}
}

// outcome notes an act on a task that ended which the cluster lets through.
func (w *world) outcome(id unit.TaskID, err error) error {
	if _, alive := w.cluster.View().Task(id); !alive && err == nil && w.misstep == nil {
		w.misstep = fmt.Errorf("an act on task %s, which has ended, was accepted", w.cluster.name(id))
	}
	return err
}

func (w *world) known(id unit.TaskID) bool {
	_, alive := w.cluster.View().Task(id)
	return alive
}

// maxAtOnce limits the kernel events at one moment: a system that needs more does not let time
// advance.
const maxAtOnce = 100_000

// pass lets the system live until a moment.
func (w *world) pass(until unit.Time) error {
	for {
		w.turn = true
		more := w.kernel.Step(until)
		w.turn = false
		if err := w.settle(); err != nil || !more {
			return err
		}
		if w.stuck++; w.kernel.Now() != w.at {
			w.at, w.stuck = w.kernel.Now(), 0
		}
		if w.stuck > maxAtOnce {
			return fmt.Errorf("%d kernel events at %v: time does not go on", w.stuck, w.kernel.Now())
		}
	}
}

// settle hands out the events and checks the sums after each.
func (w *world) settle() error {
	err := w.cluster.Deliver(func(e cluster.Event) error {
		w.digest.Observe(e)
		if err := w.note(e); err != nil {
			return err
		}
		if w.schedule != nil {
			if err := w.schedule.Observe(e); err != nil {
				return err
			}
		}
		if w.inside {
			return errors.New("a call of On was made inside another")
		}
		w.turn, w.inside = true, true
		err := w.system.On(e)
		w.turn, w.inside = false, false
		if err != nil {
			return fmt.Errorf("On(%v of task %s at %v): %w", e.Kind, w.cluster.name(e.Task), e.At, err)
		}
		return w.cluster.Check()
	})
	if err == nil {
		err = w.misstep
	}
	if err == nil && w.events%17 == 0 {
		err = w.cluster.Audit()
	}
	w.events++
	return err
}

// note records an event in the ledger: what arrived has one place at a time and ends once.
func (w *world) note(e cluster.Event) error {
	w.ledger.Observe(e)
	if e.Kind == cluster.TaskEnded {
		w.ended[e.Task] = e.At
	}
	return w.ledger.Err()
}

func (w *world) over(id unit.TaskID) bool {
	_, over := w.ended[id]
	return over
}

// agree compares the ledger with the cluster: each task that was submitted is in one state or has
// ended once.
func (w *world) agree() error {
	for _, id := range w.ids {
		if _, alive := w.cluster.View().Task(id); alive == w.over(id) {
			return fmt.Errorf("task %s is alive: %v, and over: %v", w.cluster.name(id), alive, w.over(id))
		}
	}
	ended := int64(0)
	for _, n := range w.cluster.View().Totals().Ended {
		ended += n
	}
	if ended != int64(len(w.ended)) {
		return fmt.Errorf("by the events %d tasks ended, the cluster counts %d", len(w.ended), ended)
	}
	return errors.Join(w.ledger.Compare(w.cluster.View()), w.cluster.Audit())
}

// some returns the n-th task that was ever submitted, ended ones included.
func (w *world) some(n int) unit.TaskID {
	if len(w.ids) == 0 {
		return unit.NoTask
	}
	return w.ids[n%len(w.ids)]
}

func (w *world) node(n int) unit.NodeID { return unit.NodeID(n % w.cluster.View().Nodes()) }

func (w *world) join(capacity unit.Vec, value int) {
	w.cluster.Join(uint64(1000+w.cluster.View().Nodes()), workload.Node{
		Capacity: capacity, Rack: -1, Site: -1,
		Attributes: []workload.Attribute{{Name: disk, Value: int64(value % 3)}},
	})
}
