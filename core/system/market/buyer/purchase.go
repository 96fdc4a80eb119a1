package buyer

import (
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// vote asks the best resource of each unit to hold a reservation. It stops as soon as the auction is
// called off.
func (u *Users) vote(a *Auction) {
	a.Phase = Voting
	for i := range a.Lots {
		a.Lots[i].closest = !a.limited || u.rules.Approval == "closest"
	}
	for i := range a.Lots {
		u.accept(a, &a.Lots[i], i, fipa.NoSeller)
		if a.Phase != Voting {
			return
		}
	}
}

// accept sends an acceptance to the best offer left for unit i of an auction. If there is none, the
// auction is called off with the reason why; also if the units would cost more than the user allows.
func (u *Users) accept(a *Auction, l *Lot, i int, reason fipa.Reason) {
	if a.limited && !a.affordable(true) {
		u.abort(a, fipa.OverCost)
		return
	}
	b := l.Leader(l.closest)
	if b < 0 {
		u.abort(a, reason)
		return
	}
	o := &l.Offers[b]
	l.State, l.With = requested, b
	a.gen++
	l.gen = a.gen
	u.noteOffer(journal.NoteAccept, a, i, b, o)
	u.send(a, i, b, fipa.Payload{
		Act: fipa.AcceptProposal, Price: o.Price, Start: o.Start, End: o.End,
		Reservation: o.Mark, Closest: o.closest, Asks: l.Unit, Attachments: &fipa.Attachments{Job: l.Job},
	})
	u.answers.Watch(a.Number, l.gen)
}

// next withdraws the offer that a unit had accepted, for a reason, and accepts the next best.
func (u *Users) next(a *Auction, l *Lot, reason fipa.Reason) {
	l.Offers[l.With].state, l.Offers[l.With].reason = withdrawn, reason
	l.State = open
	if u.rules.Approval != "closest" { // the owner approved that offer and no other
		l.closest, a.limited = false, true
	}
	for i := range a.Lots {
		if l == &a.Lots[i] {
			u.accept(a, l, i, reason)
		}
	}
}

// onAgree records that a resource holds a unit, and commits if all units are held. An agreement that
// does not belong to a waiting request is cancelled; so is one whose start moved beyond the request, and
// then the next offer is accepted.
func (u *Users) onAgree(a *Auction, l *Lot, resource int, p *fipa.Payload) {
	switch {
	case l.reservation == p.Reservation && l.With == resource && l.State >= held && a.Phase != Failed:
		return // repeated
	case a.Phase != Voting || l.State != requested || l.With != resource:
		u.send(a, int(p.Unit), resource, fipa.Payload{Act: fipa.Cancel, Reservation: p.Reservation})
		return
	}
	// it moved the start too far
	if o := &l.Offers[resource]; (!o.closest || p.Start != o.Start) &&
		!u.meets(a, l, min(o.Price, l.Unit.Price), p.Start, p.End) {
		u.send(a, int(p.Unit), resource, fipa.Payload{Act: fipa.Cancel, Reservation: p.Reservation})
		u.next(a, l, fipa.LoadChanged)
		return
	}
	l.State, l.reservation = held, p.Reservation
	l.gen = 0
	l.Offers[resource].Start, l.Offers[resource].End = p.Start, p.End
	u.noteOffer(journal.NoteHeld, a, int(p.Unit), resource, &l.Offers[resource])
	if a.Held++; a.Held == len(a.Lots) {
		u.commit(a)
	}
}

// commit signs the contract and sends it to all sellers; from then on the bank decides. If the contract
// is too late already, because its first unit should have started, the auction is called off.
func (u *Users) commit(a *Auction) {
	now := u.Clock.Now()
	c := &bank.Contract{Auction: a.Number, User: int32(a.User), Expires: now + u.rules.Settle}
	for i := range a.Lots {
		l := &a.Lots[i]
		o := &l.Offers[l.With]
		c.Lots = append(c.Lots, bank.Lot{
			Unit: *l.Unit, Resource: int32(l.With), Reservation: l.reservation, Price: o.Price,
			Start: o.Start, End: o.End,
		})
	}
	if now > c.Until() {
		u.abort(a, fipa.TooLate)
		return
	}
	a.Phase, a.Contract = Committing, c
	a.Signed = u.Keys.Sign(seal.Party{Role: seal.User, Number: int32(a.User)}, c.Append(nil))
	u.confirm(a)
}

// press goes on if neither all resources nor the bank have answered: it confirms again and asks the
// bank for the state of the contract.
func (u *Users) press(a *Auction) {
	u.confirm(a)
	signed := a.Signed
	u.Post.Send(fipa.UserAgent(a.User), fipa.BankAgent, fipa.Payload{
		Act: fipa.RequestBank, Auction: a.Number,
		Attachments: &fipa.Attachments{Contract: a.Contract, User: &signed},
	})
}

// askBalance asks the bank for the user's balance, and again until there is an answer.
func (u *Users) askBalance(a *Auction) {
	me := seal.Party{Role: seal.User, Number: int32(a.User)}
	signed := u.Keys.Sign(me, bank.AppendStatement(nil, me, a.Number))
	u.Post.Send(fipa.UserAgent(a.User), fipa.BankAgent,
		fipa.Payload{Act: fipa.QueryRef, Auction: a.Number, Attachments: &fipa.Attachments{User: &signed}})
	a.gen++
	u.answers.Watch(a.Number, a.gen)
}

// onBalance begins the bidding if the user could pay the most that its request may cost.
func (u *Users) onBalance(a *Auction, has bank.Money) {
	if a.Phase != Counting {
		return
	}
	largest, _ := a.Request.Cost()
	if a.Request.MaxCost > 0 {
		largest = min(largest, a.Request.Maximum())
	}
	if has < largest {
		u.fail(a, fipa.NoMoney)
		return
	}
	a.Phase = Bidding
	u.call(a)
}

// onBank takes the bank's decision about a contract: only then is anything bought.
func (u *Users) onBank(a *Auction, p *fipa.Payload) {
	switch {
	case a.Phase != Committing:
	case p.Act == fipa.Refuse:
		u.fail(a, fipa.ByBank)
	case p.Act == fipa.Agree:
		u.Finish(a)
	}
}

// confirm sends the signed contract for every unit whose resource has not acknowledged it, and
// begins a new wait for the answers: when it runs out, expire calls press, which confirms again.
func (u *Users) confirm(a *Auction) {
	for i := range a.Lots {
		if l := &a.Lots[i]; l.State == held {
			signed := a.Signed
			u.note(journal.NoteConfirm, a, i, l.With, 0)
			u.send(a, i, l.With, fipa.Payload{
				Act: fipa.Confirm, Reservation: l.reservation,
				Attachments: &fipa.Attachments{Contract: a.Contract, User: &signed},
			})
		}
	}
	a.gen++
	u.answers.Watch(a.Number, a.gen)
}

// onConfirm notes an acknowledgement: that resource needs no further confirmation.
func (u *Users) onConfirm(a *Auction, l *Lot, resource int, p *fipa.Payload) {
	if a.Phase != Committing || l.State != held || l.With != resource || l.reservation != p.Reservation {
		return
	}
	l.State = acknowledged
	u.note(journal.NoteAcknowledged, a, int(p.Unit), resource, 0)
	a.Held--
}

// Finish notes that all is bought and paid.
func (u *Users) Finish(a *Auction) {
	a.Phase, a.Ended = Bought, u.Clock.Now()
	u.Counts.Bought++
	u.Counts.Units += int64(len(a.Lots))
	u.Counts.Duration += a.Ended - a.Began
	u.Recent.won(a)
	for i := range a.Lots {
		u.note(journal.NoteBought, a, i, a.Lots[i].With, a.Contract.Lots[i].Price.Credits())
	}
	u.explain(a)
	u.close(a)
	for i := range a.Lots {
		a.Lots[i].State = acknowledged // its resource reported it to the bank
	}
	if a.Request.Cancel > 0 {
		u.Clock.At(a.Ended+unit.Time(a.Request.Cancel), (*giver)(u), uint64(a.Number))
	}
}

// giver gives the units of an auction back, and asks again until each is given back or
// refused.
type giver Users

// Fire cancels the units of auction n that are paid for and not yet given back, if the agent is up, and repeats that
// after the time for an answer while there are any.
func (g *giver) Fire(now unit.Time, n uint64) {
	u := (*Users)(g)
	a := u.Auctions[n-1]
	waits := false
	for i := range a.Lots {
		if l := &a.Lots[i]; l.State == acknowledged {
			waits = true
			if !u.All[a.User].Down {
				u.send(a, i, l.With, fipa.Payload{Act: fipa.Cancel, Reservation: l.reservation})
			}
		}
	}
	if waits {
		u.Clock.At(now+u.Answer, g, n)
	}
}

// onCancelled records that a resource took a unit back and its price with it, and confirms it to
// the resource, which repeats its message until then. A message that arrives before the bank's own
// answer waits for it.
func (u *Users) onCancelled(a *Auction, l *Lot, p *fipa.Payload) {
	if l.reservation != p.Reservation || a.Phase != Bought {
		return
	}
	if l.State != Returned {
		l.State = Returned
		u.note(journal.NoteReturned, a, int(p.Unit), l.With, 0)
	}
	u.send(a, int(p.Unit), l.With, fipa.Payload{Act: fipa.Confirm, Reservation: l.reservation, GiveBack: true})
}

// abort ends the auction and cancels the held units.
func (u *Users) abort(a *Auction, reason fipa.Reason) {
	for i := range a.Lots {
		if l := &a.Lots[i]; l.State == held {
			u.send(a, i, l.With, fipa.Payload{Act: fipa.Cancel, Reservation: l.reservation})
		}
	}
	u.fail(a, reason)
}

// fail ends an auction without a purchase.
func (u *Users) fail(a *Auction, reason fipa.Reason) {
	a.Phase, a.Reason, a.Ended = Failed, reason, u.Clock.Now()
	a.tick++
	a.gen++
	u.Counts.Failed++
	u.noteFailed(a)
	u.explain(a)
	u.close(a)
}

// expire acts when an answer is late: in a vote it asks the next best resource, for a balance or a
// confirmation the same one again.
func (u *Users) expire(number, gen uint32) {
	a := u.Auctions[number-1]
	switch {
	case a == nil || u.All[a.User].Down:
	case a.Phase == Counting && a.gen == gen:
		u.askBalance(a)
	case a.Phase == Committing && a.gen == gen:
		u.press(a)
	case a.Phase == Voting:
		for i := range a.Lots {
			if l := &a.Lots[i]; l.State == requested && l.gen == gen {
				u.next(a, l, fipa.Silent)
				return
			}
		}
	}
}
