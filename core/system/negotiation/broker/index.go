package broker

import (
	"parley/core/unit"
)

// index lets a search skip blocks of the cache in which nothing can fit. If load is low, nearly
// every entry fits, a search reads some 200 of them, and the index is off; if it is high, a search
// would read the whole cache to find a few. It never changes the result of a search.
//
// A bound of a block is never below the values of its entries, and may be above: a write of an
// entry raises it, and a search that finds nothing in a block corrects it. So writing costs next to
// nothing.
type index struct {
	on     bool
	work   int        // entries read by the last searches beyond the usual number
	room   []unit.Vec // by place: how much more may be used there; below 0 if nothing fits
	joint  []unit.Vec // by place: how much a task may need there that promises as much
	blocks []bounds
}

// bounds are those of all entries of a block.
type bounds struct {
	room, joint, headroom bound
	tight                 bool // no entry was written since they were put right
}

// bound is the upper bound of several vectors: in each resource, and in the smaller resource, at
// three weights of the two. A vector can only fit one of them if it is within the bound.
type bound struct {
	limit            unit.Vec
	even, flat, tall unit.Share
}

// none is the bound of no vector.
func none() bound {
	return bound{limit: unit.Vec{minShare, minShare}, even: minShare, flat: minShare, tall: minShare}
}

// raise puts the bound above a vector; one that lacks something has room for nothing.
func (b *bound) raise(v *unit.Vec) {
	x, y := v[0], v[1]
	if x|y < 0 {
		return
	}
	b.limit[0], b.limit[1] = max(b.limit[0], x), max(b.limit[1], y)
	b.even, b.flat, b.tall = max(b.even, min(x, y)), max(b.flat, min(x/2, y)), max(b.tall, min(x, y/2))
}

// covers reports whether one of the vectors may have room for one that has the bound o.
func (b *bound) covers(o *bound) bool {
	return b.limit[0] >= o.limit[0] && b.limit[1] >= o.limit[1] && b.even >= o.even && b.flat >= o.flat &&
		b.tall >= o.tall
}

// want is the demand of a search, in the form that the index compares.
type want struct {
	need, promise   unit.Vec
	needs, promises bound
	headroom        bool // there must be headroom
	joint           bool // as much as room
}

// wantOf returns the demand of a query in the form that the index compares.
func wantOf(q *Query) want {
	w := want{
		need: q.Need, promise: q.Promise, needs: none(), promises: none(), headroom: q.wantsHeadroom(),
		joint: q.Need == q.Promise,
	}
	w.needs.raise(&q.Need)
	w.promises.raise(&q.Promise)
	return w
}

// in reports whether something may fit within the bounds of a block; false is certain, true is not.
func (w *want) in(b *bounds) bool {
	if w.headroom && w.joint {
		return b.joint.covers(&w.needs)
	}
	return b.room.covers(&w.needs) && (!w.headroom || b.headroom.covers(&w.promises))
}

const (
	block   = 16        // places
	usual   = 350       // entries that a search reads
	tooMuch = 20_000    // from here on the index pays
	kept    = 2_000_000 // that is remembered
)

// weigh adds the entries that a search read beyond the usual number to the recent work, and reports
// whether the index pays. Once it is on, it stays on until that work is used up; 0 only asks.
func (x *index) weigh(read int) bool {
	x.work = min(max(0, x.work+read-usual), kept)
	return x.work > tooMuch || x.on && x.work > 0
}

// build makes the index of a cache and switches it on.
func (x *index) build(c *cache) {
	n := len(c.entries)
	x.on = true
	x.room, x.joint, x.blocks = resized(x.room, n), resized(x.joint, n), resized(x.blocks, (n+block-1)/block)
	for i := range x.blocks {
		x.blocks[i] = bounds{room: none(), joint: none(), headroom: none()}
	}
	for at := range c.entries {
		x.note(c, int32(at))
	}
}

const minShare = -1 << 31

// note updates the index with the entry at a place.
func (x *index) note(c *cache, at int32) {
	e, headroom := &c.entries[at], &c.headroom[at]
	room := c.machines.all[e.machine>>1].limit.Sub(e.used)
	x.room[at], x.joint[at] = room, unit.Vec{min(room[0], headroom[0]), min(room[1], headroom[1])}
	x.raise(c, at)
}

// raise raises the bounds of a place's block to its entry.
func (x *index) raise(c *cache, at int32) {
	b := &x.blocks[at/block]
	b.room.raise(&x.room[at])
	b.joint.raise(&x.joint[at])
	b.headroom.raise(&c.headroom[at])
	b.tight = false
}

// tighten puts the bounds of a block right.
func (x *index) tighten(c *cache, i int) {
	if x.blocks[i].tight {
		return
	}
	x.blocks[i] = bounds{room: none(), joint: none(), headroom: none()}
	for at := i * block; at < min((i+1)*block, len(x.room)); at++ {
		x.raise(c, int32(at))
	}
	x.blocks[i].tight = true
}

// fitting returns a bit for each place of [from, to), which is within a block, where the demand
// fits.
func (x *index) fitting(c *cache, w *want, from, to int) uint32 {
	switch {
	case !w.headroom:
		return places(x.room[from:to], w.need)
	case w.joint:
		return places(x.joint[from:to], w.need)
	}
	return places(x.room[from:to], w.need) & places(c.headroom[from:to], w.promise)
}

// places returns a bit for each of some vectors that has room for v.
func places(vectors []unit.Vec, v unit.Vec) (set uint32) {
	for i := range vectors {
		set |= uint32(flag(vectors[i][0] >= v[0])&flag(vectors[i][1] >= v[1])) << i
	}
	return set
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
