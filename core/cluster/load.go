package cluster

import (
	"parley/core/unit"
)

// A divisible load starts at home, with a master outside the cluster. The master has one port: it
// sends chunks of the load to nodes that are workers, one at a time. Chunks enter a worker's queue
// as they arrive. If a worker goes down, the chunks that it has not computed are lost and return to
// the master.

// LoadTotals are the sums of a divisible load. Arrived always equals Unsent + Sending +
// Queued + Computing + Done.
type LoadTotals struct {
	Arrived   unit.Work
	Unsent    unit.Work // with the master
	Sending   unit.Work // on the port
	Queued    unit.Work // with workers, not begun
	Computing unit.Work // in chunks that are being computed
	Done      unit.Work
	Lost      unit.Work // went down with a worker; it counts as unsent again
	Chunks    int64     // that were sent, lost ones included
}

func (w *LoadTotals) sum() unit.Work { return w.Unsent + w.Sending + w.Queued + w.Computing + w.Done }

// Places of a chunk or a subtask that is lost, and of a transfer that is broken off, in
// Event.Detail.
const (
	OnPort uint8 = iota
	InQueue
	UnderWay // it was being computed
	Stored   // it was done, and its result lay there
)

// maxWork bounds the load of a run, so that no sum overflows.
const maxWork = unit.Work(1) << 60

// Arrive adds work to the load, up to the maximum of the sums.
func (c *Cluster) Arrive(load unit.Work) {
	t := &c.totals.Work
	load = max(0, min(load, maxWork-t.Arrived))
	t.Arrived += load
	t.Unsent += load
	c.emit(Event{Kind: LoadArrived, Node: unit.NoNode, Amount: int64(load)})
}

// Send implements Acts. It returns ErrNoWorker or ErrDown if the node cannot compute, ErrBusy while the master sends,
// and ErrLoad if the amount is not above 0 or the master has less.
func (c *Cluster) Send(n unit.NodeID, amount unit.Work) error {
	t, w := &c.totals.Work, c.worker(n)
	switch {
	case w == nil:
		return ErrNoWorker
	case !c.nodes.state[n].up:
		return ErrDown
	case c.master.sending != none:
		return ErrBusy
	case amount <= 0 || amount > t.Unsent:
		return ErrLoad
	}
	t.Unsent -= amount
	t.Sending = amount
	t.Chunks++
	c.send(transfer{graph: ofLoad, arc: w.sent, from: unit.NoNode, to: n, port: masterPort, amount: int64(amount)})
	w.sent++
	return nil
}

// chunkArrives puts a chunk into the queue of its worker.
func (c *Cluster) chunkArrives(x *transfer) {
	w, t := &c.workers[x.to], &c.totals.Work
	w.received++
	t.Sending = 0
	t.Queued += unit.Work(x.amount)
	c.enqueue(piece{graph: ofLoad, number: x.arc, amount: unit.Work(x.amount), node: x.to})
	c.emit(Event{Kind: ChunkReceived, Node: x.to, Amount: x.amount})
	c.compute(x.to)
}

func (c *Cluster) chunkBegins(p *piece) {
	t := &c.totals.Work
	t.Queued -= p.amount
	t.Computing += p.amount
	c.emit(Event{Kind: ChunkStarted, Node: p.node, Amount: int64(p.amount)})
}

func (c *Cluster) chunkDone(p *piece) {
	t := &c.totals.Work
	c.workers[p.node].done += p.amount
	t.Computing -= p.amount
	t.Done += p.amount
	c.emit(Event{Kind: ChunkDone, Node: p.node, Amount: int64(p.amount)})
}

// chunkLost gives the master back a chunk that was lost with worker n. place is where it was: OnPort, InQueue, or else
// being computed.
func (c *Cluster) chunkLost(n unit.NodeID, amount unit.Work, place uint8) {
	t := &c.totals.Work
	switch place {
	case OnPort:
		t.Sending = 0
	case InQueue:
		t.Queued -= amount
	default:
		t.Computing -= amount
	}
	t.Unsent += amount
	t.Lost += amount
	c.emit(Event{Kind: ChunkLost, Node: n, Amount: int64(amount), Detail: place})
}
