package inspect

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/unit"
	"parley/core/workload"
)

// Groupings of the nodes of a picture, besides racks.
const (
	BySite      = "site"
	ByZone      = "zone"      // of the system
	ByMachine   = "machine"   // its capacity
	ByAttribute = "attribute" // the first that differs between nodes
)

// blockOf is the number of nodes of a block that is not a rack, maxGroups the greatest number of
// groups in one picture.
const (
	blockOf   = 48
	maxGroups = 400
)

// LayoutIn returns the positions of the cells of Frame so that they fill width × height
// pixels; see frame.Fit. by is one of the groupings above; anything else means racks, which have the
// name of the system's zone or of the workload's rack, or one block for a system without racks.
// groups are the names of the groups that Block.Group numbers.
func (r *Inspector) LayoutIn(width, height, limit int, by string) (l frame.Layout, groups []string) {
	v := r.of.View
	all := grouped(v, by, r.of.Names)
	if by == ByZone {
		all = r.zoned()
	}
	if len(all) == 0 && r.NoRacks() {
		l = frame.Fit(make([]int32, v.Nodes()), width, height, limit)
		for i := range l.Blocks {
			l.Blocks[i].Rack = -1
		}
		return l, nil
	}
	if len(all) == 0 {
		l = frame.Fit(v.Racks(), width, height, limit)
		return l, r.nameRacks(l.Blocks)
	}
	block := make([]int32, v.Nodes())
	next := int32(0)
	var first []unit.NodeID // of each block
	var of []int32          // its group
	for g, one := range all {
		groups = append(groups, one.name)
		begins, filled := next, 0
		for _, n := range one.nodes {
			at := next - 1
			if by == BySite { // a rack stays a block
				for at >= begins && v.Rack(first[at]) != v.Rack(n) {
					at--
				}
			} else if filled%blockOf == 0 {
				at = begins - 1
			}
			filled++
			if at < begins {
				at = next
				next++
				first, of = append(first, n), append(of, int32(g))
			}
			block[n] = at
		}
	}
	l = frame.Fit(block, width, height, limit)
	for i := range l.Blocks {
		b := &l.Blocks[i]
		at := b.Rack
		b.Group, b.Rack = of[at], -1
		if by == BySite {
			b.Rack = v.Rack(first[at])
		}
	}
	return l, groups
}

// Layout returns where the cells of Frame are drawn, whatever the room.
func (r *Inspector) Layout() frame.Layout { return frame.Racks(r.of.View.Racks(), 16.0/10) }

// group is nodes that stand together.
type group struct {
	name  string
	nodes []unit.NodeID
}

// grouped returns the groups in their order; none if nothing tells nodes apart.
func grouped(v cluster.View, by string, names *workload.Names) (all []group) {
	attribute := telling(v)
	same := func(a, b unit.NodeID) int64 { return int64(v.Site(a)) - int64(v.Site(b)) }
	name := func(n unit.NodeID) string { return "site " + strconv.Itoa(int(v.Site(n))) }
	switch {
	case by == BySite:
	case by == ByMachine:
		same = func(a, b unit.NodeID) int64 {
			for i, c := range v.Capacity(a) {
				if off := int64(c - v.Capacity(b)[i]); off != 0 {
					return off
				}
			}
			return 0
		}
		name = func(n unit.NodeID) (text string) {
			for i, c := range v.Capacity(n) {
				if i > 0 {
					text += " · "
				}
				text += strconv.FormatFloat(c.Float(), 'g', 3, 64) + " " + unit.Resource(i).Title()
			}
			return text
		}
	case by == ByAttribute && attribute >= 0:
		same = func(a, b unit.NodeID) int64 { return v.Attribute(a, attribute) - v.Attribute(b, attribute) }
		name = func(n unit.NodeID) string {
			title, value := "attribute "+strconv.Itoa(int(attribute)), "none"
			x := v.Attribute(n, attribute)
			if names.Shown() {
				title = names.AttributeText(attribute)
			}
			switch {
			case x == workload.Unset:
			case names.Shown():
				value = names.ValueText(x)
			default:
				value = strconv.FormatInt(x, 10)
			}
			return title + ": " + value
		}
	default:
		return nil
	}
	last := 0
	for i := range v.Nodes() {
		n := unit.NodeID(i)
		if len(all) == 0 || same(all[last].nodes[0], n) != 0 {
			for last = 0; last < len(all) && same(all[last].nodes[0], n) < 0; last++ {
			}
			if last == len(all) || same(all[last].nodes[0], n) > 0 {
				if len(all) == maxGroups {
					return nil
				}
				all = append(all, group{})
				copy(all[last+1:], all[last:])
				all[last] = group{name: name(n)}
			}
		}
		all[last].nodes = append(all[last].nodes, n)
	}
	return all
}

// telling returns the first attribute that has two to 24 values, or -1.
func telling(v cluster.View) workload.AttributeName {
	for a := range workload.AttributeName(v.Attributes()) {
		var values []int64
	nodes:
		for n := range v.Nodes() {
			x := v.Attribute(unit.NodeID(n), a)
			for _, known := range values {
				if known == x {
					continue nodes
				}
			}
			if values = append(values, x); len(values) > 24 {
				break
			}
		}
		if len(values) > 1 && len(values) <= 24 {
			return a
		}
	}
	return -1
}
