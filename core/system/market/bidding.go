package market

import (
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/unit"
)

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
			if a.phase == bidding && l.offers[r].out || u.away[r] {
				continue
			}
			a.open++
			u.send(a, i, r, payload{act: callForProposals, price: l.asked, closest: a.phase == looking, asks: l.unit})
		}
		u.journal.call(a, i)
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
	if !a.matched() {
		a.phase = looking
		u.call(a)
		return
	}
	u.offer(a)
}

// matched reports whether every unit has an offer that meets the request, and all of
// them together cost no more than the request's maximum.
func (a *auction) matched() bool { return a.complete(false) && a.affordable(false) }

// complete reports whether every unit has an offer.
func (a *auction) complete(closest bool) bool {
	for i := range a.lots {
		if a.lots[i].leader(closest) < 0 {
			return false
		}
	}
	return true
}

// affordable reports whether what is held, and the best offers of the other units, cost no
// more than the maximum. Where those that end first cost more, the cheapest are taken.
func (a *auction) affordable(closest bool) bool {
	if a.request.MaxCost == 0 || a.cost(closest) <= a.request.maximum() {
		return true
	}
	for i := range a.lots {
		a.lots[i].soon = false
	}
	return a.cost(closest) <= a.request.maximum()
}

// cost returns what units cost at the offers that are accepted, or lead.
func (a *auction) cost(closest bool) (sum bank.Money) {
	for i := range a.lots {
		l := &a.lots[i]
		r := l.with
		if l.state == open {
			r = l.leader(closest)
		}
		if r >= 0 {
			o := &l.offers[r]
			one, _ := bank.Cost(o.price, l.unit.Cores(), o.end-o.start)
			sum += one
		}
	}
	return sum
}

// meets reports whether a unit at a price and in a time is what the request asks for.
func (u *users) meets(a *auction, l *lot, price rfql.Price, start, end unit.Time) bool {
	longest := unit.Time(a.request.MaxWait)
	return price <= l.unit.Price && end+u.plan.epoch <= l.unit.End && (longest == 0 || start <= a.began+longest)
}

// offer takes the final set of offers to the owner, or accepts it.
func (u *users) offer(a *auction) {
	a.limited = true
	if u.settings.Approval == "manual" {
		u.ask(a)
		return
	}
	u.vote(a)
}

// present shows the closest set where not all units have a match. Where offers that meet
// the request have arrived meanwhile there is a match after all.
func (u *users) present(a *auction) {
	if a.matched() {
		u.offer(a)
		return
	}
	if a.complete(false) {
		u.fail(a, overCost)
		return
	}
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
	a.phase, a.askedAt = asking, u.Clock.Now()
	u.journal.auction(noteAsk, a, -1, -1, 0)
	u.wait(a, u.settings.Approve)
}

// answer is what the owner of a user agent says about one auction that waits for approval:
// that of a number or, for 0, the one that has waited longest.
func (u *users) answer(user int, number float64, yes bool) {
	var asked *auction
	for _, a := range u.auctions {
		if a != nil && a.user == user && a.phase == asking && (number == 0 || float64(a.number) == number) && (asked == nil || a.askedAt < asked.askedAt) {
			asked = a
		}
	}
	switch {
	case asked == nil || u.all[user].down:
	case yes:
		u.vote(asked)
	default:
		u.fail(asked, declined)
	}
}

// leader returns the resource with the best offer: the lowest price, then the earliest
// end, or the other way round for who wants it soon, then the first that came; -1 where
// there is none. Offers that only come
// closest count if wanted.
func (l *lot) leader(closest bool) int {
	best := -1
	for r := range l.offers {
		o := &l.offers[r]
		if o.state != offered || o.closest && !closest {
			continue
		}
		if best < 0 || l.before(o, &l.offers[best]) {
			best = r
		}
	}
	return best
}

// before reports whether an offer ranks before another.
func (l *lot) before(o, p *offer) bool {
	switch {
	case o.closest != p.closest:
		return p.closest
	case l.soon && o.end != p.end:
		return o.end < p.end
	case o.price != p.price:
		return o.price < p.price
	case o.end != p.end:
		return o.end < p.end
	}
	return o.order < p.order
}

// onPropose ranks an offer, or rejects it. An answer to a round that the resource has
// answered already, or to one before it, is a repetition, or has been overtaken by a
// newer one: it changes nothing. Nor does an offer that only comes closest take the
// place of one that meets the request and came late.
func (u *users) onPropose(a *auction, l *lot, resource int, p *payload) {
	if a.phase != bidding && a.phase != looking || p.round <= l.offers[resource].round {
		return
	}
	o := &l.offers[resource]
	if p.closest && o.state == offered && !o.closest {
		o.round = p.round
		u.answered(a, p)
		return
	}
	u.arrivals++
	*o = offer{state: offered, round: p.round, closest: p.closest, price: p.price, start: p.start, end: p.end, mark: p.reservation, order: u.arrivals}
	meets := u.meets(a, l, p.price, p.start, p.end)
	if !meets && !p.closest {
		o.state = rejected
		u.journal.offered(noteReject, a, int(p.unit), resource, o)
		u.send(a, int(p.unit), resource, payload{act: rejectProposal, price: p.price})
	} else {
		o.closest = !meets
		u.journal.offered(noteOffer, a, int(p.unit), resource, o)
	}
	u.answered(a, p)
}

// onRefuse drops a resource from the bidding, or turns to the next offer.
func (u *users) onRefuse(a *auction, l *lot, resource int, p *payload) {
	switch a.phase {
	case bidding, looking:
		o := &l.offers[resource]
		if p.round <= o.round {
			return
		}
		if o.state != offered { // an offer of an earlier round stands
			o.state = refused
		}
		o.why, o.round, o.out = p.why, p.round, true
		u.journal.refusal(a, int(p.unit), resource, p.why)
		u.answered(a, p)
	case voting:
		if l.state == asked && l.with == resource && (p.why == loadChanged || p.why == notOffered || p.why == left) { // not one of the bidding that comes late
			u.journal.refusal(a, int(p.unit), resource, p.why)
			u.next(a, l, p.why)
		}
	case committing: // without a confirmation it does not ask the bank either
		if l.held == p.reservation && l.with == resource && (p.why == notHeld || p.why == badContract || p.why == byBank) {
			u.journal.refusal(a, int(p.unit), resource, p.why)
			u.fail(a, p.why)
		}
	case bought:
		if l.held == p.reservation && l.state == acknowledged && (p.why == running || p.why == notTaken) {
			l.state = kept
			u.journal.refusal(a, int(p.unit), resource, p.why)
		}
	}
}

// answered counts an answer of this round; where rounds end early the last one ends
// it.
func (u *users) answered(a *auction, p *payload) {
	if int(p.round) != min(a.round, 255) {
		return
	}
	if a.open--; a.open == 0 && (u.settings.Early || a.phase == looking) {
		a.tick++
		u.goOn(a)
	}
}
