package cluster

import (
	"fmt"

	"parley/core/unit"
	"parley/core/workload"
)

// checkWork verifies in constant time that no part of a load and no subtask was lost
// or counted twice.
func (c *Cluster) checkWork() error {
	if w := &c.totals.Work; w.Arrived != w.sum() || min(w.Unsent, w.Sending, w.Queued, w.Computing, w.Done) < 0 {
		return fmt.Errorf("cluster: work %+v does not sum to what arrived", *w)
	}
	t := &c.graphTotals
	if t.Subtasks != t.Waiting+t.Queued+t.Computing+t.Computed ||
		min(t.Waiting, t.Queued, t.Computing, t.Computed) < 0 {
		return fmt.Errorf("cluster: subtasks %+v do not sum to those of open graphs", *t)
	}
	if t.Arrived != int64(t.Open)+t.Done+t.Aborted || len(c.graphs)-len(c.freeGraphs)-len(c.overGraphs) != t.Open ||
		t.Missed > t.Timed || t.ComputedWork > t.Work {
		return fmt.Errorf("cluster: graphs %+v in %d slots", *t, len(c.graphs)-len(c.freeGraphs)-len(c.overGraphs))
	}
	if x := &c.transferTotals; min(x.Moving, x.Waiting) < 0 {
		return fmt.Errorf("cluster: transfers %+v", *x)
	}
	return nil
}

// auditWork recomputes the sums of the load and of the graphs from nodes and graphs,
// and adds to sums the CPU that nodes compute with.
func (c *Cluster) auditWork(sums []sum) error {
	var queued, computing, done unit.Work
	var pieces int
	for n := range c.workers {
		w := &c.workers[n]
		sums[n].used[unit.CPU] += w.cpu
		done += w.done
		count := int32(0)
		for i := w.first; i != none; i = c.pieces[i].next {
			p := &c.pieces[i]
			count++
			if p.node != unit.NodeID(n) {
				return fmt.Errorf("cluster: node %d queues a piece of node %d", n, p.node)
			}
			under := w.busy && i == w.first
			switch {
			case p.graph != ofLoad:
				if err := c.auditPiece(i, under); err != nil {
					return err
				}
			case under:
				computing += p.amount
			default:
				queued += p.amount
			}
		}
		pieces += int(count)
		up := c.nodes.state[n].up
		if count != w.queued || !up && count > 0 || !w.busy && w.cpu > 0 || w.busy && count == 0 {
			return fmt.Errorf("cluster: node %d, up %v, counts %d pieces and has %d, computes %v with %d", n,
				up, w.queued, count, w.busy, w.cpu)
		}
		if count > 0 && !w.busy && c.pieces[w.first].missing == 0 {
			return fmt.Errorf("cluster: node %d computes nothing, though the first of its queue lacks nothing", n)
		}
	}
	if alive := len(c.pieces) - len(c.freePieces); alive != pieces {
		return fmt.Errorf("cluster: %d pieces are kept and %d queued", alive, pieces)
	}
	sending := unit.Work(0)
	if i := c.master.sending; i != none {
		sending = unit.Work(c.transfers[i].amount)
	}
	if t := &c.totals.Work; queued != t.Queued || computing != t.Computing || done != t.Done || sending != t.Sending {
		return fmt.Errorf(
			"cluster: work %+v, but the workers hold %d queued, %d computing, %d done and the port sends %d",
			*t, queued, computing, done, sending,
		)
	}
	if err := c.auditGraphs(); err != nil {
		return err
	}
	return c.auditTransfers()
}

// auditPiece compares a subtask in a queue with its graph.
func (c *Cluster) auditPiece(i int32, under bool) error {
	p := &c.pieces[i]
	r := &c.graphs[p.graph]
	if !r.alive {
		return fmt.Errorf("cluster: node %d has subtask %d of a graph that ended", p.node, p.vertex)
	}
	missing := int32(0)
	for _, a := range r.In(p.vertex) {
		if !r.dataAt(a, p.node) {
			missing++
		}
	}
	s, state := r.tasks[p.vertex], SubtaskQueued
	if under {
		state = SubtaskComputing
	}
	if s.node != p.node || s.piece != i || s.state != state || !under && missing != p.missing || under && missing > 0 {
		return fmt.Errorf("cluster: graph %v: subtask %d is %+v, its piece %+v, and it lacks %d inputs", r.key,
			p.vertex, s, *p, missing)
	}
	return nil
}

