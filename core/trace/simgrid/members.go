package simgrid

import (
	"strconv"
	"strings"
)

// member handles an element in a zone.
func (rd *reader) member(e element) error {
	id, err := rd.need(e, "id")
	if err != nil {
		return err
	}
	z := rd.here()
	switch e.name {
	case "link":
		return rd.link(e, id)
	case "backbone":
		way, err := rd.stretch(e, "bandwidth", "latency")
		rd.p.zones[z].backbone = way
		rd.p.links[id] = way
		return err
	case "cabinet":
		return rd.hosts(e, z)
	case "host_link":
		return rd.hostLink(e, id)
	}
	n := node{name: id, zone: z}
	if n.coordinates, err = rd.coordinates(e); err != nil {
		return err
	}
	if e.name == "router" {
		_, err := rd.addPoint(e, n)
		return err
	}
	if e.name == "peer" {
		if n.up.bandwidth, err = rd.positive(e, "bw_out", bandwidths); err != nil {
			return err
		}
		if n.down.bandwidth, err = rd.positive(e, "bw_in", bandwidths); err != nil {
			return err
		}
	}
	speed, cores, err := rd.speed(e)
	if err != nil {
		return err
	}
	return rd.addHost(e, n, speed, cores)
}

// speed reads the speed of the pstate that an element gives, and its cores.
func (rd *reader) speed(e element) (speed float64, cores int, err error) {
	text, err := rd.need(e, "speed")
	if err != nil {
		return 0, 0, err
	}
	states := strings.Split(text, ",")
	pstate := e.get("pstate", "0")
	state, err := strconv.Atoi(pstate)
	if err != nil || state < 0 || state >= len(states) {
		return 0, 0, rd.bad(e, "pstate", pstate, "is none of its "+strconv.Itoa(len(states))+" speeds, counted from 0")
	}
	speed, reason := measure(states[state], speeds)
	if reason == "" {
		reason = notPositive(speed)
	}
	if reason != "" {
		return 0, 0, rd.bad(e, "speed", text, reason)
	}
	core := e.get("core", "1")
	if cores, err = strconv.Atoi(core); err != nil || cores < 1 {
		return 0, 0, rd.bad(e, "core", core, "is not a number of cores")
	}
	return speed, cores, nil
}

// coordinates returns the three coordinates of an element of a Vivaldi zone; nil if it has none.
func (rd *reader) coordinates(e element) ([]float64, error) {
	text := e.get("coordinates", "")
	if text == "" {
		return nil, nil
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	at := make([]float64, len(fields))
	for i, f := range fields {
		value, err := strconv.ParseFloat(f, 64)
		if err != nil || len(fields) != 3 {
			return nil, rd.bad(e, "coordinates", text, "is not three numbers")
		}
		at[i] = value
	}
	return at, nil
}

// link adds a link. Of a Wi-Fi link it takes the first bandwidth, which is that of the nearest hosts.
func (rd *reader) link(e element, id string) error {
	if e.get("sharing_policy", "") == "WIFI" { // one bandwidth for each distance: the first is the nearest
		for i, a := range e.attrs {
			if a.Name.Local == "bandwidth" {
				e.attrs[i].Value, _, _ = strings.Cut(a.Value, ",")
			}
		}
	}
	way, err := rd.stretch(e, "bandwidth", "latency")
	if err != nil {
		return err
	}
	if _, twice := rd.p.links[id]; twice {
		return rd.bad(e, "id", id, "is the name of two links")
	}
	rd.p.links[id] = way
	return nil
}

// hostLink gives a host of a Cluster zone its private links.
func (rd *reader) hostLink(e element, id string) error {
	at, found := rd.p.points[id]
	if !found {
		return rd.bad(e, "id", id, "is no host defined above")
	}
	for i, side := range [...]struct {
		attribute string
		way       *stretch
	}{{"up", &rd.p.nodes[at].up}, {"down", &rd.p.nodes[at].down}} {
		name, err := rd.need(e, side.attribute)
		if err != nil {
			return err
		}
		way, found := rd.p.findLink(name)
		if !found {
			return rd.bad(e, side.attribute, name, "is no link defined above")
		}
		*side.way = way
		rd.p.nodes[at].shared[i] = name
	}
	return nil
}

// findLink finds a link by its name, or by that of one direction of it.
func (p *Platform) findLink(name string) (way stretch, found bool) {
	if way, found = p.links[name]; found {
		return way, true
	}
	for _, direction := range [...]string{"_UP", "_DOWN"} {
		if whole, ok := strings.CutSuffix(name, direction); ok {
			if way, found = p.links[whole]; found {
				return way, true
			}
		}
	}
	return nothing, false
}
