package market

import (
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// vote asks the best resource of each unit to hold a reservation.
func (u *users) vote(a *auction) {
	a.phase = voting
	for i := range a.lots {
		u.accept(a, &a.lots[i], i, nobody)
		if a.phase != voting {
			return
		}
	}
}

// accept turns to the best offer of a unit; without one all is called off, for the
// reason that is given.
func (u *users) accept(a *auction, l *lot, i int, why reason) {
	if a.limited && !a.affordable(true) {
		u.abort(a, overCost)
		return
	}
	b := l.leader(true)
	if b < 0 {
		u.abort(a, why)
		return
	}
	o := &l.offers[b]
	l.state, l.with = asked, b
	a.gen++
	l.gen = a.gen
	u.journal.offered(noteAccept, a, i, b, o)
	u.send(a, i, b, payload{act: acceptProposal, price: o.price, start: o.start, end: o.end, reservation: o.mark, closest: o.closest, asks: l.unit, papers: &papers{job: l.job}})
	u.answers.Watch(a.number, l.gen)
}

// next turns to the next best offer of a unit whose winner withdrew.
func (u *users) next(a *auction, l *lot, why reason) {
	l.offers[l.with].state, l.offers[l.with].why = withdrawn, why
	l.state = open
	for i := range a.lots {
		if l == &a.lots[i] {
			u.accept(a, l, i, why)
		}
	}
}

// onAgree notes that a resource holds a unit. When all are held the user commits. A
// reservation without a waiting auction is cancelled.
func (u *users) onAgree(a *auction, l *lot, resource int, p *payload) {
	switch {
	case l.held == p.reservation && l.with == resource && l.state >= held && a.phase != failed:
		return // said twice
	case a.phase != voting || l.state != asked || l.with != resource:
		u.send(a, int(p.unit), resource, payload{act: cancel, reservation: p.reservation})
		return
	}
	if o := &l.offers[resource]; !o.closest && !u.meets(a, l, o.price, p.start, p.end) { // it moved the start too far
		u.send(a, int(p.unit), resource, payload{act: cancel, reservation: p.reservation})
		u.next(a, l, loadChanged)
		return
	}
	l.state, l.held = held, p.reservation
	l.gen = 0
	l.offers[resource].start, l.offers[resource].end = p.start, p.end
	u.journal.offered(noteHeld, a, int(p.unit), resource, &l.offers[resource])
	if a.held++; a.held == len(a.lots) {
		u.commit(a)
	}
}

// commit signs the contract and confirms all units. From here on the bank decides.
// Where the first unit has had to start by now nothing is signed.
func (u *users) commit(a *auction) {
	now := u.Clock.Now()
	c := &bank.Contract{Auction: a.number, User: int32(a.user), Expires: now + u.settings.Settle}
	for i := range a.lots {
		l := &a.lots[i]
		o := &l.offers[l.with]
		c.Lots = append(c.Lots, bank.Lot{Unit: *l.unit, Resource: int32(l.with), Reservation: l.held, Price: o.price, Start: o.start, End: o.end})
	}
	if now > c.Until() {
		u.abort(a, tooLate)
		return
	}
	a.phase, a.contract = committing, c
	a.signed = u.keys.Sign(seal.Party{Role: seal.User, Number: int32(a.user)}, c.Append(nil))
	u.confirm(a)
}

// press goes on where neither all resources nor the bank have answered: it confirms again
// and asks the bank what became of the contract.
func (u *users) press(a *auction) {
	u.confirm(a)
	signed := a.signed
	u.post.Send(userAgent(a.user), bankAgent, payload{act: requestBank, auction: a.number, papers: &papers{contract: a.contract, user: &signed}})
}

// askBalance asks the bank what the user has, and again until there is an answer.
func (u *users) askBalance(a *auction) {
	me := seal.Party{Role: seal.User, Number: int32(a.user)}
	signed := u.keys.Sign(me, bank.AppendStatement(nil, me, a.number))
	u.post.Send(userAgent(a.user), bankAgent, payload{act: queryRef, auction: a.number, papers: &papers{user: &signed}})
	a.gen++
	u.answers.Watch(a.number, a.gen)
}

// onBalance begins the bidding if the user could pay the most that its request may cost.
func (u *users) onBalance(a *auction, has bank.Money) {
	if a.phase != counting {
		return
	}
	most, _ := a.request.cost()
	if a.request.MaxCost > 0 {
		most = min(most, a.request.maximum())
	}
	if has < most {
		u.fail(a, noMoney)
		return
	}
	a.phase = bidding
	u.call(a)
}

// onBank takes the bank's decision about a contract: only then is anything bought.
func (u *users) onBank(a *auction, p *payload) {
	switch {
	case a.phase != committing:
	case p.act == refuse:
		u.fail(a, byBank)
	case p.act == agree:
		u.finish(a)
	}
}

// confirm sends the signed contract to every resource that has not acknowledged it.
func (u *users) confirm(a *auction) {
	for i := range a.lots {
		if l := &a.lots[i]; l.state == held {
			signed := a.signed
			u.journal.auction(noteConfirm, a, i, l.with, 0)
			u.send(a, i, l.with, payload{act: confirm, reservation: l.held, papers: &papers{contract: a.contract, user: &signed}})
		}
	}
	a.gen++
	u.answers.Watch(a.number, a.gen)
}

// onConfirm notes an acknowledgement: that resource needs no further confirmation.
func (u *users) onConfirm(a *auction, l *lot, resource int, p *payload) {
	if a.phase != committing || l.state != held || l.with != resource || l.held != p.reservation {
		return
	}
	l.state = acknowledged
	u.journal.auction(noteAcknowledged, a, int(p.unit), resource, 0)
	a.held--
}

// finish notes that all is bought and paid.
func (u *users) finish(a *auction) {
	a.phase, a.ended = bought, u.Clock.Now()
	u.counts.bought++
	u.counts.units += int64(len(a.lots))
	u.counts.duration += a.ended - a.began
	u.recent.won(a)
	for i := range a.lots {
		u.journal.auction(noteBought, a, i, a.lots[i].with, credits(a.contract.Lots[i].Price))
	}
	u.journal.decided(a)
	u.close(a)
	for i := range a.lots {
		a.lots[i].state = acknowledged // its resource reported it to the bank
	}
	if a.request.Cancel > 0 {
		u.Clock.At(a.ended+unit.Time(a.request.Cancel), (*giver)(u), uint64(a.number))
	}
}

// giver gives the units of an auction back, and asks again until each is given back or
// refused.
type giver users

// Fire implements des.Handler.
func (g *giver) Fire(now unit.Time, n uint64) {
	u := (*users)(g)
	a := u.auctions[n-1]
	waits := false
	for i := range a.lots {
		if l := &a.lots[i]; l.state == acknowledged {
			waits = true
			if !u.all[a.user].down {
				u.send(a, i, l.with, payload{act: cancel, reservation: l.held})
			}
		}
	}
	if waits {
		u.Clock.At(now+u.settings.Answer, g, n)
	}
}

// onCancelled notes that a resource took a unit back and its price with it, and says so
// to the resource, which repeats it until then. What comes before the bank's own word
// waits for it.
func (u *users) onCancelled(a *auction, l *lot, p *payload) {
	if l.held != p.reservation || a.phase != bought {
		return
	}
	if l.state != returned {
		l.state = returned
		u.journal.auction(noteReturned, a, int(p.unit), l.with, 0)
	}
	u.send(a, int(p.unit), l.with, payload{act: confirm, reservation: l.held, giveBack: true})
}

// abort calls all off: what is held is cancelled.
func (u *users) abort(a *auction, why reason) {
	for i := range a.lots {
		if l := &a.lots[i]; l.state == held {
			u.send(a, i, l.with, payload{act: cancel, reservation: l.held})
		}
	}
	u.fail(a, why)
}

// fail ends an auction without a purchase.
func (u *users) fail(a *auction, why reason) {
	a.phase, a.why, a.ended = failed, why, u.Clock.Now()
	a.tick++
	a.gen++
	u.counts.failed++
	u.journal.failed(a)
	u.journal.decided(a)
	u.close(a)
}

// expire hears that an answer is late: of a vote the next best is asked, of a
// confirmation the same again.
func (u *users) expire(number, gen uint32) {
	a := u.auctions[number-1]
	switch {
	case a == nil || u.all[a.user].down:
	case a.phase == counting && a.gen == gen:
		u.askBalance(a)
	case a.phase == committing && a.gen == gen:
		u.press(a)
	case a.phase == voting:
		for i := range a.lots {
			if l := &a.lots[i]; l.state == asked && l.gen == gen {
				u.next(a, l, silent)
				return
			}
		}
	}
}
