package inspect

import (
	"fmt"
	"slices"

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
	if len(all) < 2 || len(all) > mostGroups {
		return nil
	}
	racks := r.of.View.Racks()
	size := map[int32]int{}
	for _, rack := range racks {
		size[rack]++
	}
	zones := make([]Zone, len(all))
	for i, z := range all {
		rack := racks[z.Nodes[0]]
		for _, n := range z.Nodes {
			if racks[n] != rack {
				rack = -1
			}
		}
		if rack >= 0 && size[rack] != len(z.Nodes) {
			rack = -1
		}
		zones[i] = Zone{z, rack}
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

// zoneOfRack returns the names of racks that are zones of the system, "site KTH", or that the
// workload names, "zone eu-west-1a".
func (r *Inspector) zoneOfRack() map[int32]string {
	names := map[int32]string{}
	for _, rack := range r.of.View.Racks() {
		if name := r.of.Names.Rack(rack); name != "" {
			names[rack] = "zone " + name
		}
	}
	for _, z := range r.Zones() {
		if z.Rack >= 0 {
			names[z.Rack] = r.of.About.Zone + " " + z.Name
		}
	}
	return names
}

// rackName returns what people call a rack, if some racks are zones with names: "rack 3".
func rackName(rack int32, zones map[int32]string) string {
	if name, is := zones[rack]; is {
		return name
	}
	return fmt.Sprintf("rack %d", rack)
}

// nameRacks puts each rack into a group if some are zones or have names from the workload, and
// returns the names of the groups; nil if no rack has one.
func (r *Inspector) nameRacks(blocks []frame.Block) (names []string) {
	zones := r.Zones()
	named := func(b frame.Block) bool { return r.of.Names.Rack(b.Rack) != "" }
	if !slices.ContainsFunc(zones, func(z Zone) bool { return z.Rack >= 0 }) && !slices.ContainsFunc(blocks, named) {
		return nil
	}
	for i := range blocks {
		blocks[i].Group = int32(i)
		name := r.of.Names.Rack(blocks[i].Rack)
		if at := slices.IndexFunc(zones, func(z Zone) bool { return z.Rack == blocks[i].Rack }); at >= 0 {
			name = zones[at].Name
		}
		names = append(names, name)
	}
	return names
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
