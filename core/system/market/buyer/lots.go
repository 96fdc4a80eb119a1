package buyer

import (
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/unit"
)

// matched reports whether every unit has an offer that meets the request, and all of
// them together cost no more than the request's maximum.
func (a *Auction) matched() bool { return a.complete(false) && a.affordable(false) }

// complete reports whether every unit has an offer.
func (a *Auction) complete(closest bool) bool {
	for i := range a.Lots {
		if a.Lots[i].Leader(closest) < 0 {
			return false
		}
	}
	return true
}

// affordable reports whether the held units, and the best offers for the others, cost at most the
// maximum. If the offers that end first cost more, the cheapest are taken.
func (a *Auction) affordable(closest bool) bool {
	if a.Request.MaxCost == 0 || a.cost(closest) <= a.Request.Maximum() {
		return true
	}
	for i := range a.Lots {
		a.Lots[i].soon = false
	}
	return a.cost(closest) <= a.Request.Maximum()
}

// cost returns the price of the units at the offers that are accepted, or lead.
func (a *Auction) cost(closest bool) (sum bank.Money) {
	for i := range a.Lots {
		l := &a.Lots[i]
		r := l.With
		if l.State == open {
			r = l.Leader(closest && l.closest)
		}
		if r >= 0 {
			o := &l.Offers[r]
			one, _ := bank.Cost(o.Price, l.Unit.Cores(), o.End-o.Start)
			sum += one
		}
	}
	return sum
}

// meets reports whether a unit at a price and in a time satisfies the request.
func (u *Users) meets(a *Auction, l *Lot, price rfql.Price, start, end unit.Time) bool {
	longest := unit.Time(a.Request.MaxWait)
	if at := l.Unit.Start; at >= 0 && (start+u.plan.Epoch < at || l.Unit.Fixed && start+u.plan.Epoch > at) {
		return false
	}
	return price <= l.Unit.Price && end+u.plan.Epoch <= l.Unit.End && (longest == 0 || start <= a.Began+longest)
}

// Leader returns the resource with the best offer: the lowest price, then the earliest
// end, or the other way round for who wants it soon, then the first that came; -1 if
// there is none. Offers that only come
// closest count if wanted.
func (l *Lot) Leader(closest bool) int {
	best := -1
	for r := range l.Offers {
		o := &l.Offers[r]
		if o.state != offered || o.closest && !closest {
			continue
		}
		if best < 0 || l.before(o, &l.Offers[best]) {
			best = r
		}
	}
	return best
}

// OpenLot returns the first unit of the newest auction that takes offers; nil if none does.
func (u *Users) OpenLot() *Lot {
	open := u.Counts.Begun - u.Counts.Bought - u.Counts.Failed
	for i := len(u.Auctions) - 1; i >= 0 && open > 0; i-- {
		if a := u.Auctions[i]; a != nil && a.Phase == Bidding {
			return &a.Lots[0]
		}
	}
	return nil
}

// Rank returns the place of a resource's offer among those that meet the request, from 1; 0 if it has none.
func (l *Lot) Rank(resource int) int {
	mine, place := &l.Offers[resource], 1
	if mine.state != offered || mine.closest {
		return 0
	}
	for r := range l.Offers {
		if o := &l.Offers[r]; o.state == offered && !o.closest && l.before(o, mine) {
			place++
		}
	}
	return place
}

// before reports whether an offer ranks before another.
func (l *Lot) before(o, p *Offer) bool {
	switch {
	case o.closest != p.closest:
		return p.closest
	case l.soon && o.End != p.End:
		return o.End < p.End
	case o.Price != p.Price:
		return o.Price < p.Price
	case o.End != p.End:
		return o.End < p.End
	}
	return o.order < p.order
}
