// Package loadclass classifies nodes by how well their load fits their resources: the
// allocation score classes of the negotiation paper (section 6), computed from usage.
// Pictures, columns and reports show the classes; they decide nothing in the simulation.
//
//	loadclass.Of(view, node) == loadclass.Tight
package loadclass

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// Class is one of the classes.
type Class uint8

// The classes, tested in this order. Boundaries: tight is closed on both
// sides, so proportional means strictly below 70 %.
const (
	Down             Class = iota // the node is not up
	Overloaded                    // some resource above 100 %
	Idle                          // no task, no job and no piece of work
	SuperTight                    // STA: some resource in (90, 100] %
	Tight                         // TA: every resource in [70, 90] %
	Proportional                  // PA: every resource in [0, 70) %
	Disproportionate              // DA: the rest, one resource tight and another not
	Classes                       // how many there are
)

// Names are the classes as reports and the legend spell them.
var Names = [Classes]string{"down", "overloaded", "idle", "super tight (STA)", "tight (TA)", "proportional (PA)", "disproportionate (DA)"}

// String returns the class as reports spell it.
func (c Class) String() string { return Names[c] }

// Of returns the class of a node.
func Of(v cluster.View, n unit.NodeID) Class {
	switch {
	case !v.Up(n):
		return Down
	case v.Vacant(n):
		return Idle
	}
	return Classify(v.Used(n), v.Capacity(n))
}

// Classify returns the class of a node that has tasks. A resource that the node
// does not have counts only where something is used of it.
func Classify(used, capacity unit.Vec) Class {
	over, super, tight, loose := false, false, true, true
	for r := range used {
		u, c := int64(used[r])*10, int64(capacity[r])
		if c == 0 && u == 0 {
			continue
		}
		if u < c*7 {
			tight = false
			continue
		}
		loose = false
		if u > c*9 {
			tight, super = false, true
			over = over || u > c*10
		}
	}
	switch {
	case over:
		return Overloaded
	case super:
		return SuperTight
	case tight:
		return Tight
	case loose:
		return Proportional
	}
	return Disproportionate
}
