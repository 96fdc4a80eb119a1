// Package seller has the resource agents of the market. Each sells time on a site: it makes
// offers (resources.go), holds reservations (reservations.go), signs contracts and asks the
// bank for the price (settlement.go). The site's machines and queue (sites.go) go on whether
// the agent is up or not.
package seller

import (
	"fmt"

	"parley/core/batch"
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/rng"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/system/market/price"
	"parley/core/system/market/qbets"
	"parley/core/system/market/queue"
	"parley/core/unit"
)

// New makes the agents of the plan's sites. Their marks depend on a secret.
func New(m fipa.Means, j *journal.Journal, t *Terms, p *plan.Plan, away []bool, world Machines,
	secret uint64,
) (*Resources, error) {
	pricing, err := price.Parse(t.Pricing)
	if err != nil {
		return nil, err
	}
	protect, err := queue.ParseProtect(t.Protect)
	if err != nil {
		return nil, err
	}
	policy, err := batch.ParsePolicy(t.Queue)
	if err != nil {
		return nil, err
	}
	r := &Resources{
		Means: m, journal: j, terms: t, plan: p, away: away, pricing: pricing, confirmed: map[uint64]bool{},
		secret: secret,
	}
	first := qbets.New(0.95, 0.95)
	for i := range p.Sites {
		r.All = append(r.All, Resource{
			number: i, Site: &p.Sites[i], Queue: queue.New(policy, 0, protect),
			Predictor: first.Another(), held: map[uint64]uint32{},
		})
	}
	r.holds = mail.Deadlines{Clock: m.Clock, After: t.Hold, Expire: r.holdExpired}
	r.asks = mail.Deadlines{Clock: m.Clock, After: m.Answer, Expire: r.askAgain}
	r.Sites = newSites(world, m.Clock, r)
	r.expectMembers()
	return r, nil
}

// Learn gives a resource the waits of its jobs before the run began.
func (r *Resources) Learn(n int, waits []unit.Time) {
	for _, w := range waits[max(0, len(waits)-1000):] {
		r.All[n].Predictor.Observe(w)
	}
}

// Read acts on a message.
func (r *Resources) Read(now unit.Time, m *fipa.Message) {
	one, p := &r.All[m.To.Number()], &m.Payload
	switch {
	case p.Act == fipa.CallForProposals && r.away[one.number]:
		r.refuse(m, fipa.Left)
	case p.Act == fipa.CallForProposals:
		r.onCall(now, one, m)
	case p.Act == fipa.AcceptProposal:
		r.onAccept(now, one, m)
	case p.Act == fipa.Confirm && p.GiveBack:
		r.onNoticed(one, m)
	case p.Act == fipa.Confirm:
		r.onConfirm(one, m)
	case p.Act == fipa.Cancel:
		r.onCancel(now, one, m)
	case m.From == fipa.BankAgent:
		r.onBank(now, one, p)
	}
}

// onCall answers a call for proposals with an offer or a refusal. It checks static terms first, then
// whether there is a window, then the price. An offer is not reserved: its mark proves it later.
func (r *Resources) onCall(now unit.Time, one *Resource, m *fipa.Message) {
	p := &m.Payload
	u := p.Asks
	if !one.Site.Satisfies(u) {
		r.refuse(m, fipa.BadTerms)
		return
	}
	start, end, reason := r.window(now, one, u, p.Closest)
	if reason != fipa.NoReason {
		r.refuse(m, reason)
		return
	}
	load := one.Queue.Load(now, start)
	if r.terms.Predictor == "qbets" { // the outlook has no times: as loaded as now
		load = price.Load{Taken: one.Queue.Busy(), Size: one.Queue.Processors()}
	}
	offer, willing := r.pricing.Offer(one.Site.Prices(), p.Price, load, r.terms.Anticipated)
	if p.Closest {
		offer, willing = r.pricing.Closest(one.Site.Prices(), load), true
	}
	if !willing {
		r.refuse(m, fipa.PriceTooLow)
		return
	}
	r.Counts.Offers++
	one.Bids++
	one.Sum += offer
	one.Offer, one.Appeal = offer, price.Decrement(one.Site.Prices(), load, r.terms.Anticipated)
	r.reply(m, fipa.Payload{
		Act: fipa.Propose, Price: offer, Start: start, End: end,
		Reservation: r.mark(one, p.Auction, p.Unit, offer, start, end), Closest: p.Closest,
	})
}

// mark returns a resource's mark of an offer. Only the resource can compute it, so it need not
// remember its offers.
func (r *Resources) mark(one *Resource, auction uint32, lot uint16, p rfql.Price, start, end unit.Time) uint64 {
	about := rng.Hash(r.secret, uint64(one.number), key(auction, int(lot)))
	return rng.Hash(rng.Hash(about, uint64(start), uint64(end)), uint64(p), 0)
}

