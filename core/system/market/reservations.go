package market

import (
	"parley/core/batch"
	"parley/core/rfql"
	"parley/core/slab"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// reservation is a block of a site that an agent holds or has sold.
type reservation struct {
	slot     uint32
	use      uint32
	state    reservationState
	resource int
	auction  uint32
	unit     int
	price    rfql.Price
	block    batch.Block
	until    unit.Time // of a hold
	contract *bank.Contract
	user     seal.Signature
	job      unit.JobID
}

type reservationState uint8

const (
	gone      reservationState = iota
	reserved                   // it waits for the confirmation
	confirmed                  // the bank is asked
	paid                       // it waits for its start
	inUse                      // its job runs
	returning                  // the bank is asked to give the price back
	refunded                   // it did; the user is notified
)

// key names a unit of an auction.
func key(auction uint32, unit int) uint64 { return uint64(auction)<<16 | uint64(unit) }

// onAccept reserves what was offered and starts its timer, or withdraws: more may
// have been queued in the meantime. What bears no mark of its own it never offered. An offer whose start has passed, because its owner
// took long to approve it, gets the next start that still meets the request, at the
// same price. Asked again it agrees again.
func (r *resources) onAccept(now unit.Time, one *resource, m *message) {
	p := &m.Payload
	if p.papers == nil {
		return
	}
	if slot, holds := one.held[key(p.auction, int(p.unit))]; holds {
		r.reply(m, r.agreement(slot))
		return
	}
	if r.away[one.number] {
		r.refuse(m, left)
		return
	}
	if p.reservation != r.mark(one, p.auction, p.unit, p.price, p.start, p.end) {
		r.refuse(m, notOffered)
		return
	}
	block := batch.Block{Start: p.start, End: p.end, Processors: p.asks.Cores()}
	late := noReason
	if block.Start < now {
		block.Start, block.End, late = r.window(now, one, p.asks, p.closest)
	}
	if late != noReason || !one.queue.Reserve(now, block) {
		r.refuse(m, loadChanged)
		return
	}
	slot := r.take()
	v := &r.reservations[slot]
	*v = reservation{
		slot: slot, use: v.use, state: reserved, resource: one.number, auction: p.auction, unit: int(p.unit), price: p.price, block: block,
		until: now + r.settings.Hold, job: p.job,
	}
	one.held[key(p.auction, int(p.unit))] = slot
	r.counts.holds++
	r.journal.reservation(noteReserved, v)
	r.holds.Watch(slot, v.use)
	r.sites.expect(now, one.number, block.Start)
	r.reply(m, r.agreement(slot))
}

// agreement says what a slot's reservation holds.
func (r *resources) agreement(slot uint32) payload {
	v := &r.reservations[slot]
	return payload{act: agree, reservation: r.id(slot), start: v.block.Start, end: v.block.End}
}

// take returns a slot for a reservation.
func (r *resources) take() uint32 {
	slot := slab.Take(&r.free, &r.reservations)
	r.reservations[slot].use++
	return slot
}

// id names a reservation to others: one that is over never comes back.
func (r *resources) id(slot uint32) uint64 {
	return uint64(r.reservations[slot].use)<<32 | uint64(slot)
}

// of returns the reservation of an id, where the resource has it still.
func (r *resources) of(one *resource, id uint64) *reservation {
	slot := uint32(id)
	if int(slot) >= len(r.reservations) || id == 0 {
		return nil
	}
	v := &r.reservations[slot]
	if uint64(v.use) != id>>32 || v.state == gone || v.resource != one.number {
		return nil
	}
	return v
}

// release deletes a reservation: its cores are free again.
func (r *resources) release(v *reservation) {
	one := &r.all[v.resource]
	r.journal.reservation(noteReleased, v)
	one.queue.Release(v.block)
	r.forget(v)
	r.sites.happened(one.number)
}

// forget drops a reservation whose block is given up.
func (r *resources) forget(v *reservation) {
	one := &r.all[v.resource]
	delete(one.held, key(v.auction, v.unit))
	if v.state > reserved {
		r.confirmed[r.id(v.slot)] = true
	}
	v.state, v.contract = gone, nil
	r.free = append(r.free, v.slot)
}

// holdExpired deletes a reservation that was not confirmed in time. While the agent is
// down this waits; its restart catches up.
func (r *resources) holdExpired(slot, use uint32) {
	v := &r.reservations[slot]
	if v.use == use && v.state == reserved && !r.all[v.resource].down {
		r.counts.expired++
		r.journal.reservation(noteExpired, v)
		r.release(v)
	}
}
