package simgrid

import (
	"fmt"
	"math"

	"parley/core/heap"
	"parley/core/trace/markup"
)

// Paths returns the paths from the named master to the other hosts, in
// the order of Hosts, and the hosts without a route. It fails if there
// is no such master, or if no host can be reached.
func (p *Platform) Paths(master string) (paths []Path, unreached []int, err error) {
	from, found := p.points[master]
	if !found || !p.isHost(from) {
		return nil, nil, fmt.Errorf("the platform has no host named %q: choose a master such as %q", markup.Cut(master),
			p.Hosts[0].Name)
	}
	w := walker{p: p, known: map[pair]answer{}, trees: map[pair]tree{}}
	var first error
	for i, h := range p.Hosts {
		if h.node == from {
			continue
		}
		way, err := w.between(from, h.node)
		if err != nil {
			unreached = append(unreached, i)
			if first == nil {
				first = err
			}
			continue
		}
		paths = append(paths, Path{Host: i, Bandwidth: way.bandwidth, Latency: way.latency})
	}
	if len(paths) == 0 {
		if first == nil {
			first = fmt.Errorf("%s is the only host", master)
		}
		return nil, unreached, fmt.Errorf("the master %s reaches no host: %w", master, first)
	}
	return paths, unreached, nil
}

func (p *Platform) isHost(n int32) bool {
	for _, h := range p.Hosts {
		if h.node == n {
			return true
		}
	}
	return false
}

// walker finds ways and remembers those between gateways.
type walker struct {
	p     *Platform
	known map[pair]answer
	trees map[pair]tree
}

type answer struct {
	way stretch
	err error
}

// between finds the way from one host or router to another: up to the zone
// that holds both, there from one member to the other, and within each member
// to and from its gateway.
func (w *walker) between(from, to int32) (stretch, error) {
	if from == to {
		return nothing, nil
	}
	z, a, b := w.p.meet(from, to)
	if z < 0 {
		return nothing, fmt.Errorf("no zone holds both %s and %s", w.p.nodes[from].name, w.p.nodes[to].name)
	}
	r, found := w.bypass(z, from, to)
	if !found {
		var err error
		if r, err = w.within(z, a, b); err != nil {
			return nothing, err
		}
	}
	start, err := w.gate(from, r.from)
	if err != nil {
		return nothing, err
	}
	end, err := w.gate(r.to, to)
	return start.then(r.way).then(end), err
}

// gate is between, remembered: many hosts share one gateway.
func (w *walker) gate(from, to int32) (stretch, error) {
	if from == to {
		return nothing, nil
	}
	key := pair{from, to}
	known, found := w.known[key]
	if !found {
		known.way, known.err = w.between(from, to)
		if w.p.nodes[to].self < 0 && !w.p.private(to) { // not the last host itself
			w.known[key] = known
		}
	}
	return known.way, known.err
}

// private reports whether a node has a link of its own, as the hosts of clusters
// do: ways to them are not worth remembering.
func (p *Platform) private(n int32) bool { return p.nodes[n].down != nothing }

// meet returns the innermost zone that holds both nodes, and its members that
// hold each.
func (p *Platform) meet(a, b int32) (z, inA, inB int32) {
	depth := func(n int32) (d int) {
		for z := p.nodes[n].zone; z >= 0; z = p.nodes[p.zones[z].node].zone {
			d++
		}
		return d
	}
	up := func(n int32) int32 { return p.zones[p.nodes[n].zone].node }
	da, db := depth(a), depth(b)
	for ; da > db; da-- {
		a = up(a)
	}
	for ; db > da; db-- {
		b = up(b)
	}
	for ; p.nodes[a].zone != p.nodes[b].zone; da-- {
		a, b = up(a), up(b)
	}
	return p.nodes[a].zone, a, b
}

// bypass looks for a bypass route of the zone, for the nodes themselves or for
// zones that hold them, innermost first.
func (w *walker) bypass(z, from, to int32) (route, bool) {
	bypasses := w.p.zones[z].bypasses
	if len(bypasses) == 0 {
		return route{}, false
	}
	for a := from; ; a = w.p.zones[w.p.nodes[a].zone].node {
		for b := to; ; b = w.p.zones[w.p.nodes[b].zone].node {
			if r, found := bypasses[pair{a, b}]; found {
				return r, true
			}
			if w.p.nodes[b].zone == z {
				break
			}
		}
		if w.p.nodes[a].zone == z {
			return route{}, false
		}
	}
}

