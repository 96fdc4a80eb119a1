package simgrid

import (
	"strings"

	"parley/core/trace"
)

// pending is a route whose end tag has not come yet.
type pending struct {
	element element
	between pair
	route   route
	bypass  bool
	both    bool // it holds for the way back too
}

// startRoute reads the attributes of a route into rd.route, which endRoute adds to its zone. An end that is a zone
// needs a gateway in it. A bypass may name ends in other zones, and is not symmetrical.
func (rd *reader) startRoute(e element) error {
	if rd.openRoute != nil {
		return rd.fail(trace.BadLine, "a route stands within a route", "correct the line")
	}
	z := rd.here()
	if z < 0 {
		return rd.fail(trace.BadLine, "a route stands outside of every zone", "correct the line")
	}
	r := &pending{element: e, route: route{way: nothing}, bypass: strings.HasPrefix(e.name, "bypass")}
	symmetrical := e.get("symmetrical", "YES")
	switch strings.ToUpper(symmetrical) {
	case "YES":
		r.both = !r.bypass
	case "NO":
	default:
		return rd.bad(e, "symmetrical", symmetrical, "is neither YES nor NO")
	}
	ofZones := strings.Contains(strings.ToLower(e.name), "zone") || strings.Contains(e.name, "AS")
	for _, end := range [...]struct {
		attribute string
		at, gate  *int32
	}{{"src", &r.between.from, &r.route.from}, {"dst", &r.between.to, &r.route.to}} {
		name, err := rd.need(e, end.attribute)
		if err != nil {
			return err
		}
		at, found := rd.p.points[name]
		if ofZones || !found {
			if inner, ok := rd.p.zoneNodes[name]; ok {
				at, found = inner, true
			}
		}
		if !found {
			return rd.bad(e, end.attribute, name, "is neither a host, a router nor a zone defined above")
		}
		if !r.bypass && rd.p.nodes[at].zone != z {
			return rd.bad(e, end.attribute, name, "stands in another zone than the route")
		}
		*end.at, *end.gate = at, at
		if rd.p.nodes[at].self < 0 {
			continue // a host or router is its own gateway
		}
		gateway, err := rd.need(e, "gw_"+end.attribute)
		if err != nil {
			return err
		}
		if *end.gate, found = rd.p.points[gateway]; !found {
			return rd.bad(e, "gw_"+end.attribute, gateway, "is neither a host nor a router defined above")
		}
		if !rd.p.within(*end.gate, rd.p.nodes[at].self) {
			return rd.bad(e, "gw_"+end.attribute, gateway, "does not stand in the zone that it is the gateway of")
		}
	}
	rd.openRoute = r
	return nil
}

// within reports whether a node stands in a zone or in a zone within it.
func (p *Platform) within(n, z int32) bool {
	for at := p.nodes[n].zone; at >= 0; at = p.nodes[p.zones[at].node].zone {
		if at == z {
			return true
		}
	}
	return false
}

// passage adds one link to the route that is open.
func (rd *reader) passage(e element) error {
	if rd.openRoute == nil {
		return rd.fail(trace.BadLine, "a link_ctn stands outside of every route", "correct the line")
	}
	id, err := rd.need(e, "id")
	if err != nil {
		return err
	}
	way, found := rd.p.findLink(id)
	if !found {
		return rd.bad(e, "id", id, "is no link defined above")
	}
	rd.openRoute.route.way = rd.openRoute.route.way.then(way)
	rd.openRoute.route.links++
	return nil
}

// endRoute adds the open route to its zone and, if it is symmetrical, the way back, unless a route of its own
// was given for that.
func (rd *reader) endRoute() error {
	r := rd.openRoute
	rd.openRoute = nil
	z := &rd.p.zones[rd.here()]
	routes := z.routes
	if r.bypass {
		routes = z.bypasses
	}
	if _, twice := routes[r.between]; twice {
		return rd.bad(r.element, "dst", rd.p.nodes[r.between.to].name, "has two routes from the same src")
	}
	routes[r.between] = r.route
	back := pair{r.between.to, r.between.from}
	if _, given := routes[back]; r.both && !given {
		routes[back] = route{r.route.way, r.route.links, r.route.to, r.route.from}
		z.nearby[back.from] = append(z.nearby[back.from], back.to)
	}
	if !r.bypass {
		z.nearby[r.between.from] = append(z.nearby[r.between.from], r.between.to)
	}
	return nil
}
