package negotiation

import (
	"cmp"
	"math"
	"slices"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
)

// entry is what a broker believes about one node: a cache line.
type entry struct {
	node     unit.NodeID
	tasks    int32
	used     Percent
	promised Percent
	per      Percent   // percent of the node that one Share is
	seen     unit.Time // when the node said so; -1: never
}

// broker caches what nodes report and recommends nodes for tasks. Its cache is
// always somewhat old; nobody relies on it without asking the node.
//
// The pool is the cache in shuffled order. A search starts anywhere and reads on
// from there, so that its candidates are random and its memory accesses are
// not; every report moves its node to another place in the pool. That stands
// for the paper's shuffle at each request (section 6.1).
type broker struct {
	pool   []entry
	place  []int32 // in the pool, of each node
	scan   scan
	random *rng.Stream
	down   bool          // it crashed: it hears nothing
	ready  unit.Time     // when it has heard from all nodes after its start
	idle   []unit.NodeID // believed to be idle, where a list of them is kept
	listed []int32       // by node: its place on that list, from 1
	length int           // of the list at most; 0: no list
	banned []unit.Time   // until when each node is on the blacklist; nil: no blacklist
}

// demand is what a task would add to a node.
type demand struct {
	need    unit.Vec // to what is used there
	promise unit.Vec // to what is promised to production there; zero for batch
}

// scored is a node and its score for a task.
type scored struct {
	node  unit.NodeID
	score float64
}

// scan is one search of a cache; its slices are used again.
type scan struct {
	fits   []scored
	forced []unit.NodeID
	roomy  int     // how many of forced, its first, have room and only no score
	most   int     // fits to keep; 0: all
	least  float64 // only a higher score is kept
}

// entry returns what the broker believes about a node; the pointer is good
// until the next shuffle.
func (b *broker) entry(n unit.NodeID) *entry { return &b.pool[b.place[n]] }

// learn takes over how a node stands now.
func (b *broker) learn(n unit.NodeID, v cluster.View, now unit.Time) {
	if b.hears(n, now) {
		b.entry(n).read(n, v, now)
		b.listIdle(n)
	}
}

// accept takes over what was said about a node at another time, unless the
// broker has heard from it since.
func (b *broker) accept(known *entry, now unit.Time) {
	if e := b.entry(known.node); b.hears(known.node, now) && e.seen < known.seen {
		*e = *known
		b.listIdle(known.node)
	}
}

// hears reports whether the broker takes news of a node.
func (b *broker) hears(n unit.NodeID, now unit.Time) bool {
	return !b.down && (b.banned == nil || now >= b.banned[n])
}

// read describes a node as it stands now.
func (e *entry) read(n unit.NodeID, v cluster.View, now unit.Time) {
	used, promised, capacity := v.Used(n), v.Promised(n), v.Capacity(n)
	for r := range capacity {
		per := 0.0
		if capacity[r] > 0 {
			per = 100 / float64(capacity[r])
		}
		e.per[r] = per
		e.used[r] = float64(used[r]) * per
		e.promised[r] = float64(promised[r]) * per
	}
	e.node = n
	e.tasks = int32(v.Count(n) + v.Incoming(n))
	e.seen = now
}

// correct puts what a node told of itself in place of how it stands now.
func (b *broker) correct(n unit.NodeID, used, promised unit.Vec) {
	e := b.entry(n)
	for r := range used {
		e.used[r] = float64(used[r]) * e.per[r]
		e.promised[r] = float64(promised[r]) * e.per[r]
	}
}

// book adds a task to what the broker believes about a node it just assigned
// the task to, until the node's next report says how it really is.
func (b *broker) book(n unit.NodeID, d *demand) {
	e := b.entry(n)
	for r := range e.used {
		e.used[r] += float64(float64(d.need[r]) * e.per[r])
		e.promised[r] += float64(float64(d.promise[r]) * e.per[r])
	}
	e.tasks++
	b.listIdle(n)
}

// grow makes room for nodes that joined, each at a random place.
func (b *broker) grow(nodes int) {
	for n := len(b.pool); n < nodes; n++ {
		b.pool = append(b.pool, entry{node: unit.NodeID(n), seen: -1})
		b.place = append(b.place, int32(n))
		b.shuffle(unit.NodeID(n))
		b.listed = append(b.listed, 0)
		if b.banned != nil {
			b.banned = append(b.banned, 0)
		}
	}
}

// shuffle swaps a node with a random one in the pool.
func (b *broker) shuffle(n unit.NodeID) {
	i, j := b.place[n], int32(b.random.Intn(len(b.pool)))
	b.pool[i], b.pool[j] = b.pool[j], b.pool[i]
	b.place[b.pool[i].node], b.place[b.pool[j].node] = i, j
}