// within finds the way between two members of a zone.
func (w *walker) within(z, a, b int32) (route, error) {
	zone := &w.p.zones[z]
	from, to := &w.p.nodes[a], &w.p.nodes[b]
	noRoute := fmt.Errorf("zone %s has no route from %s to %s", w.p.nodes[zone.node].name, from.name, to.name)
	switch zone.routing {
	case full:
		if r, found := zone.routes[pair{a, b}]; found {
			return r, nil
		}
	case shortest:
		if t := w.tree(z, a); t[b].reached {
			return w.chain(z, t, b)
		}
	case cluster:
		if zone.topology != "" {
			return route{}, fmt.Errorf("cluster %s has the topology %s, of which only FLAT is read here",
				w.p.nodes[zone.node].name, zone.topology)
		}
		if from.self >= 0 || to.self >= 0 {
			break
		}
		way := from.up.then(zone.backbone)
		if up := from.shared[0]; up == "" || up != to.shared[1] { // a link that both hosts use is on the way once
			way = way.then(to.down)
		}
		return route{way: way, from: a, to: b}, nil
	case vivaldi:
		return w.vivaldi(a, b)
	}
	return route{}, noRoute
}

// vivaldi takes the latency from the distance of the coordinates, which are
// milliseconds; a zone is represented by the router named after it.
func (w *walker) vivaldi(a, b int32) (route, error) {
	r := route{way: w.p.nodes[a].up.then(w.p.nodes[b].down), from: a, to: b}
	for _, end := range [...]*int32{&r.from, &r.to} {
		if n := w.p.nodes[*end]; n.self >= 0 {
			router, found := w.p.points["router_"+n.name]
			if !found || !w.p.within(router, n.self) {
				return route{}, fmt.Errorf("zone %s needs a router named router_%s within it", n.name, n.name)
			}
			*end = router
		}
	}
	from, to := w.p.nodes[r.from], w.p.nodes[r.to]
	if from.coordinates == nil || to.coordinates == nil {
		return route{}, fmt.Errorf("%s and %s need coordinates", from.name, to.name)
	}
	x, y := from.coordinates[0]-to.coordinates[0], from.coordinates[1]-to.coordinates[1]
	flat := math.Sqrt(float64(x*x) + float64(y*y))
	r.way.latency += (flat + math.Abs(from.coordinates[2]) + math.Abs(to.coordinates[2])) / 1000
	return r, nil
}

// tree holds the shortest chains of routes from one member of a zone.
type tree map[int32]branch

type branch struct {
	before  int32 // the member before this one
	links   int
	reached bool
}

// tree finds chains of the fewest links from one member to all others.
func (w *walker) tree(z, from int32) tree {
	key := pair{z, from}
	if t, found := w.trees[key]; found {
		return t
	}
	zone := &w.p.zones[z]
	t := tree{from: {before: from, reached: true}}
	queue := heap.New(fewer, step{member: from})
	for queue.Len() > 0 {
		at := queue.Pop()
		if t[at.member].links < at.links {
			continue
		}
		for _, to := range zone.nearby[at.member] {
			links := at.links + zone.routes[pair{at.member, to}].links
			if known := t[to]; !known.reached || links < known.links {
				t[to] = branch{at.member, links, true}
				queue.Push(step{to, links})
			}
		}
	}
	w.trees[key] = t
	return t
}

// chain joins the routes of a tree up to one member. Where one enters a zone
// through another gateway than the next leaves it, the way between the two is
// added.
func (w *walker) chain(z int32, t tree, to int32) (r route, err error) {
	routes := w.p.zones[z].routes
	r = routes[pair{t[to].before, to}]
	for at := t[to].before; t[at].before != at; at = t[at].before {
		before := routes[pair{t[at].before, at}]
		inner, err := w.gate(before.to, r.from)
		if err != nil {
			return route{}, err
		}
		r.way = before.way.then(inner).then(r.way)
		r.from = before.from
	}
	return r, nil
}

type step struct {
	member int32
	links  int
}

// fewer orders steps by links, then as in the file.
func fewer(a, b step) bool { return a.links < b.links || a.links == b.links && a.member < b.member }
