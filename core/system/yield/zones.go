package yield

import (
	"fmt"
	"strconv"

	"parley/core/system"
	"parley/core/unit"
)

// Zones implements system.ZoneSource: the pools, which are the hosts of one capacity, in
// the order of their first hosts. The controller plans each pool for itself.
func (c *controller) Zones() []system.Zone {
	var zones []system.Zone
	pools := map[unit.Vec]int{}
	for n := range unit.NodeID(c.env.View.Nodes()) {
		capacity := c.env.View.Capacity(n)
		i, known := pools[capacity]
		if !known {
			i = len(zones)
			pools[capacity] = i
			zones = append(zones, system.Zone{Name: poolName(capacity)})
		}
		zones[i].Nodes = append(zones[i].Nodes, n)
	}
	return zones
}

// poolName names a pool by the capacity of its hosts, in shares of the reference machine.
func poolName(capacity unit.Vec) string {
	share := func(r unit.Resource) string { return strconv.FormatFloat(capacity[r].Float(), 'g', -1, 64) }
	return fmt.Sprintf("CPU %s, memory %s", share(unit.CPU), share(unit.Memory))
}

// ZoneFigure implements system.ZoneSource: the smallest yield of a pool's tasks; empty if
// it has none.
func (c *controller) ZoneFigure(z system.Zone) string {
	f, lowest, tasks := c.look(), 1.0, 0
	for _, n := range z.Nodes {
		lowest = min(lowest, f.lowest[n])
		tasks += c.env.View.Count(n)
	}
	if tasks == 0 {
		return ""
	}
	return fmt.Sprintf("yield %d %%", int(100*lowest))
}