// search walks the pool from a random place until limit nodes fit, and keeps
// the most highest scores of them in b.scan.fits, highest first (all of them,
// in the order of the pool, if most is 0). Nodes with capacity but no room go to
// b.scan.forced, at most as many as may be recommended.
//
// This is the hottest loop of the system.
func (b *broker) search(d *demand, s *scorer, oldest unit.Time, limit, most int, headroom bool, suits func(unit.NodeID) bool) {
	b.scan.clear(most)
	n := len(b.pool)
	if n == 0 {
		return
	}
	need, promise := percentless(d.need), percentless(d.promise)
	promised := headroom && d.promise != unit.Vec{}
	b.scoreIdle(&need, &promise, s, oldest, promised, suits)
	i := b.random.Intn(n)
	for range n {
		e := &b.pool[i]
		if i++; i == n {
			i = 0
		}
		if e.seen < oldest {
			continue
		}
		// Two resources in registers; more of them by the loops of Percent.
		u, v := e.used[0]+float64(need[0]*e.per[0]), e.used[1]+float64(need[1]*e.per[1])
		fits, mean, apart := u <= s.limit && v <= s.limit, float64((u+v)*0.5), math.Abs(u-v)
		if unit.Resources > 2 {
			load := e.used
			for r := range load {
				load[r] += float64(need[r] * e.per[r])
			}
			fits, mean, apart = load.most() <= s.limit, load.mean(), load.most()-load.least()
		}
		score := 0.0
		if fits && !(promised && e.breaks(&promise, s.limit)) {
			if score = s.shape(mean, apart); s.gain {
				score = s.gained(score, e)
			}
		}
		if score > 0 {
			if suits != nil && !suits(e.node) || e.tasks == 0 && b.listed[e.node] > 0 {
				continue
			}
			if s.idleFirst && e.tasks == 0 {
				score = scale
			}
			if score > b.scan.least {
				b.scan.keep(scored{e.node, score})
			}
			if limit--; limit == 0 {
				return
			}
		} else if len(b.scan.forced) < maxCandidates && e.holds(&need) && (suits == nil || suits(e.node)) {
			b.scan.forced = append(b.scan.forced, e.node)
		}
	}
}

// roomFirst puts the forced nodes first that have room, though no score: the
// placement would be too disproportionate, or leave production no headroom. It
// returns how many they are.
func (b *broker) roomFirst(d *demand) int {
	roomy := 0
	for i, n := range b.scan.forced {
		if e := b.entry(n); e.takes(&d.need) {
			b.scan.forced[i], b.scan.forced[roomy] = b.scan.forced[roomy], n
			roomy++
		}
	}
	return roomy
}

// takes reports whether need fits beside what is used.
func (e *entry) takes(need *unit.Vec) bool {
	for r := range need {
		if e.used[r]+float64(float64(need[r])*e.per[r]) > 100 {
			return false
		}
	}
	return true
}

// percentless returns v as floats, to be multiplied by entry.per.
func percentless(v unit.Vec) (p Percent) {
	for r := range v {
		p[r] = float64(v[r])
	}
	return p
}

// breaks reports whether a promise would leave a node's production tasks
// without headroom (RUS, section 6.4).
func (e *entry) breaks(promise *Percent, limit float64) bool {
	for r := range promise {
		if e.promised[r]+float64(promise[r]*e.per[r]) > limit {
			return true
		}
	}
	return false
}

// holds reports whether an empty node would have room for need.
func (e *entry) holds(need *Percent) bool {
	for r := range need {
		if float64(need[r]*e.per[r]) > 100 {
			return false
		}
	}
	return true
}

// gained returns what a placement adds to a node's score.
func (s *scorer) gained(after float64, e *entry) float64 {
	if e.tasks == 0 {
		return after
	}
	return max(0, after-s.score(e.used))
}

// clear empties the scan; it will keep the most best fits, or all if most is 0.
func (c *scan) clear(most int) {
	c.fits, c.forced, c.most, c.least = c.fits[:0], c.forced[:0], most, 0
}

// keep takes in one more fit, whose score is above c.least.
func (c *scan) keep(x scored) {
	if c.most == 0 {
		c.fits = append(c.fits, x)
		return
	}
	if len(c.fits) < c.most {
		c.fits = append(c.fits, x)
	}
	i := len(c.fits) - 1
	for i > 0 && c.fits[i-1].score < x.score {
		c.fits[i] = c.fits[i-1]
		i--
	}
	c.fits[i] = x
	if len(c.fits) == c.most {
		c.least = c.fits[c.most-1].score
	}
}

// best sorts fits, the highest score first, and returns the first k.
func best(fits []scored, k int) []scored {
	slices.SortStableFunc(fits, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	return fits[:min(k, len(fits))]
}

// draw takes k of fits by weighted random choice without replacement, in the
// order drawn, to its front.
func draw(fits []scored, k int, random *rng.Stream) []scored {
	k = min(k, len(fits))
	total := 0.0
	for _, f := range fits {
		total += f.score
	}
	for i := range k {
		at := i + pick(fits[i:], total, random)
		total -= fits[at].score
		fits[i], fits[at] = fits[at], fits[i]
	}
	return fits[:k]
}

// pick returns an index of fits with probability in proportion to score, of
// which total is the sum.
func pick(fits []scored, total float64, random *rng.Stream) int {
	x := random.Float64() * total
	for i := range fits {
		if x -= fits[i].score; x < 0 {
			return i
		}
	}
	return len(fits) - 1
}
