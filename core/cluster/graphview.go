package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// GraphView reads task graphs and the places of their results.
type GraphView struct{ c *Cluster }

// GraphTotals returns the sums over the graphs.
func (v GraphView) GraphTotals() GraphTotals { return v.c.graphTotals }

// TransferTotals returns the sums over the transfers of graphs.
func (v GraphView) TransferTotals() TransferTotals { return v.c.transferTotals }

// ContentionFree reports whether transfers never wait for each other.
func (v GraphView) ContentionFree() bool { return v.c.settings.Transfers == ContentionFree }

// Graph is a View's description of a graph that has not ended.
type Graph struct {
	workload.Graph
	Key     workload.Key
	Arrived unit.Time
	Due     unit.Time // its deadline; unit.Forever: it has none
	Missed  bool      // that passed
	Left    int       // subtasks that are not done
	Owed    int       // arcs to home that have not come there
}

// Graph returns a graph, and false if it has ended.
func (v GraphView) Graph(id unit.GraphID) (Graph, bool) {
	slot, ok := v.c.lookupGraph(id)
	if !ok {
		return Graph{}, false
	}
	r := &v.c.graphs[slot]
	due := unit.Forever
	if r.Deadline > 0 {
		due = r.arrived + r.Deadline
	}
	return Graph{
		Graph: r.Graph, Key: r.key, Arrived: r.arrived, Due: due, Missed: r.missed, Left: int(r.left),
		Owed: int(r.due),
	}, true
}

// Submitted returns a graph as it was submitted, with its key. It returns false once the
// graph has ended and the events of that moment have been delivered.
func (v GraphView) Submitted(id unit.GraphID) (workload.Graph, workload.Key, bool) {
	s := id.Slot()
	if int(s) >= len(v.c.graphs) || v.c.graphs[s].use != id.Use() {
		return workload.Graph{}, workload.Key{}, false
	}
	return v.c.graphs[s].Graph, v.c.graphs[s].key, true
}

// Graphs calls yield for every graph that has not ended, by slot, until yield returns
// false. No graph may be submitted or end meanwhile.
func (v GraphView) Graphs(yield func(unit.GraphID) bool) {
	for slot := range v.c.graphs {
		if r := &v.c.graphs[slot]; r.alive && !yield(unit.NewGraphID(uint32(slot), r.use)) {
			return
		}
	}
}

// Subtask is a View's description of a subtask.
type Subtask struct {
	workload.Subtask
	State   SubtaskState
	Node    unit.NodeID // whose queue it is in, or that has its result; NoNode if none
	Missing int         // inputs that are not on that node, of one that is queued
}

// Subtask returns a subtask of a graph that has not ended.
func (v GraphView) Subtask(id unit.GraphID, number int32) (Subtask, bool) {
	_, r, err := v.c.lookupSubtask(id, number)
	if err != nil {
		return Subtask{}, false
	}
	s := &r.tasks[number]
	out := Subtask{Subtask: r.Subtask(number), State: s.state, Node: s.node}
	if s.state == SubtaskQueued {
		out.Missing = int(v.c.pieces[s.piece].missing)
	}
	return out, true
}

// Result is the place of an arc's result.
type Result struct {
	Made      unit.NodeID // the node that made it; NoNode if none has, or it is down
	Delivered unit.NodeID // the node with the copy of the latest delivery; NoNode if none
	Home      bool        // home has a copy
	Moving    bool        // it is being sent, or waits for a port
	From, To  unit.NodeID // of that; NoNode: home
}

// Result returns the place of the result that an arc of a graph carries.
func (v GraphView) Result(id unit.GraphID, a int32) (Result, bool) {
	slot, ok := v.c.lookupGraph(id)
	if !ok || a < 0 || int(a) >= len(v.c.graphs[slot].arcs) {
		return Result{}, false
	}
	r := &v.c.graphs[slot]
	x := &r.arcs[a]
	out := Result{
		Made: unit.NoNode, Delivered: x.at, Home: x.home, Moving: x.transfer != none, From: unit.NoNode,
		To: unit.NoNode,
	}
	if from := r.Arc(a).From; from != workload.Home && r.tasks[from].state == SubtaskDone {
		out.Made = r.tasks[from].node
	}
	if out.Moving {
		out.From, out.To = v.c.transfers[x.transfer].from, v.c.transfers[x.transfer].to
	}
	return out, true
}

// Queue returns a sequence of the subtasks in a node's queue, in order. The first is the one in computation, if there
// is one. Chunks of a divisible load are left out.
func (v GraphView) Queue(n unit.NodeID) func(yield func(unit.GraphID, int32) bool) {
	return func(yield func(unit.GraphID, int32) bool) {
		w := v.c.worker(n)
		if w == nil {
			return
		}
		for i := w.first; i != none; i = v.c.pieces[i].next {
			p := &v.c.pieces[i]
			if p.graph != ofLoad && !yield(unit.NewGraphID(p.graph, v.c.graphs[p.graph].use), p.vertex) {
				return
			}
		}
	}
}

// ComputeTime returns the stated time for which a node computes a subtask, or
// unit.Forever if it cannot compute it.
func (v GraphView) ComputeTime(n unit.NodeID, s workload.Subtask) unit.Time {
	w := v.c.worker(n)
	if w == nil {
		return unit.Forever
	}
	rate := w.SpeedFor(s.Type)
	if rate <= 0 {
		return unit.Forever
	}
	return w.CompLatency + duration(int64(s.Work), int64(rate))
}

// TransferTime returns the stated time of a transfer of n bytes between two places, once
// it has its port. NoNode stands for the user. A transfer within a node takes no time.
func (v GraphView) TransferTime(from, to unit.NodeID, bytes unit.Bytes) unit.Time {
	if from == to {
		return 0
	}
	w := v.c.worker(carrierOf(from, to))
	if w == nil {
		return unit.Forever
	}
	return w.CommLatency + duration(int64(bytes), int64(w.Channel))
}
