package market

import (
	"fmt"
	"slices"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/buyer"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/seal"
	"parley/core/system/market/seller"
	"parley/core/unit"
)

// Books are what tests look into: the agents of a market that nothing happens in any
// more.
type Books struct{ x *exchange }

// BooksOf returns those of a system.
func BooksOf(s system.System) Books { return Books{s.(*exchange)} }

// Held returns how many reservations wait for a decision, or for their user to notice it.
func (b Books) Held() (n int) {
	for i := range b.x.resources.Reservations {
		if v := &b.x.resources.Reservations[i]; v.State != seller.Gone && v.State != seller.Paid && v.State != seller.InUse {
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
	for _, a := range b.x.users.Auctions {
		if a == nil {
			continue
		}
		answer, c := b.x.banker.bank.Decision(a.Number)
		settled := answer == bank.Settled
		switch {
		case a.Phase == buyer.Failed && settled:
			return fmt.Errorf("auction %d failed for its user, because %v, and was paid", a.Number, a.Reason)
		case a.Phase == buyer.Bought && !settled:
			return fmt.Errorf("auction %d is bought for its user, and the bank says %v", a.Number, answer)
		}
		for i := range a.Lots {
			l := &a.Lots[i]
			began := f.Began[l.Job]
			if !settled {
				if len(began) > 0 {
					return fmt.Errorf("unit %d of auction %d ran at %v and was not paid: %v", i, a.Number, began[0], answer)
				}
				continue
			}
			sold, back := &c.Lots[i], b.x.banker.bank.Returned(a.Number, i)
			waits := slices.ContainsFunc(b.x.resources.Reservations, func(v seller.Reservation) bool {
				return v.Auction == a.Number && v.Unit == i && v.State == seller.Paid && v.Block.Start > b.x.clock.Now()
			})
			paidAt := b.x.banker.bank.DecidedAt(a.Number)
			switch {
			case paidAt > sold.Start:
				return fmt.Errorf("auction %d was paid at %v, after the start of unit %d at %v", a.Number, paidAt, i, sold.Start)
			case len(began) == 0 && !back && !waits:
				return fmt.Errorf("unit %d of auction %d was paid, neither ran nor was given back, and its auction is %v", i, a.Number, a.Phase)
			case len(began) > 1:
				return fmt.Errorf("unit %d of auction %d began %d times", i, a.Number, len(began))
			case back && a.Request.Cancel == 0 && !f.lost(sold.Resource, c.Expires-b.x.settings.Settle, b.x.clock.Now()):
				return fmt.Errorf("unit %d of auction %d was given back, though its site lost no cores: the others were bought without it", i, a.Number)
			case back != (l.State == buyer.Returned):
				return fmt.Errorf("unit %d of auction %d was given back: %v by the bank, %v by its user", i, a.Number, back, l.State == buyer.Returned)
			}
		}
	}
	return nil
}

// GiveBack plants a half: the resource of a paid unit gives it back for no reason. It
// reports whether there was one.
func (b Books) GiveBack() bool {
	return b.plant(func(v *seller.Reservation) { b.x.resources.TakeBack(v, fipa.NoReason) })
}

// Lose plants a half: the resource of a paid unit forgets it.
func (b Books) Lose() bool {
	return b.plant(func(v *seller.Reservation) { b.x.resources.Release(v) })
}

// Doubt plants a half: the user takes what is paid for not bought.
func (b Books) Doubt() bool {
	return b.plant(func(v *seller.Reservation) { b.x.users.Auctions[v.Auction-1].Phase = buyer.Failed })
}

// GiveBackSilently plants a half: the bank gives a price back and its user never learns
// of it.
func (b Books) GiveBackSilently() bool {
	return b.plant(func(v *seller.Reservation) {
		back := b.x.banker.Keys.Sign(seal.Party{Role: seal.Resource, Number: int32(v.Resource)}, bank.AppendRefund(nil, v.Auction, v.Unit))
		b.x.banker.bank.Refund(v.Auction, v.Unit, &back)
	})
}

// Believe plants a half: a user takes for bought what the bank never hears of.
func (b Books) Believe() bool {
	a := b.x.users.Auctions[0]
	if a.Phase != buyer.Committing {
		return false
	}
	b.x.users.Finish(a)
	b.x.Fail(system.AgentFault{Kind: "bank_down"})
	return true
}

// plant does something to the first unit that is paid and has not begun.
func (b Books) plant(do func(*seller.Reservation)) bool {
	for i := range b.x.resources.Reservations {
		if v := &b.x.resources.Reservations[i]; v.State == seller.Paid {
			do(v)
			return true
		}
	}
	return false
}

// Unpaid plants a half: a unit that is only held runs.
func (b Books) Unpaid() bool {
	for i := range b.x.resources.Reservations {
		if v := &b.x.resources.Reservations[i]; v.State == seller.Reserved {
			v.State = seller.Paid
			b.x.resources.Sites.Plan(v)
			return true
		}
	}
	return false
}

// Open returns how many auctions are not over.
func (b Books) Open() (n int) {
	for _, a := range b.x.users.Auctions {
		if a != nil && a.Phase != buyer.Bought && a.Phase != buyer.Failed {
			n++
		}
	}
	return n
}

// Counts returns what was bought, failed, expired and refused by the bank.
func (b Books) Counts() (bought, failed, expired, refused int64) {
	return b.x.users.Counts.Bought, b.x.users.Counts.Failed, b.x.resources.Counts.Expired, b.x.banker.refused
}

// Money returns what all accounts hold, and what was put into them.
func (b Books) Money() (has, issued bank.Money) {
	has = b.x.banker.bank.Total(seal.User) + b.x.banker.bank.Total(seal.Resource)
	return has, bank.Money(b.x.settings.Budget*1000) * bank.Money(b.x.settings.Users)
}

// Forge sends the first held reservation's resource a contract that is right but for
// what forge makes of it, before its user signs it or, unless first, afterwards. It reports whether the resource took it; false, false if
// nothing is held.
func (b Books) Forge(first bool, forge func(*bank.Contract, *seal.Signature)) (took, held bool) {
	x := b.x
	for i := range x.resources.Reservations {
		v := &x.resources.Reservations[i]
		if v.State != seller.Reserved {
			continue
		}
		a := x.users.Auctions[v.Auction-1]
		c := &bank.Contract{Auction: v.Auction, User: int32(a.User), Expires: x.clock.Now() + x.settings.Settle, Lots: make([]bank.Lot, v.Unit+1)}
		c.Lots[v.Unit] = bank.Lot{Unit: *a.Lots[v.Unit].Unit, Resource: int32(v.Resource), Reservation: x.resources.ID(v.Slot), Price: v.Price, Start: v.Block.Start, End: v.Block.End}
		if first {
			forge(c, new(seal.Signature))
		}
		signed := x.banker.Keys.Sign(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil))
		if !first {
			forge(c, &signed)
		}
		m := fipa.Message{From: fipa.UserAgent(a.User), To: fipa.ResourceAgent(v.Resource)}
		m.Payload = fipa.Payload{Act: fipa.Confirm, Auction: v.Auction, Unit: uint16(v.Unit), Reservation: x.resources.ID(v.Slot), Attachments: &fipa.Attachments{Contract: c, User: &signed}}
		x.resources.Read(x.clock.Now(), &m)
		return v.State != seller.Reserved, true
	}
	return false, false
}

// Propose hands the user of the first auction an offer for its first unit that begins when
// it has to.
func (b Books) Propose(resource, round int, price rfql.Price, end unit.Time, closest bool) {
	b.say(resource, fipa.Payload{Act: fipa.Propose, Round: uint8(round), Price: price, Start: 20 * unit.Minute, End: end, Closest: closest})
}

// Refuse hands it a refusal.
func (b Books) Refuse(resource, round int) {
	b.say(resource, fipa.Payload{Act: fipa.Refuse, Round: uint8(round), Reason: fipa.PriceTooLow})
}

func (b Books) say(resource int, p fipa.Payload) {
	a := b.x.users.Auctions[0]
	p.Auction = a.Number
	m := fipa.Message{From: fipa.ResourceAgent(resource), To: fipa.UserAgent(a.User), Payload: p}
	b.x.users.Read(b.x.clock.Now(), &m)
}

// Leader returns whose offer leads for the first auction's first unit, and at what price;
// -1 if there is none.
func (b Books) Leader(closest bool) (resource int, price rfql.Price) {
	l := &b.x.users.Auctions[0].Lots[0]
	if resource = l.Leader(closest); resource >= 0 {
		price = l.Offers[resource].Price
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
	a := b.x.users.Auctions[0]
	r := a.Lots[0].Leader(false)
	o := &a.Lots[0].Offers[r]
	stated := Offer{a.Number, r, o.Price, o.Start, o.End}
	change(&stated)
	m := fipa.Message{From: fipa.UserAgent(a.User), To: fipa.ResourceAgent(stated.Resource)}
	m.Payload = fipa.Payload{Act: fipa.AcceptProposal, Auction: stated.Auction, Price: stated.Price, Start: stated.Start, End: stated.End, Reservation: o.Mark, Asks: a.Lots[0].Unit, Attachments: &fipa.Attachments{Job: a.Lots[0].Job}}
	b.x.resources.Read(b.x.clock.Now(), &m)
	return b.x.resources.Counts.Holds > 0
}

// AskBank lets a user ask what became of the first auction's contract and returns how many
// messages the bank sends.
func (b Books) AskBank(user int, forged bool) int {
	a := b.x.users.Auctions[0]
	signed := a.Signed
	if forged {
		signed[2]++
	}
	before := b.x.post.Sent()
	m := fipa.Message{From: fipa.UserAgent(user), To: fipa.BankAgent, Payload: fipa.Payload{Act: fipa.RequestBank, Auction: a.Number, Attachments: &fipa.Attachments{Contract: a.Contract, User: &signed}}}
	b.x.banker.read(b.x.clock.Now(), &m)
	return int(b.x.post.Sent() - before)
}

// Requirements says which unit was bought though it does not meet its request and is not
// the offer that was shown to its owner, by the notes (at another time, if that meets the request); else how many units were bought, and
// how many of them the owner approved though they do not meet it.
func (b Books) Requirements(notes []system.Note) (bought, approved int, err error) {
	type lot struct {
		auction uint32
		job     unit.TaskID
		node    unit.NodeID
	}
	type terms struct{ price, start, end float64 }
	offered, shown := map[lot]terms{}, map[lot]terms{}
	for _, n := range notes {
		at := lot{n.Ref, n.Task, n.Node}
		switch n.Kind {
		case journal.NoteOffer:
			offered[at] = terms{n.Value, n.Details[0].Number, n.Details[1].Number}
		case journal.NoteClosest:
			shown[at] = offered[at]
		}
	}
	for _, a := range b.x.users.Auctions {
		if a == nil || a.Phase != buyer.Bought {
			continue
		}
		sum, asShown := bank.Money(0), 0
		for i := range a.Contract.Lots {
			sold, u := &a.Contract.Lots[i], &a.Request.Units[i]
			start, end := sold.Start+b.x.plan.Epoch, sold.End+b.x.plan.Epoch
			site := &b.x.plan.Sites[sold.Resource]
			cost, _ := bank.Cost(sold.Price, u.Cores(), end-start)
			sum += cost
			bought++
			t, is := shown[lot{a.Number, unit.TaskID(a.Lots[i].Job), b.x.Node(int(sold.Resource))}]
			priced := is && b.x.settings.Approval == "manual" && t.price == sold.Price.Credits()
			if priced {
				asShown++
				if t.start == float64(sold.Start) && t.end == float64(sold.End) {
					continue
				}
			}
			switch {
			case sold.Price > u.Price && !priced: // the start of what was approved late may move
				err = fmt.Errorf("costs %v, at most %v", sold.Price, u.Price)
			case u.Start >= 0 && start < u.Start, u.Fixed && start != u.Start:
				err = fmt.Errorf("starts at %v, asked for %v", start, u.Start)
			case end > u.End:
				err = fmt.Errorf("ends at %v, deadline %v", end, u.End)
			case a.Request.MaxWait > 0 && sold.Start > a.Began+unit.Time(a.Request.MaxWait):
				err = fmt.Errorf("waits from %v to %v, at most %v", a.Began, sold.Start, a.Request.MaxWait)
			case u.Wall > 0 && end-start != u.Wall:
				err = fmt.Errorf("lasts %v, asked for %v", end-start, u.Wall)
			case u.RAMPerCore > site.Terms.RAMPerCore, u.CPUSpeed > site.Terms.CPUSpeed, int(u.Cores()) > site.Cores:
				err = fmt.Errorf("is on a site that lacks what it asks for")
			}
			if err != nil {
				return 0, 0, fmt.Errorf("unit %d of auction %d %w", i, a.Number, err)
			}
		}
		if a.Request.MaxCost > 0 && float64(sum) > a.Request.MaxCost*1000 && asShown == 0 {
			return 0, 0, fmt.Errorf("auction %d costs %v credits, at most %v", a.Number, sum.Credits(), a.Request.MaxCost)
		}
		approved += asShown
	}
	return bought, approved, nil
}
