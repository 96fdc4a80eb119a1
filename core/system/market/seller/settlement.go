package seller

import (
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// onConfirm checks the contract that the user signed, signs it as well and asks the bank for the price.
// A repeated confirmation is acknowledged again. If cores were lost since, the reservation is released.
func (r *Resources) onConfirm(one *Resource, m *fipa.Message) {
	p := &m.Payload
	v := r.of(one, p.Reservation)
	switch {
	case v == nil && !r.confirmed[p.Reservation]:
		r.refuse(m, fipa.NotHeld)
		return
	case v == nil, v.State != Reserved:
		r.reply(m, fipa.Payload{Act: fipa.Confirm, Reservation: p.Reservation})
		return
	case !r.agreed(v, m):
		r.refuse(m, fipa.BadContract)
		return
	case !one.Queue.Holds(r.Clock.Now(), v.Block): // cores were lost since: it signs for nothing that it cannot deliver
		r.refuse(m, fipa.NotHeld)
		r.Counts.Released++
		r.Release(v)
		return
	}
	v.State, v.contract, v.user = confirmed, p.Contract, *p.User
	r.reply(m, fipa.Payload{Act: fipa.Confirm, Reservation: p.Reservation})
	r.askBank(v)
}

// agreed reports whether a contract matches the resource's reservation in every term and bears the
// signature of the user who sent it.
func (r *Resources) agreed(v *Reservation, m *fipa.Message) bool {
	p := &m.Payload
	if p.Attachments == nil {
		return false
	}
	c := p.Contract
	if c == nil || p.User == nil || c.Auction != v.Auction || int(c.User) != m.From.Number() || v.Unit >= len(c.Lots) {
		return false
	}
	l := &c.Lots[v.Unit]
	if int(l.Resource) != v.Resource || l.Reservation != p.Reservation || l.Price != v.Price ||
		l.Start != v.Block.Start || l.End != v.Block.End || l.Unit.Cores() != v.Block.Processors {
		return false
	}
	return r.Keys.Verify(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil), p.User)
}

// askBank sends the bank the contract with both signatures or, for a reservation in state returning,
// asks it to give the price back. It is repeated until there is an answer.
func (r *Resources) askBank(v *Reservation) {
	slot := v.Slot
	me := seal.Party{Role: seal.Resource, Number: int32(v.Resource)}
	p := fipa.Payload{Act: fipa.RequestBank, Auction: v.Auction, Unit: uint16(v.Unit), Reservation: r.ID(slot)}
	p.Attachments = &fipa.Attachments{}
	var signed seal.Signature
	if v.State == returning {
		p.GiveBack = true
		signed = r.Keys.Sign(me, bank.AppendRefund(nil, v.Auction, v.Unit))
	} else {
		user := v.user
		p.Contract, p.User = v.contract, &user
		r.note(journal.NoteRequest, v)
		signed = r.Keys.Sign(me, v.contract.Append(nil))
	}
	p.Resource = &signed
	r.Post.Send(fipa.ResourceAgent(v.Resource), fipa.BankAgent, p)
	r.asks.Watch(slot, v.use)
}

// askAgain repeats the message of a reservation whose answer is overdue. use is the count of uses of the
// slot: an older one is of another reservation.
func (r *Resources) askAgain(slot, use uint32) {
	v := &r.Reservations[slot]
	if v.use != use || r.All[v.Resource].Down {
		return
	}
	switch v.State {
	case confirmed, returning:
		r.askBank(v)
	case refunded:
		r.notify(v)
	}
}

// notify notifies the user that a unit and its price were given back, and repeats it until there is
// an answer.
func (r *Resources) notify(v *Reservation) {
	r.Post.Send(fipa.ResourceAgent(v.Resource), fipa.UserAgent(r.contractUser(v)),
		fipa.Payload{Act: fipa.Cancel, Auction: v.Auction, Unit: uint16(v.Unit), Reservation: r.ID(v.Slot)})
	r.asks.Watch(v.Slot, v.use)
}

