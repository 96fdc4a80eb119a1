package cluster

import "parley/core/unit"

// LoadClass says how well a node's load fits it: the allocation score classes of
// the negotiation paper (section 6), by what is used there.
type LoadClass uint8

// The classes, tested in this order. Boundaries: tight is closed on both
// sides, so proportional means strictly below 70 %.
const (
	Down             LoadClass = iota // the node is not up
	Overloaded                        // some resource above 100 %
	Idle                              // no task, no chunk and no job
	SuperTight                        // STA: some resource in (90, 100] %
	Tight                             // TA: every resource in [70, 90] %
	Proportional                      // PA: every resource in [0, 70) %
	Disproportionate                  // DA: the rest, one resource tight and another not
	LoadClasses                       // how many there are
)

// LoadClassNames are the classes as reports and the legend spell them.
var LoadClassNames = [LoadClasses]string{"down", "overloaded", "idle", "super tight (STA)", "tight (TA)", "proportional (PA)", "disproportionate (DA)"}

// LoadClass returns the class of a node.
func (v View) LoadClass(n unit.NodeID) LoadClass {
	s := &v.c.nodes
	if !s.state[n].up {
		return Down
	}
	if s.state[n].count == 0 && s.state[n].incoming == 0 && v.Chunks(n).Queued == 0 && v.BusyProcessors(n) == 0 {
		return Idle
	}
	return Classify(s.used[n], s.capacity[n])
}

// Classify returns the class of a node that has tasks. A resource that the node
// does not have counts only where something is used of it.
func Classify(used, capacity unit.Vec) LoadClass {
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
