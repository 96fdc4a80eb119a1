package market

import (
	"fmt"

	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
)

// Books are what tests look into: the agents of a market that nothing happens in any
// more.
type Books struct{ x *exchange }

// BooksOf returns those of a system.
func BooksOf(s system.System) Books { return Books{s.(*exchange)} }

// Held returns how many reservations nobody has decided about.
func (b Books) Held() (n int) {
	for i := range b.x.resources.reservations {
		if v := &b.x.resources.reservations[i]; v.state == reserved || v.state == confirmed || v.state == returning {
			n++
		}
	}
	return n
}

// Atomic says which auction bought some of its units and not the others: what the
// bank settled and what resources hold as paid, have run or gave back.
func (b Books) Atomic() error {
	for _, a := range b.x.users.auctions {
		if a == nil {
			continue
		}
		answer, _ := b.x.banker.bank.Decision(a.number)
		paidUnits := 0
		for i := range b.x.resources.reservations {
			if v := &b.x.resources.reservations[i]; v.auction == a.number && (v.state == paid || v.state == inUse) {
				paidUnits++
			}
		}
		if paidUnits > 0 && answer != bank.Settled {
			return fmt.Errorf("auction %d has %d paid reservations, and the bank says %v", a.number, paidUnits, answer)
		}
		if a.phase == failed && answer == bank.Settled {
			return fmt.Errorf("auction %d failed for its user, because %v, and was paid", a.number, a.why)
		}
		if a.phase == bought && answer != bank.Settled {
			return fmt.Errorf("auction %d is bought for its user, and the bank says %v", a.number, answer)
		}
	}
	return nil
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