// auditGraphs recomputes the sums of the graphs from their subtasks and arcs.
func (c *Cluster) auditGraphs() error {
	var sum GraphTotals
	for slot := range c.graphs {
		r := &c.graphs[slot]
		if !r.alive {
			continue
		}
		sum.Open++
		left, due := int32(0), int32(0)
		for v := range r.tasks {
			s := r.tasks[v]
			switch s.state {
			case SubtaskWaiting:
				sum.Waiting++
			case SubtaskQueued:
				sum.Queued++
			case SubtaskComputing:
				sum.Computing++
			default:
				sum.Computed++
				sum.ComputedWork += r.Subtask(int32(v)).Work
				left--
			}
			left++
			sum.Subtasks++
			sum.Work += r.Subtask(int32(v)).Work
			if s.node != unit.NoNode && !c.nodes.state[s.node].up {
				return fmt.Errorf("cluster: graph %v: subtask %d is %v on node %d, which is down", r.key, v,
					s.state, s.node)
			}
			if s.state == SubtaskDone && s.node == unit.NoNode && c.wanted(r, int32(v)) {
				return fmt.Errorf(
					"cluster: graph %v: the result of subtask %d is needed and lies nowhere, but it is done", r.key, v,
				)
			}
		}
		for a := range r.arcs {
			x := &r.arcs[a]
			due += int32(flag(r.Arc(int32(a)).To == workload.Home && !x.home))
			if x.at != unit.NoNode && !c.nodes.state[x.at].up {
				return fmt.Errorf("cluster: graph %v: what arc %d carries lies on node %d, which is down", r.key,
					a, x.at)
			}
		}
		if left != r.left || due != r.due || left+due == 0 {
			return fmt.Errorf("cluster: graph %v counts %d subtasks and %d arcs to come, and has %d and %d",
				r.key, r.left, r.due, left, due)
		}
	}
	t := &c.graphTotals
	if sum.Open != t.Open || sum.Waiting != t.Waiting || sum.Queued != t.Queued || sum.Computing != t.Computing ||
		sum.Computed != t.Computed ||
		sum.Subtasks != t.Subtasks || sum.Work != t.Work || sum.ComputedWork != t.ComputedWork {
		return fmt.Errorf("cluster: graphs %+v sum to %+v", *t, sum)
	}
	return nil
}

// auditTransfers recomputes who sends what.
func (c *Cluster) auditTransfers() error {
	var moves, waits int64
	for i := range c.transfers {
		x := &c.transfers[i]
		if x.state == noTransfer || x.graph == ofLoad {
			continue
		}
		r := &c.graphs[x.graph]
		if !r.alive || r.arcs[x.arc].transfer != int32(i) {
			return fmt.Errorf("cluster: transfer %d of arc %d is not that of its graph", i, x.arc)
		}
		for _, n := range [2]unit.NodeID{x.from, x.to} {
			if n != unit.NoNode && !c.nodes.state[n].up {
				return fmt.Errorf("cluster: graph %v: arc %d moves from %d to %d, but node %d is down", r.key,
					x.arc, x.from, x.to, n)
			}
		}
		p := c.portOf(x.port)
		if x.state == inLine {
			waits++
		} else {
			moves++
		}
		if x.state == inLine && (p == nil || p.sending == none) || x.state == moving && p != nil &&
			p.sending != int32(i) {
			return fmt.Errorf("cluster: graph %v: arc %d is %d at port %d, which moves %v", r.key, x.arc, x.state,
				x.port, p)
		}
	}
	if t := &c.transferTotals; moves != t.Moving || waits != t.Waiting {
		return fmt.Errorf("cluster: transfers %+v, but %d move and %d wait", *t, moves, waits)
	}
	return nil
}
