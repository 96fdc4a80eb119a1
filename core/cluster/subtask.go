package cluster

import (
	"parley/core/des"
	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// A graph arrives with all of its subtasks waiting. A system assigns each to a node, whose queue it
// joins; a node computes its queue in order, and a piece that lacks an input blocks those behind
// it. The result of a subtask stays on the node that computed it until a system transfers the arc's
// data to the node that needs it. The graph is done when all subtasks are computed and all results
// for home have arrived there.
//
// The data on a node that goes down is lost. If a lost result is still needed and has no other
// copy, its subtask waits again; data that was delivered survives the node that computed it.

// GraphTotals are the sums over all graphs, kept after every event. Subtasks and
// work are those of graphs that are open: neither done nor aborted.
type GraphTotals struct {
	Arrived, Done, Aborted int64
	Open                   int
	Missed                 int64 // deadlines that passed before the graph was done, or with it aborted
	Timed                  int64 // arrived graphs that have a deadline

	Subtasks, Waiting, Queued, Computing, Computed int64 // Subtasks is the sum of the others
	Work, ComputedWork                             unit.Work
	// ever; lost: results, and subtasks queued or computed on nodes that went down
	Begun, Finished, Lost int64
}

// TransferTotals are the sums over the transfers of graphs.
type TransferTotals struct {
	Moving, Waiting int64 // now; waiting for their port
	Ended, Broken   int64
	Bytes           unit.Bytes // of those that ended
}

// SubtaskState is the state of a subtask.
type SubtaskState uint8

// The states of a subtask.
const (
	SubtaskWaiting   SubtaskState = iota // for a node
	SubtaskQueued                        // on a node: for its inputs, and for its turn
	SubtaskComputing                     // on a node
	SubtaskDone                          // its result is on the node that computed it, if that is still there
)

// String returns the state as reports spell it.
func (s SubtaskState) String() string {
	return [...]string{"waiting", "queued", "computing", "done"}[s]
}

// graphRun is a graph that has not ended.
type graphRun struct {
	workload.Graph
	key      workload.Key
	use      uint32
	alive    bool
	missed   bool
	arrived  unit.Time
	deadline des.Ticket
	tasks    []subtask
	arcs     []arc
	left     int32 // subtasks that are not done
	due      int32 // arcs to home that have not come there
}

// subtask is the state of a subtask.
type subtask struct {
	state SubtaskState
	node  unit.NodeID // whose queue it is in, or that has its result; NoNode if none
	piece int32       // in that queue
}

// arc records the places of an arc's data, beside the node that computed it.
type arc struct {
	at       unit.NodeID // where it was delivered; NoNode: to no node
	home     bool        // it was delivered there, or came from there
	transfer int32       // that delivers it
}

// SubmitGraph adds a graph, all of whose subtasks wait. It returns ErrWork if the open
// graphs would hold more work than can be counted.
func (c *Cluster) SubmitGraph(key workload.Key, g *workload.Graph) (unit.GraphID, error) {
	t := &c.graphTotals
	if t.Work > maxWork-g.Work() {
		return 0, ErrWork
	}
	slot := slab.Take(&c.freeGraphs, &c.graphs)
	r := &c.graphs[slot]
	*r = graphRun{
		Graph: *g, key: key, use: r.use + 1, alive: true, arrived: c.clock.Now(),
		tasks: sized(r.tasks, g.Len()), arcs: sized(r.arcs, g.Arcs()), left: int32(g.Len()),
		due: int32(len(g.In(workload.Home))),
	}
	for v := range r.tasks {
		r.tasks[v] = subtask{node: unit.NoNode, piece: none}
	}
	for i := range r.arcs {
		r.arcs[i] = arc{at: unit.NoNode, transfer: none, home: g.Arc(int32(i)).From == workload.Home}
	}
	t.Arrived++
	t.Open++
	t.Subtasks += int64(g.Len())
	t.Waiting += int64(g.Len())
	t.Work += g.Work()
	id := unit.NewGraphID(slot, r.use)
	if g.Deadline > 0 {
		t.Timed++
		r.deadline = c.clock.At(r.arrived+g.Deadline+1, (*deadlineTimer)(c), uint64(id))
	}
	c.emitGraph(GraphArrived, slot, int64(g.Len()), 0)
	return id, nil
}

// sized returns a slice of n elements that uses old's memory if that is enough.
func sized[T any](old []T, n int) []T {
	if cap(old) >= n && cap(old) <= 4*n+64 {
		return old[:n]
	}
	return make([]T, n)
}

// deadlineTimer reports deadlines that passed.
type deadlineTimer Cluster

// Fire marks graph arg as too late.
func (m *deadlineTimer) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(m)
	if slot, ok := c.lookupGraph(unit.GraphID(arg)); ok {
		c.graphs[slot].missed = true
		c.graphTotals.Missed++
		c.emitGraph(GraphMissed, slot, 0, 0)
	}
}

