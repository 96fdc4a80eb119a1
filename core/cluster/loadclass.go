package cluster

import "parley/core/unit"

// LoadClass is how well the load of a node fits its resources: the allocation score
// classes of the negotiation paper (section 6), computed from usage. Pictures, columns and
// reports show the classes; they decide nothing in the simulation.
type LoadClass uint8

// The classes, tested in this order. Boundaries: tight is closed on both
// sides, so proportional means strictly below 70 %.
const (
	ClassDown             LoadClass = iota // the node is not up
	ClassOverloaded                        // some resource above 100 %
	ClassIdle                              // no task, no job and no piece of work
	ClassSuperTight                        // STA: some resource in (90, 100] %
	ClassTight                             // TA: every resource in [70, 90] %
	ClassProportional                      // PA: every resource in [0, 70) %
	ClassDisproportionate                  // DA: the rest, one resource tight and another not
	LoadClasses                            // how many there are
)

// LoadClassNames are the classes as reports and the legend spell them.
var LoadClassNames = [LoadClasses]string{
	"down", "overloaded", "idle", "super tight (STA)", "tight (TA)",
	"proportional (PA)", "disproportionate (DA)",
}

// String returns the class as reports spell it.
func (c LoadClass) String() string { return LoadClassNames[c] }

// LoadClassOf returns the class of a node.
func LoadClassOf(v View, n unit.NodeID) LoadClass {
	switch {
	case !v.Up(n):
		return ClassDown
	case v.Vacant(n):
		return ClassIdle
	}
	return ClassifyLoad(v.Used(n), v.Capacity(n))
}

// ClassifyLoad returns the class of a node that has tasks. A resource that the node
// does not have counts only if something is used of it.
func ClassifyLoad(used, capacity unit.Vec) LoadClass {
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
		return ClassOverloaded
	case super:
		return ClassSuperTight
	case tight:
		return ClassTight
	case loose:
		return ClassProportional
	}
	return ClassDisproportionate
}
