package market

import (
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// onConfirm checks the contract that the user signed, signs it as well and asks the
// bank for the price. Said again it acknowledges again.
func (r *resources) onConfirm(one *resource, m *message) {
	p := &m.Payload
	v := r.of(one, p.reservation)
	switch {
	case v == nil && !r.confirmed[p.reservation]:
		r.refuse(m, notHeld)
		return
	case v == nil, v.state != reserved:
		r.reply(m, payload{act: confirm, reservation: p.reservation})
		return
	case !r.agreed(v, m):
		r.refuse(m, badContract)
		return
	case !one.queue.Holds(r.Clock.Now(), v.block): // cores were lost since: it signs for nothing that it cannot deliver
		r.refuse(m, notHeld)
		r.counts.released++
		r.release(v)
		return
	}
	v.state, v.contract, v.user = confirmed, p.contract, *p.user
	r.reply(m, payload{act: confirm, reservation: p.reservation})
	r.askBank(v)
}

// agreed reports whether a contract is what the resource holds a reservation for, and
// bears the signature of the user who sent it.
func (r *resources) agreed(v *reservation, m *message) bool {
	p := &m.Payload
	if p.papers == nil {
		return false
	}
	c := p.contract
	if c == nil || p.user == nil || c.Auction != v.auction || int(c.User) != m.From.Number() || v.unit >= len(c.Lots) {
		return false
	}
	l := &c.Lots[v.unit]
	if int(l.Resource) != v.resource || l.Reservation != p.reservation || l.Price != v.price || l.Start != v.block.Start || l.End != v.block.End || l.Unit.Cores() != v.block.Processors {
		return false
	}
	return r.keys.Verify(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil), p.user)
}

// askBank sends the contract with both signatures, or asks to give the price back,
// and again until there is an answer.
func (r *resources) askBank(v *reservation) {
	slot := v.slot
	me := seal.Party{Role: seal.Resource, Number: int32(v.resource)}
	p := payload{act: requestBank, auction: v.auction, unit: uint16(v.unit), reservation: r.id(slot)}
	p.papers = &papers{}
	var signed seal.Signature
	if v.state == returning {
		p.giveBack = true
		signed = r.keys.Sign(me, bank.AppendRefund(nil, v.auction, v.unit))
	} else {
		user := v.user
		p.contract, p.user = v.contract, &user
		r.journal.reservation(noteRequest, v)
		signed = r.keys.Sign(me, v.contract.Append(nil))
	}
	p.resource = &signed
	r.post.Send(resourceAgent(v.resource), bankAgent, p)
	r.asks.Watch(slot, v.use)
}

// askAgain asks the bank once more where it has not answered, or says once more to the
// user that a unit was given back.
func (r *resources) askAgain(slot, use uint32) {
	v := &r.reservations[slot]
	if v.use != use || r.all[v.resource].down {
		return
	}
	switch v.state {
	case confirmed, returning:
		r.askBank(v)
	case refunded:
		r.notify(v)
	}
}

// notify says to the user that a unit and its price were given back, and again until
// there is an answer.
func (r *resources) notify(v *reservation) {
	r.post.Send(resourceAgent(v.resource), userAgent(r.contractUser(v)), payload{act: cancel, auction: v.auction, unit: uint16(v.unit), reservation: r.id(v.slot)})
	r.asks.Watch(v.slot, v.use)
}

// onBank hears the bank: a unit is paid for, or it is not and its reservation is
// over.
func (r *resources) onBank(now unit.Time, one *resource, p *payload) {
	v := r.of(one, p.reservation)
	switch {
	case v == nil || p.giveBack != (v.state == returning):
	case p.giveBack && p.act == agree:
		r.counts.returned++
		r.journal.reservation(noteReleased, v)
		one.queue.Release(v.block)
		v.state = refunded
		r.sites.happened(one.number)
		r.notify(v)
	case p.giveBack || v.state != confirmed:
	case p.act == agree:
		v.state = paid
		one.wins++
		r.deliver(now, v)
	case p.act == refuse:
		user := r.contractUser(v)
		r.post.Send(resourceAgent(one.number), userAgent(user), payload{act: refuse, why: byBank, auction: v.auction, unit: uint16(v.unit), reservation: p.reservation})
		r.counts.released++
		r.release(v)
	}
}

// deliver lets a paid unit begin at its start. Where the resource learns of the payment
// later, because it or the bank was down or a message was lost, the other units may
// run already: so this one runs late, as soon as its cores are free for its whole time.
func (r *resources) deliver(now unit.Time, v *reservation) {
	if now > v.block.Start {
		q, length := r.all[v.resource].queue, v.block.End-v.block.Start
		q.Release(v.block)
		for from := now; ; from += unit.Minute {
			from = q.Earliest(now, from, length, v.block.Processors)
			if from == unit.Forever {
				r.takeBack(v, undelivered)
				return
			}
			v.block.Start, v.block.End = from, from+length
			if q.Reserve(now, v.block) {
				break
			}
		}
		r.counts.late++
		r.journal.reservation(noteLate, v)
		r.sites.expect(now, v.resource, v.block.Start)
	}
	r.sites.plan(v)
}

// contractUser returns who bought a reservation.
func (r *resources) contractUser(v *reservation) int { return int(v.contract.User) }

// onCancel deletes a reservation that is only held. One that is paid for is given
// back if the resource agrees; one that the bank was asked about is the bank's to
// decide.
func (r *resources) onCancel(_ unit.Time, one *resource, m *message) {
	v := r.of(one, m.Payload.reservation)
	switch {
	case v == nil && r.confirmed[m.Payload.reservation]:
		r.refuse(m, running)
	case v == nil || v.auction != m.Payload.auction:
	case v.state == reserved:
		r.counts.released++
		r.release(v)
	case v.state == paid && int(v.contract.User) == m.From.Number():
		if !r.settings.Cancelling {
			r.refuse(m, notTaken)
			return
		}
		r.takeBack(v, noReason)
	case v.state == inUse:
		r.refuse(m, running)
	}
}

// onNoticed forgets a unit that was given back: its user has read so.
func (r *resources) onNoticed(one *resource, m *message) {
	if v := r.of(one, m.Payload.reservation); v != nil && v.state == refunded && r.contractUser(v) == m.From.Number() {
		r.forget(v)
	}
}

// takeBack asks the bank to give a unit's price back.
func (r *resources) takeBack(v *reservation, why reason) {
	if why == undelivered {
		r.counts.broken++
		r.journal.reservation(noteBroken, v)
	}
	v.state = returning
	r.askBank(v)
}
