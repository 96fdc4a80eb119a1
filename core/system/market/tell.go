package market

import (
	"fmt"
	"strings"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/buyer"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/unit"
)

// narrator puts the notes of the market into words, and an auction into the form of a conversation.
type narrator struct {
	view  cluster.View
	sites []plan.Site
	users *buyer.Users
}

// FormatNote implements system.NoteFormatter.
func (t *narrator) FormatNote(n system.Note) string {
	agent, user, item := t.name(n.Node), t.user(n.Ref), t.unit(n)
	reason := wordsOf(n.Value)
	switch n.Kind {
	case journal.NoteBegun:
		return fmt.Sprintf("%s asks for %s in auction %d", user, system.Count(n.Value, "unit"), n.Ref)
	case journal.NoteCall:
		return fmt.Sprintf("%s calls for offers for %s at %s credits per core-hour", user, item, system.Price(n.Value))
	case journal.NoteOffer:
		return fmt.Sprintf("%s offers %s credits for %s", agent, system.Price(n.Value), item)
	case journal.NoteReject:
		return fmt.Sprintf("%s rejects the offer of %s: %s credits for %s do not meet the request", user, agent,
			system.Price(n.Value), item)
	case journal.NoteRefusal:
		return fmt.Sprintf("%s refuses %s: %s", agent, item, reason)
	case journal.NoteRound:
		return fmt.Sprintf("The round is over: %s leads with %s credits for %s", agent, system.Price(n.Value), item)
	case journal.NoteClosest:
		return fmt.Sprintf("No offer matches; the closest is %s with %s credits for %s", agent, system.Price(n.Value),
			item)
	case journal.NoteAsk:
		return fmt.Sprintf("%s must approve the offers of auction %d", user, n.Ref)
	case journal.NoteAccept:
		return fmt.Sprintf("%s accepts the offer of %s: %s credits for %s", user, agent, system.Price(n.Value), item)
	case journal.NoteHeld:
		return fmt.Sprintf("%s agrees and reserves %s", agent, item)
	case journal.NoteBought:
		return fmt.Sprintf("%s buys %s on %s at %s credits per core-hour", user, item, agent, system.Price(n.Value))
	case journal.NoteReturned:
		return fmt.Sprintf("%s takes %s back from %s", agent, item, lower(user))
	case journal.NoteFailed:
		return fmt.Sprintf("Auction %d of %s fails: %s", n.Ref, lower(user), reason)
	case journal.NoteExpired:
		return fmt.Sprintf("%s deletes the reservation of %s: it was not confirmed in time", agent, item)
	case journal.NoteBroken:
		return fmt.Sprintf("%s cannot provide the cores it sold for %s and refunds the price", agent, item)
	case journal.NoteLate:
		return fmt.Sprintf("%s learns of the payment for %s after its start: it begins late", agent, item)
	case journal.NoteStarted:
		return fmt.Sprintf("%s starts %s on %s", user, item, agent)
	case journal.NoteSettled:
		return fmt.Sprintf("The bank pays %s from %s (auction %d)", system.Count(n.Value, "credit"), lower(user), n.Ref)
	case journal.NoteConfirm:
		return fmt.Sprintf("%s sends %s the signed contract for %s", user, agent, item)
	case journal.NoteAcknowledged:
		return fmt.Sprintf("%s confirms the contract for %s", agent, item)
	case journal.NoteRequest:
		return fmt.Sprintf("%s signs as well and asks the bank for the price of %s", agent, item)
	case journal.NoteReserved:
		return fmt.Sprintf("%s reserves %s", agent, item)
	case journal.NoteReleased:
		return fmt.Sprintf("%s releases the reservation of %s", agent, item)
	case journal.NoteCancel:
		return fmt.Sprintf("%s cancels %s on %s", user, item, agent)
	case journal.NotePaid:
		return fmt.Sprintf("The bank pays %s %s for %s", agent, system.Count(n.Value, "credit"), item)
	case journal.NoteRefunded:
		return fmt.Sprintf("The bank returns %s of %s to %s for %s", system.Count(n.Value, "credit"), agent, lower(user),
			item)
	case journal.NoteUnpaid:
		return fmt.Sprintf("The bank does not settle auction %d of %s: %s", n.Ref, lower(user), bank.Answer(n.Value))
	}
	return ""
}

// name returns the name of the resource to which a node belongs; "a resource" if that is unknown.
func (t *narrator) name(n unit.NodeID) string {
	if n != unit.NoNode {
		if i := int(t.view.Rack(n)); i >= 0 && i < len(t.sites) {
			return t.sites[i].Name
		}
	}
	return "a resource"
}

func (t *narrator) user(ref uint32) string {
	if all := t.users.Auctions; ref > 0 && int(ref) <= len(all) && all[ref-1] != nil {
		return fmt.Sprintf("User %d", all[ref-1].User)
	}
	return "A user"
}

// lower returns the name of a user as it is written within a sentence.
func lower(user string) string { return strings.ToLower(user[:1]) + user[1:] }

// unit describes the unit that a note is about: the lot of its auction whose job is the note's task; "a
// unit" if there is none.
func (t *narrator) unit(n system.Note) string {
	if all := t.users.Auctions; n.Ref > 0 && int(n.Ref) <= len(all) && all[n.Ref-1] != nil {
		lots := all[n.Ref-1].Lots
		for i := range lots {
			if unit.TaskID(lots[i].Job) == n.Task {
				return fmt.Sprintf("%s for %s (unit %d)", system.Count(float64(lots[i].Unit.Cores()), "core"),
					system.SpanOf(lots[i].Unit.Wall), i+1)
			}
		}
	}
	return "a unit"
}
