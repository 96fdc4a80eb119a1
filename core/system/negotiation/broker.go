package negotiation

import (
	"math"

	"parley/core/cluster"
	"parley/core/unit"
)

// broker caches what nodes report and recommends nodes for tasks. Its cache is
// always somewhat old; nobody relies on it without asking the node.
type broker struct {
	pool
	seen      []unit.Time   // by node: when it said what its entry tells; -1: never, or that no longer counts
	types     *machineTypes // of all brokers
	fresh     unit.Time     // nothing that is believed is older
	scan      scan
	down      bool          // it crashed: it hears nothing
	ready     unit.Time     // when it has heard from all nodes after its start
	idle      []unit.NodeID // believed to be idle, where a list of them is kept
	idlePlace []int32       // by node: its place on that list, from 1
	length    int           // of the list at most; 0: no list
	banned    []unit.Time   // until when each node is on the blacklist; nil: no blacklist
}

// report is an entry as it travels.
type report struct {
	cacheEntry
	headroom unit.Vec
	seen     unit.Time
}

// demand is what a task would add to a node.
type demand struct {
	need    unit.Vec // to what is used there
	promise unit.Vec // to what is promised to production there; zero for batch
}

// maxUsedPerNode bounds what brokers believe: entries can be added to any demand. It is
// more than a node can come to.
const maxUsedPerNode = 1000 * unit.Whole

// machineTypes are the capacities that machines have or had. Most clusters have few.
type machineTypes struct {
	all   []machineType
	index map[unit.Vec]uint32
	limit float64 // percent that may be promised to production
}

type machineType struct {
	per      Percent // of the node that one Share is
	capacity unit.Vec
	most     unit.Vec // that may be promised to production
}

// newMachineTypes returns the machine types with that of a machine of no capacity, where nothing
// fits. It is what nodes are taken for of which nothing is believed.
func newMachineTypes(limit float64) machineTypes {
	nothing := machineType{}
	for r := range nothing.per {
		nothing.per[r] = math.Inf(1)
	}
	return machineTypes{[]machineType{nothing}, map[unit.Vec]uint32{{}: 0}, limit}
}

// of returns the index of a capacity.
func (k *machineTypes) of(capacity unit.Vec) uint32 {
	i, known := k.index[capacity]
	if !known {
		one := machineType{capacity: capacity}
		for r := range capacity {
			if capacity[r] > 0 {
				one.per[r] = 100 / float64(capacity[r])
			}
			one.most[r] = within(k.limit, one.per[r])
		}
		i = uint32(len(k.all))
		k.all, k.index[capacity] = append(k.all, one), i
	}
	return i
}

// within returns the largest Share that is not above limit percent.
func within(limit, per float64) unit.Share {
	s := unit.Share(min(limit/per, math.MaxInt32))
	for s > 0 && float64(float64(s)*per) > limit {
		s--
	}
	for s < math.MaxInt32 && float64(float64(s+1)*per) <= limit {
		s++
	}
	return s
}

// per returns the percent of an entry's node that one Share is.
func (k *machineTypes) per(c *cacheEntry) *Percent { return &k.all[c.machine>>1].per }

// report returns what the broker believes about a node, to be told to another.
func (b *broker) report(n unit.NodeID) report {
	at := b.place[n]
	return report{b.entries[at], b.headroom[at], b.seen[n]}
}

// learn takes over how a node stands now.
func (b *broker) learn(n unit.NodeID, v cluster.View, now unit.Time) {
	if b.hears(n, now) {
		at := b.place[n]
		b.types.read(&b.entries[at], &b.headroom[at], n, v)
		b.seen[n] = now
		b.fresh = min(b.fresh, now)
		if b.length > 0 {
			b.listIdle(n)
		}
	}
}

// accept takes over what was said about a node at another time, unless the
// broker has heard from it since.
func (b *broker) accept(known *report, now unit.Time) {
	n := known.node
	if b.hears(n, now) && b.seen[n] < known.seen {
		at := b.place[n]
		b.entries[at], b.headroom[at], b.seen[n] = known.cacheEntry, known.headroom, known.seen
		b.fresh = min(b.fresh, known.seen)
		b.listIdle(n)
	}
}

// hears reports whether the broker takes news of a node.
func (b *broker) hears(n unit.NodeID, now unit.Time) bool {
	return !b.down && (b.banned == nil || now >= b.banned[n])
}

// read describes a node as it stands now.
func (k *machineTypes) read(c *cacheEntry, headroom *unit.Vec, n unit.NodeID, v cluster.View) {
	capacity := v.Capacity(n)
	machine := c.machine >> 1
	if k.all[machine].capacity != capacity {
		machine = k.of(capacity)
	}
	c.used, c.node, c.machine = v.Used(n), n, machine<<1
	*headroom = k.all[machine].most.Sub(v.Promised(n))
	if v.Count(n) == 0 && v.Incoming(n) == 0 {
		c.machine++
	}
}

// correct puts what a node told of itself in place of how it stands now.
func (b *broker) correct(n unit.NodeID, used, promised unit.Vec) {
	c := b.entry(n)
	if c.blank() {
		return
	}
	c.used = used
	b.headroom[b.place[n]] = b.types.all[c.machine>>1].most.Sub(promised)
}

// book adds a task to what the broker believes about a node it just assigned
// the task to, until the node's next report says how it really is.
func (b *broker) book(n unit.NodeID, d *demand) {
	c, headroom := b.entry(n), &b.headroom[b.place[n]]
	for r := range c.used {
		c.used[r] = min(c.used[r]+d.need[r], maxUsedPerNode)
		headroom[r] = max(headroom[r]-d.promise[r], -maxUsedPerNode)
	}
	c.machine &^= 1
	if b.length > 0 {
		b.listIdle(n)
	}
}

// grow makes room for nodes that joined, each at a random place.
func (b *broker) grow(nodes int) {
	for len(b.entries) < nodes {
		b.add()
		b.seen = append(b.seen, -1)
		b.idlePlace = append(b.idlePlace, 0)
		if b.banned != nil {
			b.banned = append(b.banned, 0)
		}
	}
}

// forget makes the broker believe nothing of a node until it hears of it.
func (b *broker) forget(n unit.NodeID) {
	b.seen[n] = -1
	b.blank(n)
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
