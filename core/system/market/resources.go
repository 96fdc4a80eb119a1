package market

import (
	"fmt"

	"parley/core/batch"
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/rng"
	"parley/core/system/market/price"
	"parley/core/system/market/qbets"
	"parley/core/system/market/queue"
	"parley/core/unit"
)

// resources are the resource agents: each sells time on its site.
type resources struct {
	*base
	all          []resource
	pricing      price.Strategy
	reservations []reservation // by slot
	free         []uint32
	confirmed    map[uint64]bool // ids of reservations that were confirmed and are over
	holds        mail.Deadlines
	asks         mail.Deadlines // of the bank
	sites        *sites
	secret       uint64 // of their marks
	counts       resourceCounts
}

// resource is one resource agent.
type resource struct {
	number    int
	site      *site
	queue     *queue.Queue
	predictor *qbets.Predictor
	held      map[uint64]uint32 // slots of reservations by auction and unit, until they are settled
	down      bool
	crashes   int
	offer     rfql.Price // the latest
	appeal    rfql.Price // attractiveness: by how much it last lowered a price
	bids      int64
	wins      int64
	sum       rfql.Price // of all offers
	soldCores int32      // that run now
}

// resourceCounts is what resources tell.
type resourceCounts struct {
	offers, refusals, holds, expired, released, returned, broken, late int64
}

func newResources(b *base, pricing price.Strategy, protect queue.Protect, policy batch.Policy) *resources {
	r := &resources{base: b, pricing: pricing, confirmed: map[uint64]bool{}, secret: b.Rand("marks").Uint64()}
	first := qbets.New(0.95, 0.95)
	for i := range b.plan.sites {
		s := &b.plan.sites[i]
		r.all = append(r.all, resource{number: i, site: s, queue: queue.New(policy, 0, protect), predictor: first.Another(), held: map[uint64]uint32{}})
	}
	r.holds = mail.Deadlines{Clock: b.Clock, After: b.settings.Hold, Expire: r.holdExpired}
	r.asks = mail.Deadlines{Clock: b.Clock, After: b.settings.Answer, Expire: r.askAgain}
	r.sites = newSites(b, r)
	r.expectMembers()
	return r
}

// learn gives a resource what its jobs waited before the run began.
func (r *resources) learn(n int, waits []unit.Time) {
	for _, w := range waits[max(0, len(waits)-1000):] {
		r.all[n].predictor.Observe(w)
	}
}

// read acts on a message.
func (r *resources) read(now unit.Time, m *message) {
	one, p := &r.all[m.To.Number()], &m.Payload
	switch {
	case p.act == callForProposals && r.away[one.number]:
		r.refuse(m, left)
	case p.act == callForProposals:
		r.onCall(now, one, m)
	case p.act == acceptProposal:
		r.onAccept(now, one, m)
	case p.act == confirm && p.giveBack:
		r.onNoticed(one, m)
	case p.act == confirm:
		r.onConfirm(one, m)
	case p.act == cancel:
		r.onCancel(now, one, m)
	case m.From == bankAgent:
		r.onBank(now, one, p)
	}
}

// reply answers a message about an auction.
func (r *resources) reply(m *message, p payload) {
	p.auction, p.unit, p.round = m.Payload.auction, m.Payload.unit, m.Payload.round
	r.post.Send(m.To, m.From, p)
}

func (r *resources) refuse(m *message, why reason) {
	r.counts.refusals++
	r.reply(m, payload{act: refuse, why: why, closest: m.Payload.closest, reservation: m.Payload.reservation})
}

// onCall makes an offer, or refuses: static terms first, then the load, then the
// price.
func (r *resources) onCall(now unit.Time, one *resource, m *message) {
	p := &m.Payload
	u := p.asks
	if !one.site.satisfies(u) {
		r.refuse(m, badTerms)
		return
	}
	start, end, why := r.window(now, one, u, p.closest)
	if why != noReason {
		r.refuse(m, why)
		return
	}
	load := one.queue.Load(now, start)
	if r.settings.Predictor == "qbets" { // the outlook says nothing of when: as loaded as now
		load = price.Load{Taken: one.queue.Busy(), Size: one.queue.Processors()}
	}
	offer, willing := r.pricing.Offer(one.site.prices(), p.price, load, r.settings.Anticipated)
	if p.closest {
		offer, willing = r.pricing.Closest(one.site.prices(), load), true
	}
	if !willing {
		r.refuse(m, priceTooLow)
		return
	}
	r.counts.offers++
	one.bids++
	one.sum += offer
	one.offer, one.appeal = offer, price.Decrement(one.site.prices(), load, r.settings.Anticipated)
	r.reply(m, payload{act: propose, price: offer, start: start, end: end, reservation: r.mark(one, p.auction, p.unit, offer, start, end), closest: p.closest})
}

