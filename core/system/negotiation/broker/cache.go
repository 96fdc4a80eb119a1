package broker

import (
	"parley/core/rng"
	"parley/core/unit"
)

// cache is the part of a broker's cache that every search reads, in shuffled order.
// A search starts anywhere and reads on from there, so that its candidates are
// random and its memory accesses are not.
//
// The nodes of a group, which report together, share the places that are a row apart and swap them
// at random whenever they report. So a search meets nodes of all groups alike, in every row another
// one of each; and memory that one group's reports read is read again by the next group's. This
// replaces the paper's shuffle at each request (section 6.1).
type cache struct {
	entries  []cacheEntry
	headroom []unit.Vec // by place: how much more may be promised to production there; below 0 if it is too much
	place    []int32    // of each node
	dealt    int        // how many nodes had places a row apart when they were dealt
	random   *rng.Stream
	machines *Machines // of all brokers
	index    index
}

// cacheEntry is the part of a broker's entry of a node that every search reads: a quarter of a
// cache line.
type cacheEntry struct {
	used    unit.Vec
	node    unit.NodeID
	machine uint32 // an index of Machines, doubled, plus 1 if the node is idle; index 0: nothing is believed
}

func (c *cacheEntry) idle() bool { return c.machine&1 != 0 }

// blank reports whether nothing is believed of the node.
func (c *cacheEntry) blank() bool { return c.machine>>1 == 0 }

// entry returns the broker's entry of a node; the pointer is valid until the next shuffle.
func (p *cache) entry(n unit.NodeID) *cacheEntry { return &p.entries[p.place[n]] }

// add takes in one more node, at a random place.
func (p *cache) add() {
	n := unit.NodeID(len(p.entries))
	p.index.on = false // built anew when it pays
	p.entries = append(p.entries, cacheEntry{node: n})
	p.headroom = append(p.headroom, unit.Vec{})
	p.place = append(p.place, int32(n))
	p.blank(n)
	p.swap(int32(n), int32(p.random.Intn(int(n)+1)))
}

// blank makes the broker believe nothing of a node.
func (p *cache) blank(n unit.NodeID) {
	c := p.entry(n)
	c.machine = 0
	for r := range c.used {
		c.used[r] = 1 // of nothing: infinitely many percent
	}
	p.wrote(p.place[n])
}

// wrote is called when the entry of a place, or its headroom, was written.
func (p *cache) wrote(at int32) {
	if p.index.on {
		p.index.note(p, at)
	}
}

// swap lets the nodes at two places change them.
func (p *cache) swap(i, j int32) {
	p.entries[i], p.entries[j] = p.entries[j], p.entries[i]
	p.headroom[i], p.headroom[j] = p.headroom[j], p.headroom[i]
	p.place[p.entries[i].node], p.place[p.entries[j].node] = i, j
	if x := &p.index; x.on {
		x.room[i], x.room[j] = x.room[j], x.room[i]
		x.joint[i], x.joint[j] = x.joint[j], x.joint[i]
		x.raise(p, i)
		x.raise(p, j)
	}
}

// Shuffle lets the nodes of a group swap places at random. It first reads all the memory that it
// will write: many independent reads at once are faster than one after the other. The result only
// keeps the compiler from removing these reads.
func (p *cache) Shuffle(group uint64) (touched int32) {
	if p.dealt != len(p.entries) {
		p.deal()
	}
	s := p.spots(group)
	for k := range s.count {
		at := s.at(k)
		touched ^= int32(p.entries[at].node) ^ int32(p.headroom[at][0])
	}
	s.shuffle(p)
	return touched
}

// deal places the entries of each group at its spots, in random order within the group, and switches the
// index off.
func (p *cache) deal() {
	p.dealt = len(p.entries)
	entries, headroom := make([]cacheEntry, p.dealt), make([]unit.Vec, p.dealt)
	for g := range uint64(Groups) {
		s := p.spots(g)
		for k := range s.count {
			n, at := s.from+unit.NodeID(k), s.at(k)
			entries[at], headroom[at], p.place[n] = p.entries[p.place[n]], p.headroom[p.place[n]], at
		}
	}
	p.entries, p.headroom = entries, headroom
	p.index.on = false
	for g := range uint64(Groups) {
		p.spots(g).shuffle(p)
	}
}

// Groups returns the number of groups of nodes. Agents are not in step: in the
// course of each report period one group after the other looks at its load and
// reports it.
const Groups = 60

// spots are the places of a group, from the first of its nodes on.
type spots struct {
	from  unit.NodeID
	count int32
	group int32
	rows  int32 // that are full
	last  int32 // the place after them that is the group's, if it has one
}

// spots returns the places of a group in the cache: every Groups-th place, one in each full row, and for
// some groups one behind the last full row.
func (p *cache) spots(group uint64) spots {
	from, to := Group(len(p.entries), group)
	rows := len(p.entries) / Groups
	return spots{
		from: from, count: int32(to - from), group: int32(group), rows: int32(rows),
		last: int32(rows*Groups + int(from) - int(group)*rows), // the Groups before that have one
	}
}

// at returns the group's place number k.
func (s *spots) at(k int32) int32 {
	if k < s.rows {
		return k*Groups + s.group
	}
	return s.last
}

func (s spots) shuffle(p *cache) {
	for k := s.count - 1; k > 0; k-- {
		p.swap(s.at(k), s.at(int32(p.random.Intn(int(k)+1))))
	}
}

// Group returns the nodes of a group, [from, to).
func Group(nodes int, group uint64) (from, to unit.NodeID) {
	n := uint64(nodes)
	return unit.NodeID(group * n / Groups), unit.NodeID((group + 1) * n / Groups)
}
