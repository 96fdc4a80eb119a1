package market

import (
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// The roles of agents.
const (
	userRole mail.Role = iota
	resourceRole
	bankRole
	roles
)

// act is a communicative act of FIPA.
type act uint8

// The acts that the protocols use.
const (
	callForProposals act = iota
	propose
	refuse
	rejectProposal
	acceptProposal
	agree
	cancel
	confirm
	requestBank
	queryRef // for a balance
	inform   // of it: the price of the payload
)

// String returns the act as FIPA spells it.
func (a act) String() string {
	return [...]string{"call-for-proposals", "propose", "refuse", "reject-proposal", "accept-proposal", "agree", "cancel", "confirm", "request", "query-ref", "inform"}[a]
}

// reason says why somebody refuses, or why an auction failed.
type reason uint8

// The reasons.
const (
	noReason reason = iota
	badTerms
	tooLate
	saturated
	priceTooLow
	unforeseen // the predictor knows too little, or bounds the wait too high
	loadChanged
	notOffered
	notHeld
	badContract
	byBank
	running
	notTaken
	silent
	nobody
	notMatched
	declined
	crashed
	undelivered
	left
	overCost
	noMoney
	reasons
)

// String returns the reason in words that follow "because".
func (r reason) String() string {
	return [...]string{
		"", "its machines do not satisfy the terms", "the time has passed", "not enough cores are free then", "the price lies below its minimum",
		"its queue may take longer", "the load has changed since", "it never offered that", "the reservation is held no longer", "the contract is not what was agreed",
		"the bank does not pay", "the unit runs or has run", "it takes nothing back", "it did not answer", "no resource made an offer",
		"no offer meets the request", "the user declined", "the user agent was down", "the cores were lost",
		"it has left the market", "the offers cost more together than its maximum", "its account does not cover the request",
	}[r]
}

// payload is what a message says.
type payload struct {
	act         act
	why         reason
	round       uint8
	closest     bool // of a call and its answers: whatever comes closest
	giveBack    bool // of requests to the bank and their answers, and of a user's confirmation: a refund
	unit        uint16
	auction     uint32
	price       rfql.Price
	start, end  unit.Time
	reservation uint64     // of a proposal and its acceptance: the resource's mark on what it offered
	asks        *rfql.Unit // of a call, and of an acceptance
	*papers                // of the few messages that carry some
}

// papers are what only some messages carry: copying a message costs by its size.
type papers struct {
	job      unit.JobID // of an acceptance: what will run
	contract *bank.Contract
	user     *seal.Signature
	resource *seal.Signature
}

// message is one between agents.
type message = mail.Message[payload]

func userAgent(n int) mail.Agent     { return mail.At(userRole, n) }
func resourceAgent(n int) mail.Agent { return mail.At(resourceRole, n) }

var bankAgent = mail.At(bankRole, 0)
