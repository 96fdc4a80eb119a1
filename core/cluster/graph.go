package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// settleGraph ends a graph of which everything is done and at home.
func (c *Cluster) settleGraph(slot uint32) {
	r := &c.graphs[slot]
	if !r.alive || r.left > 0 || r.due > 0 {
		return
	}
	c.graphTotals.Done++
	c.closeGraph(slot, GraphDone, uint8(flag(r.missed)))
}

// Abort implements Acts. It returns ErrGone if the graph is closed.
func (c *Cluster) Abort(id unit.GraphID) error {
	if !c.endGraph(id, workload.Killed) {
		return ErrGone
	}
	return nil
}

// EndGraph ends a graph, whatever part of it is done. A graph that has ended is not
// changed.
func (c *Cluster) EndGraph(id unit.GraphID, how workload.End) { c.endGraph(id, how) }

func (c *Cluster) endGraph(id unit.GraphID, how workload.End) bool {
	slot, ok := c.lookupGraph(id)
	if !ok {
		return false
	}
	r := &c.graphs[slot]
	if r.Deadline > 0 && !r.missed {
		c.graphTotals.Missed++
	}
	c.graphTotals.Aborted++
	c.closeGraph(slot, GraphAborted, uint8(how))
	return true
}

// closeGraph removes a graph's subtasks from their nodes, its transfers from their ports and itself
// from the sums, and emits its end. Others continue then.
func (c *Cluster) closeGraph(slot uint32, how Kind, detail uint8) {
	r := &c.graphs[slot]
	r.alive = false // nothing below ends it again
	c.clock.Cancel(r.deadline)
	var ports, nodes []unit.NodeID
	for a := range r.arcs {
		if i := r.arcs[a].transfer; i != none {
			ports = append(ports, c.transfers[i].port)
			c.breakOff(i)
		}
	}
	for v := range r.tasks {
		if s := &r.tasks[v]; s.state == SubtaskQueued || s.state == SubtaskComputing {
			nodes = append(nodes, s.node)
			c.takeOff(slot, int32(v), SubtaskWithdrawn)
		}
	}
	t := &c.graphTotals
	t.Open--
	t.Subtasks -= int64(len(r.tasks))
	t.Work -= r.Work()
	for v := range r.tasks {
		if r.tasks[v].state == SubtaskDone {
			t.Computed--
			t.ComputedWork -= r.Subtask(int32(v)).Work
		} else {
			t.Waiting--
		}
	}
	c.overGraphs = append(c.overGraphs, slot)
	c.emitGraph(how, slot, 0, detail)
	for _, p := range ports {
		c.next(p)
	}
	for _, n := range nodes {
		c.compute(n)
	}
}

// store lists the data on a node. Entries whose data was removed stay listed until the list has
// doubled.
type store struct {
	list  []stored
	limit int
}

// stored is the result of a subtask that a node computed, or the data that an arc delivered to it.
type stored struct {
	graph, use uint32
	number     int32 // of the subtask or the arc
	made       bool  // it is the result of a subtask; else it was delivered by an arc
}

// keep lists data that a node has now. If the list has reached its limit, entries that are no longer valid are
// removed first.
func (c *Cluster) keep(n unit.NodeID, s stored) {
	at := &c.workers[n].stored
	if len(at.list) >= max(64, at.limit) {
		kept := at.list[:0]
		for _, one := range at.list {
			if c.still(n, one) {
				kept = append(kept, one)
			}
		}
		at.list, at.limit = kept, 2*len(kept)
	}
	at.list = append(at.list, s)
}

// still reports whether an entry of the store of node n is valid: the graph is open, and the data is on n.
func (c *Cluster) still(n unit.NodeID, s stored) bool {
	r := &c.graphs[s.graph]
	switch {
	case !r.alive || r.use != s.use:
		return false
	case s.made:
		return r.tasks[s.number].state == SubtaskDone && r.tasks[s.number].node == n
	}
	return r.arcs[s.number].at == n
}

// dropResults removes all data from node n. Then the subtasks whose results are still needed and have no other
// copy wait again: only after all copies are gone is it known which these are.
func (c *Cluster) dropResults(n unit.NodeID) {
	at := &c.workers[n].stored
	lost := at.list
	at.list, at.limit = nil, 0
	kept := lost[:0]
	for _, s := range lost {
		if !c.still(n, s) {
			continue
		}
		kept = append(kept, s)
		if r := &c.graphs[s.graph]; s.made {
			r.tasks[s.number].node = unit.NoNode
		} else {
			r.arcs[s.number].at = unit.NoNode
		}
	}
	for _, s := range kept {
		if v := s.number; s.made {
			c.redo(s.graph, v, n)
		} else if from := c.graphs[s.graph].Arc(v).From; from != workload.Home {
			c.redo(s.graph, from, n)
		}
	}
}

