package seller

import (
	"parley/core/batch"
	"parley/core/mail"
	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/system/market/price"
	"parley/core/system/market/qbets"
	"parley/core/system/market/queue"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Resources are the resource agents.
type Resources struct {
	fipa.Means
	journal      *journal.Journal
	terms        *Terms
	plan         *plan.Plan
	away         []bool // by resource: it is not in the market; users can ask, as in a directory
	All          []Resource
	pricing      price.Strategy
	Reservations []Reservation // by slot
	free         []uint32
	confirmed    map[uint64]bool // ids of reservations that were confirmed and are over
	holds        mail.Deadlines
	asks         mail.Deadlines // of the bank
	Sites        *Sites
	secret       uint64 // of their marks
	Counts       Counts
}

// Terms are the settings of the resources.
type Terms struct {
	Anticipated int       `json:"anticipated"` // rounds that resources expect: n of the price formula
	Pricing     string    `json:"pricing"`     // one of price.Names
	Predictor   string    `json:"predictor"`   // "queue": from the present queue; "qbets": from past waits
	Queue       string    `json:"queue"`       // policy of the sites' queues, one of batch.PolicyNames
	Protect     string    `json:"protect"`     // whom reservations may not delay, one of queue.ProtectNames
	Cancelling  bool      `json:"cancelling"`  // resources take units back that do not run yet
	Hold        unit.Time `json:"hold_us"`     // how long a reservation is held for a confirmation
	Lead        unit.Time `json:"lead_us"`     // from an offer to the earliest start where the request leaves it open
}

// Resource is the state of a resource agent and its queue.
type Resource struct {
	number    int
	Site      *plan.Site
	Queue     *queue.Queue
	Predictor *qbets.Predictor
	held      map[uint64]uint32 // slots of reservations by auction and unit, until they are settled
	Down      bool
	Crashes   int
	Offer     rfql.Price // the latest
	Appeal    rfql.Price // attractiveness: by how much it last lowered a price
	Bids      int64
	Wins      int64
	Sum       rfql.Price // of all offers
	SoldCores int32      // that run now
}

// Reservation is a block of a site that an agent holds or has sold.
type Reservation struct {
	Slot     uint32
	use      uint32
	State    ReservationState
	Resource int
	Auction  uint32
	Unit     int
	Price    rfql.Price
	Block    batch.Block
	until    unit.Time // of a hold
	contract *bank.Contract
	user     seal.Signature
	job      unit.JobID
}

// ReservationState is how far a reservation is.
type ReservationState uint8

const (
	Gone      ReservationState = iota
	Reserved                   // it waits for the confirmation
	confirmed                  // the bank is asked
	Paid                       // it waits for its start
	InUse                      // its job runs
	returning                  // the bank is asked to give the price back
	refunded                   // it did; the user is notified
)

// Counts are the totals of all resources.
type Counts struct {
	Offers, Refusals, Holds, Expired, Released, Returned, Broken, Late int64
}

// reply answers a message about an auction.
func (r *Resources) reply(m *fipa.Message, p fipa.Payload) {
	p.Auction, p.Unit, p.Round = m.Payload.Auction, m.Payload.Unit, m.Payload.Round
	r.Post.Send(m.To, m.From, p)
}

func (r *Resources) refuse(m *fipa.Message, reason fipa.Reason) {
	r.Counts.Refusals++
	r.reply(m, fipa.Payload{
		Act: fipa.Refuse, Reason: reason, Closest: m.Payload.Closest, Reservation: m.Payload.Reservation,
	})
}

// note publishes an event of a reservation.
func (r *Resources) note(kind uint8, v *Reservation) {
	if !r.journal.Listens() {
		return
	}
	details := append(journal.Moments(v.Block.Start, v.Block.End),
		system.Number("processors", float64(v.Block.Processors)))
	if kind == journal.NoteReserved {
		details = append(details, system.Moment("until_us", v.until))
	}
	r.journal.Publish(kind, v.Auction, v.job, v.Resource, v.Price.Credits(), details...)
}

// key names a unit of an auction.
func key(auction uint32, unit int) uint64 { return uint64(auction)<<16 | uint64(unit) }