// Assign implements Acts.
func (c *Cluster) Assign(id unit.GraphID, v int32, n unit.NodeID) error {
	slot, r, err := c.lookupSubtask(id, v)
	w := c.worker(n)
	switch {
	case err != nil:
		return err
	case r.tasks[v].state != SubtaskWaiting:
		return ErrState
	case w == nil || w.SpeedFor(r.Subtask(v).Type) <= 0:
		return ErrNoWorker
	case !c.nodes.state[n].up:
		return ErrDown
	}
	missing := int32(0)
	for _, a := range r.In(v) {
		if !r.dataAt(a, n) {
			missing++
		}
	}
	r.tasks[v] = subtask{
		SubtaskQueued, n,
		c.enqueue(piece{graph: slot, vertex: v, missing: missing, amount: r.Subtask(v).Work, node: n}),
	}
	c.graphTotals.Waiting--
	c.graphTotals.Queued++
	c.emitSubtask(SubtaskAssigned, slot, v, n, 0)
	if missing == 0 {
		c.emitSubtask(SubtaskReady, slot, v, n, 0)
		c.compute(n)
	}
	return nil
}

// dataAt reports whether an arc's data is on a node.
func (r *graphRun) dataAt(a int32, n unit.NodeID) bool {
	if r.arcs[a].at == n {
		return true
	}
	from := r.Arc(a).From
	return from != workload.Home && r.tasks[from].state == SubtaskDone && r.tasks[from].node == n
}

// Withdraw implements Acts.
func (c *Cluster) Withdraw(id unit.GraphID, v int32) error {
	slot, r, err := c.lookupSubtask(id, v)
	if err != nil {
		return err
	}
	s := r.tasks[v]
	if s.state != SubtaskQueued && s.state != SubtaskComputing {
		return ErrState
	}
	c.takeOff(slot, v, SubtaskWithdrawn)
	c.compute(s.node)
	return nil
}

// takeOff takes a subtask out of the queue that it is in; it waits again.
func (c *Cluster) takeOff(slot uint32, v int32, kind Kind) {
	s := &c.graphs[slot].tasks[v]
	where, n := InQueue, s.node
	if s.state == SubtaskComputing {
		where = UnderWay
		c.halt(n)
	}
	c.unqueue(s.piece)
	c.wait(slot, v)
	c.emitSubtask(kind, slot, v, n, where)
}

// wait makes a subtask wait that is in no queue any more, or whose result is gone.
func (c *Cluster) wait(slot uint32, v int32) {
	r, t := &c.graphs[slot], &c.graphTotals
	switch s := &r.tasks[v]; s.state {
	case SubtaskQueued:
		t.Queued--
	case SubtaskComputing:
		t.Computing--
	case SubtaskDone:
		t.Computed--
		t.ComputedWork -= r.Subtask(v).Work
		r.left++
	}
	t.Waiting++
	r.tasks[v] = subtask{node: unit.NoNode, piece: none}
}

func (c *Cluster) subtaskBegins(p *piece) {
	c.graphs[p.graph].tasks[p.vertex].state = SubtaskComputing
	t := &c.graphTotals
	t.Queued--
	t.Computing++
	t.Begun++
	c.emitSubtask(SubtaskStarted, p.graph, p.vertex, p.node, 0)
}

// subtaskDone leaves a subtask's result on its node, where those may begin that
// waited for it there.
func (c *Cluster) subtaskDone(p *piece) {
	r, t := &c.graphs[p.graph], &c.graphTotals
	r.tasks[p.vertex] = subtask{state: SubtaskDone, node: p.node, piece: none}
	r.left--
	t.Computing--
	t.Computed++
	t.ComputedWork += p.amount
	t.Finished++
	c.keep(p.node, stored{p.graph, r.use, p.vertex, true})
	c.emitSubtask(SubtaskFinished, p.graph, p.vertex, p.node, 0)
	first, end := r.Out(p.vertex)
	for a := first; a < end; a++ {
		if r.arcs[a].at != p.node {
			c.supply(p.graph, a, p.node)
		}
	}
	c.settleGraph(p.graph)
}

