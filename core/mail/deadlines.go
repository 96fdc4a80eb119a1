package mail

import (
	"parley/core/des"
	"parley/core/unit"
)

// Deadlines watches many waits of one length with one event in the queue: the
// first to begin is the first to run out. Its exported fields are set once, before
// the first wait.
type Deadlines struct {
	Clock  des.Clock
	After  unit.Time             // how long each wait lasts
	Expire func(ref, gen uint32) // told when a wait ran out; it may be over already

	queue []deadline
	head  int
	armed bool // the event of the queue's head is scheduled, or about to be
}

type deadline struct {
	at       unit.Time
	ref, gen uint32
}

// Watch begins a wait of a conversation. Ref and gen are the caller's: a number of
// the conversation, and one that changes whenever it waits for something else, so
// that Expire can tell a wait that is over from one that still runs.
func (d *Deadlines) Watch(ref, gen uint32) {
	at := d.Clock.Now() + d.After
	d.queue = append(d.queue, deadline{at, ref, gen})
	if !d.armed {
		d.armed = true
		d.Clock.At(at, d, 0)
	}
}

// Fire implements des.Handler.
func (d *Deadlines) Fire(now unit.Time, _ uint64) {
	for d.head < len(d.queue) && d.queue[d.head].at <= now {
		one := d.queue[d.head]
		d.head++
		d.Expire(one.ref, one.gen)
	}
	if d.head == len(d.queue) {
		d.queue, d.head, d.armed = d.queue[:0], 0, false
		return
	}
	if d.head > 4096 && d.head*2 > len(d.queue) {
		d.queue = d.queue[:copy(d.queue, d.queue[d.head:])]
		d.head = 0
	}
	d.Clock.At(d.queue[d.head].at, d, 0)
}
