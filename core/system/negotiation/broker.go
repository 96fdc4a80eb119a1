package negotiation

import (
	"math"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
)

// broker caches what nodes report and recommends nodes for tasks. Its cache is
// always somewhat old; nobody relies on it without asking the node.
//
// The pool is the part of the cache that every search reads, in shuffled order. A
// search starts anywhere and reads on from there, so that its candidates are
// random and its memory accesses are not; nodes that report at a time change places
// at random, among all that are theirs in the pool. That stands for the paper's
// shuffle at each request (section 6.1).
type broker struct {
	pool   []card
	place  []int32     // in the pool, of each node
	seen   []unit.Time // by node: when it said what its card tells; -1: never, or that no longer counts
	kinds  *kinds      // of all brokers
	fresh  unit.Time   // nothing that is believed is older
	scan   scan
	random *rng.Stream
	down   bool          // it crashed: it hears nothing
	ready  unit.Time     // when it has heard from all nodes after its start
	idle   []unit.NodeID // believed to be idle, where a list of them is kept
	listed []int32       // by node: its place on that list, from 1
	length int           // of the list at most; 0: no list
	banned []unit.Time   // until when each node is on the blacklist; nil: no blacklist
}

// card is what a broker believes about a node as far as every search reads it:
// half a cache line.
type card struct {
	used     Percent  // unknown where nothing is believed
	promised unit.Vec // to production
	node     unit.NodeID
	kind     uint32 // an index of kinds, doubled, plus 1 if the node is idle
}

// belief is a card as it travels.
type belief struct {
	card
	seen unit.Time
}

// unknown is the use of a node of which nothing is believed: no task fits there.
var unknown = math.Inf(1)

// demand is what a task would add to a node.
type demand struct {
	need    unit.Vec // to what is used there
	promise unit.Vec // to what is promised to production there; zero for batch
}

// kinds are the capacities that machines have or had. Most clusters have few.
type kinds struct {
	all   []kind
	index map[unit.Vec]uint32
}

type kind struct {
	per      Percent // of the node that one Share is
	capacity unit.Vec
}

// newKinds returns the kinds with that of a machine of no capacity, which is
// what nodes are taken for before they are heard of.
func newKinds() kinds { return kinds{make([]kind, 1), map[unit.Vec]uint32{{}: 0}} }

// of returns the index of a capacity.
func (k *kinds) of(capacity unit.Vec) uint32 {
	i, known := k.index[capacity]
	if !known {
		one := kind{capacity: capacity}
		for r := range capacity {
			if capacity[r] > 0 {
				one.per[r] = 100 / float64(capacity[r])
			}
		}
		i = uint32(len(k.all))
		k.all, k.index[capacity] = append(k.all, one), i
	}
	return i
}

// per returns the percent of a card's node that one Share is.
func (k *kinds) per(c *card) *Percent { return &k.all[c.kind>>1].per }

func (c *card) idle() bool { return c.kind&1 != 0 }

// blank reports whether nothing is believed of the node.
func (c *card) blank() bool { return c.used[0] == unknown }

// card returns what the broker believes about a node; the pointer is good
// until the next shuffle.
func (b *broker) card(n unit.NodeID) *card { return &b.pool[b.place[n]] }

// learn takes over how a node stands now.
func (b *broker) learn(n unit.NodeID, v cluster.View, now unit.Time) {
	if b.hears(n, now) {
		b.kinds.read(b.card(n), n, v)
		b.seen[n] = now
		b.fresh = min(b.fresh, now)
		if b.length > 0 {
			b.listIdle(n)
		}
	}
}

// accept takes over what was said about a node at another time, unless the
// broker has heard from it since.
func (b *broker) accept(known *belief, now unit.Time) {
	n := known.node
	if b.hears(n, now) && b.seen[n] < known.seen {
		*b.card(n), b.seen[n] = known.card, known.seen
		b.fresh = min(b.fresh, known.seen)
		b.listIdle(n)
	}
}

// hears reports whether the broker takes news of a node.
func (b *broker) hears(n unit.NodeID, now unit.Time) bool {
	return !b.down && (b.banned == nil || now >= b.banned[n])
}

// read describes a node as it stands now.
func (k *kinds) read(c *card, n unit.NodeID, v cluster.View) {
	used, capacity := v.Used(n), v.Capacity(n)
	kind := c.kind >> 1
	if k.all[kind].capacity != capacity {
		kind = k.of(capacity)
	}
	per := &k.all[kind].per
	for r := range capacity {
		c.used[r] = float64(used[r]) * per[r]
	}
	c.promised = v.Promised(n)
	c.node, c.kind = n, kind<<1
	if v.Count(n) == 0 && v.Incoming(n) == 0 {
		c.kind++
	}
}

// correct puts what a node told of itself in place of how it stands now.
func (b *broker) correct(n unit.NodeID, used, promised unit.Vec) {
	c := b.card(n)
	if c.blank() {
		return
	}
	per := b.kinds.per(c)
	for r := range used {
		c.used[r] = float64(used[r]) * per[r]
	}
	c.promised = promised
}

// book adds a task to what the broker believes about a node it just assigned
// the task to, until the node's next report says how it really is.
func (b *broker) book(n unit.NodeID, d *demand) {
	c := b.card(n)
	per := b.kinds.per(c)
	for r := range c.used {
		c.used[r] += float64(float64(d.need[r]) * per[r])
		c.promised[r] = unit.Share(min(int64(c.promised[r])+int64(d.promise[r]), math.MaxInt32))
	}
	c.kind &^= 1
	b.listIdle(n)
}

// grow makes room for nodes that joined, each at a random place.
func (b *broker) grow(nodes int) {
	for n := len(b.pool); n < nodes; n++ {
		b.pool = append(b.pool, card{node: unit.NodeID(n)})
		b.seen = append(b.seen, -1)
		b.place = append(b.place, int32(n))
		b.blank(unit.NodeID(n))
		b.swap(unit.NodeID(n), b.pool[b.random.Intn(n+1)].node)
		b.listed = append(b.listed, 0)
		if b.banned != nil {
			b.banned = append(b.banned, 0)
		}
	}
}

// shuffle lets a node change places in the pool with one of those from it up to
// another. What shuffles a group, node after node, gives it a random order.
func (b *broker) shuffle(n, to unit.NodeID) {
	b.swap(n, n+unit.NodeID(b.random.Intn(int(to-n))))
}

// swap lets two nodes change places in the pool.
func (b *broker) swap(n, m unit.NodeID) {
	i, j := b.place[n], b.place[m]
	b.pool[i], b.pool[j] = b.pool[j], b.pool[i]
	b.place[n], b.place[m] = j, i
}

// forget makes the broker believe nothing of a node until it hears of it.
func (b *broker) forget(n unit.NodeID) {
	b.seen[n] = -1
	b.blank(n)
}

func (b *broker) blank(n unit.NodeID) {
	for r := range b.card(n).used {
		b.card(n).used[r] = unknown
	}
}

// expire makes the broker believe nothing of nodes that said nothing since a
// time. It looks through its cache only where one of them can be older.
func (b *broker) expire(oldest unit.Time) {
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
