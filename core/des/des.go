// Package des implements a discrete-event kernel: a clock and a queue of events ordered by
// (time, sequence). It knows no nodes and no tasks.
//
// The queue is a 4-ary heap of 24-byte entries over a table of slots. An event needs no
// allocation, and Cancel needs one memory access. Events of the far future wait in a timing
// wheel outside the heap.
//
//	k := des.New()
//	k.At(5*unit.Second, handler, 42)
//	for k.Step(unit.Minute) {
//	}
package des

import (
	"slices"

	"parley/core/slab"
	"parley/core/unit"
)

// Handler is called when an event it asked for is due.
type Handler interface {
	// Fire runs at simulated time now with the argument given to At.
	Fire(now unit.Time, arg uint64)
}

// Ticket names a scheduled event, for Cancel. The zero Ticket names none.
type Ticket uint64

// Clock is the part of the kernel that a model uses.
type Clock interface {
	// Now returns the present simulated time.
	Now() unit.Time
	// At schedules h.Fire(t, arg). Events of one time fire in call order; a
	// time in the past counts as now.
	At(t unit.Time, h Handler, arg uint64) Ticket
	// Cancel forgets an event that has not fired; other tickets are ignored.
	Cancel(Ticket)
}

// Kernel is the clock and its queue. It implements Clock.
type Kernel struct {
	now   unit.Time
	seq   uint64
	fired uint64
	heap  []entry // the events before wheel.horizon
	wheel wheel
	slots []slot
	free  []uint32
}

type entry struct {
	at   unit.Time
	seq  uint64
	slot uint32
}

type slot struct {
	handler Handler // nil: cancelled
	arg     uint64
	use     uint32
}

// New returns a kernel at time 0 with an empty queue.
func New() *Kernel { return &Kernel{wheel: wheel{horizon: span}} }

// Reserve makes room for a given number of waiting events. More may come.
func (k *Kernel) Reserve(events int) { k.slots = slices.Grow(k.slots, events) }

// Now implements Clock.
func (k *Kernel) Now() unit.Time { return k.now }

// Fired returns how many events have fired.
func (k *Kernel) Fired() uint64 { return k.fired }

// Pending returns how many events wait, cancelled ones included.
func (k *Kernel) Pending() int { return len(k.heap) + k.wheel.length }

// At implements Clock. A time in the past is now. Events beyond the wheel's horizon are kept in its slots, the others
// in the heap.
func (k *Kernel) At(t unit.Time, h Handler, arg uint64) Ticket {
	if t < k.now {
		t = k.now
	}
	s := slab.Take(&k.free, &k.slots)
	p := &k.slots[s]
	p.handler, p.arg = h, arg
	p.use++
	k.seq++
	if e := (entry{t, k.seq, s}); t < k.wheel.horizon {
		k.push(e)
	} else {
		k.wheel.keep(e)
	}
	return Ticket(p.use)<<32 | Ticket(s)
}

// Cancel implements Clock.
func (k *Kernel) Cancel(t Ticket) {
	if s := uint32(t); int(s) < len(k.slots) && k.slots[s].use == uint32(t>>32) {
		k.slots[s].handler = nil
	}
}

// Step fires the next event that is due before limit and reports whether
// there was one. When there is none the clock moves to limit.
func (k *Kernel) Step(limit unit.Time) bool {
	for k.due(limit) {
		e := k.pop()
		p := &k.slots[e.slot]
		h, arg := p.handler, p.arg
		p.handler = nil
		p.use++ // the ticket is spent
		k.free = append(k.free, e.slot)
		if h == nil {
			continue
		}
		k.now = e.at
		k.fired++
		h.Fire(e.at, arg)
		return true
	}
	if limit > k.now {
		k.now = limit
	}
	return false
}

// due reports whether the next event, which is in the heap then, is before limit.
func (k *Kernel) due(limit unit.Time) bool {
	if len(k.heap) == 0 {
		k.advance(limit)
	}
	return len(k.heap) > 0 && k.heap[0].at < limit
}

// Next returns the time of the next event, or unit.Forever.
func (k *Kernel) Next() unit.Time {
	if k.advance(unit.Forever); len(k.heap) == 0 {
		return unit.Forever
	}
	return k.heap[0].at
}
