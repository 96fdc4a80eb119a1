package market

import (
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// banker is the banking agent: it answers resources that bring contracts, and tells
// all of them when one is decided. Its books survive a crash.
type banker struct {
	*base
	bank    *bank.Bank
	down    bool
	crashes int
	refused int64
}

func newBanker(b *base) *banker { return &banker{base: b, bank: bank.New(b.keys)} }

// read acts on a message.
func (k *banker) read(now unit.Time, m *message) {
	p := &m.Payload
	if p.papers == nil || p.act != requestBank && p.act != queryRef {
		return
	}
	if p.act == queryRef {
		if has, proven := k.bank.Statement(seal.Party{Role: seal.User, Number: int32(m.From.Number())}, p.auction, p.user); proven && m.From.Role() == userRole {
			k.post.Send(bankAgent, m.From, payload{act: inform, auction: p.auction, price: rfql.Price(has)})
		}
		return
	}
	if m.From.Role() == userRole {
		k.state(now, m)
		return
	}
	if p.giveBack {
		answer := k.bank.Refund(p.auction, int(p.unit), p.resource)
		if answer == bank.Settled {
			k.journal.refunded(p.auction, int(p.unit))
		}
		k.tell(m.From.Number(), p.auction, int(p.unit), p.reservation, answer == bank.Settled || answer == bank.Given, true)
		return
	}
	if p.contract == nil || p.contract.Auction != p.auction || int(p.unit) >= len(p.contract.Lots) || p.contract.Lots[p.unit].Resource != int32(m.From.Number()) {
		k.tell(m.From.Number(), p.auction, int(p.unit), p.reservation, false, false)
		return
	}
	before, known := k.bank.Decision(p.auction)
	answer := k.bank.Request(now, p.contract, int(p.unit), p.user, p.resource)
	switch {
	case answer == bank.Pending && known == nil:
		k.Clock.At(p.contract.Until()+1, k, uint64(p.auction))
	case answer == bank.Pending:
	case answer == bank.Settled && before == bank.Settled, answer.Refused() && before.Refused():
		k.tell(m.From.Number(), p.auction, int(p.unit), p.reservation, answer == bank.Settled, false)
	case answer == bank.BadSignature || answer == bank.NotNamed || answer == bank.Reused:
		k.refused++
		k.tell(m.From.Number(), p.auction, int(p.unit), p.reservation, false, false)
	default:
		k.decided(p.auction)
	}
}

// state answers a user who asks what became of a contract: nothing is said while it may
// still be settled. The request bears the user's signature, as the contract does.
func (k *banker) state(now unit.Time, m *message) {
	c, p := m.Payload.contract, &m.Payload
	if c == nil || int(c.User) != m.From.Number() || !k.keys.Verify(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil), p.user) {
		return
	}
	answer, known := k.bank.Decision(c.Auction)
	switch late := now > c.Until(); {
	case answer == bank.Pending && !late:
	case answer == bank.Pending && known != nil:
		k.bank.Expire(now, c.Auction)
		k.decided(c.Auction)
	default:
		k.inform(int(c.User), c.Auction, answer == bank.Settled)
	}
}

// inform sends a user what was decided.
func (k *banker) inform(user int, auction uint32, yes bool) {
	p := payload{act: refuse, why: byBank, auction: auction}
	if yes {
		p.act, p.why = agree, noReason
	}
	k.post.Send(bankAgent, userAgent(user), p)
}

// Fire implements des.Handler: the contract of an auction expires.
func (k *banker) Fire(now unit.Time, auction uint64) {
	if answer, _ := k.bank.Decision(uint32(auction)); answer != bank.Pending || k.down {
		return
	}
	k.bank.Expire(now, uint32(auction))
	k.decided(uint32(auction))
}

// decided sends every resource that asked what became of a contract.
func (k *banker) decided(auction uint32) {
	answer, c := k.bank.Decision(auction)
	if answer.Refused() {
		k.refused++
	}
	for i := range c.Lots {
		if k.bank.Asked(auction, i) {
			k.tell(int(c.Lots[i].Resource), auction, i, c.Lots[i].Reservation, answer == bank.Settled, false)
		}
	}
	k.inform(int(c.User), auction, answer == bank.Settled)
	k.journal.settled(auction, answer, c)
}

// tell answers a resource.
func (k *banker) tell(resource int, auction uint32, lot int, reservation uint64, yes, giveBack bool) {
	p := payload{act: refuse, why: byBank, auction: auction, unit: uint16(lot), reservation: reservation, giveBack: giveBack}
	if yes {
		p.act, p.why = agree, noReason
	}
	k.post.Send(bankAgent, resourceAgent(resource), p)
}

// crash stops the bank; restart lets it go on. Contracts that expired meanwhile are
// decided when a resource asks again.
func (k *banker) crash() {
	if !k.down {
		k.down = true
		k.crashes++
	}
}

func (k *banker) restart() { k.down = false }
