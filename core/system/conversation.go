package system

import "parley/core/unit"

// Conversation holds the notes of one group in the form that pictures need: the messages, the
// offers of each round, and the deals.
type Conversation struct {
	Messages []Message `json:"messages"`       // in their order
	Rounds   []Round   `json:"rounds"`         // in their order
	Deals    []Deal    `json:"deals"`          // that were made
	Unit     string    `json:"unit,omitempty"` // of prices
	Outcome  string    `json:"outcome"`        // so far, in sentences
	Over     bool      `json:"over"`           // nothing more is to come of it
	Choices  []Choice  `json:"choices"`        // faults that answer the agent that waits
}

// Message is a message from one party to another.
type Message struct {
	At    unit.Time `json:"at"`
	From  string    `json:"from"`
	To    string    `json:"to"` // empty: all
	Text  string    `json:"text"`
	No    bool      `json:"no,omitempty"`    // it refuses or calls off
	Minor bool      `json:"minor,omitempty"` // one of many alike: it may be left out
}

// Round is one call for offers of one item, and the answers to it.
type Round struct {
	Item        string  `json:"item"`        // that is requested: "unit 1"
	Number      int     `json:"number"`      // from 1
	AskingPrice float64 `json:"askingPrice"` // the price that is to be met
	Bids        []Bid   `json:"bids"`        // as they came
}

// Bid is a party's answer to a call: a price, or why it names none.
type Bid struct {
	By     string  `json:"by"`
	Price  float64 `json:"price"`
	Reason string  `json:"why,omitempty"` // it refuses; empty: it offers Price
}

// Deal is an item that was bought.
type Deal struct {
	Item  string  `json:"item"`
	By    string  `json:"by"` // who sells it
	Price float64 `json:"price"`
}

// Choice is a fault kind that answers a waiting agent, as a button.
type Choice struct {
	Name   string  `json:"name"` // on the button
	Fault  string  `json:"fault"`
	Target string  `json:"target"`
	Value  float64 `json:"value,omitempty"`
}

// ConversationSource is a System whose groups of notes are conversations: ViewBids.
type ConversationSource interface {
	// Conversation returns the conversation of a group. The notes are in their order; the earliest
	// may be missing.
	Conversation(ref uint32, notes []Note) Conversation
}

// Account is a party's account: its balance and its entries.
type Account struct {
	Party    string      `json:"party"`
	Role     string      `json:"role"` // "user agent"
	Node     unit.NodeID `json:"node"` // where it is on the map; -1: nowhere
	Balance  float64     `json:"balance"`
	Received float64     `json:"received"`
	Paid     float64     `json:"paid"`
	Pending  float64     `json:"pending"` // of contracts that are not settled: to come if above 0, to go if below
	Deals    int64       `json:"deals"`   // that were settled
}

// AccountSource is a System in which money or claims move: ViewAccounts.
type AccountSource interface {
	// Accounts returns those of at most n parties, the ones with the
	// largest turnover, in an order that does not change, and how many it left out.
	Accounts(limit int) (list []Account, rest int)
}

// Fact is a line about a node that only the system knows.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NodeFactSource is a System that has more facts about a node than the cluster, and names the rigid
// jobs on it.
type NodeFactSource interface {
	// NodeFacts returns facts about a node.
	NodeFacts(unit.NodeID) []Fact
	// NameJob returns the name of a job, "unit 2 of auction 7", and whether the system placed it by
	// its own decision.
	NameJob(unit.JobID) (name string, decided bool)
}
