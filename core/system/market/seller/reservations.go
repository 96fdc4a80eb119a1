package seller

import (
	"parley/core/batch"
	"parley/core/slab"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/unit"
)

// onAccept reserves the offered unit and starts its timer, or withdraws: more jobs may have been
// queued in the meantime. Without the resource's own mark, the offer was never made. An offer whose
// start has passed, because its owner took long to approve it, gets the next start that still meets
// the request, at the same price. A repeated acceptance gets the same answer.
func (r *Resources) onAccept(now unit.Time, one *Resource, m *fipa.Message) {
	p := &m.Payload
	if p.Attachments == nil {
		return
	}
	if slot, holds := one.held[key(p.Auction, int(p.Unit))]; holds {
		r.reply(m, r.agreement(slot))
		return
	}
	if r.away[one.number] {
		r.refuse(m, fipa.Left)
		return
	}
	if p.Reservation != r.mark(one, p.Auction, p.Unit, p.Price, p.Start, p.End) {
		r.refuse(m, fipa.NotOffered)
		return
	}
	block := batch.Block{Start: p.Start, End: p.End, Processors: p.Asks.Cores()}
	late := fipa.NoReason
	if block.Start < now {
		block.Start, block.End, late = r.window(now, one, p.Asks, p.Closest)
	}
	if late != fipa.NoReason || !one.Queue.Reserve(now, block) {
		r.refuse(m, fipa.LoadChanged)
		return
	}
	slot := r.take()
	v := &r.Reservations[slot]
	*v = Reservation{
		Slot: slot, use: v.use, State: Reserved, Resource: one.number, Auction: p.Auction, Unit: int(p.Unit),
		Price: p.Price, Block: block,
		until: now + r.terms.Hold, job: p.Job,
	}
	one.held[key(p.Auction, int(p.Unit))] = slot
	r.Counts.Holds++
	r.note(journal.NoteReserved, v)
	r.holds.Watch(slot, v.use)
	r.Sites.expect(now, one.number, block.Start)
	r.reply(m, r.agreement(slot))
}

// agreement returns the message that agrees to a slot's reservation.
func (r *Resources) agreement(slot uint32) fipa.Payload {
	v := &r.Reservations[slot]
	return fipa.Payload{Act: fipa.Agree, Reservation: r.ID(slot), Start: v.Block.Start, End: v.Block.End}
}

// take returns a slot for a reservation.
func (r *Resources) take() uint32 {
	slot := slab.Take(&r.free, &r.Reservations)
	r.Reservations[slot].use++
	return slot
}

// ID names a reservation to others: one that is over never comes back.
func (r *Resources) ID(slot uint32) uint64 {
	return uint64(r.Reservations[slot].use)<<32 | uint64(slot)
}

// of returns the reservation of an id, if the resource has it still.
func (r *Resources) of(one *Resource, id uint64) *Reservation {
	slot := uint32(id)
	if int(slot) >= len(r.Reservations) || id == 0 {
		return nil
	}
	v := &r.Reservations[slot]
	if uint64(v.use) != id>>32 || v.State == Gone || v.Resource != one.number {
		return nil
	}
	return v
}

// Release deletes a reservation: its cores are free again.
func (r *Resources) Release(v *Reservation) {
	one := &r.All[v.Resource]
	r.note(journal.NoteReleased, v)
	one.Queue.Release(v.Block)
	r.forget(v)
	r.Sites.happened(one.number)
}

// forget drops a reservation whose block is given up.
func (r *Resources) forget(v *Reservation) {
	one := &r.All[v.Resource]
	delete(one.held, key(v.Auction, v.Unit))
	if v.State > Reserved {
		r.confirmed[r.ID(v.Slot)] = true
	}
	v.State, v.contract = Gone, nil
	r.free = append(r.free, v.Slot)
}

// holdExpired deletes a reservation that was not confirmed in time. While the agent is
// down this waits; its restart catches up.
func (r *Resources) holdExpired(slot, use uint32) {
	v := &r.Reservations[slot]
	if v.use == use && v.State == Reserved && !r.All[v.Resource].Down {
		r.Counts.Expired++
		r.note(journal.NoteExpired, v)
		r.Release(v)
	}
}
