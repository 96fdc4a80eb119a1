package broker

import (
	"math/bits"
	"slices"

	"parley/core/cluster"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// Query describes a search.
type Query struct {
	Demand
	Scorer       *score.Scorer
	Oldest       unit.Time              // reports that a broker received before do not count
	Limit        int                    // how many nodes that fit are scored
	Candidates   int                    // how many of these are recommended
	Weighted     bool                   // they are drawn by score; else those with the highest scores
	Headroom     bool                   // promises must fit too
	Force        bool                   // nodes for a forced placement are wanted in any case
	Not          unit.NodeID            // a node that will not do; NoNode if there is none
	Suitable     cluster.Suitable       // the nodes that satisfy the constraints
	AntiAffinity func(unit.NodeID) bool // further nodes to exclude; nil if none
	Proximity    func([]Scored)         // changes scores by where the nodes are; nil: not
}

// Found is the result of a search. The slices are valid until the broker's next
// search.
type Found struct {
	Fits   []Scored      // the candidates, as drawn or the highest score first
	Forced []unit.NodeID // nodes without a score that could hold the task, where Fits are too few
	Room   int           // how many of Forced, its first, have room and only no score
}

// MaxCandidates bounds Query.Candidates.
const MaxCandidates = 32

// scan is a search in progress and its results; its slices are used again.
type scan struct {
	shortlist
	forced   []unit.NodeID
	withRoom int // how many of forced, its first, have room and only no score

	from int // the place in the cache where it began
	read int // entries
	left int // fits to find yet

	listed   bool          // it only reads entries
	entries  []cacheEntry  // of the few nodes that satisfy the constraints
	headroom []unit.Vec    // theirs
	places   []int32       // theirs in the cache
	nodes    []unit.NodeID // scratch of choose
}

// Recommend searches for nodes that could take a task. If scores are gains and no node gains, it
// searches again with plain scores; q.Scorer is replaced then. It expires old reports and draws from the
// broker's stream.
func (b *Broker) Recommend(q *Query) Found {
	limit := q.Candidates
	if q.Weighted || q.Proximity != nil {
		limit = 0
	}
	b.search(q, limit)
	if q.Scorer.Gain && len(b.scan.fits) == 0 {
		plain := *q.Scorer
		plain.Gain = false
		q.Scorer = &plain
		b.search(q, limit)
	}
	fits := b.scan.fits
	if q.Proximity != nil {
		q.Proximity(fits)
	}
	switch {
	case q.Weighted:
		fits = draw(fits, q.Candidates, b.random)
	case q.Proximity != nil:
		fits = best(fits, q.Candidates)
	}
	if q.Force || len(fits) < q.Candidates {
		b.force(q)
	}
	return Found{fits, b.scan.forced, b.scan.withRoom}
}

// Pass replaces a search whose result is known. It leaves the broker as Recommend would: it expires
// reports and idle nodes from before oldest, and skips the given number of draws.
func (b *Broker) Pass(draws uint64, oldest unit.Time) {
	b.random.Skip(draws)
	if len(b.entries) == 0 {
		return
	}
	b.expire(oldest)
	for i := len(b.idle.nodes) - 1; i >= 0; i-- {
		if n := b.idle.nodes[i]; b.seen[n] < oldest {
			b.idle.drop(n)
		}
	}
}

// search reads the cache from a random place on, until q.Limit nodes fit or all are read. It keeps the
// most nodes with the highest scores in b.scan.fits, the highest first; if most is 0, it keeps all, in
// the order of the cache. It reads by one of three ways with the same result: only the nodes that
// satisfy the constraints if they are few, by the index, or entry by entry.
func (b *Broker) search(q *Query, limit int) {
	c := &b.scan
	c.clear(limit)
	c.forced, c.withRoom, c.read, c.left, c.listed = c.forced[:0], 0, 0, q.Limit, false
	if len(b.entries) == 0 {
		return
	}
	b.expire(q.Oldest)
	b.scoreIdle(q)
	c.from = b.random.Intn(len(b.entries))
	walk := b.scanFast
	if !b.plain(q) {
		walk = b.scanFiltered
	}
	switch {
	case b.choose(q):
		walk(q, c.entries, c.headroom)
	case b.index.weigh(0):
		if !b.index.on {
			b.index.build(&b.cache)
		}
		b.scanBlocks(q, c.from, len(b.entries))
		b.scanBlocks(q, 0, c.from)
	default:
		b.index.on = false
		walk(q, b.entries[c.from:], b.headroom[c.from:])
		walk(q, b.entries[:c.from], b.headroom[:c.from])
	}
	c.settle(c.length)
	if !c.listed {
		b.index.weigh(c.read)
	}
}

// choose reports whether constraints leave so few nodes (1/16 of the cache) that it is faster to read
// only theirs. If so, it copies these entries, in the order of the search from c.from on.
func (b *Broker) choose(q *Query) bool {
	c := &b.scan
	c.entries, c.headroom = c.entries[:0], c.headroom[:0]
	if c.nodes, c.listed = q.Suitable.Few(len(b.entries)/16, c.nodes[:0]); !c.listed {
		return false
	}
	c.places = c.places[:0]
	for _, n := range c.nodes {
		c.places = append(c.places, b.place[n])
	}
	slices.Sort(c.places)
	first, _ := slices.BinarySearch(c.places, int32(c.from))
	for i := range c.places {
		at := c.places[(first+i)%len(c.places)]
		c.entries, c.headroom = append(c.entries, b.entries[at]), append(c.headroom, b.headroom[at])
	}
	return true
}

// nth returns the entry that the search read after i others, and its headroom. The pointers are valid
// until the cache or the scan changes.
func (b *Broker) nth(i int) (*cacheEntry, *unit.Vec) {
	if b.scan.listed {
		return &b.scan.entries[i], &b.scan.headroom[i]
	}
	if i += b.scan.from; i >= len(b.entries) {
		i -= len(b.entries)
	}
	return &b.entries[i], &b.headroom[i]
}

// scanFast reads entries until enough nodes fit, for a plain query. It is the hottest loop of the
// system: a search for a new task reads some 200 entries, and nearly every one of them fits. So it
// makes no call and keeps its variables in registers.
func (b *Broker) scanFast(q *Query, entries []cacheEntry, headroom []unit.Vec) {
	c, s, types := &b.scan, q.Scorer, b.machines.all
	need0, need1, limit, not := q.Need[0], q.Need[1], s.Limit, q.Not
	lowest, left, n := c.lowest, c.left, c.length
	constrained, byProduction := q.Suitable.Constrained(), q.wantsHeadroom()
	headroom = headroom[:len(entries)]
	for i := range entries {
		if left == 0 {
			entries = entries[:i]
			break
		}
		if byProduction && (headroom[i][0] < q.Promise[0] || headroom[i][1] < q.Promise[1]) {
			continue
		}
		entry := &entries[i]
		if entry.node == not || constrained && !q.Suitable.Has(entry.node) {
			continue
		}
		per := &types[entry.machine>>1].per
		u, v := float64(float64(entry.used[0]+need0)*per[0]), float64(float64(entry.used[1]+need1)*per[1])
		if u > limit || v > limit {
			continue
		}
		value := s.Shape(float64((u+v)*0.5), u-v)
		if !(value > 0) {
			continue
		}
		if entry.idle() && s.IdleFirst {
			value = score.Perfect
		}
		left--
		if n == batchSize {
			c.settle(n)
			lowest, n = c.lowest, 0
		}
		c.batch[n], c.levelOf[n] = Scored{entry.node, value}, level(value)
		n += int(flag(value > lowest)) // no branch: it would be a guess
	}
	c.length = n
	c.read, c.left = c.read+len(entries), left
}

// scanFiltered is scanFast for a query that is not plain: value decides about each entry.
func (b *Broker) scanFiltered(q *Query, entries []cacheEntry, headroom []unit.Vec) {
	c, left := &b.scan, b.scan.left
	headroom = headroom[:len(entries)]
	for i := range entries {
		if left == 0 {
			entries = entries[:i]
			break
		}
		if value := b.value(q, &entries[i], &headroom[i]); value > 0 {
			if left--; value > c.lowest {
				c.offer(entries[i].node, value)
			}
		}
	}
	c.read, c.left = c.read+len(entries), left
}

// scanBlocks is scanFast and scanFiltered with the index, for the places [from, to) of the cache. It
// skips blocks in which nothing can fit, and counts their entries as read.
func (b *Broker) scanBlocks(q *Query, from, to int) {
	c, s, types := &b.scan, q.Scorer, b.machines.all
	plain := b.plain(q) && s.Limit == b.machines.limit
	constrained := q.Suitable.Constrained()
	w := wantOf(q)
	lowest, left, n := c.lowest, c.left, c.length
	at := from
	for left > 0 && at < to {
		i := at / block
		end := min((i+1)*block, to)
		if !w.in(&b.index.blocks[i]) {
			at = end
			continue
		}
		fitting := b.index.fitting(&b.cache, &w, at, end)
		if fitting == 0 && at == i*block {
			b.index.tighten(&b.cache, i)
		}
		for ; fitting != 0 && left > 0; fitting &= fitting - 1 {
			place := at + bits.TrailingZeros32(fitting)
			entry := &b.entries[place]
			value := 0.0
			if !plain {
				value = b.value(q, entry, &b.headroom[place])
				// by the index, it is within the limits
			} else if entry.node != q.Not && (!constrained || q.Suitable.Has(entry.node)) {
				per := &types[entry.machine>>1].per
				u, v := float64(float64(entry.used[0]+w.need[0])*per[0]),
					float64(float64(entry.used[1]+w.need[1])*per[1])
				value = s.Shape(float64((u+v)*0.5), u-v)
				if value > 0 && s.IdleFirst && entry.idle() {
					value = score.Perfect
				}
			}
			if !(value > 0) {
				continue
			}
			if left--; left == 0 {
				end = place + 1
			}
			if n == batchSize {
				c.settle(n)
				lowest, n = c.lowest, 0
			}
			c.batch[n], c.levelOf[n] = Scored{entry.node, value}, level(value)
			n += int(flag(value > lowest)) // no branch: it would be a guess
		}
		at = end
	}
	c.read, c.length, c.left = c.read+at-from, n, left
}

// value returns the score of a node that a search met; 0 if it does not fit, is excluded, or was scored
// already among the idle ones.
func (b *Broker) value(q *Query, entry *cacheEntry, headroom *unit.Vec) float64 {
	s := q.Scorer
	if entry.node == q.Not || !q.Suitable.Has(entry.node) || q.wantsHeadroom() && b.breaks(q, entry, headroom) {
		return 0
	}
	per := b.machines.per(entry)
	value := s.With(&entry.used, &q.Need, per)
	if !(value > 0) {
		return 0
	}
	if s.Gain {
		if value = gained(s, value, entry, per); value == 0 {
			return 0
		}
	}
	if q.AntiAffinity != nil && !q.AntiAffinity(entry.node) || entry.idle() && b.idle.place[entry.node] > 0 {
		return 0
	}
	if s.IdleFirst && entry.idle() {
		return score.Perfect
	}
	return value
}

// wantsHeadroom reports whether a node must have headroom for the requests of production.
func (q *Query) wantsHeadroom() bool { return q.Headroom && q.Promise != unit.Vec{} }

// plain reports whether a query is the usual one: a score of two resources that every
// machine has decides, beside constraints and promises within the usual limit.
func (b *Broker) plain(q *Query) bool {
	return unit.Resources == 2 && !b.machines.lacks && !q.Scorer.Gain && q.AntiAffinity == nil && b.idle.limit == 0 &&
		(!q.wantsHeadroom() || q.Scorer.Limit == b.machines.limit)
}

// admits reports whether a node will do, as far as its load does not matter.
func (q *Query) admits(n unit.NodeID) bool {
	return n != q.Not && q.Suitable.Has(n) && (q.AntiAffinity == nil || q.AntiAffinity(n))
}

// rate returns the score of a node for the task, by its load alone; 0 if it does not fit. Unlike value
// it ignores exclusions.
func (b *Broker) rate(q *Query, c *cacheEntry, headroom *unit.Vec) float64 {
	per := b.machines.per(c)
	value := max(0, q.Scorer.With(&c.used, &q.Need, per))
	if value == 0 || q.wantsHeadroom() && b.breaks(q, c, headroom) {
		return 0
	}
	return gained(q.Scorer, value, c, per)
}

// gained returns the part of the score that counts: with gains, the increase over the node's score
// before the placement. An idle node's score before is 0.
func gained(s *score.Scorer, after float64, c *cacheEntry, per *score.Percent) float64 {
	if !s.Gain || c.idle() {
		return after
	}
	return max(0, after-s.Score(score.Load(&c.used, per)))
}

// force fills b.scan.forced with nodes that the search read and that could hold the task when empty, but
// have no score: at most MaxCandidates. The first withRoom of them have room now too; their placement
// would only be too disproportionate, or leave production no headroom.
func (b *Broker) force(q *Query) {
	c := &b.scan
	for i := range c.read {
		if len(c.forced) == MaxCandidates {
			break
		}
		at, headroom := b.nth(i)
		if at.blank() || at.node == q.Not || !q.Suitable.Has(at.node) || !hasRoom(q.Need, b.machines.per(at)) {
			continue
		}
		if b.rate(q, at, headroom) == 0 && (q.AntiAffinity == nil || q.AntiAffinity(at.node)) {
			c.forced = append(c.forced, at.node)
		}
	}
	for i, n := range c.forced {
		if at := b.entry(n); hasRoom(at.used.Add(q.Need), b.machines.per(at)) {
			c.forced[i], c.forced[c.withRoom] = c.forced[c.withRoom], n
			c.withRoom++
		}
	}
}

// hasRoom reports whether a node has room for these shares.
func hasRoom(use unit.Vec, per *score.Percent) bool { return score.Load(&use, per).Max() <= 100 }

// breaks reports whether the promise q.Promise would leave a node's production tasks without headroom
// (RUS, section 6.4). headroom is counted at the machines' usual limit, so with another limit it is
// computed anew.
func (b *Broker) breaks(q *Query, c *cacheEntry, headroom *unit.Vec) bool {
	limit := q.Scorer.Limit
	if limit == b.machines.limit {
		return !q.Promise.Within(*headroom)
	}
	machine := &b.machines.all[c.machine>>1]
	byProduction := machine.limit.Sub(*headroom)
	for r, promise := range q.Promise {
		if promise > within(limit, machine.per[r])-byProduction[r] {
			return true
		}
	}
	return false
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
