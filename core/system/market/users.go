package market

import (
	"cmp"

	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
	"parley/core/workload"
)

// users are the user agents: each auctions the requests of its owner.
type users struct {
	*base
	all      []user
	auctions []*auction // by number - 1, which is the request's
	answers  mail.Deadlines
	arrivals uint32
	spare    [][]offer // of auctions that are over, to use again
	counts   userCounts
	recent   recent
}

// user is one user agent.
type user struct {
	down    bool
	crashes int
}

// userCounts is what users tell of their auctions.
type userCounts struct {
	begun, bought, failed, closest, rounds int64
	units                                  int64 // bought
	duration                               unit.Time
}

// phase is where an auction stands.
type phase uint8

const (
	bidding  phase = iota
	counting       // it waits for its balance
	looking        // nothing matches: it asks for what comes closest
	asking         // it waits for approval
	voting
	committing
	bought
	failed
)

// String returns the phase as reports spell it.
func (p phase) String() string {
	return [...]string{"bidding", "asking for its balance", "looking for the closest", "waiting for approval", "voting", "committing", "bought", "failed"}[p]
}

// auction is one request under way.
type auction struct {
	number   uint32
	user     int
	request  *request
	phase    phase
	round    int
	rounds   int
	gen      uint32 // changes with every wait
	lots     []lot
	arrived  int // jobs of its units
	open     int // answers of this round that are still to come
	held     int
	began    unit.Time
	bidden   unit.Time // the last round was over
	ended    unit.Time
	askedAt  unit.Time // its owner, for approval
	contract *bank.Contract
	signed   seal.Signature
	why      reason
	tick     uint32 // which tick it waits for
	limited  bool   // all offers together may cost no more than its maximum
}

// lot is one unit of an auction.
type lot struct {
	unit   *rfql.Unit
	job    unit.JobID
	asked  rfql.Price // in this round
	soon   bool       // the earliest end ranks before the lowest price
	offers []offer    // by resource
	state  lotState
	with   int // the resource that is asked, or holds it
	gen    uint32
	held   uint64       // the reservation
	best   []rfql.Price // the lowest offer at the end of each round; 0 before the first
}

type lotState uint8

const (
	open lotState = iota
	asked
	held
	acknowledged
	kept     // bought: its resource does not take it back
	returned // given back, and its price
)

// offer is what a resource said about a unit last.
type offer struct {
	state   offerState
	out     bool // it takes part in the bidding no longer
	why     reason
	round   uint8
	closest bool
	price   rfql.Price
	start   unit.Time
	end     unit.Time
	mark    uint64 // the resource's, by which it knows its offer again
	order   uint32 // of arrival
}

type offerState uint8

const (
	quiet   offerState = iota
	offered            // and ranked
	refused
	rejected // by the user
	withdrawn
)

func newUsers(b *base) *users {
	u := &users{base: b, all: make([]user, b.settings.Users), auctions: make([]*auction, len(b.plan.requests))}
	u.answers = mail.Deadlines{Clock: b.Clock, After: b.settings.Answer, Expire: u.expire}
	return u
}

// arrive takes the job of a unit; when all of a request are there its auction
// begins.
func (u *users) arrive(key workload.Key, id unit.JobID) {
	n := int(key.Job) - 1
	if n < 0 || n >= len(u.auctions) || int(key.Index) >= len(u.plan.requests[n].Units) {
		return
	}
	a := u.auctions[n]
	if a == nil {
		a = u.make(n)
		u.auctions[n] = a
	}
	a.lots[key.Index].job = id
	if a.arrived++; a.arrived == len(a.lots) {
		u.begin(a)
	}
}

func (u *users) make(n int) *auction {
	q := &u.plan.requests[n]
	a := &auction{number: uint32(n + 1), request: q, rounds: u.settings.Rounds, user: q.User, lots: make([]lot, len(q.Units))}
	if q.Rounds > 0 {
		a.rounds = q.Rounds
	}
	if a.user < 0 {
		a.user = (-1 - a.user) % len(u.all)
	}
	for i := range a.lots {
		a.lots[i] = lot{unit: &q.Units[i], asked: q.Units[i].Price, with: -1, offers: u.offers(), soon: cmp.Or(q.Goal, u.settings.Goal) == "fastest"}
	}
	return a
}

