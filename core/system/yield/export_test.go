package yield

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// Spread is how jobs are placed without a plan.
type Spread = spread

// NewSpread begins it with what runs on a cluster.
func NewSpread(v cluster.View) *Spread { return newSpread(v) }

// Take reserves a host for a task.
func (s *Spread) Take(need unit.Vec, limit float64, suits func(unit.NodeID) bool) unit.NodeID {
	return s.take(need, limit, suits)
}

// GiveBack undoes a reservation.
func (s *Spread) GiveBack(n unit.NodeID, need unit.Vec) { s.giveBack(n, need) }

// Book lists the jobs that have not ended.
type Book = book

// NewBook returns one without a job.
func NewBook() Book { return newBook() }

// Enter adds a task.
func (b *book) Enter(id unit.TaskID) { b.add(id, &cluster.Task{}, false) }

// Has reports whether a task stands in it.
func (b *book) Has(id unit.TaskID) bool { return b.job(id) != nil }