// window returns when a unit could run, in the time of the run, or the reason of a refusal; NoReason
// means that start and end are valid. closest ignores the unit's deadline and fixed start and returns
// the earliest time. With qbets it is the predicted wait, not a place in the queue.
func (r *Resources) window(now unit.Time, one *Resource, u *rfql.Unit, closest bool) (start, end unit.Time,
	reason fipa.Reason,
) {
	length := u.Wall
	from := now + r.terms.Lead
	if u.Start >= 0 {
		from = max(from, u.Start-r.plan.Epoch)
	}
	if u.Fixed {
		from = u.Start - r.plan.Epoch
	}
	switch {
	case length <= 0 || from < now && !closest:
		return 0, 0, fipa.TooLate
	case u.Cores() > one.Queue.Processors():
		return 0, 0, fipa.Saturated
	case closest:
		start = one.Queue.Earliest(now, max(from, now+r.terms.Lead), length, u.Cores())
	case r.terms.Predictor == "qbets":
		bound, known := one.Predictor.Bound()
		switch {
		case !known || u.Fixed && now+bound > from:
			return 0, 0, fipa.Unforeseen
		case u.Fixed:
			start = from
		default:
			start = max(from, now+bound)
		}
	case u.Fixed:
		if start = from; !one.Queue.Fits(now, from, length, u.Cores()) {
			return 0, 0, fipa.Saturated
		}
	default:
		start = one.Queue.Earliest(now, from, length, u.Cores())
	}
	if start == unit.Forever || !closest && start+length+r.plan.Epoch > u.End {
		return 0, 0, fipa.Saturated
	}
	return start, start + length, fipa.NoReason
}

// Member lets a resource enter the market, or leave it: it bids no longer and agrees to nothing
// new. It honours the units that it holds and has sold.
func (r *Resources) Member(n int, in bool) {
	if n < len(r.away) {
		r.away[n] = !in
	}
}

// membership lets resources enter and leave at the times of the document.
type membership Resources

// Fire implements des.Handler: the lowest bit is set if the resource enters.
func (d *membership) Fire(_ unit.Time, arg uint64) { (*Resources)(d).Member(int(arg>>1), arg&1 == 1) }

// expectMembers sets the times at which resources enter and leave.
func (r *Resources) expectMembers() {
	for i := range r.plan.Sites {
		s := &r.plan.Sites[i]
		if s.Joins > 0 {
			r.away[i] = true
			r.Clock.At(unit.Time(s.Joins), (*membership)(r), uint64(i)<<1|1)
		}
		if s.Leaves > 0 {
			r.Clock.At(unit.Time(s.Leaves), (*membership)(r), uint64(i)<<1)
		}
	}
}

// Crash stops a resource agent. Its reservations stay in its queue, and its promises are on stable
// storage.
func (r *Resources) Crash(n int) {
	if n < len(r.All) && !r.All[n].Down {
		r.All[n].Down = true
		r.All[n].Crashes++
	}
}

// Restart starts a resource agent that is down. It releases holds that ran out meanwhile, and repeats
// the messages whose answers it may have missed.
func (r *Resources) Restart(n int) {
	if n >= len(r.All) || !r.All[n].Down {
		return
	}
	r.All[n].Down = false
	for i := range r.Reservations {
		v := &r.Reservations[i]
		switch {
		case v.State == Gone || v.Resource != n:
		case v.State == Reserved && v.until <= r.Clock.Now():
			r.Counts.Expired++
			r.note(journal.NoteExpired, v)
			r.Release(v)
		case v.State == confirmed || v.State == returning:
			r.askBank(v)
		case v.State == refunded:
			r.notify(v)
		}
	}
}

// Audit returns the first reservation that is held beyond its time by an agent that is up, or the first
// queue whose reservations differ from the agent's; nil if there is none.
func (r *Resources) Audit() error {
	now := r.Clock.Now()
	blocks := make([]int, len(r.All))
	for i := range r.Reservations {
		v := &r.Reservations[i]
		if v.State == Gone {
			continue
		}
		if v.State == Reserved && v.until < now && !r.All[v.Resource].Down {
			return fmt.Errorf("%s holds a reservation of auction %d that ran out at %v", r.All[v.Resource].Site.Name,
				v.Auction, v.until)
		}
		if v.Block.End > now && v.State != refunded {
			blocks[v.Resource]++
		}
	}
	for i := range r.All {
		if n := r.All[i].Queue.Blocks(now); n != blocks[i] {
			return fmt.Errorf("the queue of %s has %d reservations and its agent knows of %d", r.All[i].Site.Name,
				n, blocks[i])
		}
	}
	return r.Sites.audit()
}
