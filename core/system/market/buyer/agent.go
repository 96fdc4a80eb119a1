package buyer

import (
	"cmp"

	"parley/core/mail"
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// New makes the agents of the plan's requests.
func New(m fipa.Means, j *journal.Journal, r *Rules, p *plan.Plan, away []bool) *Users {
	u := &Users{
		Means: m, journal: j, rules: r, plan: p, away: away, All: make([]User, r.Users),
		Auctions: make([]*Auction, len(p.Requests)),
	}
	u.answers = mail.Deadlines{Clock: m.Clock, After: m.Answer, Expire: u.expire}
	return u
}

// Arrive takes the job of a unit; when all of a request are there its auction
// begins.
func (u *Users) Arrive(key workload.Key, id unit.JobID) {
	n := int(key.Job) - 1
	if n < 0 || n >= len(u.Auctions) || int(key.Index) >= len(u.plan.Requests[n].Units) {
		return
	}
	a := u.Auctions[n]
	if a == nil {
		a = u.newAuction(n)
		u.Auctions[n] = a
	}
	a.Lots[key.Index].Job = id
	if a.arrived++; a.arrived == len(a.Lots) {
		u.begin(a)
	}
}

// newAuction returns the auction of request n, which has number n+1, with one lot for each unit and no
// jobs yet. A request's own rounds and goal replace the settings'. A user below 0 stands for -1-user,
// modulo the number of agents.
func (u *Users) newAuction(n int) *Auction {
	q := &u.plan.Requests[n]
	a := &Auction{
		Number: uint32(n + 1), Request: q, Rounds: u.rules.Rounds, User: q.User,
		Lots: make([]Lot, len(q.Units)),
	}
	if q.Rounds > 0 {
		a.Rounds = q.Rounds
	}
	if a.User < 0 {
		a.User = (-1 - a.User) % len(u.All)
	}
	for i := range a.Lots {
		a.Lots[i] = Lot{
			Unit: &q.Units[i], asking: q.Units[i].Price, With: -1, Offers: u.offers(),
			soon: cmp.Or(q.Goal, u.rules.Goal) == "fastest",
		}
	}
	return a
}

// begin starts the bidding. A user who has no agent, or whose agent is down, asks for
// nothing.
func (u *Users) begin(a *Auction) {
	a.Began = u.Clock.Now()
	u.Counts.Begun++
	switch {
	case a.User >= len(u.All):
		a.User = len(u.All) - 1
		u.fail(a, fipa.NoSeller)
	case u.All[a.User].Down:
		u.fail(a, fipa.Crashed)
	default:
		u.noteBegun(a)
		if u.rules.Statement {
			a.Phase = Counting
			u.askBalance(a)
			return
		}
		u.call(a)
	}
}

// userTicker ends rounds and waits for approval.
type userTicker Users

// Fire ends the present phase of the auction arg>>32-1 if its tick still is the low half of arg: otherwise the auction
// has gone on already. If its agent is down, it goes on when the agent restarts.
func (t *userTicker) Fire(_ unit.Time, arg uint64) {
	u := (*Users)(t)
	a := u.Auctions[arg>>32-1]
	if a == nil || a.tick != uint32(arg) || u.All[a.User].Down {
		return // it went on already; one whose agent is down goes on at its restart
	}
	u.goOn(a)
}

// goOn ends a round, or the time for approval.
func (u *Users) goOn(a *Auction) {
	switch a.Phase {
	case Bidding:
		u.endRound(a)
	case Looking:
		u.present(a)
	case Asking:
		u.fail(a, fipa.Declined)
	}
}

// Read acts on a message.
func (u *Users) Read(_ unit.Time, m *fipa.Message) {
	a, l := u.of(m)
	p, resource := &m.Payload, m.From.Number()
	switch {
	case a == nil:
		if p.Act == fipa.Agree { // an unknown auction: the hold is for nothing
			u.Post.Send(m.To, m.From, fipa.Payload{
				Act: fipa.Cancel, Auction: p.Auction, Unit: p.Unit,
				Reservation: p.Reservation,
			})
		}
	case m.From == fipa.BankAgent && p.Act == fipa.Inform:
		u.onBalance(a, bank.Money(p.Price))
	case m.From == fipa.BankAgent:
		u.onBank(a, p)
	case p.Act == fipa.Propose:
		u.onPropose(a, l, resource, p)
	case p.Act == fipa.Refuse:
		u.onRefuse(a, l, resource, p)
	case p.Act == fipa.Agree:
		u.onAgree(a, l, resource, p)
	case p.Act == fipa.Confirm:
		u.onConfirm(a, l, resource, p)
	case p.Act == fipa.Cancel:
		u.onCancelled(a, l, p)
	}
}
