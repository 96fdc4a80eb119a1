package market

import (
	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// banker is the banking agent: it answers resources that submit contracts, and notifies all of them
// when one is decided. Its books survive a crash.
type banker struct {
	fipa.Means
	journal *journal.Journal
	bank    *bank.Bank
	down    bool
	crashes int
	refused int64
}

func newBanker(m fipa.Means, j *journal.Journal, books *bank.Bank) *banker {
	return &banker{Means: m, journal: j, bank: books}
}

// read handles a message to the bank: a signed query for a balance, a user's question about a contract,
// a refund, or a resource's request for a price. A contract is decided when all its resources have
// asked, or at its end. A request for a decided contract gets the same answer again.
func (k *banker) read(now unit.Time, m *fipa.Message) {
	p := &m.Payload
	if p.Attachments == nil || p.Act != fipa.RequestBank && p.Act != fipa.QueryRef {
		return
	}
	if p.Act == fipa.QueryRef {
		if has, proven := k.bank.Statement(seal.Party{Role: seal.User, Number: int32(m.From.Number())}, p.Auction,
			p.User); proven && m.From.Role() == fipa.UserRole {
			k.Post.Send(fipa.BankAgent, m.From,
				fipa.Payload{Act: fipa.Inform, Auction: p.Auction, Price: rfql.Price(has)})
		}
		return
	}
	if m.From.Role() == fipa.UserRole {
		k.state(now, m)
		return
	}
	if p.GiveBack {
		answer := k.bank.Refund(p.Auction, int(p.Unit), p.Resource)
		if answer == bank.Settled {
			k.noteRefund(p.Auction, int(p.Unit))
		}
		k.answer(m.From.Number(), p.Auction, int(p.Unit), p.Reservation, answer == bank.Settled || answer == bank.Given,
			true)
		return
	}
	if p.Contract == nil || p.Contract.Auction != p.Auction || int(p.Unit) >= len(p.Contract.Lots) ||
		p.Contract.Lots[p.Unit].Resource != int32(m.From.Number()) {
		k.answer(m.From.Number(), p.Auction, int(p.Unit), p.Reservation, false, false)
		return
	}
	before, known := k.bank.Decision(p.Auction)
	answer := k.bank.Request(now, p.Contract, int(p.Unit), p.User, p.Resource)
	switch {
	case answer == bank.Pending && known == nil:
		k.Clock.At(p.Contract.Until()+1, k, uint64(p.Auction))
	case answer == bank.Pending:
	case answer == bank.Settled && before == bank.Settled, answer.Refused() && before.Refused():
		k.answer(m.From.Number(), p.Auction, int(p.Unit), p.Reservation, answer == bank.Settled, false)
	case answer == bank.BadSignature || answer == bank.NotNamed || answer == bank.Reused:
		k.refused++
		k.answer(m.From.Number(), p.Auction, int(p.Unit), p.Reservation, false, false)
	default:
		k.decided(p.Auction)
	}
}

// state answers a user who asks for the state of a contract. It sends no answer while the contract
// may still be settled. The request bears the user's signature, as the contract does.
func (k *banker) state(now unit.Time, m *fipa.Message) {
	c, p := m.Payload.Contract, &m.Payload
	if c == nil || int(c.User) != m.From.Number() ||
		!k.Keys.Verify(seal.Party{Role: seal.User, Number: c.User}, c.Append(nil), p.User) {
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

// inform sends the bank's decision to a user.
func (k *banker) inform(user int, auction uint32, yes bool) {
	p := fipa.Payload{Act: fipa.Refuse, Reason: fipa.ByBank, Auction: auction}
	if yes {
		p.Act, p.Reason = fipa.Agree, fipa.NoReason
	}
	k.Post.Send(fipa.BankAgent, fipa.UserAgent(user), p)
}

// Fire implements des.Handler: the contract of an auction expires.
func (k *banker) Fire(now unit.Time, auction uint64) {
	if answer, _ := k.bank.Decision(uint32(auction)); answer != bank.Pending || k.down {
		return
	}
	k.bank.Expire(now, uint32(auction))
	k.decided(uint32(auction))
}

// decided sends the decision about a contract to every resource that asked for it.
func (k *banker) decided(auction uint32) {
	answer, c := k.bank.Decision(auction)
	if answer.Refused() {
		k.refused++
	}
	for i := range c.Lots {
		if k.bank.Requested(auction, i) {
			k.answer(int(c.Lots[i].Resource), auction, i, c.Lots[i].Reservation, answer == bank.Settled, false)
		}
	}
	k.inform(int(c.User), auction, answer == bank.Settled)
	k.note(auction, answer, c)
}

// answer answers a resource.
func (k *banker) answer(resource int, auction uint32, lot int, reservation uint64, yes, giveBack bool) {
	p := fipa.Payload{
		Act: fipa.Refuse, Reason: fipa.ByBank, Auction: auction, Unit: uint16(lot), Reservation: reservation,
		GiveBack: giveBack,
	}
	if yes {
		p.Act, p.Reason = fipa.Agree, fipa.NoReason
	}
	k.Post.Send(fipa.BankAgent, fipa.ResourceAgent(resource), p)
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

// note publishes the bank's decision about a contract and, if it paid, each payment.
func (k *banker) note(auction uint32, answer bank.Answer, c *bank.Contract) {
	if !k.journal.Listens() {
		return
	}
	sum := bank.Money(0)
	for i := range c.Lots {
		cost, _ := c.Lots[i].Cost()
		sum += cost
	}
	user := system.Number("user", float64(c.User))
	if answer.Refused() {
		k.journal.Publish(journal.NoteUnpaid, auction, 0, -1, float64(answer), user,
			system.Text("why", answer.String()))
		return
	}
	k.journal.Publish(journal.NoteSettled, auction, 0, -1, sum.Credits(),
		user, system.Number("balance", k.journal.Balance(seal.Party{Role: seal.User, Number: c.User})))
	for i := range c.Lots {
		k.noteMoved(journal.NotePaid, c, i)
	}
}

// noteRefund notes that the bank gave the price of a unit back.
func (k *banker) noteRefund(auction uint32, lot int) {
	if k.journal.Listens() {
		_, c := k.bank.Decision(auction)
		has := k.journal.Balance(seal.Party{Role: seal.User, Number: c.User})
		k.noteMoved(journal.NoteRefunded, c, lot, system.Number("user", float64(c.User)),
			system.Number("user_balance", has))
	}
}

// noteMoved notes that the bank moved the price of a unit of a contract.
func (k *banker) noteMoved(kind uint8, c *bank.Contract, lot int, more ...system.Detail) {
	l := &c.Lots[lot]
	cost, _ := l.Cost()
	has := system.Number("balance", k.journal.Balance(seal.Party{Role: seal.Resource, Number: l.Resource}))
	k.journal.Publish(kind, c.Auction, k.journal.Job(c.Auction, lot), int(l.Resource), cost.Credits(),
		append(more, has)...)
}
