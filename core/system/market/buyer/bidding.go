package buyer

import (
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
)

// call begins the next round: for each unit by itself, it asks every resource that is in the market and
// has not dropped out. Looking for the closest offers, it skips units that have a match. A round in
// which it asks no resource ends at once if rounds may end early.
func (u *Users) call(a *Auction) {
	a.Round++
	u.Counts.Rounds++
	a.open = 0
	for i := range a.Lots {
		l := &a.Lots[i]
		if a.Phase == Looking && l.Leader(false) >= 0 {
			continue
		}
		for r := range l.Offers {
			if a.Phase == Bidding && l.Offers[r].out || u.away[r] {
				continue
			}
			a.open++
			u.send(a, i, r, fipa.Payload{
				Act: fipa.CallForProposals, Price: l.asking, Closest: a.Phase == Looking,
				Asks: l.Unit,
			})
		}
		u.noteCall(a, i)
	}
	if a.open == 0 && (u.rules.Early || a.Phase == Looking) {
		u.wait(a, 0)
		return
	}
	u.wait(a, u.rules.Interval)
}

// endRound lowers the asking price of each unit to its best offer, and begins the next round or, after
// the last, evaluates the offers. Best has 0 for a round without an offer.
func (u *Users) endRound(a *Auction) {
	for i := range a.Lots {
		l := &a.Lots[i]
		if b := l.Leader(false); b >= 0 {
			l.asking = min(l.asking, l.Offers[b].Price)
			u.Recent.round(a.Round, l.Offers[b].Price)
			u.note(journal.NoteRound, a, i, b, l.Offers[b].Price.Credits())
			l.Best = append(l.Best, l.Offers[b].Price)
		} else {
			l.Best = append(l.Best, 0)
		}
	}
	if a.Round < a.Rounds {
		u.call(a)
		return
	}
	u.evaluate(a)
}

// evaluate looks at the final set of offers.
func (u *Users) evaluate(a *Auction) {
	a.Bidden = u.Clock.Now()
	if !a.matched() {
		a.Phase = Looking
		u.call(a)
		return
	}
	u.offer(a)
}

// offer takes the final set of offers to the owner, or accepts it.
func (u *Users) offer(a *Auction) {
	a.limited = true
	if u.rules.Approval == "manual" {
		u.ask(a)
		return
	}
	u.vote(a)
}

// present decides about an auction in which not all units had a match at the end of the bidding. If
// matching offers have arrived meanwhile, they are accepted. Otherwise the closest offers are taken,
// shown to the owner or turned down, by the setting approval.
func (u *Users) present(a *Auction) {
	if a.matched() {
		u.offer(a)
		return
	}
	if a.complete(false) {
		u.fail(a, fipa.OverCost)
		return
	}
	for i := range a.Lots {
		if a.Lots[i].Leader(true) < 0 {
			u.fail(a, fipa.NoSeller)
			return
		}
	}
	u.Counts.Closest++
	for i := range a.Lots {
		b := a.Lots[i].Leader(true)
		u.note(journal.NoteClosest, a, i, b, a.Lots[i].Offers[b].Price.Credits())
	}
	switch u.rules.Approval {
	case "closest":
		u.vote(a)
	case "manual":
		u.ask(a)
	default:
		u.fail(a, fipa.NotMatched)
	}
}

// ask waits for the owner's approval.
func (u *Users) ask(a *Auction) {
	a.Phase, a.askedAt = Asking, u.Clock.Now()
	u.note(journal.NoteAsk, a, -1, -1, 0)
	u.wait(a, u.rules.Approve)
}

// Decide is the decision of a user agent's owner about one auction that waits for approval:
// that of a number or, for 0, the one that has waited longest.
func (u *Users) Decide(user int, number float64, yes bool) {
	var auction *Auction
	for _, a := range u.Auctions {
		if a != nil && a.User == user && a.Phase == Asking && (number == 0 || float64(a.Number) == number) &&
			(auction == nil || a.askedAt < auction.askedAt) {
			auction = a
		}
	}
	switch {
	case auction == nil || u.All[user].Down:
	case yes:
		u.vote(auction)
	default:
		u.fail(auction, fipa.Declined)
	}
}

