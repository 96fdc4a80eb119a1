package bank_test

import (
	"testing"

	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

func user(n int32) seal.Party     { return seal.Party{Role: seal.User, Number: n} }
func resource(n int32) seal.Party { return seal.Party{Role: seal.Resource, Number: n} }

// scene is a bank with one user and two resources, and a contract of two units: 16
// cores for an hour at 25 and 8 cores for half an hour at 40, 560 credits.
type scene struct {
	keys     seal.Keys
	bank     *bank.Bank
	contract *bank.Contract
	signed   [3]seal.Signature // user, resources
}

func newScene(scheme string, budget bank.Money) *scene {
	s := &scene{keys: seal.New(scheme, 7)}
	s.bank = bank.New(s.keys)
	s.bank.Open(user(0), budget)
	s.bank.Open(user(1), budget)
	s.bank.Open(resource(0), 0)
	s.bank.Open(resource(1), 0)
	s.contract = &bank.Contract{Auction: 1, Expires: unit.Minute, Lots: []bank.Lot{
		{Unit: rfql.Unit{TotalCores: 16}, Resource: 0, Reservation: 11, Price: 25 * rfql.Credit, Start: unit.Hour, End: 2 * unit.Hour},
		{Unit: rfql.Unit{TotalCores: 8}, Resource: 1, Reservation: 12, Price: 40 * rfql.Credit, Start: unit.Hour / 2, End: unit.Hour},
	}}
	s.sign()
	return s
}

func (s *scene) sign() {
	text := s.contract.Append(nil)
	s.signed = [3]seal.Signature{s.keys.Sign(user(0), text), s.keys.Sign(resource(0), text), s.keys.Sign(resource(1), text)}
}

func (s *scene) ask(lot int) bank.Answer {
	return s.bank.Request(unit.Second, s.contract, lot, &s.signed[0], &s.signed[1+lot])
}

func (s *scene) expect(t *testing.T, subject string, got, want bank.Answer, has bank.Money) {
	t.Helper()
	if got != want {
		t.Errorf("%s: the bank says %v, and not %v", subject, got, want)
	}
	if m := s.bank.Balance(user(0)); m != has {
		t.Errorf("%s: the user has %d, and not %d", subject, m, has)
	}
	if err := s.bank.Audit(); err != nil {
		t.Errorf("%s: %v", subject, err)
	}
}

// TestSettlement: nothing moves before all units are asked for, everything once, and
// asked again the answer is the same.
func TestSettlement(t *testing.T) {
	for _, scheme := range seal.Names() {
		s := newScene(scheme, 1_000_000)
		s.expect(t, "the first unit", s.ask(0), bank.Pending, 1_000_000)
		s.expect(t, "the first again", s.ask(0), bank.Pending, 1_000_000)
		s.expect(t, "the second unit", s.ask(1), bank.Settled, 440_000)
		s.expect(t, "again", s.ask(0), bank.Settled, 440_000)
		s.expect(t, "again", s.ask(1), bank.Settled, 440_000)
		if a, b := s.bank.Balance(resource(0)), s.bank.Balance(resource(1)); a != 400_000 || b != 160_000 {
			t.Errorf("the resources have %d and %d", a, b)
		}
		back := s.keys.Sign(resource(1), bank.AppendRefund(nil, 1, 1))
		s.expect(t, "given back by another", s.bank.Refund(1, 0, &back), bank.BadSignature, 440_000)
		s.expect(t, "given back", s.bank.Refund(1, 1, &back), bank.Settled, 600_000)
		s.expect(t, "given back twice", s.bank.Refund(1, 1, &back), bank.Given, 600_000)
		s.expect(t, "asked after that", s.ask(1), bank.Settled, 600_000)
	}
}

// TestRefusals: wrong signatures, other contracts of the same number, units that the
// contract does not name, too little money and too late.
func TestRefusals(t *testing.T) {
	for _, scheme := range seal.Names() {
		s := newScene(scheme, 1_000_000)
		b := s.bank
		s.expect(t, "no signature of the user", b.Request(0, s.contract, 0, nil, &s.signed[1]), bank.BadSignature, 1_000_000)
		s.expect(t, "no signature of the resource", b.Request(0, s.contract, 0, &s.signed[0], nil), bank.BadSignature, 1_000_000)
		s.expect(t, "the other resource's", b.Request(0, s.contract, 0, &s.signed[0], &s.signed[2]), bank.BadSignature, 1_000_000)
		forged := *s.contract
		forged.Lots = append([]bank.Lot{}, s.contract.Lots...)
		forged.Lots[0].Price *= 2
		s.expect(t, "another price under the old signatures", b.Request(0, &forged, 0, &s.signed[0], &s.signed[1]), bank.BadSignature, 1_000_000)
		s.expect(t, "a third unit", b.Request(0, s.contract, 2, &s.signed[0], &s.signed[1]), bank.NotNamed, 1_000_000)
		s.expect(t, "the first unit", s.ask(0), bank.Pending, 1_000_000)
		first := s.contract
		s.contract = &forged
		s.sign()
		s.expect(t, "the number again, well signed", s.ask(0), bank.Reused, 1_000_000)
		s.contract = first
		s.sign()
		s.expect(t, "too late", b.Request(2*unit.Minute, s.contract, 1, &s.signed[0], &s.signed[2]), bank.Expired, 1_000_000)
		s.expect(t, "too late for the first as well", s.ask(0), bank.Expired, 1_000_000)

		s = newScene(scheme, 559_999)
		s.ask(0)
		s.expect(t, "too little", s.ask(1), bank.NoMoney, 559_999)
	}
}

// TestCost rounds up to a thousandth and knows its limits.
func TestCost(t *testing.T) {
	if c, ok := bank.Cost(1, 1, 1); c != 1 || !ok {
		t.Errorf("a microsecond of one core at a thousandth costs %d", c)
	}
	if c, ok := bank.Cost(25*rfql.Credit, 16, unit.Hour); c != 400_000 || !ok {
		t.Errorf("16 cores for an hour at 25 cost %d", c)
	}
	if _, ok := bank.Cost(rfql.MaxPrice, rfql.MaxCores, 366*unit.Day); ok {
		t.Error("more than can be counted was counted")
	}
}

// TestBooks: what parties received and paid, in how many units they had a part, what
// waits, and what was decided can be asked for; nobody has anything without an account.
func TestBooks(t *testing.T) {
	s := newScene("modelled", 560_000) // just enough
	b := s.bank
	if b.Balance(user(9)) != 0 || b.Total(seal.User) != 1_120_000 || b.Total(seal.Resource) != 0 {
		t.Errorf("users hold %d, resources %d, a stranger %d", b.Total(seal.User), b.Total(seal.Resource), b.Balance(user(9)))
	}
	if answer, contract := b.Decision(1); answer != bank.Pending || contract != nil || b.Requested(1, 0) {
		t.Errorf("before anybody asks the auction is %v", answer)
	}
	s.ask(1)
	if answer, contract := b.Decision(1); answer != bank.Pending || contract != s.contract || b.Requested(1, 0) || !b.Requested(1, 1) || b.Requested(1, 2) {
		t.Errorf("after the second unit was asked for the auction is %v", answer)
	}
	if p := b.Pending(); p[user(0)] != -560_000 || p[resource(0)] != 400_000 || p[resource(1)] != 160_000 || len(p) != 3 {
		t.Errorf("waiting are %v", p)
	}
	late := b.Request(s.contract.Expires, s.contract, 0, &s.signed[0], &s.signed[1])
	s.expect(t, "at the last moment, with just enough", late, bank.Settled, 0)
	if len(b.Pending()) != 0 {
		t.Errorf("settled, and %v wait", b.Pending())
	}
	s.expect(t, "a third unit given back", b.Refund(1, 2, &s.signed[1]), bank.NotNamed, 0)
	back := s.keys.Sign(resource(1), bank.AppendRefund(nil, 1, 1))
	s.expect(t, "given back", b.Refund(1, 1, &back), bank.Settled, 160_000)
	for _, c := range []struct {
		of             seal.Party
		received, paid bank.Money
		deals          int64
	}{{user(0), 160_000, 560_000, 2}, {resource(0), 400_000, 0, 1}, {resource(1), 160_000, 160_000, 1}, {user(1), 0, 0, 0}, {user(9), 0, 0, 0}} {
		if received, paid, deals := b.Moved(c.of); received != c.received || paid != c.paid || deals != c.deals {
			t.Errorf("%v received %d and paid %d in %d units, and not %d, %d, %d", c.of, received, paid, deals, c.received, c.paid, c.deals)
		}
	}
	if paid, returned := b.Turnover(); paid != 560_000 || returned != 160_000 {
		t.Errorf("%d were paid and %d given back", paid, returned)
	}
}

// TestExpire: a contract that is too late is refused for ever, and only then.
func TestExpire(t *testing.T) {
	s := newScene("modelled", 1_000_000)
	s.bank.Expire(unit.Hour, 7) // nobody asked for it
	s.ask(0)
	s.bank.Expire(s.contract.Expires, 1)
	if answer, _ := s.bank.Decision(1); answer != bank.Pending || answer.Refused() {
		t.Errorf("at its last moment it is %v", answer)
	}
	s.bank.Expire(s.contract.Expires+1, 1)
	if answer, _ := s.bank.Decision(1); answer != bank.Expired || !answer.Refused() {
		t.Errorf("after it it is %v", answer)
	}
	s = newScene("modelled", 1_000_000)
	s.ask(0)
	s.ask(1)
	s.bank.Expire(unit.Hour, 1)
	if answer, _ := s.bank.Decision(1); answer != bank.Settled || answer.Refused() {
		t.Errorf("what is settled is %v", answer)
	}
}

// TestExpiresAtTheFirstStart: a contract that expires later is settled at the first start of its
// units at the latest, whichever unit is asked about.
func TestExpiresAtTheFirstStart(t *testing.T) {
	for at, want := range map[unit.Time]bank.Answer{unit.Hour / 2: bank.Pending, unit.Hour/2 + 1: bank.Expired} {
		s := newScene("modelled", 1_000_000)
		s.contract.Expires = 3 * unit.Hour
		s.sign()
		s.expect(t, at.String(), s.bank.Request(at, s.contract, 0, &s.signed[0], &s.signed[1]), want, 1_000_000)
	}
}

// TestLimitsOfMoney: nothing may cost nothing; a unit costs less than 2^60 thousandths,
// all of them together at most 2^61.
func TestLimitsOfMoney(t *testing.T) {
	if _, ok := bank.Cost(1<<60, 1, unit.Hour); ok {
		t.Error("2^60 were counted")
	}
	if _, ok := bank.Cost(1<<62, 4, unit.Hour); ok {
		t.Error("2^64 were counted")
	}
	one := bank.Lot{Unit: rfql.Unit{TotalCores: 1}, Price: 1<<60 - 1, Start: unit.Hour, End: 2 * unit.Hour}
	if c, ok := one.Cost(); c != 1<<60-1 || !ok {
		t.Errorf("an hour that begins after an hour costs %d", c)
	}
	s := newScene("modelled", 1<<61)
	small := one
	small.Price = 2
	s.contract.Lots = []bank.Lot{one, one, small}
	text := s.contract.Append(nil)
	u, r := s.keys.Sign(user(0), text), s.keys.Sign(resource(0), text)
	answer := bank.Pending
	for lot := range 3 {
		answer = s.bank.Request(0, s.contract, lot, &u, &r)
	}
	s.expect(t, "2^61", answer, bank.Settled, 0)
	s = newScene("modelled", 0)
	s.contract.Lots[0].Price, s.contract.Lots[1].Price = 0, 0
	s.sign()
	s.ask(0)
	s.expect(t, "for nothing", s.ask(1), bank.Settled, 0)
}

// TestStatement: a party is told what it has on its own signature, and on no other.
func TestStatement(t *testing.T) {
	for _, scheme := range seal.Names() {
		s := newScene(scheme, 1_000)
		mine, theirs := s.keys.Sign(user(0), bank.AppendStatement(nil, user(0), 7)), s.keys.Sign(user(1), bank.AppendStatement(nil, user(0), 7))
		if has, proven := s.bank.Statement(user(0), 7, &mine); has != 1_000 || !proven {
			t.Errorf("the bank says %d, %v", has, proven)
		}
		for subject, one := range map[string]struct {
			about  uint32
			signed *seal.Signature
		}{"another's signature": {7, &theirs}, "another request's": {8, &mine}, "none": {7, nil}} {
			if has, proven := s.bank.Statement(user(0), one.about, one.signed); has != 0 || proven {
				t.Errorf("%s: the bank says %d, %v", subject, has, proven)
			}
		}
	}
}
