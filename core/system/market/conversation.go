package market

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/unit"
)

// Conversation implements system.ConversationSource: an auction's bids by round, its
// messages, and what it has come to.
func (j *journal) Conversation(ref uint32, notes []system.Note) system.Conversation {
	c := system.Conversation{Messages: []system.Message{}, Rounds: []system.Round{}, Deals: []system.Deal{}, Choices: []system.Choice{}, Unit: "credits per core-hour"}
	t := reporter{journal: j, told: &c, latest: map[unit.TaskID]int{}}
	for _, n := range notes {
		t.add(n)
	}
	if a := j.exchange.users.numbered(ref); a != nil {
		c.Outcome, c.Over = j.outcome(a), a.phase == failed || a.phase == bought
		if a.phase == asking {
			target := fmt.Sprintf("user.%d", a.user)
			c.Choices = append(c.Choices, system.Choice{Name: "Approve", Fault: "offer_approved", Target: target, Value: float64(ref)}, system.Choice{Name: "Decline", Fault: "offer_declined", Target: target, Value: float64(ref)})
		}
	}
	return c
}

// numbered returns the auction of a number, nil where it has not begun.
func (u *users) numbered(ref uint32) *auction {
	if ref == 0 || int(ref) > len(u.auctions) {
		return nil
	}
	return u.auctions[ref-1]
}

// reporter builds a conversation from notes.
type reporter struct {
	*journal
	told   *system.Conversation
	latest map[unit.TaskID]int // the unit's latest round, counted from 1
}

// add takes the next note.
func (t *reporter) add(n system.Note) {
	who, user, item := t.name(n.Node), t.user(n.Ref), t.item(n)
	say := func(from, to, says string) *system.Message {
		t.told.Messages = append(t.told.Messages, system.Message{At: n.At, From: from, To: to, Says: says})
		return &t.told.Messages[len(t.told.Messages)-1]
	}
	switch n.Kind {
	case noteCall:
		number := 1
		if i := t.latest[n.Task]; i > 0 {
			number = t.told.Rounds[i-1].Number + 1
		}
		t.told.Rounds = append(t.told.Rounds, system.Round{Item: item, Number: number, Asked: n.Value, Bids: []system.Bid{}})
		t.latest[n.Task] = len(t.told.Rounds)
		say(user, "", fmt.Sprintf("call for proposals: %s at %s", item, system.Price(n.Value)))
	case noteOffer:
		t.bid(n, system.Bid{By: who, Price: n.Value})
		say(who, user, fmt.Sprintf("propose %s for %s", system.Price(n.Value), item)).Minor = true
	case noteReject:
		m := say(user, who, fmt.Sprintf("reject-proposal: %s for %s", system.Price(n.Value), item))
		m.Minor, m.No = true, true
	case noteRefusal:
		why := wordsOf(n.Value)
		if r := reason(n.Value); r < loadChanged {
			t.bid(n, system.Bid{By: who, Why: why})
		}
		m := say(who, user, fmt.Sprintf("refuse %s: %s", item, why))
		m.Minor, m.No = reason(n.Value) < loadChanged, true
	case noteAccept:
		say(user, who, fmt.Sprintf("accept-proposal: %s for %s", system.Price(n.Value), item))
	case noteHeld:
		say(who, user, "agree: it holds a reservation for "+item)
	case noteConfirm:
		say(user, who, "confirm "+item+": the signed contract")
	case noteAcknowledged:
		say(who, user, "confirm "+item)
	case noteRequest:
		say(who, theBank, fmt.Sprintf("request %s for %s", system.Price(n.Value), item))
	case noteSettled:
		say(theBank, "", fmt.Sprintf("agree: the price is %s credits", system.Price(n.Value)))
	case noteUnpaid, noteFailed, noteExpired, noteBroken, noteReturned:
		t.end(n, say)
	case noteBought:
		t.told.Deals = append(t.told.Deals, system.Deal{Item: item, By: who, Price: n.Value})
	}
}

