package mail

import (
	"parley/core/des"
	"parley/core/fifo"
	"parley/core/unit"
)

// Deadlines watches any number of waits of equal length with a single event in the queue:
// the wait that began first expires first. Set the exported fields before the first wait.
type Deadlines struct {
	Clock  des.Clock
	After  unit.Time             // how long each wait lasts
	Expire func(ref, gen uint32) // called when a wait ran out; it may be over already

	queue fifo.Queue[deadline]
	armed bool // the event of the queue's head is scheduled, or about to be
}

type deadline struct {
	at       unit.Time
	ref, gen uint32
}

// Watch begins a wait. The caller chooses ref, the number of the conversation, and gen,
// which changes whenever the conversation waits for something else: Expire uses gen to
// ignore a wait that has ended.
func (d *Deadlines) Watch(ref, gen uint32) {
	at := d.Clock.Now() + d.After
	d.queue.Push(deadline{at, ref, gen})
	if !d.armed {
		d.armed = true
		d.Clock.At(at, d, 0)
	}
}

// Fire calls Expire for the waits that are over by now, in the order in which they began, and schedules itself for the
// next one.
func (d *Deadlines) Fire(now unit.Time, _ uint64) {
	for d.queue.Len() > 0 && d.queue.Values()[0].at <= now {
		one := d.queue.Pop()
		d.Expire(one.ref, one.gen)
	}
	if d.armed = d.queue.Len() > 0; d.armed {
		d.Clock.At(d.queue.Values()[0].at, d, 0)
	}
}
