package market

import (
	"fmt"
	"slices"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Books are what tests look into: the agents of a market that nothing happens in any
// more.
type Books struct{ x *exchange }

// BooksOf returns those of a system.
func BooksOf(s system.System) Books { return Books{s.(*exchange)} }

// Held returns how many reservations wait for a decision, or for their user to notice it.
func (b Books) Held() (n int) {
	for i := range b.x.resources.reservations {
		if v := &b.x.resources.reservations[i]; v.state != gone && v.state != paid && v.state != inUse {
			n++
		}
	}
	return n
}

// Facts are what the cluster saw happen, whatever agents and bank believe.
type Facts struct {
	Began map[unit.JobID][]unit.Time // when a job got its processors
	Lost  map[int][]unit.Time        // by site: when a node went down
}

// lost reports whether a site lost cores in a time.
func (f Facts) lost(site int32, from, until unit.Time) bool {
	return slices.ContainsFunc(f.Lost[int(site)], func(at unit.Time) bool { return from <= at && at <= until })
}

// Atomic says which auction is bought by halves, once nothing happens in the market any
// more: it holds each unit's price in the bank's books, its run in the cluster, and what
// resource and user believe of it to each other. A unit that was paid has run, or waits
// for a start to come, or its site lost cores after the user had signed and its price was
// given back; a unit that was not paid never ran; and nothing was paid after the first start.
func (b Books) Atomic(f Facts) error {
	for _, a := range b.x.users.auctions {
		if a == nil {
			continue
		}
		answer, c := b.x.banker.bank.Decision(a.number)
		settled := answer == bank.Settled
		switch {
		case a.phase == failed && settled:
			return fmt.Errorf("auction %d failed for its user, because %v, and was paid", a.number, a.why)
		case a.phase == bought && !settled:
			return fmt.Errorf("auction %d is bought for its user, and the bank says %v", a.number, answer)
		}
		for i := range a.lots {
			l := &a.lots[i]
			began := f.Began[l.job]
			if !settled {
				if len(began) > 0 {
					return fmt.Errorf("unit %d of auction %d ran at %v and was not paid: %v", i, a.number, began[0], answer)
				}
				continue
			}
			sold, back := &c.Lots[i], b.x.banker.bank.Returned(a.number, i)
			waits := slices.ContainsFunc(b.x.resources.reservations, func(v reservation) bool {
				return v.auction == a.number && v.unit == i && v.state == paid && v.block.Start > b.x.Clock.Now()
			})
			paidAt := b.x.banker.bank.DecidedAt(a.number)
			switch {
			case paidAt > sold.Start:
				return fmt.Errorf("auction %d was paid at %v, after the start of unit %d at %v", a.number, paidAt, i, sold.Start)
			case len(began) == 0 && !back && !waits:
				return fmt.Errorf("unit %d of auction %d was paid, neither ran nor was given back, and its auction is %v", i, a.number, a.phase)
			case len(began) > 1:
				return fmt.Errorf("unit %d of auction %d began %d times", i, a.number, len(began))
			case back && a.request.Cancel == 0 && !f.lost(sold.Resource, c.Expires-b.x.settings.Settle, b.x.Clock.Now()):
				return fmt.Errorf("unit %d of auction %d was given back, though its site lost no cores: the others were bought without it", i, a.number)
			case back != (l.state == returned):
				return fmt.Errorf("unit %d of auction %d was given back: %v by the bank, %v by its user", i, a.number, back, l.state == returned)
			}
		}
	}
	return nil
}

// GiveBack plants a half: the resource of a paid unit gives it back for no reason. It
// reports whether there was one.
func (b Books) GiveBack() bool {
	return b.plant(func(v *reservation) { b.x.resources.takeBack(v, noReason) })
}

// Lose plants a half: the resource of a paid unit forgets it.
func (b Books) Lose() bool {
	return b.plant(func(v *reservation) { b.x.resources.release(v) })
}

// Doubt plants a half: the user takes what is paid for not bought.
func (b Books) Doubt() bool {
	return b.plant(func(v *reservation) { b.x.users.auctions[v.auction-1].phase = failed })
}

// GiveBackSilently plants a half: the bank gives a price back and its user never learns
// of it.
func (b Books) GiveBackSilently() bool {
	return b.plant(func(v *reservation) {
		back := b.x.keys.Sign(seal.Party{Role: seal.Resource, Number: int32(v.resource)}, bank.AppendRefund(nil, v.auction, v.unit))
		b.x.banker.bank.Refund(v.auction, v.unit, &back)
	})
}

// Believe plants a half: a user takes for bought what the bank never hears of.
func (b Books) Believe() bool {
	a := b.x.users.auctions[0]
	if a.phase != committing {
		return false
	}
	b.x.users.finish(a)
	b.x.Fail(system.AgentFault{Kind: "bank_down"})
	return true
}

// plant does something to the first unit that is paid and has not begun.
func (b Books) plant(do func(*reservation)) bool {
	for i := range b.x.resources.reservations {
		if v := &b.x.resources.reservations[i]; v.state == paid {
			do(v)
			return true
		}
	}
	return false
}

// Unpaid plants a half: a unit that is only held runs.
func (b Books) Unpaid() bool {
	for i := range b.x.resources.reservations {
		if v := &b.x.resources.reservations[i]; v.state == reserved {
			v.state = paid
			b.x.resources.sites.plan(v)
			return true
		}
	}
	return false
}

// Open returns how many auctions are not over.
func (b Books) Open() (n int) {
	for _, a := range b.x.users.auctions {
		if a != nil && a.phase != bought && a.phase != failed {
			n++
		}
	}
	return n
}

// Counts returns what was bought, failed, expired and refused by the bank.
func (b Books) Counts() (bought, failed, expired, refused int64) {
	return b.x.users.counts.bought, b.x.users.counts.failed, b.x.resources.counts.expired, b.x.banker.refused
}

// Money returns what all accounts hold, and what was put into them.
func (b Books) Money() (has, issued bank.Money) {
	has = b.x.banker.bank.Total(seal.User) + b.x.banker.bank.Total(seal.Resource)
	return has, bank.Money(b.x.settings.Budget*1000) * bank.Money(b.x.settings.Users)
}

// Forge sends the first held reservation's resource a contract that is right but for
// what forge makes of it, before its user signs it or, unless first, afterwards. It reports whether the resource took it; false, false where
// nothing is held.
func (b Books) Forge(first bool, forge func(*bank.Contract, *seal.Signature)) (took, held bool) {
	x := b.x
	for i := range x.resources.reservations {
		v := &x.resources.reservations[i]
		if v.state != reserved {
			continue
		}
		a := x.users.auctions[v.auction-1]
		c := &bank.Contract{Auction: v.auction, User: int32(a.user), Expires: x.Clock.Now() + x.settings.Settle, Lots: make([]bank.Lot, v.unit+1)}
		c.Lots[v.unit] = bank.Lot{Unit: *a.lots[v.unit].unit, Resource: int32(v.resource), Reservation: x.resources.id(v.slot), Price: v.price, Start: v.block.Start, End: v.block.End}
		if first {
			forge(c, new(seal.Signature))
		}
		signed := x.keys.Sign(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil))
		if !first {
			forge(c, &signed)
		}
		m := message{From: userAgent(a.user), To: resourceAgent(v.resource)}
		m.Payload = payload{act: confirm, auction: v.auction, unit: uint16(v.unit), reservation: x.resources.id(v.slot), papers: &papers{contract: c, user: &signed}}
		x.resources.read(x.Clock.Now(), &m)
		return v.state != reserved, true
	}
	return false, false
}

