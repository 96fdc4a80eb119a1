// Package dispatcher implements one central dispatcher that sees everything at once and
// without delay. The systems that see less are measured against it.
//
// Model: a subtask is ready when all its inputs are done. The dispatcher assigns ready
// subtasks by their latest start, the earliest first: this is least laxity, estimated with
// mean speeds and channels as list schedulers do. Each goes to the resource with room that
// is expected to finish it first, including the transfer of its inputs. A resource has room
// for the subtask that it computes and for Ahead more, so that inputs are transferred
// meanwhile. Lost subtasks are ready again as soon as their inputs are.
//
//	{"ahead":1,"give_up":true}
package dispatcher

import (
	"cmp"
	"encoding/json"

	"parley/core/cluster"
	"parley/core/heap"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// central implements system.System.
type central struct {
	env      system.Env
	settings Settings
	graphs   map[unit.GraphID]*open
	arrivals uint64
	ready    []*heap.Heap[entry] // by type, the most urgent first
	nodes    []node              // that have come
	able     []int32             // by type: nodes with room that can do it
	fleet    []speeds            // by type
	every    speeds              // of nodes that can do every type
	channel  speeds
	given    int64
	withdrew int64
	timeline system.GraphTimeline
}

// open is a graph that has not ended.
type open struct {
	*workload.Subtasks
	id     unit.GraphID
	number uint64
	latest []unit.Time // start of each subtask, estimated
	lacks  []int32     // predecessors that are not done
	state  []uint8
}

// States of a subtask, as the dispatcher sees them.
const (
	waits uint8 = iota
	isReady
	isGiven
	isDone
)

// entry is a subtask that is ready.
type entry struct {
	latest unit.Time
	number uint64 // of the graph
	vertex int32
	graph  *open
}

// before reports whether the first of two is more urgent.
func before(e, f entry) bool {
	return cmp.Or(cmp.Compare(e.latest, f.latest), cmp.Compare(e.number, f.number), cmp.Compare(e.vertex, f.vertex)) < 0
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	return &central{env: env, settings: s, graphs: map[unit.GraphID]*open{}}, nil
}

// On implements system.System. After each event that may make a subtask ready or a node free, it
// dispatches.
func (c *central) On(e cluster.Event) error {
	if e.Kind == cluster.GraphArrived {
		c.arrive(e.Graph()) // then it has its number
	}
	c.keep(e)
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeChanged:
		c.nodeUp(e.Node)
	case cluster.NodeDown:
		c.nodeDown(e.Node)
	case cluster.GraphArrived: // above
	case cluster.SubtaskFinished:
		c.done(e)
	case cluster.SubtaskLost, cluster.SubtaskWithdrawn:
		c.lost(e)
		return nil // the node goes down, or the dispatcher goes on by itself
	case cluster.GraphMissed:
		if c.settings.GiveUp && c.graphs[e.Graph()] != nil {
			_ = c.env.Acts.Abort(e.Graph()) // it has not ended, or this is not an act
		}
	case cluster.GraphDone, cluster.GraphAborted:
		delete(c.graphs, e.Graph())
	default:
		return nil
	}
	c.dispatch()
	return nil
}

// arrive enters a graph that arrived and makes its subtasks without predecessors ready. A graph that has
// ended already is ignored.
func (c *central) arrive(id unit.GraphID) {
	g, alive := c.env.View.Graph(id)
	if !alive {
		return
	}
	c.arrivals++
	o := &open{
		Subtasks: g.Subtasks, id: id, number: c.arrivals, lacks: make([]int32, g.Len()),
		state: make([]uint8, g.Len()),
	}
	for v := range int32(g.Len()) {
		c.room(g.Subtask(v).Type)
	}
	o.latest = c.estimate(o, g.Due)
	c.graphs[id] = o
	for v := range int32(g.Len()) {
		for _, a := range g.In(v) {
			if g.Arc(a).From != workload.Home {
				o.lacks[v]++
			}
		}
		if o.lacks[v] == 0 {
			c.push(o, v)
		}
	}
}

func (c *central) push(o *open, v int32) {
	o.state[v] = isReady
	c.ready[o.Subtask(v).Type].Push(entry{o.latest[v], o.number, v, o})
}

// dispatch assigns ready subtasks, the most urgent first, while a node has room for their type. It stops
// at the first that no node can take, although a more patient one might fit.
func (c *central) dispatch() {
	for {
		best := -1
		for kind := range c.ready {
			q := c.ready[kind]
			if c.able[kind] == 0 {
				continue
			}
			c.prune(q)
			if q.Len() > 0 && (best < 0 || before(q.Values()[0], c.ready[best].Values()[0])) {
				best = kind
			}
		}
		if best < 0 {
			return
		}
		e := c.ready[best].Pop()
		if !c.give(e.graph, e.vertex) {
			e.graph.state[e.vertex] = waits // no machine can take it now: it is tried again at a later event
			c.push(e.graph, e.vertex)
			return
		}
	}
}

