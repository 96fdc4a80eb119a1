package broker

import (
	"parley/core/unit"
)

// index lets a search pass over blocks of the cache where nothing can fit. Where
// load is low nearly every entry fits, a search reads some 200 of them, and there
// is none; where it is high a search would read the whole cache to find a few.
// It never changes what a search finds.
//
// A bound of a block is never below what its entries have, and may be above: who
// writes an entry raises it, and a search that finds nothing in a block puts it
// right. So writing costs next to nothing.
type index struct {
	on     bool
	work   int        // entries read by the last searches beyond what is usual
	room   []unit.Vec // by place: how much more may be used there; below 0 where nothing fits
	blocks []bound
}

// bound is what no entry of a block exceeds.
type bound struct {
	room, headroom unit.Vec
	both           unit.Share // the resource of which an entry has least room: what fits needs both at one place
	tight          bool       // no entry was written since it was put right
}

// none is the bound of a block without entries.
func none() bound {
	return bound{room: unit.Vec{minShare, minShare}, headroom: unit.Vec{minShare, minShare}, both: minShare}
}

// passes reports whether nothing in the block can fit.
func (b *bound) passes(need, promise *unit.Vec, least unit.Share) bool {
	return b.both < least || b.room[0] < need[0] || b.room[1] < need[1] || b.headroom[0] < promise[0] || b.headroom[1] < promise[1]
}

// raise puts the bound above an entry.
func (b *bound) raise(room, headroom *unit.Vec) {
	for r := range room {
		b.room[r] = max(b.room[r], room[r])
		b.headroom[r] = max(b.headroom[r], headroom[r])
	}
	b.both = max(b.both, min(room[0], room[1]))
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
	x.room, x.blocks = resized(x.room, n), resized(x.blocks, (n+block-1)/block)
	for i := range x.blocks {
		x.blocks[i] = none()
	}
	for at := range c.entries {
		x.note(c, int32(at))
	}
}

const minShare = -1 << 31

// note takes in what stands at a place now.
func (x *index) note(c *cache, at int32) {
	e := &c.entries[at]
	x.room[at] = c.machines.all[e.machine>>1].most.Sub(e.used)
	x.raise(c, at)
}

// raise puts a place's bound above what stands there.
func (x *index) raise(c *cache, at int32) {
	b := &x.blocks[at/block]
	b.raise(&x.room[at], &c.headroom[at])
	b.tight = false
}

// tighten puts the bound of a block right.
func (x *index) tighten(c *cache, i int) {
	if x.blocks[i].tight {
		return
	}
	b := none()
	for at := i * block; at < min((i+1)*block, len(x.room)); at++ {
		b.raise(&x.room[at], &c.headroom[at])
	}
	b.tight = true
	x.blocks[i] = b
}

// fitting returns a bit for each place of [from, to), which lies within a block,
// where so much may be used and promised.
func (x *index) fitting(c *cache, from, to int, need, promise *unit.Vec) (set uint32) {
	room, headroom := x.room[from:to], c.headroom[from:to]
	headroom = headroom[:len(room)]
	cpu, memory := need[0], need[1]
	if promise[0] == minShare && promise[1] == minShare {
		for i := range room {
			set |= uint32(flag(room[i][0] >= cpu)&flag(room[i][1] >= memory)) << i
		}
		return set
	}
	for i := range room {
		fits := flag(room[i][0] >= cpu) & flag(room[i][1] >= memory) & flag(headroom[i][0] >= promise[0]) & flag(headroom[i][1] >= promise[1])
		set |= uint32(fits) << i
	}
	return set
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