// offers returns room for the offers of all resources.
func (u *users) offers() []offer {
	if k := len(u.spare); k > 0 {
		list := u.spare[k-1]
		u.spare = u.spare[:k-1]
		clear(list)
		return list
	}
	return make([]offer, len(u.plan.sites))
}

// close gives that room back when an auction is over.
func (u *users) close(a *auction) {
	for i := range a.lots {
		if l := &a.lots[i]; l.offers != nil {
			u.spare = append(u.spare, l.offers)
			l.offers = nil
		}
	}
}

// begin starts the bidding. A user who has no agent, or whose agent is down, asks for
// nothing.
func (u *users) begin(a *auction) {
	a.began = u.Clock.Now()
	u.counts.begun++
	switch {
	case a.user >= len(u.all):
		a.user = len(u.all) - 1
		u.fail(a, nobody)
	case u.all[a.user].down:
		u.fail(a, crashed)
	default:
		u.journal.begun(a)
		if u.settings.Statement {
			a.phase = counting
			u.askBalance(a)
			return
		}
		u.call(a)
	}
}

// wait lets the auction go on after a while.
func (u *users) wait(a *auction, length unit.Time) {
	a.tick++
	u.Clock.At(u.Clock.Now()+length, (*userTicker)(u), uint64(a.number)<<32|uint64(a.tick))
}

// send posts a message to a resource.
func (u *users) send(a *auction, lot, resource int, p payload) {
	if p.act == cancel {
		u.journal.auction(noteCancel, a, lot, resource, 0)
	}
	p.auction, p.unit, p.round = a.number, uint16(lot), uint8(min(a.round, 255))
	u.post.Send(userAgent(a.user), resourceAgent(resource), p)
}

// userTicker ends rounds and waits for approval.
type userTicker users

// Fire implements des.Handler.
func (t *userTicker) Fire(_ unit.Time, arg uint64) {
	u := (*users)(t)
	a := u.auctions[arg>>32-1]
	if a == nil || a.tick != uint32(arg) || u.all[a.user].down {
		return // it went on already; one whose agent is down goes on at its restart
	}
	u.goOn(a)
}

// goOn ends a round, or the time for approval.
func (u *users) goOn(a *auction) {
	switch a.phase {
	case bidding:
		u.endRound(a)
	case looking:
		u.present(a)
	case asking:
		u.fail(a, declined)
	}
}

// of returns the auction and lot that a message is about, nil where there is none.
func (u *users) of(m *message) (*auction, *lot) {
	n := int(m.Payload.auction) - 1
	if n < 0 || n >= len(u.auctions) || u.auctions[n] == nil || int(m.Payload.unit) >= len(u.auctions[n].lots) || u.auctions[n].user != m.To.Number() {
		return nil, nil
	}
	return u.auctions[n], &u.auctions[n].lots[m.Payload.unit]
}

// read acts on a message.
func (u *users) read(_ unit.Time, m *message) {
	a, l := u.of(m)
	p, resource := &m.Payload, m.From.Number()
	switch {
	case a == nil:
		if p.act == agree { // an unknown auction: the hold is for nothing
			u.post.Send(m.To, m.From, payload{act: cancel, auction: p.auction, unit: p.unit, reservation: p.reservation})
		}
	case m.From == bankAgent && p.act == inform:
		u.onBalance(a, bank.Money(p.price))
	case m.From == bankAgent:
		u.onBank(a, p)
	case p.act == propose:
		u.onPropose(a, l, resource, p)
	case p.act == refuse:
		u.onRefuse(a, l, resource, p)
	case p.act == agree:
		u.onAgree(a, l, resource, p)
	case p.act == confirm:
		u.onConfirm(a, l, resource, p)
	case p.act == cancel:
		u.onCancelled(a, l, p)
	}
}
