package broker

import (
	"parley/core/unit"
)

// index lets a search pass over blocks of the cache where nothing can fit. Where
// load is low nearly every entry fits, a search reads some 200 of them, and there
// is none; where it is high a search would read the whole cache to find a few.
// It never changes what a search finds.
//
// Who writes an entry says that its block is stale, and a search that comes there
// puts the block right. So writing costs next to nothing.
type index struct {
	on     bool
	work   int        // entries read by the last searches beyond what is usual
	room   []unit.Vec // by place: how much more may be used there; below 0 where nothing fits
	joint  []unit.Vec // by place: how much a task may need there that promises as much
	blocks []summary
}

// summary is what no entry of a block exceeds.
type summary struct {
	stale                 bool // an entry was written since
	room, headroom, joint bound
}

// bound is what no vector of several exceeds: in each resource, and in the resource of
// which it has least, at three weights of the second one. One vector has room for
// another only if all of these have.
type bound struct {
	most             unit.Vec
	even, flat, tall unit.Share
}

// none is the bound of no vector.
func none() bound {
	return bound{most: unit.Vec{minShare, minShare}, even: minShare, flat: minShare, tall: minShare}
}

// raise puts the bound above a vector; one that lacks something has room for nothing.
func (b *bound) raise(v unit.Vec) {
	if v[0] < 0 || v[1] < 0 {
		return
	}
	b.most[0], b.most[1] = max(b.most[0], v[0]), max(b.most[1], v[1])
	b.even, b.flat, b.tall = max(b.even, min(v[0], v[1])), max(b.flat, min(v[0]/2, v[1])), max(b.tall, min(v[0], v[1]/2))
}

// covers reports whether one of the vectors may have room for v.
func (b *bound) covers(v *unit.Vec) bool {
	return b.most[0] >= v[0] && b.most[1] >= v[1] && b.even >= min(v[0], v[1]) && b.flat >= min(v[0]/2, v[1]) && b.tall >= min(v[0], v[1]/2)
}

const (
	block   = 16        // places
	usual   = 350       // entries that a search reads
	tooMuch = 20_000    // from here on the index pays
	kept    = 2_000_000 // that is remembered
)

// weigh takes in how many entries a search read, and reports whether there should
// be an index.
func (x *index) weigh(read int) bool {
	x.work = min(max(0, x.work+read-usual), kept)
	return x.work > tooMuch || x.on && x.work > 0
}

// build makes the index of a cache.
func (x *index) build(c *cache) {
	n := len(c.entries)
	x.on = true
	x.room, x.joint, x.blocks = resized(x.room, n), resized(x.joint, n), resized(x.blocks, (n+block-1)/block)
	for i := range x.blocks {
		x.blocks[i].stale = true
	}
}

const minShare = -1 << 31

// renew puts a block right.
func (x *index) renew(c *cache, i int) {
	room, headroom, joint := none(), none(), none()
	for at := i * block; at < min((i+1)*block, len(c.entries)); at++ {
		e := &c.entries[at]
		free, promise := c.machines.all[e.machine>>1].most.Sub(e.used), c.headroom[at]
		both := unit.Vec{min(free[0], promise[0]), min(free[1], promise[1])}
		x.room[at], x.joint[at] = free, both
		room.raise(free)
		headroom.raise(promise)
		joint.raise(both)
	}
	x.blocks[i] = summary{room: room, headroom: headroom, joint: joint}
}

// fitting returns a bit for each place of a block where as much may be used and
// promised as a task asks for.
func (x *index) fitting(c *cache, i int, q *Query) uint32 {
	s := &x.blocks[i]
	if s.stale {
		x.renew(c, i)
	}
	from, to := i*block, min((i+1)*block, len(c.entries))
	switch {
	case !q.promised():
		if s.room.covers(&q.Need) {
			return places(x.room[from:to], &q.Need)
		}
	case q.Need == q.Promise:
		if s.joint.covers(&q.Need) {
			return places(x.joint[from:to], &q.Need)
		}
	default:
		if s.room.covers(&q.Need) && s.headroom.covers(&q.Promise) {
			return places(x.room[from:to], &q.Need) & places(c.headroom[from:to], &q.Promise)
		}
	}
	return 0
}

// places returns a bit for each of some vectors that has room for v.
func places(vectors []unit.Vec, v *unit.Vec) (set uint32) {
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
