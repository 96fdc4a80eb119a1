package market

import (
	"fmt"
	"strings"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/buyer"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/unit"
)

// Conversation implements system.ConversationSource: an auction's bids by round, its messages, and
// its outcome so far.
func (t *narrator) Conversation(ref uint32, notes []system.Note) system.Conversation {
	c := system.Conversation{
		Messages: []system.Message{}, Rounds: []system.Round{}, Deals: []system.Deal{},
		Choices: []system.Choice{}, Unit: "credits per core-hour",
	}
	r := reporter{narrator: t, conversation: &c, latest: map[unit.TaskID]int{}}
	for _, n := range notes {
		r.add(n)
	}
	if a := t.users.Numbered(ref); a != nil {
		c.Outcome, c.Over = t.outcome(a), a.Phase == buyer.Failed || a.Phase == buyer.Bought
		if a.Phase == buyer.Asking {
			target := fmt.Sprintf("user.%d", a.User)
			c.Choices = append(c.Choices, system.Choice{
				Name: "Approve", Fault: "offer_approved", Target: target,
				Value: float64(ref),
			}, system.Choice{
				Name: "Decline", Fault: "offer_declined", Target: target,
				Value: float64(ref),
			})
		}
	}
	return c
}

// reporter builds a conversation from notes.
type reporter struct {
	*narrator
	conversation *system.Conversation
	latest       map[unit.TaskID]int // the unit's latest round, counted from 1
}

// add adds a note to the conversation: a message and, if it is a call, an offer or a purchase, also a
// round, a bid or a deal.
func (t *reporter) add(n system.Note) {
	agent, user, item := t.name(n.Node), t.user(n.Ref), t.item(n)
	report := func(from, to, text string) *system.Message {
		t.conversation.Messages = append(t.conversation.Messages,
			system.Message{At: n.At, From: from, To: to, Text: text})
		return &t.conversation.Messages[len(t.conversation.Messages)-1]
	}
	switch n.Kind {
	case journal.NoteCall:
		number := 1
		if i := t.latest[n.Task]; i > 0 {
			number = t.conversation.Rounds[i-1].Number + 1
		}
		t.conversation.Rounds = append(t.conversation.Rounds,
			system.Round{Item: item, Number: number, AskingPrice: n.Value, Bids: []system.Bid{}})
		t.latest[n.Task] = len(t.conversation.Rounds)
		report(user, "", fmt.Sprintf("call for proposals: %s at %s", item, system.Price(n.Value)))
	case journal.NoteOffer:
		t.bid(n, system.Bid{By: agent, Price: n.Value})
		report(agent, user, fmt.Sprintf("propose %s for %s", system.Price(n.Value), item)).Minor = true
	case journal.NoteReject:
		m := report(user, agent, fmt.Sprintf("reject-proposal: %s for %s", system.Price(n.Value), item))
		m.Minor, m.No = true, true
	case journal.NoteRefusal:
		reason := wordsOf(n.Value)
		if r := fipa.Reason(n.Value); r < fipa.LoadChanged {
			t.bid(n, system.Bid{By: agent, Reason: reason})
		}
		m := report(agent, user, fmt.Sprintf("refuse %s: %s", item, reason))
		m.Minor, m.No = fipa.Reason(n.Value) < fipa.LoadChanged, true
	case journal.NoteAccept:
		report(user, agent, fmt.Sprintf("accept-proposal: %s for %s", system.Price(n.Value), item))
	case journal.NoteHeld:
		report(agent, user, "agree: it holds a reservation for "+item)
	case journal.NoteConfirm:
		report(user, agent, "confirm "+item+": the signed contract")
	case journal.NoteAcknowledged:
		report(agent, user, "confirm "+item)
	case journal.NoteRequest:
		report(agent, theBank, fmt.Sprintf("request %s for %s", system.Price(n.Value), item))
	case journal.NoteSettled:
		report(theBank, "", fmt.Sprintf("agree: the price is %s credits", system.Price(n.Value)))
	case journal.NoteUnpaid, journal.NoteFailed, journal.NoteExpired, journal.NoteBroken, journal.NoteReturned:
		t.end(n, report)
	case journal.NoteBought:
		t.conversation.Deals = append(t.conversation.Deals, system.Deal{Item: item, By: agent, Price: n.Value})
	}
}