// Propose hands the user of the first auction an offer for its first unit that begins when
// it has to.
func (b Books) Propose(resource, round int, price rfql.Price, end unit.Time, closest bool) {
	b.say(resource, payload{act: propose, round: uint8(round), price: price, start: 20 * unit.Minute, end: end, closest: closest})
}

// Refuse hands it a refusal.
func (b Books) Refuse(resource, round int) {
	b.say(resource, payload{act: refuse, round: uint8(round), why: priceTooLow})
}

func (b Books) say(resource int, p payload) {
	a := b.x.users.auctions[0]
	p.auction = a.number
	m := message{From: resourceAgent(resource), To: userAgent(a.user), Payload: p}
	b.x.users.read(b.x.Clock.Now(), &m)
}

// Leader returns whose offer leads for the first auction's first unit, and at what price;
// -1 if there is none.
func (b Books) Leader(closest bool) (resource int, price rfql.Price) {
	l := &b.x.users.auctions[0].lots[0]
	if resource = l.leader(closest); resource >= 0 {
		price = l.offers[resource].price
	}
	return resource, price
}

// Offer is what an acceptance says.
type Offer struct {
	Auction    uint32
	Resource   int
	Price      rfql.Price
	Start, End unit.Time
}

// Accept sends an acceptance of the best offer of the first auction's first unit, after
// a change, and reports whether the resource holds a reservation then.
func (b Books) Accept(change func(*Offer)) bool {
	a := b.x.users.auctions[0]
	r := a.lots[0].leader(false)
	o := &a.lots[0].offers[r]
	said := Offer{a.number, r, o.price, o.start, o.end}
	change(&said)
	m := message{From: userAgent(a.user), To: resourceAgent(said.Resource)}
	m.Payload = payload{act: acceptProposal, auction: said.Auction, price: said.Price, start: said.Start, end: said.End, reservation: o.mark, asks: a.lots[0].unit, papers: &papers{job: a.lots[0].job}}
	b.x.resources.read(b.x.Clock.Now(), &m)
	return b.x.resources.counts.holds > 0
}

// AskBank lets a user ask what became of the first auction's contract and returns how many
// messages the bank sends.
func (b Books) AskBank(user int, forged bool) int {
	a := b.x.users.auctions[0]
	signed := a.signed
	if forged {
		signed[2]++
	}
	before := b.x.post.Sent()
	m := message{From: userAgent(user), To: bankAgent, Payload: payload{act: requestBank, auction: a.number, papers: &papers{contract: a.contract, user: &signed}}}
	b.x.banker.read(b.x.Clock.Now(), &m)
	return int(b.x.post.Sent() - before)
}