// redo makes subtask v wait again if it is done, its node has lost the result, and home or a subtask that is not
// done still needs it; then likewise those whose results it needs itself. n is the node that lost the result.
func (c *Cluster) redo(slot uint32, v int32, n unit.NodeID) {
	r := &c.graphs[slot]
	for again := []int32{v}; len(again) > 0; {
		v := again[len(again)-1]
		again = again[:len(again)-1]
		if r.tasks[v].state != SubtaskDone || r.tasks[v].node != unit.NoNode || !c.wanted(r, v) {
			continue
		}
		c.wait(slot, v)
		c.graphTotals.Lost++
		c.emitSubtask(SubtaskLost, slot, v, n, Stored)
		for _, a := range r.In(v) {
			if from := r.Arc(a).From; from != workload.Home {
				again = append(again, from)
			}
		}
	}
}

// wanted reports whether the lost result of subtask v is still needed: whether one of its arcs has no copy of the
// data and leads home or to a subtask that is not done.
func (c *Cluster) wanted(r *graphRun, v int32) bool {
	first, end := r.Out(v)
	for a := first; a < end; a++ {
		x, to := &r.arcs[a], r.Arc(a).To
		if x.home || x.at != unit.NoNode {
			continue
		}
		if to == workload.Home || r.tasks[to].state != SubtaskDone {
			return true
		}
	}
	return false
}

// subtaskLost makes the subtask of p wait again, because its node goes down. The caller has taken p out of the
// queue. place is where the work was: InQueue or UnderWay.
func (c *Cluster) subtaskLost(p *piece, place uint8) {
	c.wait(p.graph, p.vertex)
	c.graphTotals.Lost++
	c.emitSubtask(SubtaskLost, p.graph, p.vertex, p.node, place)
}

// dropUnable takes the subtasks off node n whose type it can no longer compute; they wait again and count as lost.
func (c *Cluster) dropUnable(n unit.NodeID) {
	w := &c.workers[n]
	for i := w.first; i != none; {
		p := c.pieces[i]
		if p.graph != ofLoad && w.SpeedFor(c.graphs[p.graph].Subtask(p.vertex).Type) <= 0 {
			c.graphTotals.Lost++
			c.takeOff(p.graph, p.vertex, SubtaskLost)
		}
		i = p.next
	}
	if w.queued > 0 && c.nodes.state[n].up {
		c.compute(n)
	}
}

func (c *Cluster) emitGraph(k Kind, slot uint32, amount int64, detail uint8) {
	r := &c.graphs[slot]
	c.emit(Event{
		Kind: k, Task: unit.TaskID(unit.NewGraphID(slot, r.use)), Node: unit.NoNode, Other: unit.NoNode,
		Amount: amount, Detail: detail,
	})
}

func (c *Cluster) emitSubtask(k Kind, slot uint32, v int32, n unit.NodeID, detail uint8) {
	c.emit(Event{
		Kind: k, Task: unit.TaskID(unit.NewGraphID(slot, c.graphs[slot].use)), Node: n, Other: unit.NoNode,
		Amount: int64(v), Detail: detail,
	})
}

func (c *Cluster) emitTransfer(k Kind, x *transfer, detail uint8) {
	c.emit(Event{
		Kind: k, Task: unit.TaskID(unit.NewGraphID(x.graph, c.graphs[x.graph].use)), Node: x.to, Other: x.from,
		Amount: int64(x.arc), Detail: detail,
	})
}

// lookupGraph returns the slot of a graph; false if it has ended.
func (c *Cluster) lookupGraph(id unit.GraphID) (uint32, bool) {
	s := id.Slot()
	if int(s) >= len(c.graphs) || c.graphs[s].use != id.Use() || !c.graphs[s].alive {
		return 0, false
	}
	return s, true
}

// lookupSubtask returns the slot and the state of an open graph that has a subtask v; ErrGone if there is none.
func (c *Cluster) lookupSubtask(id unit.GraphID, v int32) (uint32, *graphRun, error) {
	slot, ok := c.lookupGraph(id)
	if !ok || v < 0 || int(v) >= len(c.graphs[slot].tasks) {
		return 0, nil, ErrGone
	}
	return slot, &c.graphs[slot], nil
}
