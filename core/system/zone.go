package system

import (
	"fmt"

	"parley/core/unit"
)

// Zone is a set of nodes that a system tells apart from the others: a site, a partition,
// hosts that it plans together.
type Zone struct {
	Name  string        // of no other zone of the system
	Nodes []unit.NodeID // at least one, in their order; of no other zone
}

// ZoneSource is a System that divides its nodes, or some of them, into zones. Its
// Description.Zone is the noun for one.
type ZoneSource interface {
	// Zones returns the zones. They and their order change only when a node joins or
	// its capacity changes. The caller owns the result.
	Zones() []Zone
	// ZoneFigure returns the most important figure of one of its zones now, in a few
	// words: "3 waiting". Empty if there is none.
	ZoneFigure(Zone) string
}

// Waiting returns the length of a zone's queue as its figure; empty if nothing waits.
func Waiting(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d waiting", n)
}