// prune removes entries that are no longer ready from the head of a queue.
func (c *central) prune(q *heap.Heap[entry]) {
	for q.Len() > 0 {
		e := q.Values()[0]
		if c.graphs[e.graph.id] == e.graph && e.graph.state[e.vertex] == isReady {
			return
		}
		q.Pop()
	}
}

// give assigns a subtask to the resource that is done with it first, if it has room in its queue, and
// sends for its inputs. It returns false if no resource can take it.
func (c *central) give(o *open, v int32) bool {
	now, one := c.env.Clock.Now(), o.Subtask(v)
	best, earliest, until := unit.NoNode, unit.Forever, unit.Time(0)
	for n := range c.nodes {
		x := &c.nodes[n]
		if !x.is || !x.up || x.held > c.settings.Ahead {
			continue
		}
		took := c.env.View.ComputeTime(unit.NodeID(n), one)
		if took == unit.Forever || now+took >= earliest {
			continue
		}
		if end := max(now+c.travel(o, v, unit.NodeID(n)), x.free) + took; end < earliest {
			best, earliest, until = unit.NodeID(n), end, end
		}
	}
	if best == unit.NoNode || c.env.Acts.Assign(o.id, v, best) != nil {
		return false
	}
	c.given++
	o.state[v] = isGiven
	c.hold(best, 1)
	c.nodes[best].free = until
	for _, a := range o.In(v) {
		_ = c.env.Acts.Transfer(o.id, a, best) // data that is already there needs none
	}
	return true
}

// travel returns how long the inputs of a subtask take to a resource if all channels are free: transfers
// from one source follow each other, and those of several sources run at once.
func (c *central) travel(o *open, v int32, n unit.NodeID) (largest unit.Time) {
	in := o.In(v)
	for i, a := range in {
		from := c.source(o, a)
		if from == n {
			continue
		}
		sum := unit.Time(0)
		for _, b := range in[:i+1] {
			if c.source(o, b) == from {
				sum += c.env.View.TransferTime(from, n, o.Arc(b).Bytes)
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// source returns the node that has the data of an arc: that of the subtask that made it, or unit.NoNode
// for the user's.
func (c *central) source(o *open, a int32) unit.NodeID {
	from := o.Arc(a).From
	if from == workload.Home {
		return unit.NoNode
	}
	s, _ := c.env.View.Subtask(o.id, from)
	return s.Node
}

// done records a finished subtask. Successors that lacked only its result become ready; results for the
// user are sent home.
func (c *central) done(e cluster.Event) {
	o := c.graphs[e.Graph()]
	if int(e.Node) < len(c.nodes) {
		c.hold(e.Node, -1)
	}
	if o == nil {
		return
	}
	v := e.Subtask()
	o.state[v] = isDone
	first, end := o.Out(v)
	for a := first; a < end; a++ {
		to := o.Arc(a).To
		if to == workload.Home {
			_ = c.env.Acts.Transfer(o.id, a, unit.NoNode) // it may be there from before
			continue
		}
		if o.lacks[to]--; o.lacks[to] == 0 && o.state[to] == waits {
			c.push(o, to)
		}
	}
}

// lost makes a subtask wait again that was lost or withdrawn. If it was done, its successors lack its
// result again: ready ones wait, and queued ones whose nodes do not have the result are withdrawn.
func (c *central) lost(e cluster.Event) {
	o := c.graphs[e.Graph()]
	v := e.Subtask()
	if e.Detail != cluster.Stored && int(e.Node) < len(c.nodes) {
		c.hold(e.Node, -1)
	}
	if o == nil {
		return
	}
	was := o.state[v]
	o.state[v] = waits
	if was == isDone {
		first, end := o.Out(v)
		for a := first; a < end; a++ {
			to := o.Arc(a).To
			if to == workload.Home {
				continue
			}
			o.lacks[to]++
			switch s, _ := c.env.View.Subtask(o.id, to); {
			case o.state[to] == isReady:
				o.state[to] = waits
			case o.state[to] == isGiven && s.State == cluster.SubtaskQueued && !c.has(o, a, s.Node):
				c.withdrew++
				_ = c.env.Acts.Withdraw(o.id, to)
			}
		}
	}
	if o.lacks[v] == 0 {
		c.push(o, v)
	}
}

// has reports whether an arc's data is on a node.
func (c *central) has(o *open, a int32, n unit.NodeID) bool {
	r, ok := c.env.View.Result(o.id, a)
	return ok && (r.Delivered == n || r.Made == n)
}