// onPropose ranks an offer, or rejects it. An answer to a round that the resource has
// answered already, or to one before it, is a repetition, or has been overtaken by a
// newer one: it changes nothing. Nor does an offer that only comes closest take the
// place of one that meets the request and came late.
func (u *Users) onPropose(a *Auction, l *Lot, resource int, p *fipa.Payload) {
	if a.Phase != Bidding && a.Phase != Looking || p.Round <= l.Offers[resource].round {
		return
	}
	o := &l.Offers[resource]
	if p.Closest && o.state == offered && !o.closest {
		o.round = p.Round
		u.answered(a, p)
		return
	}
	u.arrivals++
	earlier := *o
	*o = Offer{
		state: offered, round: p.Round, closest: p.Closest, Price: p.Price, Start: p.Start, End: p.End,
		Mark: p.Reservation, order: u.arrivals,
	}
	meets := u.meets(a, l, p.Price, p.Start, p.End)
	if !meets && !p.Closest {
		o.state = rejected
		u.noteOffer(journal.NoteReject, a, int(p.Unit), resource, o)
		u.send(a, int(p.Unit), resource, fipa.Payload{Act: fipa.RejectProposal, Price: p.Price})
		if earlier.state == offered && !earlier.closest { // the earlier offer met the request and stays
			earlier.round = p.Round
			*o = earlier
		}
	} else {
		o.closest = !meets
		u.noteOffer(journal.NoteOffer, a, int(p.Unit), resource, o)
	}
	u.answered(a, p)
}

// onRefuse handles a resource's refusal by the phase of the auction: during bidding it drops out, after
// an acceptance the next offer is accepted, after a commitment the auction fails, and after the purchase
// a cancelled unit is kept. Refusals that do not fit the phase are late and ignored.
func (u *Users) onRefuse(a *Auction, l *Lot, resource int, p *fipa.Payload) {
	switch a.Phase {
	case Bidding, Looking:
		o := &l.Offers[resource]
		if p.Round <= o.round {
			return
		}
		if o.state != offered { // an offer of an earlier round remains
			o.state = refused
		}
		o.reason, o.round, o.out = p.Reason, p.Round, true
		u.noteRefusal(a, int(p.Unit), resource, p.Reason)
		u.answered(a, p)
	case Voting:
		// not one of the bidding that comes late
		if l.State == requested && l.With == resource &&
			(p.Reason == fipa.LoadChanged || p.Reason == fipa.NotOffered || p.Reason == fipa.Left) {
			u.noteRefusal(a, int(p.Unit), resource, p.Reason)
			u.next(a, l, p.Reason)
		}
	case Committing: // without a confirmation it does not ask the bank either
		if l.reservation == p.Reservation && l.With == resource &&
			(p.Reason == fipa.NotHeld || p.Reason == fipa.BadContract || p.Reason == fipa.ByBank) {
			u.noteRefusal(a, int(p.Unit), resource, p.Reason)
			u.fail(a, p.Reason)
		}
	case Bought:
		if l.reservation == p.Reservation && l.State == acknowledged &&
			(p.Reason == fipa.Running || p.Reason == fipa.NotTaken) {
			l.State = kept
			u.noteRefusal(a, int(p.Unit), resource, p.Reason)
		}
	}
}

// answered counts an answer of the present round. The last one ends the round if rounds may end early.
func (u *Users) answered(a *Auction, p *fipa.Payload) {
	if int(p.Round) != min(a.Round, 255) {
		return
	}
	if a.open--; a.open == 0 && (u.rules.Early || a.Phase == Looking) {
		a.tick++
		u.goOn(a)
	}
}
