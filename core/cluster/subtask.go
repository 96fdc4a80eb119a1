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
	due      int32 // arcs to home whose data has not arrived there
}

// subtask is the state of a subtask.
type subtask struct {
	state SubtaskState
	node  unit.NodeID // whose queue it is in, or that has its result; NoNode if none
	piece int32       // its number in Cluster.pieces; none if it is in no queue
}

// arc records the places of an arc's data, beside the node that computed it.
type arc struct {
	at       unit.NodeID // where it was delivered; NoNode: to no node
	home     bool        // the data is at home: it was delivered there, or is from there
	transfer int32       // the number of the transfer that delivers it; none if there is none
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

// sized returns a slice of n elements that reuses old's memory, unless that is too small or more than four
// times as large. The elements keep old values.
func sized[T any](old []T, n int) []T {
	if cap(old) >= n && cap(old) <= 4*n+64 {
		return old[:n]
	}
	return make([]T, n)
}

// deadlineTimer reports deadlines that passed.
type deadlineTimer Cluster

// Fire marks the graph with the ID arg as late if it has not ended.
func (m *deadlineTimer) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(m)
	if slot, ok := c.lookupGraph(unit.GraphID(arg)); ok {
		c.graphs[slot].missed = true
		c.graphTotals.Missed++
		c.emitGraph(GraphMissed, slot, 0, 0)
	}
}

// Assign implements Acts. It queues the subtask even if inputs are missing. It returns ErrGone if the graph is closed
// or has no subtask v, ErrState unless the subtask waits, ErrNoWorker if the node cannot do its type, and ErrDown.
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

// dataAt reports whether the data of arc a is on node n: delivered there, or computed there.
func (r *graphRun) dataAt(a int32, n unit.NodeID) bool {
	if r.arcs[a].at == n {
		return true
	}
	from := r.Arc(a).From
	return from != workload.Home && r.tasks[from].state == SubtaskDone && r.tasks[from].node == n
}

// Withdraw implements Acts. It returns ErrGone if the graph is closed or has no subtask v, and ErrState unless the
// subtask is queued or is being computed.
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

// takeOff takes subtask v of the graph in slot, queued or computing, off its node, so that it waits again,
// and reports it as an event of this kind. The caller calls compute for the node.
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

// wait makes a subtask wait again and corrects the totals. The caller has taken it out of its queue, or, if it
// was done, has found that its result is lost.
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

// subtaskBegins records that the computation of p, a subtask, began.
func (c *Cluster) subtaskBegins(p *piece) {
	c.graphs[p.graph].tasks[p.vertex].state = SubtaskComputing
	t := &c.graphTotals
	t.Queued--
	t.Computing++
	t.Begun++
	c.emitSubtask(SubtaskStarted, p.graph, p.vertex, p.node, 0)
}

// subtaskDone records that p was computed: its result stays on the node, where it is an input for queued
// subtasks. The graph ends if that was all.
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

// supply records that the data of arc a has arrived on node n. If the subtask that needs it is queued there and
// lacks nothing else, it is ready. Call it once an arc and node.
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

// Transfer implements Acts. unit.NoNode is home. It returns ErrGone if the graph is closed or has no arc a, ErrNoWorker
// or ErrDown if the destination cannot compute, ErrBusy if the arc has a transfer, ErrNoResult if its data is nowhere,
// ErrThere if it is at the destination, and ErrState if its subtask is queued elsewhere. Data of no size, or with
// contention-free transfers, needs no port.
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

// source returns the node from which the data of arc a is sent: the one that computed it, else the one to which
// it was delivered, else home (unit.NoNode). available is false if there is no copy.
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

// arrived stores the data of a transfer that ended. It drops the data if the node has it by now, or if the
// subtask that needs it counts on an earlier copy elsewhere: an arc has one delivered copy.
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

// needed reports whether the subtask to which arc a leads is queued or being computed on node n. It is false for
// home.
func (c *Cluster) needed(r *graphRun, a int32, n unit.NodeID) bool {
	v := r.Arc(a).To
	if v == workload.Home || n == unit.NoNode {
		return false
	}
	s := r.tasks[v].state
	return (s == SubtaskQueued || s == SubtaskComputing) && r.tasks[v].node == n
}

// StopTransfer implements Acts. It starts the next transfer of the port. It returns ErrGone if the graph is closed or
// has no arc a, and ErrState if the arc has no transfer.
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
