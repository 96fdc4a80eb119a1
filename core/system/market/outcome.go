package market

import (
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/unit"
)

// Outcome is the outcome of a request, for experiments.
type Outcome struct {
	Request       int // its number in the document's order of time, from 0
	Bought        bool
	Why           string // it was not
	Began, Bidden unit.Time
	Ended         unit.Time
	Units         []UnitOutcome
}

// UnitOutcome is the outcome of a unit.
type UnitOutcome struct {
	Job        unit.JobID
	Cores      int
	Asked      rfql.Price
	Best       []rfql.Price // the lowest offer at the end of each round; 0 before the first
	Paid       rfql.Price   // 0: nothing was bought
	Cost       bank.Money
	Site       int // that sells it; -1 if none
	Start, End unit.Time
}

// Outcomes is a system of this package, for experiments.
type Outcomes interface {
	// Outcomes returns what became of the requests whose auctions are over.
	Outcomes() []Outcome
	// Resources returns the state of the resources.
	Resources() []Resource
	// Response returns how long resources took to answer in the mean, in seconds.
	Response() float64
}

// Resource is the state of a resource.
type Resource struct {
	Name         string
	Start, Min   rfql.Price
	Cores        int
	Bids, Wins   int64
	MeanOffer    float64    // credits
	Appeal       rfql.Price // attractiveness: by how much it last lowered a price
	Busy         int        // cores with its own jobs
	Within, Said int        // of its own jobs' waits the bound was known for Said, and held for Within
}

// Outcomes implements Outcomes.
func (x *exchange) Outcomes() (all []Outcome) {
	for n, a := range x.users.auctions {
		if a == nil || a.phase != bought && a.phase != failed {
			continue
		}
		o := Outcome{Request: n, Bought: a.phase == bought, Why: a.why.String(), Began: a.began, Bidden: a.bidden, Ended: a.ended}
		for i := range a.lots {
			l := &a.lots[i]
			u := UnitOutcome{Job: l.job, Cores: l.unit.Cores(), Asked: l.unit.Price, Best: l.best, Site: -1}
			if o.Bought {
				c := &a.contract.Lots[i]
				u.Paid, u.Site, u.Start, u.End = c.Price, l.with, c.Start, c.End
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
	for i := range x.resources.all {
		one := &x.resources.all[i]
		r := Resource{
			Name: one.site.Name, Start: one.site.Start, Min: one.site.Min, Cores: one.site.Cores, Bids: one.bids, Wins: one.wins,
			MeanOffer: credits(one.sum) / float64(max(1, one.bids)), Appeal: one.appeal, Busy: one.queue.Busy(),
		}
		r.Said, r.Within = one.predictor.Coverage()
		all = append(all, r)
	}
	return all
}

// Response implements Outcomes.
func (x *exchange) Response() float64 { return x.inboxes.waits.mean() }