// end reports cancellations and failures.
func (t *reporter) end(n system.Note, report func(from, to, text string) *system.Message) {
	agent, user, item := t.name(n.Node), t.user(n.Ref), t.item(n)
	var m *system.Message
	switch n.Kind {
	case journal.NoteUnpaid:
		m = report(theBank, "", "refuse: "+bank.Answer(n.Value).String())
	case journal.NoteFailed:
		m = report(user, "", "nothing is bought: "+wordsOf(n.Value))
	case journal.NoteExpired:
		m = report(agent, agent, "the reservation for "+item+" ran out")
	case journal.NoteBroken:
		m = report(agent, theBank, "give the price back: no cores for "+item)
	default:
		m = report(agent, user, "cancel: "+item+" is given back")
	}
	m.No = true
}

// bid adds an answer to the unit's latest round, if that is remembered.
func (t *reporter) bid(n system.Note, b system.Bid) {
	if i := t.latest[n.Task]; i > 0 {
		r := &t.conversation.Rounds[i-1]
		r.Bids = append(r.Bids, b)
	}
}

const theBank = "bank"

// item is which unit of an auction a note is about.
func (t *narrator) item(n system.Note) string {
	if a := t.users.Numbered(n.Ref); a != nil {
		for i := range a.Lots {
			if unit.TaskID(a.Lots[i].Job) == n.Task {
				return itemName(i)
			}
		}
	}
	return "a unit"
}

func itemName(i int) string { return fmt.Sprintf("unit %d", i+1) }

// wordsOf returns a reason in words from a note's value.
func wordsOf(value float64) string {
	if value >= 0 && value < float64(fipa.Reasons) {
		return fipa.Reason(value).String()
	}
	return ""
}

// outcome describes the present state of an auction in one or two sentences.
func (t *narrator) outcome(a *buyer.Auction) string {
	user := fmt.Sprintf("User %d", a.User)
	switch a.Phase {
	case buyer.Bidding:
		return fmt.Sprintf("%s asks for %s: round %d of %d. %s", user, units(len(a.Lots)), max(1, a.Round), a.Rounds,
			t.leaders(a, false))
	case buyer.Counting:
		return user + " asks the bank for its balance."
	case buyer.Looking:
		return user + " finds no match for every unit and asks what comes closest. " + t.leaders(a, true)
	case buyer.Asking:
		return fmt.Sprintf("The bidding of %s is over and waits for approval. %s", strings.ToLower(user),
			t.leaders(a, true))
	case buyer.Voting:
		return fmt.Sprintf("The bidding is over: %s accepts the best offers, and %d of %s are reserved.",
			strings.ToLower(user), a.Held, units(len(a.Lots)))
	case buyer.Committing:
		return fmt.Sprintf("All of %s are reserved; the contract is signed, and the bank decides.", units(len(a.Lots)))
	case buyer.Bought:
		return t.purchase(a)
	}
	return fmt.Sprintf("%s bought nothing, because %s.", user, a.Reason)
}

// leaders names the leading offer for each unit.
func (t *narrator) leaders(a *buyer.Auction, closest bool) string {
	var out strings.Builder
	for i := range a.Lots {
		l := &a.Lots[i]
		if b := l.Leader(closest); b >= 0 {
			fmt.Fprintf(&out, "%s leads with %s for %s. ", t.sites[b].Name, system.Price(l.Offers[b].Price.Credits()),
				itemName(i))
		} else {
			fmt.Fprintf(&out, "No resource offers %s. ", itemName(i))
		}
	}
	return strings.TrimSpace(out.String())
}

// purchase describes a purchase: the units, the sellers, and the discount to the asking price.
func (t *narrator) purchase(a *buyer.Auction) string {
	var asking, paid rfql.Price
	var of []string
	for i := range a.Lots {
		asking += a.Lots[i].Unit.Price
		paid += a.Contract.Lots[i].Price
		of = append(of, fmt.Sprintf("%s from %s for %s", itemName(i), t.sites[a.Lots[i].With].Name,
			system.Price(a.Contract.Lots[i].Price.Credits())))
	}
	return fmt.Sprintf("User %d bought %s after %v: %s; %.0f %% of the price asked for.", a.User, units(len(a.Lots)),
		(a.Ended-a.Began)/unit.Second*unit.Second, strings.Join(of, ", "), 100*float64(paid)/float64(max(1, asking)))
}

func units(n int) string {
	if n == 1 {
		return "one unit"
	}
	return fmt.Sprintf("%d units", n)
}
