package market

import (
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// The kinds of note, which NoteKinds describes.
const (
	noteBegun uint8 = iota + 1
	noteCall
	noteOffer
	noteReject
	noteRefusal // Value: the reason
	noteRound
	noteClosest
	noteAsk
	noteAccept
	noteHeld
	noteBought
	noteReturned
	noteFailed // Value: the reason
	noteExpired
	noteBroken
	noteStarted
	noteSettled
	noteUnpaid // Value: the bank's answer
	noteConfirm
	noteAcknowledged
	noteRequest
	noteLate
	noteReserved
	noteReleased
	noteCancel
	notePaid
	noteRefunded
)

// NoteKinds implements system.NoteDescriber.
func (*journal) NoteKinds() []system.NoteKind {
	const (
		ref     = "ref: number of the auction, which is that of the request"
		job     = "job: the unit's job"
		first   = "job: the first unit's job"
		node    = "node: first node of the resource"
		price   = "value: the price in credits a core-hour"
		start   = "start_us: start of the window"
		end     = "end_us: end of the window"
		why     = "why: the reason in words"
		user    = "user: number of the user agent"
		cores   = "processors: how many cores"
		cost    = "value: the amount in credits"
		balance = "balance: what the resource has after all payments of the moment, in credits; it begins with 0"
	)
	unit := func(more ...string) []string { return append([]string{ref, job, node}, more...) }
	window := func(more ...string) []string { return append(unit(price, start, end, cores), more...) }
	return []system.NoteKind{
		noteBegun:        {ID: "begun", About: "a user begins an auction", Fields: []string{ref, first, user, "value: how many units", "balance: what the user has, in credits"}},
		noteCall:         {ID: "call", About: "the user calls for offers for a unit", Fields: []string{ref, job, "value: the highest price, in credits a core-hour", "round: number of the round, from 1"}},
		noteOffer:        {ID: "offer", About: "the user reads an offer", Fields: unit(price, start, end)},
		noteReject:       {ID: "reject", About: "the user rejects an offer that does not meet the request", Fields: unit(price, start, end)},
		noteRefusal:      {ID: "refusal", About: "the user reads that a resource refuses", Fields: unit(why)},
		noteRound:        {ID: "round", About: "a round is over; the best offer so far", Fields: unit(price)},
		noteClosest:      {ID: "closest", About: "no offer matches; the closest one", Fields: unit(price)},
		noteAsk:          {ID: "ask", About: "the offers wait for approval", Fields: []string{ref, first}},
		noteAccept:       {ID: "accept", About: "the user accepts an offer", Fields: unit(price, start, end)},
		noteHeld:         {ID: "held", About: "the user reads that the resource holds a reservation", Fields: unit(price, start, end)},
		noteBought:       {ID: "bought", About: "the user reads that the bank paid: the unit is bought", Fields: unit(price)},
		noteReturned:     {ID: "returned", About: "the user reads that a unit was given back and its price with it", Fields: unit()},
		noteFailed:       {ID: "failed", About: "an auction buys nothing", Fields: []string{ref, first, why}},
		noteExpired:      {ID: "expired", About: "a reservation was not confirmed in time", Fields: window()},
		noteBroken:       {ID: "broken", About: "the cores of a paid unit are lost: the resource gives the price back", Fields: window()},
		noteStarted:      {ID: "started", About: "a paid unit runs", Fields: window()},
		noteSettled:      {ID: "settled", About: "the bank moves the price of all units of a contract", Fields: []string{ref, user, cost, "balance: what the user then has, in credits"}},
		noteUnpaid:       {ID: "unpaid", About: "the bank does not settle a contract", Fields: []string{ref, user, why}},
		noteConfirm:      {ID: "confirm", About: "the user sends the signed contract", Fields: unit()},
		noteAcknowledged: {ID: "acknowledged", About: "the user reads that the resource has the contract", Fields: unit()},
		noteRequest:      {ID: "request", About: "the resource signs and asks the bank for the price", Fields: window()},
		noteLate:         {ID: "late", About: "the resource reads of a payment after the start: the unit has this later window", Fields: window()},
		noteReserved:     {ID: "reserved", About: "the resource reserves cores", Fields: window("until_us: until then it waits for the confirmation")},
		noteReleased:     {ID: "released", About: "the cores of a reservation are free again", Fields: window()},
		noteCancel:       {ID: "cancel", About: "the user cancels a reservation, or gives a bought unit back", Fields: unit()},
		notePaid:         {ID: "paid", About: "of a contract that is settled: the bank pays the resource of one unit", Fields: unit(cost, balance)},
		noteRefunded:     {ID: "refunded", About: "the bank gives the price of a unit back", Fields: unit(cost, balance, user, "user_balance: what the user then has, in credits")},
	}
}

// moments are the details of a window.
func moments(start, end unit.Time) []system.Detail {
	return []system.Detail{system.Moment("start_us", start), system.Moment("end_us", end)}
}

// begun notes that an auction begins, and what its user has.
func (j *journal) begun(a *auction) {
	if j.Note != nil {
		has := j.exchange.banker.bank.Balance(seal.Party{Role: seal.User, Number: int32(a.user)})
		j.auction(noteBegun, a, -1, -1, float64(len(a.lots)), system.Number("user", float64(a.user)), system.Number("balance", inCredits(has)))
	}
}

// refusal notes why a resource refuses a unit.
func (j *journal) refusal(a *auction, lot, resource int, why reason) {
	if j.Note != nil {
		j.auction(noteRefusal, a, lot, resource, float64(why), system.Text("why", why.String()))
	}
}

// failed notes why an auction buys nothing.
func (j *journal) failed(a *auction) {
	if j.Note != nil {
		j.auction(noteFailed, a, -1, -1, float64(a.why), system.Text("why", a.why.String()))
	}
}

// call notes that a user calls for offers for a unit.
func (j *journal) call(a *auction, lot int) {
	if j.Note != nil {
		j.auction(noteCall, a, lot, -1, credits(a.lots[lot].asked), system.Number("round", float64(a.round)))
	}
}

// offered notes an offer, with its window.
func (j *journal) offered(kind uint8, a *auction, lot, resource int, o *offer) {
	if j.Note != nil {
		j.auction(kind, a, lot, resource, credits(o.price), moments(o.start, o.end)...)
	}
}

// reservation notes what became of one.
func (j *journal) reservation(kind uint8, v *reservation) {
	if j.Note == nil {
		return
	}
	n := system.Note{At: j.Clock.Now(), Kind: kind, Node: j.node(v.resource), Other: unit.NoNode, Ref: v.auction, Task: unit.TaskID(v.job), Value: credits(v.price)}
	n.Minor = kind == noteRequest || kind == noteReserved || kind == noteReleased
	n.Details = append(moments(v.block.Start, v.block.End), system.Number("processors", float64(v.block.Processors)))
	if kind == noteReserved {
		n.Details = append(n.Details, system.Moment("until_us", v.until))
	}
	j.Note(n)
}

// settled notes what the bank decided about a contract and, if it paid, each payment.
func (j *journal) settled(auction uint32, answer bank.Answer, c *bank.Contract) {
	if j.Note == nil {
		return
	}
	sum := bank.Money(0)
	for i := range c.Lots {
		cost, _ := c.Lots[i].Cost()
		sum += cost
	}
	books := j.exchange.banker.bank
	user := system.Number("user", float64(c.User))
	n := system.Note{At: j.Clock.Now(), Kind: noteSettled, Node: unit.NoNode, Other: unit.NoNode, Ref: auction, Value: inCredits(sum)}
	n.Details = []system.Detail{user, system.Number("balance", inCredits(books.Balance(seal.Party{Role: seal.User, Number: c.User})))}
	if answer.Refused() {
		n.Kind, n.Value, n.Details = noteUnpaid, float64(answer), []system.Detail{user, system.Text("why", answer.String())}
	}
	j.Note(n)
	if answer.Refused() {
		return
	}
	for i := range c.Lots {
		j.moved(notePaid, c, i)
	}
}

// refunded notes that the bank gave the price of a unit back.
func (j *journal) refunded(auction uint32, lot int) {
	if j.Note != nil {
		_, c := j.exchange.banker.bank.Decision(auction)
		has := j.exchange.banker.bank.Balance(seal.Party{Role: seal.User, Number: c.User})
		j.moved(noteRefunded, c, lot, system.Number("user", float64(c.User)), system.Number("user_balance", inCredits(has)))
	}
}

// moved notes that the bank moved the price of a unit of a contract.
func (j *journal) moved(kind uint8, c *bank.Contract, lot int, more ...system.Detail) {
	l := &c.Lots[lot]
	cost, _ := l.Cost()
	n := system.Note{At: j.Clock.Now(), Kind: kind, Minor: true, Node: j.node(int(l.Resource)), Other: unit.NoNode, Ref: c.Auction, Value: inCredits(cost)}
	if a := j.exchange.users.numbered(c.Auction); a != nil && lot < len(a.lots) {
		n.Task = unit.TaskID(a.lots[lot].job)
	}
	has := j.exchange.banker.bank.Balance(seal.Party{Role: seal.Resource, Number: l.Resource})
	n.Details = append(more, system.Number("balance", inCredits(has)))
	j.Note(n)
}