// end reports what is called off.
func (t *reporter) end(n system.Note, say func(from, to, says string) *system.Message) {
	who, user, item := t.name(n.Node), t.user(n.Ref), t.item(n)
	var m *system.Message
	switch n.Kind {
	case noteUnpaid:
		m = say(theBank, "", "refuse: "+bank.Answer(n.Value).String())
	case noteFailed:
		m = say(user, "", "nothing is bought: "+wordsOf(n.Value))
	case noteExpired:
		m = say(who, who, "the reservation for "+item+" ran out")
	case noteBroken:
		m = say(who, theBank, "give the price back: no cores for "+item)
	default:
		m = say(who, user, "cancel: "+item+" is given back")
	}
	m.No = true
}

// bid adds an answer to the unit's latest round, where that is remembered.
func (t *reporter) bid(n system.Note, b system.Bid) {
	if i := t.latest[n.Task]; i > 0 {
		r := &t.told.Rounds[i-1]
		r.Bids = append(r.Bids, b)
	}
}

const theBank = "bank"

// item is which unit of an auction a note is about.
func (j *journal) item(n system.Note) string {
	if a := j.exchange.users.numbered(n.Ref); a != nil {
		for i := range a.lots {
			if unit.TaskID(a.lots[i].job) == n.Task {
				return itemName(i)
			}
		}
	}
	return "a unit"
}

func itemName(i int) string { return fmt.Sprintf("unit %d", i+1) }

// wordsOf returns a reason in words from a note's value.
func wordsOf(value float64) string {
	if value >= 0 && value < float64(reasons) {
		return reason(value).String()
	}
	return ""
}

// outcome says what an auction has come to so far.
func (j *journal) outcome(a *auction) string {
	who := fmt.Sprintf("User %d", a.user)
	switch a.phase {
	case bidding:
		return fmt.Sprintf("%s asks for %s: round %d of %d. %s", who, units(len(a.lots)), max(1, a.round), a.rounds, j.leaders(a, false))
	case counting:
		return who + " asks the bank for its balance."
	case looking:
		return who + " finds no match for every unit and asks what comes closest. " + j.leaders(a, true)
	case asking:
		return fmt.Sprintf("The bidding of %s is over and waits for approval. %s", strings.ToLower(who), j.leaders(a, true))
	case voting:
		return fmt.Sprintf("The bidding is over: %s accepts the best offers, and %d of %s are reserved.", strings.ToLower(who), a.held, units(len(a.lots)))
	case committing:
		return fmt.Sprintf("All of %s are reserved; the contract is signed, and the bank decides.", units(len(a.lots)))
	case bought:
		return j.purchase(a)
	}
	return fmt.Sprintf("%s bought nothing, because %s.", who, a.why)
}

// leaders says who leads for each unit.
func (j *journal) leaders(a *auction, closest bool) string {
	var out strings.Builder
	for i := range a.lots {
		l := &a.lots[i]
		if b := l.leader(closest); b >= 0 {
			fmt.Fprintf(&out, "%s leads with %s for %s. ", j.plan.sites[b].Name, system.Price(credits(l.offers[b].price)), itemName(i))
		} else {
			fmt.Fprintf(&out, "No resource offers %s. ", itemName(i))
		}
	}
	return strings.TrimSpace(out.String())
}

// purchase says what was bought, of whom and how much below the price asked for.
func (j *journal) purchase(a *auction) string {
	var asked, paid rfql.Price
	var of []string
	for i := range a.lots {
		asked += a.lots[i].unit.Price
		paid += a.contract.Lots[i].Price
		of = append(of, fmt.Sprintf("%s from %s for %s", itemName(i), j.plan.sites[a.lots[i].with].Name, system.Price(credits(a.contract.Lots[i].Price))))
	}
	return fmt.Sprintf("User %d bought %s after %v: %s; %.0f %% of the price asked for.", a.user, units(len(a.lots)), (a.ended-a.began)/unit.Second*unit.Second, strings.Join(of, ", "), 100*float64(paid)/float64(max(1, asked)))
}

