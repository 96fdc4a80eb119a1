// Package journal publishes the notes of the market's agents and records the reasons for purchases.
// It observes: no agent learns anything from it.
package journal

import (
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Journal publishes notes and records decisions.
type Journal struct {
	system.Decisions
	env   system.Env
	books *bank.Bank
	where Directory
}

// Directory provides names for notes that their agent does not know.
type Directory interface {
	// FirstNode returns a resource's first node, unit.NoNode if it has none.
	FirstNode(resource int) unit.NodeID
	// JobOf returns the job of an auction's unit; 0 if there is none.
	JobOf(auction uint32, lot int) unit.JobID
}

// New returns the journal of a market.
func New(env system.Env, books *bank.Bank, where Directory) *Journal {
	return &Journal{env: env, books: books, where: where}
}

// Listens reports whether anything reads the notes.
func (j *Journal) Listens() bool { return j.env.Note != nil }

// Wants reports whether the decision about a unit must be recorded.
func (j *Journal) Wants(job unit.JobID) bool { return j.env.Wants(unit.TaskID(job)) }

// Node returns the node that stands for a resource, unit.NoNode below 0.
func (j *Journal) Node(resource int) unit.NodeID {
	if resource < 0 {
		return unit.NoNode
	}
	return j.where.FirstNode(resource)
}

// Job returns the job of an auction's unit; 0 if there is none.
func (j *Journal) Job(auction uint32, lot int) unit.JobID { return j.where.JobOf(auction, lot) }

// Balance returns the balance of a party, in credits.
func (j *Journal) Balance(p seal.Party) float64 { return j.books.Balance(p).Credits() }

// Publish writes a note of the present moment about an auction, a job and a resource, which
// is below 0 if none takes part.
func (j *Journal) Publish(kind uint8, auction uint32, job unit.JobID, resource int, value float64,
	details ...system.Detail,
) {
	if j.env.Note == nil {
		return
	}
	j.env.Note(system.Note{
		At: j.env.Clock.Now(), Kind: kind, Minor: minor[kind], Node: j.Node(resource), Other: unit.NoNode, Ref: auction,
		Task: unit.TaskID(job), Value: value, Details: details,
	})
}

// Moments are the details of a window.
func Moments(start, end unit.Time) []system.Detail {
	return []system.Detail{system.Moment("start_us", start), system.Moment("end_us", end)}
}
