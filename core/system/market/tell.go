package market

import (
	"fmt"
	"strings"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/unit"
)

// journal publishes notes and records why units were bought where they were.
type journal struct {
	*base
	system.Decisions
	exchange *exchange
}

func credits(p rfql.Price) float64   { return float64(p) / float64(rfql.Credit) }
func inCredits(m bank.Money) float64 { return float64(m) / 1000 }

// node returns a resource's first node.
func (j *journal) node(resource int) unit.NodeID {
	if x := j.exchange; resource >= 0 && resource < len(x.resources.all) {
		if nodes := x.resources.sites.all[resource].nodes; len(nodes) > 0 {
			return nodes[0]
		}
	}
	return unit.NoNode
}

// auction notes a step of an auction; lot is -1 where it is about all of them, and
// resource where none takes part.
func (j *journal) auction(kind uint8, a *auction, lot, resource int, value float64, details ...system.Detail) {
	if j.Note == nil {
		return
	}
	n := system.Note{At: j.Clock.Now(), Kind: kind, Node: j.node(resource), Other: unit.NoNode, Ref: a.number, Value: value, Details: details}
	if lot >= 0 {
		n.Task = unit.TaskID(a.lots[lot].job)
	} else if len(a.lots) > 0 {
		n.Task = unit.TaskID(a.lots[0].job)
	}
	switch kind {
	case noteCall, noteOffer, noteReject, noteRefusal, noteRound, noteAccept, noteHeld, noteConfirm, noteAcknowledged, noteCancel:
		n.Minor = true
	}
	j.Note(n)
}

// FormatNote implements system.NoteFormatter.
func (j *journal) FormatNote(n system.Note) string {
	who, user, what := j.name(n.Node), j.user(n.Ref), j.unit(n)
	why := wordsOf(n.Value)
	switch n.Kind {
	case noteBegun:
		return fmt.Sprintf("%s asks for %s in auction %d", user, system.Count(n.Value, "unit"), n.Ref)
	case noteCall:
		return fmt.Sprintf("%s calls for offers for %s at %s credits per core-hour", user, what, system.Price(n.Value))
	case noteOffer:
		return fmt.Sprintf("%s offers %s credits for %s", who, system.Price(n.Value), what)
	case noteReject:
		return fmt.Sprintf("%s rejects the offer of %s: %s credits for %s do not meet the request", user, who, system.Price(n.Value), what)
	case noteRefusal:
		return fmt.Sprintf("%s refuses %s: %s", who, what, why)
	case noteRound:
		return fmt.Sprintf("The round is over: %s leads with %s credits for %s", who, system.Price(n.Value), what)
	case noteClosest:
		return fmt.Sprintf("No offer matches; the closest is %s with %s credits for %s", who, system.Price(n.Value), what)
	case noteAsk:
		return fmt.Sprintf("%s must approve the offers of auction %d", user, n.Ref)
	case noteAccept:
		return fmt.Sprintf("%s accepts the offer of %s: %s credits for %s", user, who, system.Price(n.Value), what)
	case noteHeld:
		return fmt.Sprintf("%s agrees and reserves %s", who, what)
	case noteBought:
		return fmt.Sprintf("%s buys %s on %s at %s credits per core-hour", user, what, who, system.Price(n.Value))
	case noteReturned:
		return fmt.Sprintf("%s takes %s back from %s", who, what, lower(user))
	case noteFailed:
		return fmt.Sprintf("Auction %d of %s fails: %s", n.Ref, lower(user), why)
	case noteExpired:
		return fmt.Sprintf("%s deletes the reservation of %s: it was not confirmed in time", who, what)
	case noteBroken:
		return fmt.Sprintf("%s cannot provide the cores it sold for %s and refunds the price", who, what)
	case noteLate:
		return fmt.Sprintf("%s learns of the payment for %s after its start: it begins late", who, what)
	case noteStarted:
		return fmt.Sprintf("%s starts %s on %s", user, what, who)
	case noteSettled:
		return fmt.Sprintf("The bank pays %s from %s (auction %d)", system.Count(n.Value, "credit"), lower(user), n.Ref)
	case noteConfirm:
		return fmt.Sprintf("%s sends %s the signed contract for %s", user, who, what)
	case noteAcknowledged:
		return fmt.Sprintf("%s confirms the contract for %s", who, what)
	case noteRequest:
		return fmt.Sprintf("%s signs as well and asks the bank for the price of %s", who, what)
	case noteReserved:
		return fmt.Sprintf("%s reserves %s", who, what)
	case noteReleased:
		return fmt.Sprintf("%s releases the reservation of %s", who, what)
	case noteCancel:
		return fmt.Sprintf("%s cancels %s on %s", user, what, who)
	case notePaid:
		return fmt.Sprintf("The bank pays %s %s for %s", who, system.Count(n.Value, "credit"), what)
	case noteRefunded:
		return fmt.Sprintf("The bank returns %s of %s to %s for %s", system.Count(n.Value, "credit"), who, lower(user), what)
	case noteUnpaid:
		return fmt.Sprintf("The bank does not settle auction %d of %s: %s", n.Ref, lower(user), bank.Answer(n.Value))
	}
	return ""
}

func (j *journal) name(n unit.NodeID) string {
	if n != unit.NoNode {
		if i := int(j.View.Rack(n)); i >= 0 && i < len(j.plan.sites) {
			return j.plan.sites[i].Name
		}
	}
	return "a resource"
}

func (j *journal) user(ref uint32) string {
	if all := j.exchange.users.auctions; ref > 0 && int(ref) <= len(all) && all[ref-1] != nil {
		return fmt.Sprintf("User %d", all[ref-1].user)
	}
	return "A user"
}

// lower returns the name of a user as it is written within a sentence.
func lower(user string) string { return strings.ToLower(user[:1]) + user[1:] }

func (j *journal) unit(n system.Note) string {
	if all := j.exchange.users.auctions; n.Ref > 0 && int(n.Ref) <= len(all) && all[n.Ref-1] != nil {
		lots := all[n.Ref-1].lots
		for i := range lots {
			if unit.TaskID(lots[i].job) == n.Task {
				return fmt.Sprintf("%s for %s (unit %d)", system.Count(float64(lots[i].unit.Cores()), "core"), system.SpanOf(lots[i].unit.Wall), i+1)
			}
		}
	}
	return "a unit"
}
