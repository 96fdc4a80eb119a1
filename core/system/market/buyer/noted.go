package buyer

import (
	"parley/core/system"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/seal"
)

// note publishes a step of an auction; lot is -1 if it is about all units, and resource
// if none takes part.
func (u *Users) note(kind uint8, a *Auction, lot, resource int, value float64, details ...system.Detail) {
	u.journal.Publish(kind, a.Number, a.Lots[max(0, lot)].Job, resource, value, details...)
}

// noteBegun notes that an auction begins, and its user's balance.
func (u *Users) noteBegun(a *Auction) {
	if u.journal.Listens() {
		has := u.journal.Balance(seal.Party{Role: seal.User, Number: int32(a.User)})
		u.note(journal.NoteBegun, a, -1, -1, float64(len(a.Lots)), system.Number("user", float64(a.User)),
			system.Number("balance", has))
	}
}

// noteRefusal notes why a resource refuses a unit.
func (u *Users) noteRefusal(a *Auction, lot, resource int, reason fipa.Reason) {
	if u.journal.Listens() {
		u.note(journal.NoteRefusal, a, lot, resource, float64(reason), system.Text("why", reason.String()))
	}
}

// noteFailed notes why an auction buys nothing.
func (u *Users) noteFailed(a *Auction) {
	if u.journal.Listens() {
		u.note(journal.NoteFailed, a, -1, -1, float64(a.Reason), system.Text("why", a.Reason.String()))
	}
}

// noteCall notes that a user calls for offers for a unit.
func (u *Users) noteCall(a *Auction, lot int) {
	if u.journal.Listens() {
		u.note(journal.NoteCall, a, lot, -1, a.Lots[lot].asking.Credits(), system.Number("round", float64(a.Round)))
	}
}

// noteOffer notes an offer, with its window.
func (u *Users) noteOffer(kind uint8, a *Auction, lot, resource int, o *Offer) {
	if u.journal.Listens() {
		u.note(kind, a, lot, resource, o.Price.Credits(), journal.Moments(o.Start, o.End)...)
	}
}