func units(n int) string {
	if n == 1 {
		return "one unit"
	}
	return fmt.Sprintf("%d units", n)
}

// decided remembers why the units of an auction went where they did, or nowhere:
// every resource with its last bid or refusal, the best first.
func (j *journal) decided(a *auction) {
	for i := range a.lots {
		l := &a.lots[i]
		if !j.Wants(unit.TaskID(l.job)) {
			continue
		}
		d := system.Decision{At: j.Clock.Now(), Task: unit.TaskID(l.job), From: unit.NoNode, To: unit.NoNode, Ref: a.number, Ranked: true, Rule: ruleCheapest}
		if l.soon {
			d.Rule = ruleFastest
		}
		order := make([]int, len(l.offers))
		for r := range order {
			order[r] = r
		}
		slices.SortStableFunc(order, func(p, q int) int { return l.rank(p, q) })
		bids := 0
		for _, r := range order {
			c := j.candidate(a, l, r)
			if c.Answer == system.Chosen {
				d.To = c.Node
			}
			if c.Score > 0 {
				bids++
			}
			d.Candidates = append(d.Candidates, c)
		}
		if d.Told = fmt.Sprintf("User %d bought nothing in auction %d, because %s. %d of %d resources had made an offer.", a.user, a.number, a.why, bids, len(order)); a.phase == bought {
			d.Told = fmt.Sprintf("User %d bought %s for %s on %s at %s credits per core-hour (auction %d): %d of %d resources made an offer; the best was %s.", a.user, system.Count(float64(l.unit.Cores()), "core"),
				system.SpanOf(l.unit.Wall), j.plan.sites[l.with].Name, system.Price(credits(a.contract.Lots[i].Price)), a.number, bids, len(order), system.Price(d.Candidates[0].Score))
		}
		j.Remember(d)
	}
}

// What decides an auction, by its goal.
const (
	ruleCheapest = "the cheapest offer that meets the request; among equal prices, the one that ends first, then the one that arrived first"
	ruleFastest  = "the offer that meets the request and ends first; among equal ends, the cheapest, then the one that arrived first"
)

// rank orders resources for people: those with an offer by their rank, then the
// others.
func (l *lot) rank(p, q int) int {
	x, y := &l.offers[p], &l.offers[q]
	switch {
	case (x.price == 0) != (y.price == 0):
		return cmp.Compare(y.price, x.price)
	case x.price == 0:
		return 0
	case l.before(x, y):
		return -1
	case l.before(y, x):
		return 1
	}
	return 0
}

// candidate is what a resource answered about a unit at last.
func (j *journal) candidate(a *auction, l *lot, r int) system.Candidate {
	o := &l.offers[r]
	c := system.Candidate{Node: j.node(r), Name: j.plan.sites[r].Name, Score: credits(o.price)}
	c.Answer = [...]string{"silent", "accepted", "refused", "rejected", "refused"}[o.state]
	last := ""
	if o.out && o.state == offered && o.why != noReason {
		last = fmt.Sprintf("; then it refused to go lower, because %s", o.why)
	}
	switch {
	case a.phase == bought && l.with == r:
		c.Answer, c.Why = system.Chosen, "chosen"+last
	case o.state == offered && o.closest:
		c.Answer, c.Why = "rejected", "comes closest, but does not meet the request"
	case o.state == offered:
		c.Why = "offered more, or later" + last
	case o.state == rejected:
		c.Why = "its offer does not meet the request"
	case o.state == withdrawn:
		c.Why = fmt.Sprintf("offered, was accepted, and withdrew: %s", o.why)
	case o.state == refused:
		c.Why = fmt.Sprintf("refused, because %s", o.why)
	default:
		c.Why = "did not answer"
	}
	return c
}
