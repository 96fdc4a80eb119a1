package market

import (
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/buyer"
	"parley/core/unit"
)

// Outcome is the outcome of a request, for experiments.
type Outcome struct {
	Request       int // its number in the document's order of time, from 0
	Bought        bool
	Reason        string // it was not
	Began, Bidden unit.Time
	Ended         unit.Time
	Units         []UnitOutcome
}

// UnitOutcome is the outcome of a unit.
type UnitOutcome struct {
	Job         unit.JobID
	Cores       int
	AskingPrice rfql.Price
	Best        []rfql.Price // the lowest offer at the end of each round; 0 before the first
	Paid        rfql.Price   // 0: nothing was bought
	Cost        bank.Money
	Site        int // that sells it; -1 if none
	Start, End  unit.Time
}

// Outcomes is a system of this package, for experiments.
type Outcomes interface {
	// Outcomes returns the outcomes of requests whose auctions are over.
	Outcomes() []Outcome
	// Resources returns the state of the resources.
	Resources() []Resource
	// Response returns how long resources took to answer in the mean, in seconds.
	Response() float64
}

// Resource is the state of a resource.
type Resource struct {
	Name            string
	Start, Min      rfql.Price
	Cores           int
	Bids, Wins      int64
	MeanOffer       float64    // credits
	Appeal          rfql.Price // attractiveness: by how much it last lowered a price
	Busy            int        // cores with its own jobs
	Within, Bounded int        // of its own jobs' waits the bound was known for Bounded, and held for Within
}

// Outcomes implements Outcomes. Requests are in the document's order; the units of one that bought nothing have no
// price, site or time.
func (x *exchange) Outcomes() (all []Outcome) {
	for n, a := range x.users.Auctions {
		if a == nil || a.Phase != buyer.Bought && a.Phase != buyer.Failed {
			continue
		}
		o := Outcome{
			Request: n, Bought: a.Phase == buyer.Bought, Reason: a.Reason.String(), Began: a.Began, Bidden: a.Bidden,
			Ended: a.Ended,
		}
		for i := range a.Lots {
			l := &a.Lots[i]
			u := UnitOutcome{Job: l.Job, Cores: l.Unit.Cores(), AskingPrice: l.Unit.Price, Best: l.Best, Site: -1}
			if o.Bought {
				c := &a.Contract.Lots[i]
				u.Paid, u.Site, u.Start, u.End = c.Price, l.With, c.Start, c.End
				u.Cost, _ = c.Cost()
			}
			o.Units = append(o.Units, u)
		}
		all = append(all, o)
	}
	return all
}

// Resources implements Outcomes.
func (x *exchange) Resources() (all []Resource) {
	for i := range x.resources.All {
		one := &x.resources.All[i]
		r := Resource{
			Name: one.Site.Name, Start: one.Site.Start, Min: one.Site.Min, Cores: one.Site.Cores, Bids: one.Bids,
			Wins:      one.Wins,
			MeanOffer: one.Sum.Credits() / float64(max(1, one.Bids)), Appeal: one.Appeal, Busy: one.Queue.Busy(),
		}
		r.Bounded, r.Within = one.Predictor.Coverage()
		all = append(all, r)
	}
	return all
}

// Response implements Outcomes.
func (x *exchange) Response() float64 { return x.inboxes.waits.mean() }
