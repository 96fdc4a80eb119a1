package gang

import (
	"fmt"
	"slices"
)

// Place is the rule that finds the GPUs of a gang.
type Place uint8

// The rules. G is the size of the largest node.
const (
	// Pool counts GPUs only: a gang takes those of the lowest nodes that have any free.
	Pool Place = iota
	// FirstNode puts a gang of at most G onto the lowest node that has enough free. A larger
	// one takes free nodes whole, by number, and its rest of the lowest other that has it.
	FirstNode
	// Consolidated puts a gang of at most G onto the node with the fewest free that has enough.
	// A larger one takes free nodes whole, by number, and its rest of the other with the fewest
	// free that has it.
	Consolidated
	// Spread takes GPUs of the nodes with the most free, and never fails while there are enough.
	Spread
	places
)

var placeNames = [places]string{"pool", "first-node", "consolidated", "spread"}

// String returns the rule as settings and reports spell it.
func (p Place) String() string { return placeNames[p] }

// PlaceNames lists the rules as settings spell them.
func PlaceNames() []string { return slices.Clone(placeNames[:]) }

// ParsePlace returns the rule of a name.
func ParsePlace(name string) (Place, error) {
	if i := slices.Index(placeNames[:], name); i >= 0 {
		return Place(i), nil
	}
	return 0, fmt.Errorf("the placement is %q: choose one of %v", name, placeNames)
}

// Node is how many GPUs a node has, and how many of them no gang holds.
type Node struct{ Total, Free int32 }

// Part is the number of GPUs that a gang holds on one node.
type Part struct{ Node, GPUs int32 }

// Find chooses the GPUs for a gang of n by the rule. It appends its parts to parts and returns the
// result, nodes stay as they are. It returns nil if the gang has no place, although n GPUs may be free;
// the memory of parts may have been written then.
func (p Place) Find(nodes []Node, n int32, parts []Part) []Part {
	largest := int32(0)
	for _, node := range nodes {
		largest = max(largest, node.Total)
	}
	switch {
	case p == Pool:
		return fill(nodes, n, parts)
	case p == Spread:
		return spread(nodes, n, parts)
	case n > largest:
		return p.wide(nodes, n, parts)
	}
	if i := p.one(nodes, n, nil); i >= 0 {
		return append(parts, Part{i, n})
	}
	return nil
}

// fill takes n GPUs of the lowest nodes that have some free; nil if fewer are free.
func fill(nodes []Node, n int32, parts []Part) []Part {
	for i := range nodes {
		if take := min(n, nodes[i].Free); take > 0 {
			parts = append(parts, Part{int32(i), take})
			n -= take
		}
		if n == 0 {
			return parts
		}
	}
	return nil
}

// spread takes n GPUs of as few nodes as possible: of those with the most free, the lowest of equal ones
// first. It returns nil if fewer are free.
func spread(nodes []Node, n int32, parts []Part) []Part {
	from := len(parts)
	for i := range nodes {
		if nodes[i].Free > 0 {
			parts = append(parts, Part{int32(i), nodes[i].Free})
		}
	}
	slices.SortStableFunc(parts[from:], func(a, b Part) int { return int(b.GPUs - a.GPUs) })
	for i := from; i < len(parts); i++ {
		if n <= parts[i].GPUs {
			parts[i].GPUs = n
			return parts[:i+1]
		}
		n -= parts[i].GPUs
	}
	return nil
}

// one returns one node with n GPUs free that is not in held: the lowest, or with another rule than
// FirstNode the one with the fewest free. It returns -1 if there is none.
func (p Place) one(nodes []Node, n int32, held []Part) int32 {
	best := int32(-1)
	for i := range nodes {
		free := nodes[i].Free
		if free < n || slices.ContainsFunc(held, func(h Part) bool { return h.Node == int32(i) }) {
			continue
		}
		if p == FirstNode {
			return int32(i)
		}
		if best < 0 || free < nodes[best].Free {
			best = int32(i)
		}
	}
	return best
}

// wide places a gang that is larger than the largest node: nodes that are wholly free, by number, as
// long as each is needed whole, and the rest on one other node by the rule of one. It returns nil if
// that rest has no node.
func (p Place) wide(nodes []Node, n int32, parts []Part) []Part {
	from := len(parts)
	for i := range nodes {
		if node := nodes[i]; node.Free > 0 && node.Free == node.Total && node.Total <= n {
			parts = append(parts, Part{int32(i), node.Total})
			if n -= node.Total; n == 0 {
				return parts
			}
		}
	}
	if i := p.one(nodes, n, parts[from:]); i >= 0 {
		return append(parts, Part{i, n})
	}
	return nil
}

// Uses returns which of the nodes, as they are, could hold a part of a gang of n GPUs: one that has none
// free, or fewer than any part would be, could not. Of a gang that is wider than a node, parts are whole
// nodes and the rest that these leave; where nodes differ, that rest may be anything.
func (p Place) Uses(nodes []Node, n int32) func(node int) bool {
	largest, smallest := int32(1), int32(1)<<30
	for _, node := range nodes {
		if node.Total > 0 { // else it is down
			largest, smallest = max(largest, node.Total), min(smallest, node.Total)
		}
	}
	fewest := int32(1)
	switch {
	case p == Pool || p == Spread || smallest < largest && n > largest:
	case n <= largest:
		fewest = n
	case n%largest > 0:
		fewest = n % largest
	default:
		fewest = largest
	}
	return func(i int) bool { return nodes[i].Free >= fewest }
}
