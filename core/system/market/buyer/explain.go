package buyer

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/system"
	"parley/core/system/market/fipa"
	"parley/core/unit"
)

// explain remembers why the units of an auction went where they did, or nowhere:
// every resource with its last bid or refusal, the best first.
func (u *Users) explain(a *Auction) {
	for i := range a.Lots {
		l := &a.Lots[i]
		if !u.journal.Wants(l.Job) {
			continue
		}
		d := system.Decision{
			At: u.Clock.Now(), Task: unit.TaskID(l.Job), From: unit.NoNode, To: unit.NoNode,
			Ref: a.Number, Ranked: true, Rule: ruleCheapest,
		}
		if l.soon {
			d.Rule = ruleFastest
		}
		order := make([]int, len(l.Offers))
		for r := range order {
			order[r] = r
		}
		slices.SortStableFunc(order, func(p, q int) int { return l.rank(p, q) })
		bids := 0
		for _, r := range order {
			c := u.candidate(a, l, r)
			if c.Answer == system.Chosen {
				d.To = c.Node
			}
			if c.Score > 0 {
				bids++
			}
			d.Candidates = append(d.Candidates, c)
		}
		if d.Summary = fmt.Sprintf(
			"User %d bought nothing in auction %d, because %s. %d of %d resources had made an offer.", a.User, a.Number,
			a.Reason, bids, len(order),
		); a.Phase == Bought {
			d.Summary = fmt.Sprintf(
				"User %d bought %s for %s on %s at %s credits per core-hour (auction %d): %d of %d resources made an offer; the best was %s.", a.User, system.Count(float64(l.Unit.Cores()), "core"),
				system.SpanOf(l.Unit.Wall), u.plan.Sites[l.With].Name, system.Price(a.Contract.Lots[i].Price.Credits()),
				a.Number, bids, len(order), system.Price(d.Candidates[0].Score),
			)
		}
		u.journal.Remember(d)
	}
}

// The rules that decide an auction, by its goal.
const (
	ruleCheapest = "the cheapest offer that meets the request; among equal prices, the one that ends first, then the one that arrived first"
	ruleFastest  = "the offer that meets the request and ends first; among equal ends, the cheapest, then the one that arrived first"
)

// rank orders resources for people: those with an offer by their rank, then the
// others.
func (l *Lot) rank(p, q int) int {
	x, y := &l.Offers[p], &l.Offers[q]
	switch {
	case (x.Price == 0) != (y.Price == 0):
		return cmp.Compare(y.Price, x.Price)
	case x.Price == 0:
		return 0
	case l.before(x, y):
		return -1
	case l.before(y, x):
		return 1
	}
	return 0
}

// candidate is the last answer of a resource about a unit.
func (u *Users) candidate(a *Auction, l *Lot, r int) system.Candidate {
	o := &l.Offers[r]
	c := system.Candidate{Node: u.journal.Node(r), Name: u.plan.Sites[r].Name, Score: o.Price.Credits()}
	c.Answer = [...]string{"silent", "accepted", "refused", "rejected", "refused"}[o.state]
	last := ""
	if o.out && o.state == offered && o.reason != fipa.NoReason {
		last = fmt.Sprintf("; then it refused to go lower, because %s", o.reason)
	}
	switch {
	case a.Phase == Bought && l.With == r:
		c.Answer, c.Reason = system.Chosen, "chosen"+last
	case o.state == offered && o.closest:
		c.Answer, c.Reason = "rejected", "comes closest, but does not meet the request"
	case o.state == offered:
		c.Reason = "offered more, or later" + last
	case o.state == rejected:
		c.Reason = "its offer does not meet the request"
	case o.state == withdrawn:
		c.Reason = fmt.Sprintf("offered, was accepted, and withdrew: %s", o.reason)
	case o.state == refused:
		c.Reason = fmt.Sprintf("refused, because %s", o.reason)
	default:
		c.Reason = "did not answer"
	}
	return c
}
