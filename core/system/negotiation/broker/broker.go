// Package broker holds the knowledge and the search of a broker agent of negotiation: a cache of
// nodes' reports, which is always somewhat old, and the search for nodes that could take a task
// (MASB, section 5, step 2, and 6.1). It sends no messages and acts on nothing: a recommended node
// has to be asked.
//
//	machines := broker.NewMachines(90) // percent that may be promised to production
//	b := broker.New(machines, random)
//	b.Grow(nodes)
//	b.Learn(n, view, now)
//	found := b.Recommend(&broker.Query{…})
package broker

import (
	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
)

// Broker caches the reports of nodes and recommends nodes for tasks.
type Broker struct {
	cache
	seen   []unit.Time // by node: when it reported last, also if that has expired; -1: never, or it was forgotten
	fresh  unit.Time   // nothing that is believed is older
	scan   scan
	down   bool // it crashed: it receives nothing
	idle   idleList
	banned []unit.Time // until when each node is on the blacklist; nil: no blacklist
}

// Report is a node's report about itself, or a broker's about a node.
type Report struct {
	cacheEntry
	headroom unit.Vec
	seen     unit.Time
}

// Node returns which node it is about.
func (r *Report) Node() unit.NodeID { return r.node }

// Demand is the load that a task would add to a node.
type Demand struct {
	Need    unit.Vec // beside the use there
	Promise unit.Vec // beside the promises to production there; zero for batch
}

// MaxUsed bounds the figures in brokers' caches, so that they can be added to any demand. No node
// can reach it.
const MaxUsed = 1000 * unit.Whole

// Option changes a Broker that New makes.
type Option func(*Broker)

// KeepIdle makes the broker keep a list of up to n idle nodes, which every
// search scores.
func KeepIdle(limit int) Option { return func(b *Broker) { b.idle.limit = limit } }

// Blacklist lets nodes be banned for a time.
func Blacklist() Option { return func(b *Broker) { b.banned = []unit.Time{} } }

// New returns a broker that knows no node. All that send each other reports of nodes
// have the same machines.
func New(m *Machines, random *rng.Stream, options ...Option) *Broker {
	b := &Broker{cache: cache{random: random, machines: m}, fresh: unit.Forever}
	for _, o := range options {
		o(b)
	}
	return b
}

// Random returns the broker's own stream.
func (b *Broker) Random() *rng.Stream { return b.random }

// Down reports whether the broker has crashed.
func (b *Broker) Down() bool { return b.down }

// Crash makes the broker ignore all messages until it restarts.
func (b *Broker) Crash() { b.down = true }

// Restart restarts the broker with an empty cache: the nodes' next reports fill it.
func (b *Broker) Restart() {
	b.down = false
	for n := range b.seen {
		b.forget(unit.NodeID(n))
	}
	b.idle.clear()
}

// Grow makes room for nodes that joined, each at a random place.
func (b *Broker) Grow(nodes int) {
	for len(b.entries) < nodes {
		b.add()
		b.seen = append(b.seen, -1)
		b.idle.grow()
		if b.banned != nil {
			b.banned = append(b.banned, 0)
		}
	}
}

// ReportOf returns the broker's entry of a node, to be sent to another broker.
func (b *Broker) ReportOf(n unit.NodeID) Report {
	at := b.place[n]
	return Report{b.entries[at], b.headroom[at], b.seen[n]}
}

// LastReport returns the time of the node's last report, expired or not, -1 if there is none, and whether the
// node is idle by that report.
func (b *Broker) LastReport(n unit.NodeID) (seen unit.Time, idle bool) {
	return b.seen[n], b.entry(n).idle()
}

// Learn stores the present state of a node.
func (b *Broker) Learn(n unit.NodeID, v cluster.View, now unit.Time) {
	if b.accepts(n, now) {
		at := b.place[n]
		b.machines.read(&b.entries[at], &b.headroom[at], n, v)
		b.wrote(at)
		b.seen[n] = now
		b.fresh = min(b.fresh, now)
		b.listIdle(n)
	}
}

// Accept stores a report of a node from another broker, unless the broker's own entry is newer.
func (b *Broker) Accept(known *Report, now unit.Time) {
	n := known.node
	if b.accepts(n, now) && b.seen[n] < known.seen {
		at := b.place[n]
		b.entries[at], b.headroom[at], b.seen[n] = known.cacheEntry, known.headroom, known.seen
		b.wrote(at)
		b.fresh = min(b.fresh, known.seen)
		b.listIdle(n)
	}
}

// accepts reports whether the broker accepts reports of a node.
func (b *Broker) accepts(n unit.NodeID, now unit.Time) bool {
	return !b.down && (b.banned == nil || now >= b.banned[n])
}

// Book adds a task to the entry of the node to which the broker just assigned it, until the node's
// next report replaces the entry.
func (b *Broker) Book(n unit.NodeID, d *Demand) {
	c, headroom := b.entry(n), &b.headroom[b.place[n]]
	for r := range c.used {
		c.used[r] = min(c.used[r]+d.Need[r], MaxUsed)
		headroom[r] = max(headroom[r]-d.Promise[r], -MaxUsed)
	}
	c.machine &^= 1
	b.wrote(b.place[n])
	b.listIdle(n)
}

// Ban makes the broker pass over a node until a time, whatever is reported.
func (b *Broker) Ban(n unit.NodeID, until unit.Time) {
	b.banned[n] = until
	b.forget(n)
}

// forget removes the entry of a node until its next report.
func (b *Broker) forget(n unit.NodeID) {
	b.seen[n] = -1
	b.blank(n)
}

// expire makes the broker believe nothing of nodes without a report since a time; unlike forget it keeps
// b.seen. It looks through its cache only if an entry can be older. The list of idle nodes is left to
// the caller.
func (b *Broker) expire(oldest unit.Time) {
	if b.fresh >= oldest {
		return
	}
	b.fresh = unit.Forever
	for n, seen := range b.seen {
		if seen < oldest {
			b.blank(unit.NodeID(n))
		} else {
			b.fresh = min(b.fresh, seen)
		}
	}
}
