package journal

import "parley/core/system"

// The kinds of note, which NoteKinds describes.
const (
	NoteBegun uint8 = iota + 1
	NoteCall
	NoteOffer
	NoteReject
	NoteRefusal // Value: the reason
	NoteRound
	NoteClosest
	NoteAsk
	NoteAccept
	NoteHeld
	NoteBought
	NoteReturned
	NoteFailed // Value: the reason
	NoteExpired
	NoteBroken
	NoteStarted
	NoteSettled
	NoteUnpaid // Value: the bank's answer
	NoteConfirm
	NoteAcknowledged
	NoteRequest
	NoteLate
	NoteReserved
	NoteReleased
	NoteCancel
	NotePaid
	NoteRefunded
	noteKinds
)

// minor are the kinds that the log of an auction shows and that of the cluster does not.
var minor = [noteKinds]bool{
	NoteCall: true, NoteOffer: true, NoteReject: true, NoteRefusal: true, NoteRound: true, NoteAccept: true,
	NoteHeld: true, NoteConfirm: true,
	NoteAcknowledged: true, NoteCancel: true, NoteRequest: true, NoteReserved: true, NoteReleased: true, NotePaid: true,
	NoteRefunded: true,
}

// NoteKinds implements system.NoteDescriber.
func (*Journal) NoteKinds() []system.NoteKind {
	const (
		ref     = "ref: number of the auction, which is that of the request"
		job     = "job: the unit's job"
		first   = "job: the first unit's job"
		node    = "node: first node of the resource"
		price   = "value: the price in credits a core-hour"
		start   = "start_us: start of the window"
		end     = "end_us: end of the window"
		reason  = "why: the reason in words"
		user    = "user: number of the user agent"
		cores   = "processors: how many cores"
		cost    = "value: the amount in credits"
		balance = "balance: what the resource has after all payments of the moment, in credits; it begins with 0"
	)
	unit := func(more ...string) []string { return append([]string{ref, job, node}, more...) }
	window := func(more ...string) []string { return append(unit(price, start, end, cores), more...) }
	return []system.NoteKind{
		NoteBegun: {
			ID: "begun", About: "a user begins an auction",
			Fields: []string{ref, first, user, "value: how many units", "balance: what the user has, in credits"},
		},
		NoteCall: {
			ID: "call", About: "the user calls for offers for a unit",
			Fields: []string{
				ref, job, "value: the highest price, in credits a core-hour",
				"round: number of the round, from 1",
			},
		},
		NoteOffer: {ID: "offer", About: "the user reads an offer", Fields: unit(price, start, end)},
		NoteReject: {
			ID: "reject", About: "the user rejects an offer that does not meet the request",
			Fields: unit(price, start, end),
		},
		NoteRefusal: {ID: "refusal", About: "the user reads that a resource refuses", Fields: unit(reason)},
		NoteRound:   {ID: "round", About: "a round is over; the best offer so far", Fields: unit(price)},
		NoteClosest: {ID: "closest", About: "no offer matches; the closest one", Fields: unit(price)},
		NoteAsk:     {ID: "ask", About: "the offers wait for approval", Fields: []string{ref, first}},
		NoteAccept:  {ID: "accept", About: "the user accepts an offer", Fields: unit(price, start, end)},
		NoteHeld: {
			ID: "held", About: "the user reads that the resource holds a reservation",
			Fields: unit(price, start, end),
		},
		NoteBought: {
			ID: "bought", About: "the user reads that the bank paid: the unit is bought",
			Fields: unit(price),
		},
		NoteReturned: {
			ID: "returned", About: "the user reads that a unit was given back and its price with it",
			Fields: unit(),
		},
		NoteFailed:  {ID: "failed", About: "an auction buys nothing", Fields: []string{ref, first, reason}},
		NoteExpired: {ID: "expired", About: "a reservation was not confirmed in time", Fields: window()},
		NoteBroken: {
			ID: "broken", About: "the cores of a paid unit are lost: the resource gives the price back",
			Fields: window(),
		},
		NoteStarted: {ID: "started", About: "a paid unit runs", Fields: window()},
		NoteSettled: {
			ID: "settled", About: "the bank moves the price of all units of a contract",
			Fields: []string{ref, user, cost, "balance: what the user then has, in credits"},
		},
		NoteUnpaid: {
			ID: "unpaid", About: "the bank does not settle a contract",
			Fields: []string{ref, user, reason},
		},
		NoteConfirm: {ID: "confirm", About: "the user sends the signed contract", Fields: unit()},
		NoteAcknowledged: {
			ID: "acknowledged", About: "the user reads that the resource has the contract",
			Fields: unit(),
		},
		NoteRequest: {
			ID: "request", About: "the resource signs and asks the bank for the price",
			Fields: window(),
		},
		NoteLate: {
			ID:    "late",
			About: "the resource reads of a payment after the start: the unit has this later window", Fields: window(),
		},
		NoteReserved: {
			ID: "reserved", About: "the resource reserves cores",
			Fields: window("until_us: until then it waits for the confirmation"),
		},
		NoteReleased: {ID: "released", About: "the cores of a reservation are free again", Fields: window()},
		NoteCancel: {
			ID: "cancel", About: "the user cancels a reservation, or gives a bought unit back",
			Fields: unit(),
		},
		NotePaid: {
			ID: "paid", About: "of a contract that is settled: the bank pays the resource of one unit",
			Fields: unit(cost, balance),
		},
		NoteRefunded: {
			ID: "refunded", About: "the bank gives the price of a unit back",
			Fields: unit(cost, balance, user, "user_balance: what the user then has, in credits"),
		},
	}
}
