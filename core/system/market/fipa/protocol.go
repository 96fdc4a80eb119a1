// Package fipa has the messages of the market: the communicative acts of FIPA between
// users, resources and the bank, and the reasons of a refusal. The agents know one another
// by these messages only.
package fipa

import (
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// The roles of agents.
const (
	UserRole mail.Role = iota
	ResourceRole
	bankRole
	Roles
)

// act is a communicative act of FIPA.
type act uint8

// The acts that the protocols use.
const (
	CallForProposals act = iota
	Propose
	Refuse
	RejectProposal
	AcceptProposal
	Agree
	Cancel
	Confirm
	RequestBank
	QueryRef // for a balance
	Inform   // of it: the price of the payload
)

// String returns the act as FIPA spells it.
func (a act) String() string {
	return [...]string{
		"call-for-proposals", "propose", "refuse", "reject-proposal", "accept-proposal", "agree",
		"cancel", "confirm", "request", "query-ref", "inform",
	}[a]
}

// Reason is the cause of a refusal or of a failed auction.
type Reason uint8

// The reasons.
const (
	NoReason Reason = iota
	BadTerms
	TooLate
	Saturated
	PriceTooLow
	Unforeseen // the predictor knows too little, or bounds the wait too high
	LoadChanged
	NotOffered
	NotHeld
	BadContract
	ByBank
	Running
	NotTaken
	Silent
	NoSeller
	NotMatched
	Declined
	Crashed
	Undelivered
	Left
	OverCost
	NoMoney
	Reasons
)

// String returns the reason in words that follow "because".
func (r Reason) String() string {
	return [...]string{
		"", "its machines do not satisfy the terms", "the time has passed", "not enough cores are free then",
		"the price lies below its minimum",
		"its queue may take longer", "the load has changed since", "it never offered that",
		"the reservation is held no longer", "the contract is not what was agreed",
		"the bank does not pay", "the unit runs or has run", "it takes nothing back", "it did not answer",
		"no resource made an offer",
		"no offer meets the request", "the user declined", "the user agent was down", "the cores were lost",
		"it has left the market", "the offers cost more together than its maximum",
		"its account does not cover the request",
	}[r]
}

// Payload is the content of a message.
type Payload struct {
	Act          act
	Reason       Reason
	Round        uint8
	Closest      bool // of a call and its answers: whatever comes closest
	GiveBack     bool // of requests to the bank and their answers, and of a user's confirmation: a refund
	Unit         uint16
	Auction      uint32
	Price        rfql.Price
	Start, End   unit.Time
	Reservation  uint64     // of a proposal and its acceptance: the resource's mark on its offer
	Asks         *rfql.Unit // of a call, and of an acceptance
	*Attachments            // of the few messages that carry some
}

// Attachments are the parts that only some messages carry: copying a message costs by its size.
type Attachments struct {
	Job      unit.JobID // of an acceptance: the job to run
	Contract *bank.Contract
	User     *seal.Signature
	Resource *seal.Signature
}

// Message is a message between agents.
type Message = mail.Message[Payload]

func UserAgent(n int) mail.Agent     { return mail.At(UserRole, n) }
func ResourceAgent(n int) mail.Agent { return mail.At(ResourceRole, n) }

var BankAgent = mail.At(bankRole, 0)
