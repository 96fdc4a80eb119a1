package negotiation

import (
	"parley/core/des"
	"parley/core/unit"
)

// deadlines watches many waits of one length with one event in the queue: the
// first to begin is the first to run out.
type deadlines struct {
	clock  des.Clock
	after  unit.Time
	expire func(ref, gen uint32) // told when a wait ran out; it may be over already
	queue  []deadline
	head   int
	armed  bool // the event of the queue's head is scheduled, or about to be
}

type deadline struct {
	at       unit.Time
	ref, gen uint32
}

// watch begins a wait.
func (d *deadlines) watch(ref, gen uint32) {
	at := d.clock.Now() + d.after
	d.queue = append(d.queue, deadline{at, ref, gen})
	if !d.armed {
		d.armed = true
		d.clock.At(at, d, 0)
	}
}

// Fire implements des.Handler.
func (d *deadlines) Fire(now unit.Time, _ uint64) {
	for d.head < len(d.queue) && d.queue[d.head].at <= now {
		one := d.queue[d.head]
		d.head++
		d.expire(one.ref, one.gen)
	}
	if d.head == len(d.queue) {
		d.queue, d.head, d.armed = d.queue[:0], 0, false
		return
	}
	if d.head > 4096 && d.head*2 > len(d.queue) {
		d.queue = d.queue[:copy(d.queue, d.queue[d.head:])]
		d.head = 0
	}
	d.clock.At(d.queue[d.head].at, d, 0)
}
