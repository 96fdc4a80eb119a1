package negotiation

import (
	"math"
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// query is what a search looks for.
type query struct {
	demand
	scorer        *scorer
	oldest        unit.Time              // what a broker heard before no longer counts
	limit         int                    // how many nodes that fit are scored
	most          int                    // how many of these are kept, the highest scores; 0: all
	wantsHeadroom bool                   // promises must fit too
	not           unit.NodeID            // a node that will not do; NoNode: none
	suitable      cluster.Suitable       // what a node must satisfy
	antiAffinity  func(unit.NodeID) bool // what else it must satisfy; nil: nothing
}

// scan is a search under way and what it found; its slices are used again.
type scan struct {
	shortlist
	forced   []unit.NodeID
	withRoom int // how many of forced, its first, have room and only no score

	from int // the place in the pool where it began
	read int // entries
	left int // fits to find yet

	listed   bool          // it only reads entries
	entries  []cacheEntry  // of the few nodes that satisfy the constraints
	headroom []unit.Vec    // theirs
	places   []int32       // theirs in the pool
	nodes    []unit.NodeID // scratch of choose
}

// search reads the pool from a random place on until enough nodes fit, and keeps
// those with the highest scores in b.scan.fits, the highest first (all of them,
// in the order of the pool, if q.most is 0).
func (b *broker) search(q *query) {
	c := &b.scan
	c.clear(q.most)
	c.forced, c.withRoom, c.read, c.left, c.listed = c.forced[:0], 0, 0, q.limit, false
	if len(b.entries) == 0 {
		return
	}
	b.expire(q.oldest)
	b.scoreIdle(q)
	c.from = b.random.Intn(len(b.entries))
	walk := b.scanFast
	if q.scorer.gain || q.promised() || q.not != unit.NoNode || q.antiAffinity != nil {
		walk = b.scanFiltered
	}
	if b.choose(q) {
		walk(q, c.entries, c.headroom)
	} else {
		walk(q, b.entries[c.from:], b.headroom[c.from:])
		walk(q, b.entries[:c.from], b.headroom[:c.from])
	}
	c.settle(c.length)
}

// choose reports whether constraints leave so few nodes that a search had better
// read only theirs, and takes these out of the pool, in its order.
func (b *broker) choose(q *query) bool {
	c := &b.scan
	c.entries, c.headroom = c.entries[:0], c.headroom[:0]
	if c.nodes, c.listed = q.suitable.Few(len(b.entries)/16, c.nodes[:0]); !c.listed {
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

// nth returns the entry that the search read after i others, and what may be
// promised there.
func (b *broker) nth(i int) (*cacheEntry, *unit.Vec) {
	if b.scan.listed {
		return &b.scan.entries[i], &b.scan.headroom[i]
	}
	if i += b.scan.from; i >= len(b.entries) {
		i -= len(b.entries)
	}
	return &b.entries[i], &b.headroom[i]
}

// scanFast reads entries until enough nodes fit, where only load and constraints count.
// It is the hottest loop of the system: a search for a new task reads some 200
// entries, and nearly every one of them fits.
func (b *broker) scanFast(q *query, entries []cacheEntry, _ []unit.Vec) {
	c, s, types := &b.scan, q.scorer, b.types.all
	need0, need1, limit := q.need[0], q.need[1], s.limit
	least, left, n := c.least, c.left, c.length
	asked := q.suitable.Constrained()
	for i := range entries {
		if left == 0 {
			entries = entries[:i]
			break
		}
		entry := &entries[i]
		if asked && !q.suitable.Has(entry.node) {
			continue
		}
		per := &types[entry.machine>>1].per
		// Two resources in registers; more of them by the loops of Percent.
		u, v := float64(float64(entry.used[0]+need0)*per[0]), float64(float64(entry.used[1]+need1)*per[1])
		if u > limit || v > limit {
			continue
		}
		score := s.shape(float64((u+v)*0.5), u-v)
		if unit.Resources > 2 {
			score = s.withAny(&entry.used, &q.need, per)
		}
		if !(score > 0) {
			continue
		}
		if entry.idle() {
			if b.idlePlace[entry.node] > 0 {
				continue // it was scored already
			}
			if s.idleFirst {
				score = scale
			}
		}
		left--
		if n == batchSize {
			c.settle(n)
			least, n = c.least, 0
		}
		c.batch[n], c.levels[n] = scored{entry.node, score}, level(score)
		n += int(flag(score > least)) // no branch: it would be a guess
	}
	c.length = n
	c.read, c.left = c.read+len(entries), left
}

// scanFiltered is scanFast for a task that asks for more. Where it asks for headroom one entry
// in 25 will do, and most of the others are not even read.
func (b *broker) scanFiltered(q *query, entries []cacheEntry, headroom []unit.Vec) {
	c, s, left := &b.scan, q.scorer, b.scan.left
	promise := unit.Vec{math.MinInt32, math.MinInt32}
	if q.promised() {
		promise = q.promise
	}
	headroom = headroom[:len(entries)]
	for i := range headroom {
		if left == 0 {
			entries = entries[:i]
			break
		}
		if flag(headroom[i][0] < promise[0])|flag(headroom[i][1] < promise[1]) != 0 {
			continue
		}
		entry := &entries[i]
		if entry.node == q.not || !q.suitable.Has(entry.node) || q.promised() && b.breaks(q, entry, &headroom[i]) {
			continue
		}
		score := s.with(&entry.used, &q.need, b.types.per(entry))
		if !(score > 0) {
			continue
		}
		if s.gain {
			if score = s.gained(score, entry, b.types.per(entry)); score == 0 {
				continue
			}
		}
		if q.antiAffinity != nil && !q.antiAffinity(entry.node) || entry.idle() && b.idlePlace[entry.node] > 0 {
			continue
		}
		if s.idleFirst && entry.idle() {
			score = scale
		}
		if left--; score > c.least {
			c.offer(entry.node, score)
		}
	}
	c.read, c.left = c.read+len(entries), left
}

// promised reports whether a node must have headroom for a promise.
func (q *query) promised() bool { return q.wantsHeadroom && q.promise != unit.Vec{} }

// suits reports whether a node will do, as far as its load does not matter.
func (q *query) suits(n unit.NodeID) bool {
	return n != q.not && q.suitable.Has(n) && (q.antiAffinity == nil || q.antiAffinity(n))
}

// rate returns the score of a node for the task, 0 where it does not fit.
func (b *broker) rate(q *query, c *cacheEntry, headroom *unit.Vec) float64 {
	per := b.types.per(c)
	score := max(0, q.scorer.with(&c.used, &q.need, per))
	if score == 0 || q.promised() && b.breaks(q, c, headroom) {
		return 0
	}
	return q.scorer.gained(score, c, per)
}

// gained returns what counts of the score after a placement: with gains, what it
// adds to the node's score before. An idle node's score before is 0.
func (s *scorer) gained(after float64, c *cacheEntry, per *Percent) float64 {
	if !s.gain || c.idle() {
		return after
	}
	return max(0, after-s.score(load(&c.used, per)))
}

// force lists in b.scan.forced those of the nodes that the search read, at most
// as many as may be recommended, that have capacity for the task but no score:
// first those that have room too, where the placement would only be too
// disproportionate, or leave production no headroom.
func (b *broker) force(q *query) {
	c := &b.scan
	for i := range c.read {
		if len(c.forced) == maxCandidates {
			break
		}
		at, headroom := b.nth(i)
		if at.blank() || at.node == q.not || !q.suitable.Has(at.node) || !takes(q.need, b.types.per(at)) {
			continue
		}
		if b.rate(q, at, headroom) == 0 && (q.antiAffinity == nil || q.antiAffinity(at.node)) {
			c.forced = append(c.forced, at.node)
		}
	}
	for i, n := range c.forced {
		if at := b.entry(n); takes(at.used.Add(q.need), b.types.per(at)) {
			c.forced[i], c.forced[c.withRoom] = c.forced[c.withRoom], n
			c.withRoom++
		}
	}
}

// takes reports whether a node has room for so much.
func takes(use unit.Vec, per *Percent) bool { return load(&use, per).most() <= 100 }

// load returns a use in percent of a node.
func load(use *unit.Vec, per *Percent) (p Percent) {
	for r := range use {
		p[r] = float64(float64(use[r]) * per[r])
	}
	return p
}

// breaks reports whether the promise would leave a node's production tasks
// without headroom (RUS, section 6.4).
func (b *broker) breaks(q *query, c *cacheEntry, headroom *unit.Vec) bool {
	limit := q.scorer.limit
	if limit == b.types.limit {
		return !q.promise.Within(*headroom)
	}
	machine := &b.types.all[c.machine>>1]
	promised := machine.most.Sub(*headroom)
	for r, promise := range q.promise {
		if promise > within(limit, machine.per[r])-promised[r] {
			return true
		}
	}
	return false
}
