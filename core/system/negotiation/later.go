package negotiation

import "parley/core/unit"

// What the paper leaves for later, section 8.2. Every function here does
// nothing unless its setting in Later is on.

// listIdle keeps the list of idle nodes after news of a node.
func (b *broker) listIdle(n unit.NodeID) {
	switch idle := b.entry(n).idle(); {
	case b.idlePlace[n] > 0 && !idle:
		b.unlist(n)
	case b.idlePlace[n] == 0 && idle && len(b.idle) < b.length:
		b.idle = append(b.idle, n)
		b.idlePlace[n] = int32(len(b.idle))
	}
}

// unlist takes a node off the list; the last one takes its place.
func (b *broker) unlist(n unit.NodeID) {
	last := len(b.idle) - 1
	at := b.idlePlace[n] - 1
	b.idle[at] = b.idle[last]
	b.idlePlace[b.idle[at]] = at + 1
	b.idlePlace[n] = 0
	b.idle = b.idle[:last]
}

// scoreIdle scores the listed idle nodes, which a search of limited length may
// never meet.
func (b *broker) scoreIdle(q *query) {
	if b.length == 0 {
		return
	}
	for i := len(b.idle) - 1; i >= 0; i-- { // unlist moves only nodes that were scored
		n := b.idle[i]
		if b.seen[n] < q.oldest {
			b.unlist(n)
			continue
		}
		c := b.entry(n)
		per := b.types.per(c)
		if q.promised() && b.breaks(q, c, &b.headroom[b.place[n]]) || !q.suits(n) {
			continue
		}
		score := q.scorer.score(load(&q.need, per))
		if q.scorer.idleFirst && score > 0 {
			score = scale
		}
		if score > 0 {
			b.scan.offer(n, score)
		}
	}
}

// preferIdle returns the idle nodes among those that fit a new task, where there
// are any and a list of them is kept; else all.
func (a *balancer) preferIdle(fits []scored) []scored {
	idle := 0
	for i, f := range fits {
		if a.settings.Later.IdleList > 0 && a.initial.idleFirst && f.score == scale {
			fits[i], fits[idle] = fits[idle], f
			idle++
		}
	}
	if idle == 0 {
		return fits
	}
	return fits[:idle]
}

// strained reports whether an agent wants to shed load: it is overloaded or,
// with proactive offloading, above that share of a resource.
func (a *balancer) strained(n unit.NodeID) bool {
	v := a.env.View
	if a.settings.Later.Offload == 0 {
		return v.Overloaded(n)
	}
	for _, load := range percent(v.Used(n), v.Capacity(n)) {
		if load > 100*a.settings.Later.Offload {
			return true
		}
	}
	return false
}

// blacklist makes every broker pass over a node that did not answer.
func (a *balancer) blacklist(n unit.NodeID) {
	if a.settings.Later.Blacklist == 0 {
		return
	}
	until := a.env.Clock.Now() + a.settings.Later.Blacklist
	for i := range a.brokers {
		a.brokers[i].banned[n] = until
		a.brokers[i].forget(n)
	}
}

// distance returns how far apart two nodes are: 0 in a rack, 1 in a site, 2
// beyond.
func (a *balancer) distance(from, to unit.NodeID) float64 {
	v := a.env.View
	switch {
	case v.Rack(from) == v.Rack(to):
		return 0
	case v.Site(from) == v.Site(to):
		return 1
	}
	return 2
}

// discount is what a score is divided by for the distance of a migration.
func (a *balancer) discount(from, to unit.NodeID) float64 {
	return 1 + float64(a.settings.Later.RackCost*a.distance(from, to))
}

// nearness returns what makes a broker prefer nodes near a running task, or
// nil where distance does not count.
func (a *balancer) nearness(id unit.TaskID) func([]scored) {
	task, alive := a.env.View.Task(id)
	if a.settings.Later.RackCost == 0 || !alive || task.Node == unit.NoNode {
		return nil
	}
	return func(fits []scored) {
		for i := range fits {
			fits[i].score /= a.discount(task.Node, fits[i].node)
		}
	}
}