// supply records with the subtask that an arc leads to that it is on a node now.
func (c *Cluster) supply(slot uint32, a int32, n unit.NodeID) {
	r := &c.graphs[slot]
	to := r.Arc(a).To
	if to == workload.Home {
		return
	}
	s := &r.tasks[to]
	if s.state != SubtaskQueued || s.node != n {
		return
	}
	p := &c.pieces[s.piece]
	if p.missing--; p.missing == 0 {
		c.emitSubtask(SubtaskReady, slot, to, n, 0)
		c.compute(n)
	}
}

// Transfer implements Acts.
func (c *Cluster) Transfer(id unit.GraphID, a int32, to unit.NodeID) error {
	slot, ok := c.lookupGraph(id)
	if !ok || a < 0 || int(a) >= len(c.graphs[slot].arcs) {
		return ErrGone
	}
	r := &c.graphs[slot]
	x := &r.arcs[a]
	if to != unit.NoNode {
		switch {
		case c.worker(to) == nil:
			return ErrNoWorker
		case !c.nodes.state[to].up:
			return ErrDown
		}
	}
	from, available := r.source(a)
	switch s, v := (subtask{}), r.Arc(a).To; {
	case x.transfer != none:
		return ErrBusy
	case !available:
		return ErrNoResult
	case to == unit.NoNode && x.home, to != unit.NoNode && r.dataAt(a, to):
		return ErrThere
	case v != workload.Home:
		s = r.tasks[v]
		if to != unit.NoNode && (s.state == SubtaskQueued || s.state == SubtaskComputing) && s.node != to {
			return ErrState
		}
	}
	p := noPort
	if bytes := r.Arc(a).Bytes; bytes > 0 && c.settings.Transfers != ContentionFree {
		p = carrierOf(from, to)
	}
	x.transfer = c.send(transfer{graph: slot, arc: a, from: from, to: to, port: p, amount: int64(r.Arc(a).Bytes)})
	return nil
}

// source returns the source of a transfer of an arc's data: the node that computed it, else the
// node to which it was delivered, else home.
func (r *graphRun) source(a int32) (from unit.NodeID, available bool) {
	x, v := &r.arcs[a], r.Arc(a).From
	switch {
	case v != workload.Home && r.tasks[v].state == SubtaskDone && r.tasks[v].node != unit.NoNode:
		return r.tasks[v].node, true
	case x.at != unit.NoNode:
		return x.at, true
	}
	return unit.NoNode, x.home
}

// arrived stores the data of a finished transfer.
func (c *Cluster) arrived(t *transfer) {
	r := &c.graphs[t.graph]
	x := &r.arcs[t.arc]
	x.transfer = none
	if t.to == unit.NoNode {
		if !x.home && r.Arc(t.arc).To == workload.Home {
			r.due--
		}
		x.home = true
		c.settleGraph(t.graph)
		return
	}
	if r.dataAt(t.arc, t.to) || c.needed(r, t.arc, x.at) {
		return // it is there by now, or of use where it was delivered before
	}
	x.at = t.to
	c.keep(t.to, stored{t.graph, r.use, t.arc, false})
	c.supply(t.graph, t.arc, t.to)
}

// needed reports whether the subtask that an arc leads to counts on it at a node.
func (c *Cluster) needed(r *graphRun, a int32, n unit.NodeID) bool {
	v := r.Arc(a).To
	if v == workload.Home || n == unit.NoNode {
		return false
	}
	s := r.tasks[v].state
	return (s == SubtaskQueued || s == SubtaskComputing) && r.tasks[v].node == n
}

// StopTransfer implements Acts.
func (c *Cluster) StopTransfer(id unit.GraphID, a int32) error {
	slot, ok := c.lookupGraph(id)
	if !ok || a < 0 || int(a) >= len(c.graphs[slot].arcs) {
		return ErrGone
	}
	i := c.graphs[slot].arcs[a].transfer
	if i == none {
		return ErrState
	}
	p := c.transfers[i].port
	c.breakOff(i)
	c.next(p)
	return nil
}
