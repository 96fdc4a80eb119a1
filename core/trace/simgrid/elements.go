package simgrid

import (
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/trace/markup"
)

// start handles a start tag.
func (rd *reader) start(e element) error {
	if len(rd.open) == 0 && e.name != "platform" {
		rd.line = 0
		return rd.fail(trace.Unknown, "is not a SimGrid platform: its first element is <"+markup.Cut(e.name)+">",
			"choose a file with a <platform>")
	}
	switch e.name {
	case "platform":
		return rd.platform(e)
	case "zone", "AS":
		return rd.zone(e)
	case "cluster":
		rd.first = len(rd.p.Hosts)
		return rd.cluster(e)
	case "route", "bypassRoute", "zoneRoute", "ASroute", "bypassZoneRoute", "bypassASroute":
		return rd.startRoute(e)
	case "link_ctn":
		return rd.passage(e)
	case "host", "router", "peer", "cabinet", "link", "backbone", "host_link":
		if len(rd.zones) == 0 {
			return rd.bad(e, "id", e.get("id", ""), "stands outside of every zone")
		}
		rd.first = len(rd.p.Hosts)
		return rd.member(e)
	case "prop":
		rd.property(e)
	case "trace", "trace_connect":
		rd.note("line " + strconv.Itoa(e.line) + ": profiles of changing speed, bandwidth or state are passed over")
	case "config", "model_prop", "random", "disk", "storage", "storage_type", "mount", "actor", "process", "argument":
	case "include":
		return rd.bad(e, "file", e.get("file", ""), "is another file, which is not fetched")
	default:
		return rd.fail(trace.BadLine, "the element <"+markup.Cut(e.name)+"> is not part of the format", "correct the line")
	}
	return nil
}

// property takes the role of hosts, as Batsim's platforms give it, and notes that energy is not played.
func (rd *reader) property(e element) {
	switch rd.open[len(rd.open)-1] {
	case "host", "peer", "cluster", "cabinet":
	default:
		return
	}
	switch id := e.get("id", ""); {
	case id == "role":
		for i := range rd.p.Hosts[rd.first:] {
			rd.p.Hosts[rd.first+i].Role = e.get("value", "")
		}
	case strings.HasPrefix(id, "watt") && !rd.watts:
		rd.watts = true
		rd.note("line " + strconv.Itoa(e.line) + ": watts are passed over")
	}
}

// end handles an end tag.
func (rd *reader) end(name string) error {
	switch name {
	case "zone", "AS":
		rd.zones = rd.zones[:len(rd.zones)-1]
	case "route", "bypassRoute", "zoneRoute", "ASroute", "bypassZoneRoute", "bypassASroute":
		return rd.endRoute()
	}
	return nil
}

// platform reads the root element, of version 4.
func (rd *reader) platform(e element) error {
	if len(rd.open) > 0 {
		return rd.fail(trace.BadLine, "a platform stands within a platform", "correct the line")
	}
	rd.begun = true
	text, err := rd.need(e, "version")
	if err != nil {
		return err
	}
	switch version, err := strconv.ParseFloat(text, 64); {
	case err != nil:
		return rd.bad(e, "version", text, "is not a number")
	case version < 4:
		return rd.bad(e, "version", text, "is older than 4: SimGrid's simgrid_update_xml brings it up to date")
	case version >= 5:
		return rd.bad(e, "version", text, "is newer than the 4.1 that is read here")
	}
	return nil
}

var routings = map[string]routing{
	"full": full, "floyd": shortest, "dijkstra": shortest, "dijkstracache": shortest,
	"cluster": cluster, "star": cluster, "vivaldi": vivaldi, "none": none, "empty": none,
}

// zone opens a zone with a kind of routing within the present one.
func (rd *reader) zone(e element) error {
	values, err := rd.needAll(e, "id", "routing")
	if err != nil {
		return err
	}
	kind, known := routings[strings.ToLower(values[1])]
	if strings.EqualFold(values[1], "Wifi") {
		rd.line = e.line
		return rd.fail(trace.Unknown, "has a Wi-Fi zone, "+markup.Cut(values[0])+
			", whose hosts share the air: such zones are not read here", "describe it as a Cluster")
	}
	if !known {
		return rd.bad(e, "routing", values[1], "is none of Full, Floyd, Dijkstra, Cluster, Vivaldi, None")
	}
	z, err := rd.addZone(e, values[0], kind)
	rd.zones = append(rd.zones, z)
	return err
}

func (rd *reader) addZone(e element, name string, kind routing) (int32, error) {
	if _, twice := rd.p.zoneNodes[name]; twice {
		return 0, rd.bad(e, "id", name, "is the name of two zones")
	}
	z := int32(len(rd.p.zones))
	n := rd.addNode(node{name: name, zone: rd.here(), self: z})
	rd.p.zoneNodes[name] = n
	rd.p.zones = append(rd.p.zones, zone{
		node: n, routing: kind, backbone: nothing,
		routes: map[pair]route{}, nearby: map[int32][]int32{}, bypasses: map[pair]route{},
	})
	return z, nil
}

// here is the zone that is open, -1 outside of all.
func (rd *reader) here() int32 {
	if len(rd.zones) == 0 {
		return -1
	}
	return rd.zones[len(rd.zones)-1]
}

func (rd *reader) addNode(n node) int32 {
	if n.up == (stretch{}) {
		n.up = nothing
	}
	if n.down == (stretch{}) {
		n.down = nothing
	}
	rd.p.nodes = append(rd.p.nodes, n)
	return int32(len(rd.p.nodes) - 1)
}

// addPoint adds a host or router.
func (rd *reader) addPoint(e element, n node) (int32, error) {
	if _, twice := rd.p.points[n.name]; twice {
		return 0, rd.bad(e, "id", n.name, "is the name of two hosts or routers")
	}
	n.self = -1
	at := rd.addNode(n)
	rd.p.points[n.name] = at
	return at, nil
}

func (rd *reader) addHost(e element, n node, speed float64, cores int) error {
	if len(rd.p.Hosts) == maxHosts {
		return rd.fail(trace.TooLarge, "has more than "+strconv.Itoa(maxHosts)+" hosts", "leave hosts out")
	}
	at, err := rd.addPoint(e, n)
	rd.p.Hosts = append(rd.p.Hosts, Host{Name: n.name, Speed: speed, Cores: cores, node: at})
	return err
}
