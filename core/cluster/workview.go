package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// WorkView reads the work that nodes compute in order: chunks of a load, subtasks of graphs.
type WorkView struct{ c *Cluster }

// Worker returns the stated speeds of a node that is a worker, or false if it is none. The true
// rates are hidden.
func (v WorkView) Worker(n unit.NodeID) (workload.Worker, bool) {
	w := v.c.worker(n)
	if w == nil {
		return workload.Worker{}, false
	}
	stated := w.Worker
	stated.Errors = workload.RateErrors{}
	return stated, true
}

// Queued returns how many pieces of work a node has, with the one that it computes.
func (v WorkView) Queued(n unit.NodeID) int {
	if w := v.c.worker(n); w != nil {
		return int(w.queued)
	}
	return 0
}

// Computing reports whether a node computes a piece now, since when, and the total time of the
// pieces that it finished before.
func (v WorkView) Computing(n unit.NodeID) (busy bool, since, before unit.Time) {
	if w := v.c.worker(n); w != nil {
		return w.busy, w.since, w.spent
	}
	return false, 0, 0
}

// Carrying reports whether a node's port moves something. If transfers are free
// of contention nothing takes a port.
func (v WorkView) Carrying(n unit.NodeID) bool {
	w := v.c.worker(n)
	return w != nil && w.port.sending != none
}

// LoadView reads the divisible load.
type LoadView struct{ c *Cluster }

// Chunks is a View's description of a worker's chunks.
type Chunks struct {
	Received  int64 // ever
	Queued    int   // there now, with the one that is being computed
	Receiving bool
	Done      unit.Work
}

// Chunks returns the state of a node's chunks: all zero if it is not a worker.
func (v LoadView) Chunks(n unit.NodeID) Chunks {
	w := v.c.worker(n)
	if w == nil {
		return Chunks{}
	}
	moving := v.c.master.sending
	return Chunks{Received: w.received, Queued: int(w.queued), Receiving: moving != none &&
		v.c.transfers[moving].to == n, Done: w.done}
}

// Sending reports whether the master's port is busy.
func (v LoadView) Sending() bool { return v.c.master.sending != none }
