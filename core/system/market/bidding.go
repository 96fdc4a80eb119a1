package market

// call begins the next round: it asks every resource that still takes part, for each
// unit by itself.
func (u *users) call(a *auction) {
	a.round++
	u.counts.rounds++
	a.open = 0
	for i := range a.lots {
		l := &a.lots[i]
		if a.phase == looking && l.leader(false) >= 0 {
			continue
		}
		for r := range l.offers {
			if a.phase == bidding && l.offers[r].out {
				continue
			}
			a.open++
			u.send(a, i, r, payload{act: callForProposals, price: l.asked, closest: a.phase == looking, asks: l.unit})
		}
		u.journal.auction(noteCall, a, i, 0, credits(l.asked))
	}
	if a.open == 0 && (u.settings.Early || a.phase == looking) {
		u.wait(a, 0)
		return
	}
	u.wait(a, u.settings.Interval)
}

// endRound revises the request and asks again, or closes the bidding.
func (u *users) endRound(a *auction) {
	for i := range a.lots {
		l := &a.lots[i]
		if b := l.leader(false); b >= 0 {
			l.asked = min(l.asked, l.offers[b].price)
			u.recent.round(a.round, l.offers[b].price)
			u.journal.auction(noteRound, a, i, b, credits(l.offers[b].price))
			l.best = append(l.best, l.offers[b].price)
		} else {
			l.best = append(l.best, 0)
		}
	}
	if a.round < a.rounds {
		u.call(a)
		return
	}
	u.evaluate(a)
}

// evaluate looks at the final set of offers.
func (u *users) evaluate(a *auction) {
	a.bidden = u.Clock.Now()
	for i := range a.lots {
		if a.lots[i].leader(false) < 0 {
			a.phase = looking
			u.call(a)
			return
		}
	}
	if u.settings.Approval == "manual" {
		u.ask(a)
		return
	}
	u.vote(a)
}

// present shows the closest set where not all units have a match.
func (u *users) present(a *auction) {
	for i := range a.lots {
		if a.lots[i].leader(true) < 0 {
			u.fail(a, nobody)
			return
		}
	}
	u.counts.closest++
	for i := range a.lots {
		b := a.lots[i].leader(true)
		u.journal.auction(noteClosest, a, i, b, credits(a.lots[i].offers[b].price))
	}
	switch u.settings.Approval {
	case "closest":
		u.vote(a)
	case "manual":
		u.ask(a)
	default:
		u.fail(a, notMatched)
	}
}

// ask waits for the owner's approval.
func (u *users) ask(a *auction) {
	a.phase = asking
	u.journal.auction(noteAsk, a, -1, 0, 0)
	u.wait(a, u.settings.Approve)
}

// answer is what the owner of a user agent says about what waits for approval.
func (u *users) answer(user int, yes bool) {
	for _, a := range u.auctions {
		switch {
		case a == nil || a.user != user || a.phase != asking || u.all[user].down:
		case yes:
			u.vote(a)
		default:
			u.fail(a, declined)
		}
	}
}

// leader returns the resource with the best offer: the lowest price, then the earliest
// end, then the first that came; -1 where there is none. Offers that only come
// closest count if wanted.
func (l *lot) leader(closest bool) int {
	best := -1
	for r := range l.offers {
		o := &l.offers[r]
		if o.state != offered || o.closest && !closest {
			continue
		}
		if best < 0 || o.before(&l.offers[best]) {
			best = r
		}
	}
	return best
}

// before reports whether an offer ranks before another.
func (o *offer) before(p *offer) bool {
	switch {
	case o.closest != p.closest:
		return p.closest
	case o.price != p.price:
		return o.price < p.price
	case o.end != p.end:
		return o.end < p.end
	}
	return o.order < p.order
}

// onPropose ranks an offer, or rejects it.
func (u *users) onPropose(a *auction, l *lot, resource int, p *payload) {
	if a.phase != bidding && a.phase != looking {
		return
	}
	u.arrivals++
	o := &l.offers[resource]
	fresh := o.round != p.round
	*o = offer{state: offered, round: p.round, closest: p.closest, price: p.price, start: p.start, end: p.end, order: u.arrivals}
	meets := p.price <= l.unit.Price && p.end+u.plan.epoch <= l.unit.End
	if !meets && !p.closest {
		o.state = rejected
		u.journal.auction(noteReject, a, int(p.unit), resource, credits(p.price))
		u.send(a, int(p.unit), resource, payload{act: rejectProposal, price: p.price})
	} else {
		o.closest = !meets
		u.journal.auction(noteOffer, a, int(p.unit), resource, credits(p.price))
	}
	u.answered(a, p, fresh)
}

// onRefuse drops a resource from the bidding, or turns to the next offer.
func (u *users) onRefuse(a *auction, l *lot, resource int, p *payload) {
	switch a.phase {
	case bidding, looking:
		o := &l.offers[resource]
		fresh := o.round != p.round
		if o.state != offered { // an offer of an earlier round stands
			o.state = refused
		}
		o.why, o.round, o.out = p.why, p.round, true
		u.journal.refusal(a, int(p.unit), resource, p.why)
		u.answered(a, p, fresh)
	case voting:
		if l.state == asked && l.with == resource && p.why == loadChanged { // not one of the bidding that comes late
			u.journal.refusal(a, int(p.unit), resource, p.why)
			u.next(a, l, p.why)
		}
	case committing, bought:
		never := a.phase == committing && (p.why == notHeld || p.why == badContract) // then it does not ask the bank either
		if l.held == p.reservation && l.with == resource && (never || p.why == byBank) {
			u.journal.refusal(a, int(p.unit), resource, p.why)
			u.fail(a, p.why)
		}
	}
}

// answered counts an answer of this round; where rounds end early the last one ends
// it.
func (u *users) answered(a *auction, p *payload, fresh bool) {
	if !fresh || int(p.round) != min(a.round, 255) {
		return
	}
	if a.open--; a.open == 0 && (u.settings.Early || a.phase == looking) {
		a.tick++
		u.goOn(a)
	}
}