// onBank handles the bank's answer: a unit is paid and is delivered, its price is given back and its
// user notified, or payment is refused and the reservation released. Answers that do not match the
// reservation's state are repetitions and ignored.
func (r *Resources) onBank(now unit.Time, one *Resource, p *fipa.Payload) {
	v := r.of(one, p.Reservation)
	switch {
	case v == nil || p.GiveBack != (v.State == returning):
	case p.GiveBack && p.Act == fipa.Agree:
		r.Counts.Returned++
		r.note(journal.NoteReleased, v)
		one.Queue.Release(v.Block)
		v.State = refunded
		r.Sites.happened(one.number)
		r.notify(v)
	case p.GiveBack || v.State != confirmed:
	case p.Act == fipa.Agree:
		v.State = Paid
		one.Wins++
		r.deliver(now, v)
	case p.Act == fipa.Refuse:
		user := r.contractUser(v)
		r.Post.Send(fipa.ResourceAgent(one.number), fipa.UserAgent(user),
			fipa.Payload{
				Act: fipa.Refuse, Reason: fipa.ByBank, Auction: v.Auction, Unit: uint16(v.Unit),
				Reservation: p.Reservation,
			})
		r.Counts.Released++
		r.Release(v)
	}
}

// deliver lets a paid unit begin at its start. If the resource learns of the payment later, the unit is
// reserved anew at the first time at which its cores are free for its whole length. If there is none,
// its price is given back.
func (r *Resources) deliver(now unit.Time, v *Reservation) {
	if now > v.Block.Start {
		q, length := r.All[v.Resource].Queue, v.Block.End-v.Block.Start
		q.Release(v.Block)
		for from := now; ; from += unit.Minute {
			from = q.Earliest(now, from, length, v.Block.Processors)
			if from == unit.Forever {
				r.TakeBack(v, fipa.Undelivered)
				return
			}
			v.Block.Start, v.Block.End = from, from+length
			if q.Reserve(now, v.Block) {
				break
			}
		}
		r.Counts.Late++
		r.note(journal.NoteLate, v)
		r.Sites.expect(now, v.Resource, v.Block.Start)
	}
	r.Sites.Plan(v)
}

// contractUser returns who bought a reservation.
func (r *Resources) contractUser(v *Reservation) int { return int(v.contract.User) }

// onCancel deletes a reservation that is only held. A paid one is given back if the terms allow it. One
// about which the bank was asked stays, because the bank decides.
func (r *Resources) onCancel(_ unit.Time, one *Resource, m *fipa.Message) {
	v := r.of(one, m.Payload.Reservation)
	switch {
	case v == nil && r.confirmed[m.Payload.Reservation]:
		r.refuse(m, fipa.Running)
	case v == nil || v.Auction != m.Payload.Auction:
	case v.State == Reserved:
		r.Counts.Released++
		r.Release(v)
	case v.State == Paid && int(v.contract.User) == m.From.Number():
		if !r.terms.Cancelling {
			r.refuse(m, fipa.NotTaken)
			return
		}
		r.TakeBack(v, fipa.NoReason)
	case v.State == InUse:
		r.refuse(m, fipa.Running)
	}
}

// onNoticed forgets a unit that was given back: its user has read so.
func (r *Resources) onNoticed(one *Resource, m *fipa.Message) {
	if v := r.of(one, m.Payload.Reservation); v != nil && v.State == refunded && r.contractUser(v) == m.From.Number() {
		r.forget(v)
	}
}

// TakeBack asks the bank to give a unit's price back.
func (r *Resources) TakeBack(v *Reservation, reason fipa.Reason) {
	if reason == fipa.Undelivered {
		r.Counts.Broken++
		r.note(journal.NoteBroken, v)
	}
	v.State = returning
	r.askBank(v)
}
