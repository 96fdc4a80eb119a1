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
func (s *Spread) Take(need unit.Vec, most float64, suits func(unit.NodeID) bool) unit.NodeID {
	return s.take(need, most, suits)
}

// GiveBack undoes a reservation.
func (s *Spread) GiveBack(n unit.NodeID, need unit.Vec) { s.giveBack(n, need) }
