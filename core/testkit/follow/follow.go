// Package follow checks a cluster from outside: by its events alone, without anything that packages
// cluster, run or a system keep. A Checker finds work that is lost, done twice or on two nodes.
//
//	c := follow.New()
//	r, err := systems.Open(scenario, nil, run.Watch(c))
//	…
//	err = c.Compare(r.View())
package follow

import (
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Checker follows all work by the events. It is a run.Observer.
type Checker struct {
	nodes  map[unit.NodeID]*node
	tasks  map[unit.TaskID]task
	jobs   map[unit.JobID]*job
	graphs map[unit.GraphID]*graph
	load   load
	Events int64
	err    error // the first error
}

// node is the state of a node by the events.
type node struct {
	up         bool
	tasks      int     // that run on it, or move to it
	processors int64   // that jobs hold
	subtasks   int     // the subtask that it computes
	computing  int     // of these it computes
	queue      []int64 // chunks that it has received and not begun
	chunk      int64   // that it computes; 0 if none
}

func (n *node) empty() bool {
	return n.tasks == 0 && n.processors == 0 && n.subtasks == 0 && len(n.queue) == 0 && n.chunk == 0
}

type task struct {
	state    cluster.State
	node, to unit.NodeID
}

type job struct {
	processors, taken int64
	placed            bool
	parts             map[unit.NodeID]int64
}

type graph struct {
	subtasks []subtask
	done     int
}

type subtask struct {
	state cluster.SubtaskState
	node  unit.NodeID
}

// load is where the divisible work is.
type load struct {
	arrived, unsent, done int64
	port                  int64 // the chunk on the port; 0 if none
	to                    unit.NodeID
}

// New returns a checker of a cluster that has no nodes yet.
func New() *Checker {
	return &Checker{
		nodes: map[unit.NodeID]*node{}, tasks: map[unit.TaskID]task{}, jobs: map[unit.JobID]*job{},
		graphs: map[unit.GraphID]*graph{},
	}
}

// Err returns the first error; nil if there is none.
func (c *Checker) Err() error { return c.err }

// Observe implements run.Observer.
func (c *Checker) Observe(e cluster.Event) {
	c.Events++
	if c.err != nil {
		return
	}
	if err := c.follow(e); err != nil {
		c.err = fmt.Errorf("event %d, %v at %v (task, job or graph %d, node %d, %d): %w", c.Events, e.Kind, e.At,
			e.Task, e.Node, e.Amount, err)
	}
}

func (c *Checker) follow(e cluster.Event) error {
	switch k := e.Kind; {
	case k == cluster.NodeUp || k == cluster.NodeDown:
		return c.nodeTurns(e)
	case k >= cluster.TaskSubmitted && k <= cluster.MigrationBroken || k == cluster.UsageMeasured ||
		k == cluster.TaskAllotted:
		return c.ofTask(e)
	case k >= cluster.LoadArrived && k <= cluster.ChunkLost:
		return c.ofLoad(e)
	case k >= cluster.JobSubmitted && k <= cluster.JobDisplaced:
		return c.ofJob(e)
	case k >= cluster.GraphArrived && k <= cluster.SubtaskLost:
		return c.ofGraph(e)
	}
	return nil
}

// on returns a node that is up.
func (c *Checker) on(id unit.NodeID) (*node, error) {
	n := c.nodes[id]
	if n == nil || !n.up {
		return nil, fmt.Errorf("node %d is not up", id)
	}
	return n, nil
}

func (c *Checker) nodeTurns(e cluster.Event) error {
	n := c.nodes[e.Node]
	if n == nil {
		n = &node{}
		c.nodes[e.Node] = n
	}
	switch up := e.Kind == cluster.NodeUp; {
	case n.up == up:
		return fmt.Errorf("it was so before")
	case !n.empty():
		return fmt.Errorf("work is on the node: %+v", *n)
	default:
		n.up = up
	}
	return nil
}

var (
	errUnknown = errors.New("it is not known: it ended, or never came")
	errTwice   = errors.New("it came twice")
)

func (c *Checker) ofTask(e cluster.Event) error {
	t, known := c.tasks[e.Task]
	if e.Kind == cluster.TaskSubmitted {
		if known {
			return errTwice
		}
		c.tasks[e.Task] = task{cluster.Waiting, unit.NoNode, unit.NoNode}
		return nil
	}
	if !known {
		return errUnknown
	}
	// was requires a state before the event.
	was := func(state cluster.State) error {
		if t.state != state || state != cluster.Waiting && t.node != e.Node {
			return fmt.Errorf("it was %v on node %d", t.state, t.node)
		}
		return nil
	}
	var err error
	switch e.Kind {
	case cluster.TaskRecorded, cluster.TaskReleased: // by a scheduler elsewhere: nothing moves here
		return nil
	case cluster.TaskPlaced:
		if err = was(cluster.Waiting); err == nil {
			t, err = task{cluster.Running, e.Node, unit.NoNode}, c.put(e.Node)
		}
	case cluster.TaskEnded:
		if e.Node != t.node || t.state == cluster.Migrating {
			return fmt.Errorf("it was %v on node %d", t.state, t.node)
		}
		if t.node != unit.NoNode {
			c.nodes[t.node].tasks--
		}
		delete(c.tasks, e.Task)
		return nil
	case cluster.TaskDisplaced:
		if err = was(cluster.Running); err == nil {
			c.nodes[t.node].tasks--
			t = task{cluster.Waiting, unit.NoNode, unit.NoNode}
		}
	case cluster.MigrationBegan:
		if err = was(cluster.Running); err == nil {
			t, err = task{cluster.Migrating, e.Node, e.Other}, c.put(e.Other)
		}
	case cluster.MigrationEnded:
		if err = was(cluster.Migrating); err == nil && e.Other != t.to {
			err = fmt.Errorf("it moved to node %d", t.to)
		}
		if err == nil {
			c.nodes[t.node].tasks--
			t = task{cluster.Running, t.to, unit.NoNode}
		}
	case cluster.MigrationBroken:
		if t.state != cluster.Migrating || e.Other != t.to || e.Node != t.node && e.Node != unit.NoNode {
			return fmt.Errorf("it was %v from node %d to %d", t.state, t.node, t.to)
		}
		c.nodes[t.to].tasks--
		t.state, t.to = cluster.Running, unit.NoNode
		if e.Node == unit.NoNode {
			c.nodes[t.node].tasks--
			t.state, t.node = cluster.Waiting, unit.NoNode
		}
	default: // of its size or share
		if e.Node != t.node {
			err = fmt.Errorf("it was %v on node %d", t.state, t.node)
		}
	}
	c.tasks[e.Task] = t
	return err
}

// put puts a task on a node.
func (c *Checker) put(id unit.NodeID) error {
	n, err := c.on(id)
	if err == nil {
		n.tasks++
	}
	return err
}

func (c *Checker) ofLoad(e cluster.Event) error {
	l := &c.load
	if e.Kind == cluster.LoadArrived {
		l.arrived += e.Amount
		l.unsent += e.Amount
		return nil
	}
	n, err := c.on(e.Node)
	if err != nil {
		return err
	}
	wrong := false
	switch e.Kind {
	case cluster.ChunkSent:
		if wrong = l.port != 0 || e.Amount > l.unsent || e.Amount <= 0; !wrong {
			l.unsent, l.port, l.to = l.unsent-e.Amount, e.Amount, e.Node
		}
	case cluster.ChunkReceived:
		if wrong = l.port != e.Amount || l.to != e.Node; !wrong {
			l.port = 0
			n.queue = append(n.queue, e.Amount)
		}
	case cluster.ChunkStarted:
		if wrong = n.chunk != 0 || len(n.queue) == 0 || n.queue[0] != e.Amount; !wrong {
			n.chunk, n.queue = e.Amount, n.queue[1:]
		}
	case cluster.ChunkDone:
		if wrong = n.chunk != e.Amount; !wrong {
			n.chunk, l.done = 0, l.done+e.Amount
		}
	case cluster.ChunkLost:
		switch e.Detail {
		case cluster.OnPort:
			if wrong = l.port != e.Amount || l.to != e.Node; !wrong {
				l.port = 0
			}
		case cluster.InQueue:
			wrong = true
			for i, x := range n.queue {
				if x == e.Amount {
					n.queue, wrong = append(n.queue[:i:i], n.queue[i+1:]...), false
					break
				}
			}
		default:
			if wrong = n.chunk != e.Amount; !wrong {
				n.chunk = 0
			}
		}
		l.unsent += e.Amount
	}
	if wrong {
		return fmt.Errorf("the master has %d, its port %d for node %d; the node has %v and computes %d", l.unsent,
			l.port, l.to, n.queue, n.chunk)
	}
	return nil
}

func (c *Checker) ofJob(e cluster.Event) error {
	id := e.Job()
	j := c.jobs[id]
	if e.Kind == cluster.JobSubmitted {
		if j != nil {
			return errTwice
		}
		c.jobs[id] = &job{processors: e.Amount, parts: map[unit.NodeID]int64{}}
		return nil
	}
	if j == nil {
		return errUnknown
	}
	free := func() {
		for id, n := range j.parts {
			c.nodes[id].processors -= n
		}
		clear(j.parts)
		j.taken, j.placed = 0, false
	}
	switch e.Kind {
	case cluster.ProcessorsTaken:
		n, err := c.on(e.Node)
		switch {
		case err != nil:
			return err
		case j.placed || j.parts[e.Node] != 0 || e.Amount <= 0:
			return fmt.Errorf("it holds %v already", j.parts)
		}
		j.parts[e.Node] = e.Amount
		n.processors += e.Amount
		j.taken += e.Amount
	case cluster.JobPlaced:
		if j.placed || j.taken != j.processors {
			return fmt.Errorf("it holds %d of %d processors and runs: %v", j.taken, j.processors, j.placed)
		}
		j.placed = true
	case cluster.JobDisplaced:
		if !j.placed {
			return errors.New("it was waiting")
		}
		free()
	case cluster.JobEnded:
		if !j.placed && e.Detail == uint8(workload.Finished) {
			return errors.New("it was waiting")
		}
		free()
		delete(c.jobs, id)
	}
	return nil
}

func (c *Checker) ofGraph(e cluster.Event) error {
	id := e.Graph()
	g := c.graphs[id]
	if e.Kind == cluster.GraphArrived {
		if g != nil {
			return errTwice
		}
		g = &graph{subtasks: make([]subtask, e.Amount)}
		for i := range g.subtasks {
			g.subtasks[i].node = unit.NoNode
		}
		c.graphs[id] = g
		return nil
	}
	if g == nil {
		return errUnknown
	}
	switch e.Kind {
	case cluster.GraphMissed:
		return nil
	case cluster.GraphDone, cluster.GraphAborted:
		for i, s := range g.subtasks {
			if s.state == cluster.SubtaskQueued || s.state == cluster.SubtaskComputing {
				return fmt.Errorf("subtask %d is %v on node %d", i, s.state, s.node)
			}
		}
		if e.Kind == cluster.GraphDone && g.done != len(g.subtasks) {
			return fmt.Errorf("%d of %d subtasks are done", g.done, len(g.subtasks))
		}
		delete(c.graphs, id)
		return nil
	}
	if number := int(e.Subtask()); number < 0 || number >= len(g.subtasks) {
		return errUnknown
	}
	s := &g.subtasks[e.Subtask()]
	// was requires a state and a place before the event.
	was := func(state cluster.SubtaskState) error {
		if s.state != state || state != cluster.SubtaskWaiting && s.node != e.Node {
			return fmt.Errorf("it was %v on node %d", s.state, s.node)
		}
		return nil
	}
	n := c.nodes[e.Node]
	var err error
	switch e.Kind {
	case cluster.SubtaskAssigned:
		if n, err = c.on(e.Node); err == nil {
			err = was(cluster.SubtaskWaiting)
		}
		if err == nil {
			*s = subtask{cluster.SubtaskQueued, e.Node}
			n.subtasks++
		}
	case cluster.SubtaskReady:
		err = was(cluster.SubtaskQueued)
	case cluster.SubtaskStarted:
		if err = was(cluster.SubtaskQueued); err == nil {
			s.state = cluster.SubtaskComputing
			if n.computing++; n.computing > 1 {
				err = fmt.Errorf("the node computes %d", n.computing)
			}
		}
	case cluster.SubtaskFinished:
		if err = was(cluster.SubtaskComputing); err == nil {
			s.state = cluster.SubtaskDone
			n.computing--
			n.subtasks--
			g.done++
		}
	case cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		switch e.Detail {
		case cluster.InQueue:
			if err = was(cluster.SubtaskQueued); err == nil {
				n.subtasks--
			}
		case cluster.UnderWay:
			if err = was(cluster.SubtaskComputing); err == nil {
				n.subtasks--
				n.computing--
			}
		default: // its result, the last copy of which may have been elsewhere
			if s.state != cluster.SubtaskDone {
				return fmt.Errorf("it was %v on node %d", s.state, s.node)
			}
			g.done--
		}
		*s = subtask{cluster.SubtaskWaiting, unit.NoNode}
	}
	return err
}

// Compare returns an error if the cluster's tasks, jobs, graphs or load differ from those in the
// events.
func (c *Checker) Compare(v cluster.View) error {
	if c.err != nil {
		return c.err
	}
	if err := c.compareTasks(v); err != nil {
		return err
	}
	jobs := 0
	for id := range v.AliveJobs {
		j, _ := v.Job(id)
		jobs++
		if mine := c.jobs[id]; mine == nil || mine.placed != (j.State == cluster.Running) {
			return fmt.Errorf("the cluster has job %d, %v; the events say %+v", id, j.State, mine)
		}
	}
	if jobs != len(c.jobs) {
		return fmt.Errorf("the cluster has %d jobs; by the events %d came and did not end", jobs, len(c.jobs))
	}
	graphs := 0
	for id := range v.Graphs {
		mine := c.graphs[id]
		if graphs++; mine == nil {
			return fmt.Errorf("the cluster has graph %d; the events do not", id)
		}
		for i, s := range mine.subtasks {
			if theirs, has := v.Subtask(id, int32(i)); !has || theirs.State != s.state {
				return fmt.Errorf("subtask %d of graph %d is %v; the events say %v", i, id, theirs.State, s.state)
			}
		}
	}
	if graphs != len(c.graphs) {
		return fmt.Errorf("the cluster has %d graphs; by the events %d came and did not end", graphs, len(c.graphs))
	}
	w, mine := v.Totals().Work, c.load
	inNodes := int64(0)
	for _, n := range c.nodes {
		inNodes += n.chunk
		for _, x := range n.queue {
			inNodes += x
		}
	}
	if int64(w.Arrived) != mine.arrived || int64(w.Done) != mine.done || int64(w.Unsent) != mine.unsent ||
		mine.arrived != mine.unsent+mine.port+inNodes+mine.done {
		return fmt.Errorf(
			"of the load %d arrived, %d are unsent and %d done; the events say %d, %d and %d, with %d on the port and %d with workers", w.Arrived, w.Unsent, w.Done, mine.arrived, mine.unsent, mine.done, mine.port, inNodes,
		)
	}
	return nil
}

func (c *Checker) compareTasks(v cluster.View) error {
	tasks := 0
	for id := range v.Alive {
		t, _ := v.Task(id)
		mine, known := c.tasks[id]
		if tasks++; !known || mine.state != t.State || mine.node != t.Node {
			return fmt.Errorf("the cluster has task %d, %v on node %d; the events say %v on node %d", id, t.State,
				t.Node, mine.state, mine.node)
		}
	}
	if tasks != len(c.tasks) {
		return fmt.Errorf("the cluster has %d tasks; by the events %d came and did not end", tasks, len(c.tasks))
	}
	return nil
}
