package des

import (
	"math/bits"

	"parley/core/unit"
)

// Most events of a long run are far ahead: the ends of all running tasks. They wait in the buckets
// of a hierarchical timing wheel (G. Varghese and T. Lauck, SOSP 1987), unsorted, and enter the
// heap a bucket at a time, so that the heap stays small enough for the nearest cache. A time is a
// number of eight digits of 64 and a rest: an event is at the level of the first digit in which its
// time differs from the horizon, in the bucket of that digit, and when the horizon reaches that
// bucket its events move to lower levels.
const (
	restBits  = 20 // a bucket of the lowest level spans 1 s
	digitBits = 6
	digits    = (63 - restBits + digitBits - 1) / digitBits
	span      = 1 << restBits
)

// wheel holds the events from horizon on.
type wheel struct {
	horizon unit.Time // a multiple of span, or Forever
	buckets [digits][1 << digitBits]*batch
	filled  [digits]uint64 // a bit for each bucket that holds events
	length  int
	free    *batch
	sink    uint32   // so that early reads have a use
	args    []uint64 // scratch of prefetch
}

// batch is a part of a bucket. Batches are used again at once, while the nearest
// cache still has them.
type batch struct {
	next   *batch
	length int
	events [batchSize]entry
}

const batchSize = 42 // a batch is 1 KB

// keep takes in an event at or after the horizon.
func (w *wheel) keep(e entry) {
	w.length++
	w.put(e)
}

// put adds an event, at or after the horizon, to the bucket of its level. It does not count it: see keep.
func (w *wheel) put(e entry) {
	level := 0
	if apart := uint64(e.at^w.horizon) >> restBits; apart > 0 {
		level = (bits.Len64(apart) - 1) / digitBits
	}
	digit := digit(e.at, level)
	b := w.buckets[level][digit]
	if b == nil || b.length == batchSize {
		b = w.batch(b)
		w.buckets[level][digit] = b
		w.filled[level] |= 1 << digit
	}
	b.events[b.length] = e
	b.length++
}

func digit(t unit.Time, level int) uint {
	return uint(t>>(restBits+level*digitBits)) % (1 << digitBits)
}

// batch returns an empty batch with others behind it.
func (w *wheel) batch(next *batch) *batch {
	b := w.free
	if b == nil {
		b = &batch{}
	} else {
		w.free = b.next
	}
	b.next, b.length = next, 0
	return b
}

// take empties a bucket and returns its batches, or nil. The caller gives each back with give.
func (w *wheel) take(level int, digit uint) *batch {
	b := w.buckets[level][digit]
	w.buckets[level][digit] = nil
	w.filled[level] &^= 1 << digit
	return b
}

// give gives a batch back and returns the next one.
func (w *wheel) give(b *batch) *batch {
	next := b.next
	b.next, w.free = w.free, b
	return next
}

// advance moves the events of the first bucket that is not empty into the heap, if the heap is empty and the
// bucket begins before limit. The horizon then is behind that bucket.
func (k *Kernel) advance(limit unit.Time) {
	w := &k.wheel
	for len(k.heap) == 0 && w.length > 0 {
		first := w.first()
		if first >= limit {
			return
		}
		w.turn(first)
		b := w.take(0, digit(first, 0))
		for x := b; x != nil; x = x.next {
			k.prefetch(x.events[:x.length])
		}
		for ; b != nil; b = w.give(b) {
			w.length -= b.length
			for _, e := range b.events[:b.length] {
				k.push(e)
			}
		}
		if first < unit.Forever-span {
			w.turn(first + span)
		} else {
			w.horizon = unit.Forever
		}
	}
}

// first returns the time at which the first bucket with events begins; unit.Forever if there is none.
func (w *wheel) first() unit.Time {
	for level := range digits {
		if later := w.filled[level] >> digit(w.horizon, level) << digit(w.horizon, level); later != 0 {
			shift := restBits + level*digitBits
			return w.horizon>>(shift+digitBits)<<(shift+digitBits) | unit.Time(bits.TrailingZeros64(later))<<shift
		}
	}
	return unit.Forever
}

// turn moves the horizon on to a time before which there are no events, and the events of the buckets that it
// reaches to lower levels. Only buckets of levels whose digit changes can be reached.
func (w *wheel) turn(horizon unit.Time) {
	changed := uint64(w.horizon^horizon) >> restBits
	w.horizon = horizon
	for level := (bits.Len64(changed|1) - 1) / digitBits; level > 0; level-- {
		for b := w.take(level, digit(horizon, level)); b != nil; b = w.give(b) {
			for _, e := range b.events[:b.length] {
				w.put(e)
			}
		}
	}
}

// prefetch reads the data that events need when they fire, and calls the Prefetch of their
// handlers.
func (k *Kernel) prefetch(events []entry) {
	w := &k.wheel
	for _, e := range events {
		w.sink ^= k.slots[e.slot].use
	}
	var handler Prefetcher
	w.args = w.args[:0]
	for _, e := range events {
		p := &k.slots[e.slot]
		one, prefetches := p.handler.(Prefetcher)
		if !prefetches {
			continue
		}
		if one != handler && handler != nil {
			handler.Prefetch(w.args)
			w.args = w.args[:0]
		}
		handler = one
		w.args = append(w.args, p.arg)
	}
	if handler != nil {
		handler.Prefetch(w.args)
	}
}

// Prefetcher is a Handler that receives the args of many of its events some time before they are
// due: those that wait in one bucket and are not cancelled by then. It may read data that it will
// need, because many independent reads at once are faster than one after the other, and must not
// change anything that a run depends on.
type Prefetcher interface {
	Handler
	Prefetch(args []uint64) // args is the kernel's
}
