// Package buyer has the user agents of the market. Each auctions the requests of its owner:
// rounds of bidding (bidding.go), then a two-phase commit (purchase.go). A user agent reads
// the directory of resources, sends messages and writes notes; it sees neither queues nor
// accounts.
package buyer

import (
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Users are the user agents.
type Users struct {
	fipa.Means
	journal  *journal.Journal
	rules    *Rules
	plan     *plan.Plan
	away     []bool // by resource: it is not in the market
	All      []User
	Auctions []*Auction // by number - 1, which is the request's
	answers  mail.Deadlines
	arrivals uint32
	spare    [][]Offer // of auctions that are over, to use again
	Counts   Counts
	Recent   Recent
}

// Rules are the settings of the users.
type Rules struct {
	Rounds    int       `json:"rounds"`      // of bidding
	Interval  unit.Time `json:"interval_us"` // from one round to the next
	Early     bool      `json:"early"`       // a round ends when all have answered
	Goal      string    `json:"goal"`        // one of goals, of requests that say none
	Statement bool      `json:"statement"`   // users ask for their balance first
	Approval  string    `json:"approval"`    // "match", "closest" or "manual"
	Users     int       `json:"users"`
	Settle    unit.Time `json:"settle_us"`   // how long a contract is good
	Approve   unit.Time `json:"approval_us"` // time in which a user decides about an approval
}

// User is the state of a user agent.
type User struct {
	Down    bool
	Crashes int
}

// Counts are the totals of all auctions.
type Counts struct {
	Begun, Bought, Failed, Closest, Rounds int64
	Units                                  int64 // bought
	Duration                               unit.Time
}

// Phase is the state of an auction.
type Phase uint8

const (
	Bidding  Phase = iota
	Counting       // it waits for its balance
	Looking        // no offer matches: it asks for the closest ones
	Asking         // it waits for approval
	Voting
	Committing
	Bought
	Failed
)

// String returns the phase as reports spell it.
func (p Phase) String() string {
	return [...]string{
		"bidding", "asking for its balance", "looking for the closest", "waiting for approval", "voting",
		"committing", "bought", "failed",
	}[p]
}

// Auction is one request under way.
type Auction struct {
	Number   uint32
	User     int
	Request  *plan.Request
	Phase    Phase
	Round    int
	Rounds   int
	gen      uint32 // changes with every wait
	Lots     []Lot
	arrived  int // jobs of its units
	open     int // answers of this round that are still to come
	Held     int
	Began    unit.Time
	Bidden   unit.Time // the last round was over
	Ended    unit.Time
	askedAt  unit.Time // its owner, for approval
	Contract *bank.Contract
	Signed   seal.Signature
	Reason   fipa.Reason
	tick     uint32 // which tick it waits for
	limited  bool   // all offers together may cost no more than its maximum
}

// Lot is one unit of an auction.
type Lot struct {
	Unit        *rfql.Unit
	Job         unit.JobID
	asking      rfql.Price // in this round
	soon        bool       // the earliest end ranks before the lowest price
	Offers      []Offer    // by resource
	State       LotState
	With        int // the resource that is asked, or holds it
	gen         uint32
	reservation uint64       // the reservation
	closest     bool         // its owner takes an offer that does not meet the request
	Best        []rfql.Price // the lowest offer at the end of each round; 0 before the first
}

// LotState is how far the purchase of a unit is.
type LotState uint8

const (
	open LotState = iota
	requested
	held
	acknowledged
	kept     // bought: its resource does not take it back
	Returned // given back, and its price
)

// Offer is the latest answer of a resource about a unit.
type Offer struct {
	state   OfferState
	out     bool // it takes part in the bidding no longer
	reason  fipa.Reason
	round   uint8
	closest bool
	Price   rfql.Price
	Start   unit.Time
	End     unit.Time
	Mark    uint64 // the resource's, by which it knows its offer again
	order   uint32 // of arrival
}

// OfferState is the state of an offer.
type OfferState uint8

const (
	quiet   OfferState = iota
	offered            // and ranked
	refused
	rejected // by the user
	withdrawn
)

// offers returns room for the offers of all resources.
func (u *Users) offers() []Offer {
	if k := len(u.spare); k > 0 {
		list := u.spare[k-1]
		u.spare = u.spare[:k-1]
		clear(list)
		return list
	}
	return make([]Offer, len(u.plan.Sites))
}

// close gives that room back when an auction is over.
func (u *Users) close(a *Auction) {
	for i := range a.Lots {
		if l := &a.Lots[i]; l.Offers != nil {
			u.spare = append(u.spare, l.Offers)
			l.Offers = nil
		}
	}
}

// wait lets the auction go on after a while.
func (u *Users) wait(a *Auction, length unit.Time) {
	a.tick++
	u.Clock.At(u.Clock.Now()+length, (*userTicker)(u), uint64(a.Number)<<32|uint64(a.tick))
}

// send posts a message to a resource.
func (u *Users) send(a *Auction, lot, resource int, p fipa.Payload) {
	if p.Act == fipa.Cancel {
		u.note(journal.NoteCancel, a, lot, resource, 0)
	}
	p.Auction, p.Unit, p.Round = a.Number, uint16(lot), uint8(min(a.Round, 255))
	u.Post.Send(fipa.UserAgent(a.User), fipa.ResourceAgent(resource), p)
}

// Numbered returns the auction of a number, nil if it has not begun.
func (u *Users) Numbered(ref uint32) *Auction {
	if ref == 0 || int(ref) > len(u.Auctions) {
		return nil
	}
	return u.Auctions[ref-1]
}

// of returns the auction and lot that a message is about, nil if there is none.
func (u *Users) of(m *fipa.Message) (*Auction, *Lot) {
	n := int(m.Payload.Auction) - 1
	if n < 0 || n >= len(u.Auctions) || u.Auctions[n] == nil || int(m.Payload.Unit) >= len(u.Auctions[n].Lots) ||
		u.Auctions[n].User != m.To.Number() {
		return nil, nil
	}
	return u.Auctions[n], &u.Auctions[n].Lots[m.Payload.Unit]
}
