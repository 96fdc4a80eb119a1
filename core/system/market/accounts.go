package market

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/plan"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Accounts implements system.AccountSource: the most parties that moved the most money, resources first,
// then users, and how many others there are.
func (x *exchange) Accounts(limit int) (list []system.Account, rest int) {
	pending := x.banker.bank.Pending()
	parties := len(x.resources.All) + len(x.users.All)
	kept := make([]entry, 0, limit+1)
	for i := range parties {
		e := x.entry(i)
		at := len(kept)
		for at > 0 && kept[at-1].moved < e.moved {
			at--
		}
		if at < limit {
			kept = slices.Insert(kept, at, e)[:min(len(kept)+1, limit)]
		}
	}
	slices.SortFunc(kept, func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	for _, e := range kept {
		a := system.Account{
			Balance: x.banker.bank.Balance(e.party).Credits(), Pending: pending[e.party].Credits(),
			Node: unit.NoNode,
		}
		received, paid, deals := x.banker.bank.Moved(e.party)
		a.Received, a.Paid, a.Deals = received.Credits(), paid.Credits(), deals
		a.Party, a.Role = fmt.Sprintf("user %d", e.party.Number), "user agent"
		if e.party.Role == seal.Resource {
			a.Party, a.Role, a.Node = x.resources.All[e.party.Number].Site.Name, "resource agent",
				x.Node(int(e.party.Number))
		}
		list = append(list, a)
	}
	return list, parties - len(list)
}

// entry is a party among all, resources first, and how much it moved.
type entry struct {
	number int
	party  seal.Party
	moved  bank.Money
}

// entry returns party i of all, resources first, and how much money it moved in both directions.
func (x *exchange) entry(i int) entry {
	e := entry{number: i, party: seal.Party{Role: seal.Resource, Number: int32(i)}}
	if n := i - len(x.resources.All); n >= 0 {
		e.party = seal.Party{Role: seal.User, Number: int32(n)}
	}
	received, paid, _ := x.banker.bank.Moved(e.party)
	e.moved = received + paid
	return e
}

// NodeFacts implements system.NodeFactSource: its site's offers and sales.
func (x *exchange) NodeFacts(n unit.NodeID) []system.Fact {
	i := int(x.view.Rack(n))
	if i < 0 || i >= len(x.resources.All) {
		return nil
	}
	one := &x.resources.All[i]
	q := one.Queue
	facts := []system.Fact{
		{Name: "Site", Value: one.Site.Name},
		{Name: "Its cores", Value: fmt.Sprintf("%d: own jobs %d, sold %d", q.Processors(), q.Busy(), one.SoldCores)},
		{Name: "Its queue", Value: fmt.Sprintf("%d wait", q.Waiting())},
		{Name: "Reservations", Value: fmt.Sprint(q.Blocks(x.clock.Now()))},
		{Name: "Price", Value: fmt.Sprintf("%s down to %s", system.Price(one.Site.Start.Credits()),
			system.Price(one.Site.Min.Credits()))},
		{Name: "Latest offer", Value: system.Price(one.Offer.Credits())},
		{Name: "Offers, units sold", Value: fmt.Sprintf("%d, %d", one.Bids, one.Wins)},
	}
	if one.Down {
		facts = append(facts, system.Fact{Name: "Its agent", Value: "is down"})
	}
	if x.away[i] {
		facts = append(facts, system.Fact{Name: "In the market", Value: "no"})
	}
	return facts
}

// NameJob implements system.NodeFactSource.
func (x *exchange) NameJob(id unit.JobID) (name string, decided bool) {
	job, alive := x.view.Job(id)
	switch {
	case !alive:
		return "a job", false
	case job.Key.Job&plan.LocalKey != 0:
		return fmt.Sprintf("own job %d", job.Key.Job&^plan.LocalKey), false
	}
	return fmt.Sprintf("unit %d of auction %d", job.Key.Index+1, job.Key.Job), true
}
