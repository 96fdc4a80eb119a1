package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// Zone is a system.Zone of a run.
type Zone struct {
	system.Zone
	Rack int32 // whose nodes are those of the zone; -1 if there is no such rack
}

// Zones returns the zones that the system tells apart; nil if there are fewer than two, or
// more than one picture can tell apart.
func (r *Inspector) Zones() []Zone {
	source, ok := r.of.System.(system.ZoneSource)
	if !ok {
		return nil
	}
	all := source.Zones()
	if len(all) < 2 || len(all) > maxGroups {
		return nil
	}
	racks := r.of.View.Racks()
	zones := make([]Zone, len(all))
	for i, z := range all {
		zones[i] = Zone{z, racks[z.Nodes[0]]}
		whole := 0 // nodes of the rack less those of the zone
		for _, rack := range racks {
			if rack == zones[i].Rack {
				whole++
			}
		}
		for _, n := range z.Nodes {
			if whole--; racks[n] != zones[i].Rack {
				whole = -1 // the zone has nodes of several racks
				break
			}
		}
		if whole != 0 {
			zones[i].Rack = -1
		}
	}
	return zones
}

// ZoneFigure returns the most important figure of a zone now, in a few words; empty if
// there is none.
func (r *Inspector) ZoneFigure(z Zone) string {
	if source, ok := r.of.System.(system.ZoneSource); ok {
		return source.ZoneFigure(z.Zone)
	}
	return ""
}

// ZoneCard returns how a zone stands now; false if its system has no cards of zones.
func (r *Inspector) ZoneCard(z Zone) (card system.ZoneCard, has bool) {
	if source, ok := r.of.System.(system.ZoneCardSource); ok {
		return source.ZoneCard(z.Zone), true
	}
	return card, false
}

// rackName returns what people call a rack: the zone that it is, "site KTH", the name that the
// workload has for it, "zone eu-west-1a", or "rack 3"; empty if there are none.
func (r *Inspector) rackName(rack int32, zones []Zone) string {
	if at := zoneOf(rack, zones); at >= 0 {
		return r.of.About.Zone + " " + zones[at].Name
	}
	if name := r.of.Names.Rack(rack); name != "" {
		return "zone " + name
	}
	if r.noRacks(zones) {
		return ""
	}
	return fmt.Sprintf("rack %d", rack)
}

// nodeName returns the system's word for a node.
func (r *Inspector) nodeName() string { return cmp.Or(r.of.About.Node, "node") }

// NoRacks reports whether the grouping of nodes is unknown: racks mean nothing to the system, or the
// work is a log of jobs without racks, whose nodes are in racks only because every cluster
// has them.
func (r *Inspector) NoRacks() bool { return r.noRacks(r.Zones()) }

func (r *Inspector) noRacks(zones []Zone) bool {
	named := slices.ContainsFunc(zones, func(z Zone) bool { return z.Rack >= 0 })
	return !named && (r.of.About.NoRacks || r.of.Unracked && r.spread())
}

// spread reports whether nodes are in racks only by their numbers, each as many as the others.
func (r *Inspector) spread() bool {
	size := cluster.Default().RackSize
	for n, rack := range r.of.View.Racks() {
		if rack != int32(n/size) {
			return false
		}
	}
	return true
}

// zoneOf returns the index of the zone that a rack is, and -1 if it is none.
func zoneOf(rack int32, zones []Zone) int {
	for i := range zones {
		if zones[i].Rack == rack && rack >= 0 {
			return i
		}
	}
	return -1
}

// nameRacks puts each rack into a group if some are zones or have names from the workload, and
// returns the names of the groups; nil if no rack has one.
func (r *Inspector) nameRacks(blocks []frame.Block) (names []string) {
	zones, any := r.Zones(), false
	for i := range blocks {
		blocks[i].Group = int32(i)
		name := r.of.Names.Rack(blocks[i].Rack)
		if at := zoneOf(blocks[i].Rack, zones); at >= 0 {
			name = zones[at].Name
		}
		any = any || name != ""
		names = append(names, name)
	}
	if any {
		return names
	}
	for i := range blocks {
		blocks[i].Group = 0
	}
	return nil
}

// zoned returns the zones as groups of a picture; the last one has the nodes of no zone.
func (r *Inspector) zoned() (all []group) {
	inZone := make([]bool, r.of.View.Nodes())
	for _, z := range r.Zones() {
		all = append(all, group{z.Name, z.Nodes})
		for _, n := range z.Nodes {
			inZone[n] = true
		}
	}
	if len(all) == 0 {
		return nil
	}
	var others []unit.NodeID
	for n, is := range inZone {
		if !is {
			others = append(others, unit.NodeID(n))
		}
	}
	if len(others) > 0 {
		all = append(all, group{"", others})
	}
	return all
}
