package system

import (
	"fmt"

	"parley/core/unit"
)

// Zone is a set of nodes that a system distinguishes from the others: a site, a partition, hosts
// that it plans together.
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

// ZoneCard is how a zone stands now, on the card that the stage of a system with ViewZones shows of it.
type ZoneCard struct {
	Figure string   // the one that decides: "38.1"; empty: it has none
	Mark   string   // its place among the zones that are asked now: "leads"; empty: it has none
	Leads  bool     // that place is the first
	Lines  []string // two lines at most: "2,824 free"
	Free   float64  // of Size, what is to be had now
	Size   float64  // what it has, in a unit that all zones share
	Down   bool     // no node of it is up
}

// ZoneCardSource is a ZoneSource that tells more of a zone than a figure: ViewZones.
type ZoneCardSource interface {
	// ZoneCard returns how a zone stands now.
	ZoneCard(Zone) ZoneCard
}

// Waiting returns the length of a zone's queue as its figure; empty if nothing waits.
func Waiting(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d waiting", n)
}
