package market

import (
	"fmt"
	"slices"

	"parley/core/system"
	"parley/core/unit"
)

// Zones implements system.ZoneSource: a rack is a site.
func (x *exchange) Zones() []system.Zone {
	zones := make([]system.Zone, len(x.resources.All))
	for i := range zones {
		zones[i].Name = x.resources.All[i].Site.Name
	}
	for n := range unit.NodeID(x.view.Nodes()) {
		if rack := x.view.Rack(n); rack >= 0 && int(rack) < len(zones) {
			zones[rack].Nodes = append(zones[rack].Nodes, n)
		}
	}
	return slices.DeleteFunc(zones, func(z system.Zone) bool { return len(z.Nodes) == 0 })
}

// ZoneFigure implements system.ZoneSource: the jobs that wait in the site's queue.
func (x *exchange) ZoneFigure(z system.Zone) string {
	return system.Waiting(x.resources.All[x.view.Rack(z.Nodes[0])].Queue.Waiting())
}

// ZoneCard implements system.ZoneCardSource: the latest offer of a site, its rank in the newest auction under
// way, its free cores and its queue.
func (x *exchange) ZoneCard(z system.Zone) system.ZoneCard {
	i := int(x.view.Rack(z.Nodes[0]))
	one := &x.resources.All[i]
	c := system.ZoneCard{Down: true}
	if one.Bids > 0 {
		c.Figure = fmt.Sprintf("%.1f", one.Offer.Credits())
	}
	for _, n := range z.Nodes {
		c.Size += float64(x.view.Processors(n))
		if x.view.Up(n) {
			c.Down = false
			c.Free += float64(x.view.Processors(n) - x.view.BusyProcessors(n))
		}
	}
	wait := "none waits"
	if k := one.Queue.Waiting(); k > 0 {
		wait = fmt.Sprintf("%s wait", system.Whole(float64(k)))
	}
	c.Lines = []string{system.Whole(c.Free) + " free", wait}
	switch {
	case one.Down:
		c.Lines[1] = "agent is down"
	case x.away[i]:
		c.Lines[1] = "not in the market"
	}
	if l := x.users.OpenLot(); l != nil {
		switch rank := l.Rank(i); {
		case rank == 1:
			c.Mark, c.Leads = "leads", true
		case rank > 1:
			c.Mark = fmt.Sprintf("no. %d", rank)
		}
	}
	return c
}