// mark returns what a resource puts under an offer. Only the resource can make it, so it
// need not remember what it has offered to whom.
func (r *resources) mark(one *resource, auction uint32, lot uint16, p rfql.Price, start, end unit.Time) uint64 {
	about := rng.Hash(r.secret, uint64(one.number), key(auction, int(lot)))
	return rng.Hash(rng.Hash(about, uint64(start), uint64(end)), uint64(p), 0)
}

// window finds when a unit could run; closest looks beyond its deadline and start.
func (r *resources) window(now unit.Time, one *resource, u *rfql.Unit, closest bool) (start, end unit.Time, why reason) {
	length := u.Wall
	from := now + r.settings.Lead
	if u.Start >= 0 {
		from = max(from, u.Start-r.plan.epoch)
	}
	if u.Fixed {
		from = u.Start - r.plan.epoch
	}
	switch {
	case length <= 0 || from < now && !closest:
		return 0, 0, tooLate
	case u.Cores() > one.queue.Processors():
		return 0, 0, saturated
	case closest:
		start = one.queue.Earliest(now, max(from, now+r.settings.Lead), length, u.Cores())
	case r.settings.Predictor == "qbets":
		bound, known := one.predictor.Bound()
		switch {
		case !known || u.Fixed && now+bound > from:
			return 0, 0, unforeseen
		case u.Fixed:
			start = from
		default:
			start = max(from, now+bound)
		}
	case u.Fixed:
		if start = from; !one.queue.Fits(now, from, length, u.Cores()) {
			return 0, 0, saturated
		}
	default:
		start = one.queue.Earliest(now, from, length, u.Cores())
	}
	if start == unit.Forever || !closest && start+length+r.plan.epoch > u.End {
		return 0, 0, saturated
	}
	return start, start + length, noReason
}

// member lets a resource enter the market, or leave it: it bids no longer and agrees to
// nothing new. What it holds and has sold it keeps to.
func (r *resources) member(n int, in bool) {
	if n < len(r.away) {
		r.away[n] = !in
	}
}

// doorman lets resources enter and leave at the times of the document.
type doorman resources

// Fire implements des.Handler: the lowest bit says whether the resource enters.
func (d *doorman) Fire(_ unit.Time, arg uint64) { (*resources)(d).member(int(arg>>1), arg&1 == 1) }

// expectMembers sets the times at which resources enter and leave.
func (r *resources) expectMembers() {
	for i := range r.plan.sites {
		s := &r.plan.sites[i]
		if s.Joins > 0 {
			r.away[i] = true
			r.Clock.At(unit.Time(s.Joins), (*doorman)(r), uint64(i)<<1|1)
		}
		if s.Leaves > 0 {
			r.Clock.At(unit.Time(s.Leaves), (*doorman)(r), uint64(i)<<1)
		}
	}
}

// crash stops a resource agent. Its reservations stand in its queue, and what it
// promised is written down.
func (r *resources) crash(n int) {
	if n < len(r.all) && !r.all[n].down {
		r.all[n].down = true
		r.all[n].crashes++
	}
}

// restart lets it go on: holds that ran out are deleted, and the bank is asked again.
func (r *resources) restart(n int) {
	if n >= len(r.all) || !r.all[n].down {
		return
	}
	r.all[n].down = false
	for i := range r.reservations {
		v := &r.reservations[i]
		switch {
		case v.state == gone || v.resource != n:
		case v.state == reserved && v.until <= r.Clock.Now():
			r.counts.expired++
			r.journal.reservation(noteExpired, v)
			r.release(v)
		case v.state == confirmed || v.state == returning:
			r.askBank(v)
		case v.state == refunded:
			r.notify(v)
		}
	}
}

// audit checks the reservations: each stands in its queue, and none is held beyond
// its time by an agent that is up.
func (r *resources) audit() error {
	now := r.Clock.Now()
	blocks := make([]int, len(r.all))
	for i := range r.reservations {
		v := &r.reservations[i]
		if v.state == gone {
			continue
		}
		if v.state == reserved && v.until < now && !r.all[v.resource].down {
			return fmt.Errorf("%s holds a reservation of auction %d that ran out at %v", r.all[v.resource].site.Name, v.auction, v.until)
		}
		if v.block.End > now && v.state != refunded {
			blocks[v.resource]++
		}
	}
	for i := range r.all {
		if n := r.all[i].queue.Blocks(now); n != blocks[i] {
			return fmt.Errorf("the queue of %s has %d reservations and its agent knows of %d", r.all[i].site.Name, n, blocks[i])
		}
	}
	return r.sites.audit()
}
