// Package bank keeps the accounts of a market, in thousandths of a credit. Money moves only
// by contracts that the user and the resource have signed.
//
// A contract lists all units of an auction. Each resource requests payment for its own
// units (Request). When all have done so before the contract expires, the bank pays all of
// them at once; otherwise it pays none. The bank therefore decides every purchase, and no
// request is half bought, whichever party crashes. The paper settles each unit separately,
// which cannot guarantee that; for a single unit both are the same.
//
// A contract expires no later than the first start of its units, so that every paid unit
// can still be delivered. A repeated request returns the same answer.
//
//	b := bank.New(keys)
//	b.Open(user, 1_000_000)
//	answer := b.Request(now, contract, 0, userSignature, resourceSignature)
package bank

import (
	"fmt"
	"maps"
	"slices"

	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Answer is the bank's answer to a request.
type Answer uint8

// The answers.
const (
	Pending      Answer = iota // other units of the contract are still to be asked for
	Settled                    // paid
	BadSignature               // the user's or the resource's signature is wrong or missing
	NotNamed                   // the contract has no such unit, or names somebody else for it
	Reused                     // another contract has this number
	Expired                    // the contract came too late, or its other units did
	NoMoney                    // the user has not enough
	NoAccount                  // somebody has no account
	Given                      // given back before
)

// Refused reports whether the answer is for ever no.
func (a Answer) Refused() bool { return a > Settled }

// String returns the reason.
func (a Answer) String() string {
	return [...]string{
		"other units are still to come", "paid", "a signature is wrong", "the contract names somebody else",
		"another contract has this number",
		"the contract has expired", "the user has not enough", "somebody has no account", "it was given back before",
	}[a]
}

// Bank holds accounts and decisions. Use New.
type Bank struct {
	keys     seal.Keys
	accounts map[seal.Party]*account
	issued   Money
	settled  map[uint32]*settlement // by auction
	turnover Money
	returned Money
	open     map[uint32]*settlement // those that are not decided
	text     []byte                 // scratch
}

// account is one party's.
type account struct {
	balance, received, paid Money
	deals                   int64
}

// take moves money into it, give out of it.
func (a *account) take(m Money) { a.balance, a.received = a.balance+m, a.received+m }
func (a *account) give(m Money) { a.balance, a.paid = a.balance-m, a.paid+m }

// settlement is an auction in the bank's books.
type settlement struct {
	contract  *Contract
	digest    seal.Signature // the user's, which is one with the contract
	requested []bool         // by unit
	returned  []bool         // likewise: given back
	missing   int
	answer    Answer
	decided   unit.Time
}

// New returns a bank without accounts.
func New(keys seal.Keys) *Bank {
	return &Bank{
		keys: keys, accounts: map[seal.Party]*account{}, settled: map[uint32]*settlement{},
		open: map[uint32]*settlement{},
	}
}

// Open gives a party an account with so much in it. This is the only way in which
// money comes into being.
func (b *Bank) Open(p seal.Party, balance Money) {
	if b.accounts[p] == nil {
		b.accounts[p] = &account{}
	}
	b.accounts[p].balance += balance
	b.issued += balance
}

// Balance returns the balance of a party.
func (b *Bank) Balance(p seal.Party) Money {
	if a := b.accounts[p]; a != nil {
		return a.balance
	}
	return 0
}

// Statement returns the balance of a party, if the request bears its signature (see
// AppendStatement).
func (b *Bank) Statement(p seal.Party, about uint32, signed *seal.Signature) (has Money, proven bool) {
	if !b.keys.Verify(p, AppendStatement(nil, p, about), signed) {
		return 0, false
	}
	return b.Balance(p), true
}

// Moved returns the sums that a party received and paid so far, refunds among them, and in how
// many settled contracts' units it had a part.
func (b *Bank) Moved(p seal.Party) (received, paid Money, deals int64) {
	if a := b.accounts[p]; a != nil {
		return a.received, a.paid, a.deals
	}
	return 0, 0, 0
}

// Pending returns the sums that parties will receive, or pay if negative, by contracts
// that are not decided. It is the caller's.
func (b *Bank) Pending() map[seal.Party]Money {
	sums := map[seal.Party]Money{}
	for _, s := range b.open { // sums
		for i := range s.contract.Lots {
			l := &s.contract.Lots[i]
			if cost, counted := l.Cost(); counted {
				sums[seal.Party{Role: seal.Resource, Number: l.Resource}] += cost
				sums[seal.Party{Role: seal.User, Number: s.contract.User}] -= cost
			}
		}
	}
	return sums
}

// Turnover returns the sum of payments so far, and the part that was refunded.
func (b *Bank) Turnover() (paid, returned Money) { return b.turnover, b.returned }

// Request asks for the price of one unit of a contract, with both signatures under
// it.
func (b *Bank) Request(now unit.Time, c *Contract, lot int, user, resource *seal.Signature) Answer {
	if lot < 0 || lot >= len(c.Lots) {
		return NotNamed
	}
	b.text = c.Append(b.text[:0])
	seller := seal.Party{Role: seal.Resource, Number: c.Lots[lot].Resource}
	if !b.keys.Verify(seal.Party{Role: seal.User, Number: c.User}, b.text, user) ||
		!b.keys.Verify(seller, b.text, resource) {
		return BadSignature
	}
	s := b.settled[c.Auction]
	if s == nil {
		s = &settlement{
			contract: c, digest: *user, requested: make([]bool, len(c.Lots)),
			returned: make([]bool, len(c.Lots)), missing: len(c.Lots),
		}
		b.settled[c.Auction], b.open[c.Auction] = s, s
	}
	if s.digest != *user {
		return Reused
	}
	if s.answer != Pending {
		return s.answer
	}
	if now > c.Until() {
		b.decide(now, s, Expired)
		return Expired
	}
	if !s.requested[lot] {
		s.requested[lot] = true
		s.missing--
	}
	if s.missing == 0 {
		b.decide(now, s, b.pay(c))
	}
	return s.answer
}

// decide closes a contract for ever.
func (b *Bank) decide(now unit.Time, s *settlement, answer Answer) {
	s.answer, s.decided = answer, now
	delete(b.open, s.contract.Auction)
}

// pay moves the price of every unit of a contract from the user to the sellers, or of none: it returns
// NoMoney or NoAccount before any account changes.
func (b *Bank) pay(c *Contract) Answer {
	buyer := seal.Party{Role: seal.User, Number: c.User}
	sum := Money(0)
	for i := range c.Lots {
		cost, counted := c.Lots[i].Cost()
		if sum += cost; !counted || sum < 0 || sum > 1<<61 {
			return NoMoney
		}
		if _, known := b.accounts[seal.Party{Role: seal.Resource, Number: c.Lots[i].Resource}]; !known {
			return NoAccount
		}
	}
	user := b.accounts[buyer]
	if user == nil {
		return NoAccount
	} else if user.balance < sum {
		return NoMoney
	}
	for i := range c.Lots {
		cost, _ := c.Lots[i].Cost()
		seller := b.accounts[seal.Party{Role: seal.Resource, Number: c.Lots[i].Resource}]
		user.give(cost)
		seller.take(cost)
		user.deals++
		seller.deals++
	}
	b.turnover += sum
	return Settled
}

// Expire decides a contract that is too late: requests about it are refused. It does nothing to one
// that is decided.
func (b *Bank) Expire(now unit.Time, auction uint32) {
	if s := b.settled[auction]; s != nil && s.answer == Pending && now > s.contract.Until() {
		b.decide(now, s, Expired)
	}
}

// Decision returns the decision about an auction, and its contract; nil if
// none of it was presented.
func (b *Bank) Decision(auction uint32) (Answer, *Contract) {
	if s := b.settled[auction]; s != nil {
		return s.answer, s.contract
	}
	return Pending, nil
}

// Requested reports whether a unit of an auction was asked for.
func (b *Bank) Requested(auction uint32, lot int) bool {
	s := b.settled[auction]
	return s != nil && lot < len(s.requested) && s.requested[lot]
}

// Refund gives the price of a settled unit back to the user. The resource that was
// paid signs it. A second time nothing moves, and the answer is Given.
func (b *Bank) Refund(auction uint32, lot int, resource *seal.Signature) Answer {
	s := b.settled[auction]
	if s == nil || s.answer != Settled || lot < 0 || lot >= len(s.returned) {
		return NotNamed
	}
	seller := seal.Party{Role: seal.Resource, Number: s.contract.Lots[lot].Resource}
	b.text = refundText(b.text[:0], auction, lot)
	if !b.keys.Verify(seller, b.text, resource) {
		return BadSignature
	}
	if s.returned[lot] {
		return Given
	}
	s.returned[lot] = true
	cost, _ := s.contract.Lots[lot].Cost()
	b.accounts[seller].give(cost)
	b.accounts[seal.Party{Role: seal.User, Number: s.contract.User}].take(cost)
	b.returned += cost
	return Settled
}

// DecidedAt returns when a contract was decided.
func (b *Bank) DecidedAt(auction uint32) unit.Time {
	if s := b.settled[auction]; s != nil {
		return s.decided
	}
	return 0
}

// Returned reports whether the price of a unit was given back.
func (b *Bank) Returned(auction uint32, lot int) bool {
	s := b.settled[auction]
	return s != nil && lot < len(s.returned) && s.returned[lot]
}

// Divided returns how many settled contracts had the price of some of their units
// given back, and not of all.
func (b *Bank) Divided() (n int64) {
	for _, s := range b.settled { // a count
		if slices.Contains(s.returned, true) && slices.Contains(s.returned, false) {
			n++
		}
	}
	return n
}

// Total returns how much all accounts of a role hold.
func (b *Bank) Total(r seal.Role) (sum Money) {
	for p, a := range b.accounts { // a sum
		if p.Role == r {
			sum += a.balance
		}
	}
	return sum
}

// Audit adds up all accounts, and all payments and refunds of the decisions, and returns an error
// if they disagree.
func (b *Bank) Audit() error {
	sum := Money(0)
	for _, a := range b.accounts { // a sum
		sum += a.balance
	}
	if sum != b.issued {
		return fmt.Errorf("the accounts hold %d thousandths of a credit and %d were issued", sum, b.issued)
	}
	paid, returned := Money(0), Money(0)
	for _, auction := range slices.Sorted(maps.Keys(b.settled)) {
		s := b.settled[auction]
		if (s.answer == Pending) != (b.open[auction] != nil) {
			return fmt.Errorf("auction %d is %v, and among the contracts that wait: %v", auction,
				s.answer, b.open[auction] != nil)
		}
		for i := range s.contract.Lots {
			cost, _ := s.contract.Lots[i].Cost()
			if s.answer == Settled {
				paid += cost
			}
			if s.answer == Settled && s.decided > s.contract.Lots[i].Start {
				return fmt.Errorf("auction %d was settled at %v, after the start of unit %d at %v", auction,
					s.decided, i, s.contract.Lots[i].Start)
			}
			if s.returned[i] {
				returned += cost
			}
			if s.answer == Settled && !s.requested[i] {
				return fmt.Errorf("auction %d is settled, and no resource asked for unit %d", auction, i)
			}
			if s.returned[i] && s.answer != Settled {
				return fmt.Errorf("unit %d of auction %d was given back and never paid", i, auction)
			}
		}
	}
	if paid != b.turnover || returned != b.returned {
		return fmt.Errorf("contracts say %d paid and %d given back, the accounts %d and %d", paid, returned, b.turnover,
			b.returned)
	}
	return nil
}
