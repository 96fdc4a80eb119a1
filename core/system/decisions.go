package system

import "parley/core/unit"

// Decision says how a task came to where it is: every candidate and why it was
// taken or not.
type Decision struct {
	At         unit.Time
	Task       unit.TaskID
	From, To   unit.NodeID // NoNode: from waiting; to nowhere
	Forced     bool
	Ref        uint32 // of the notes that led there; 0: none did
	Candidates []Candidate
	Told       string // what was decided, in a sentence; empty: what the fields say
	Ranked     bool   // candidates stand in their order, not that of their scores
}

// Candidate is one node that was considered in a Decision.
type Candidate struct {
	Node   unit.NodeID
	Score  float64
	Answer string // one word: "chosen", "accepted", "rejected", "silent", "refused", "forced"
	Name   string // what it is, where it is no node alone; empty: "node 7"
	Why    string // what it answered, in words; empty: as Answer says
}

// Explainer is a System that remembers its latest decisions.
type Explainer interface {
	// Explain returns the latest decision about a task, if it is remembered.
	Explain(unit.TaskID) (Decision, bool)
}

// keptDecisions is how many decisions are remembered for people to ask about:
// all that fill a cell of some 700 nodes.
const keptDecisions = 8192

// Decisions remembers the latest decisions of a system, which may embed it to
// be an Explainer. The zero value is ready.
type Decisions struct {
	ring []Decision
	next int
}

// Remember keeps one more decision, in the place of the oldest.
func (d *Decisions) Remember(one Decision) {
	if len(d.ring) < keptDecisions {
		d.ring = append(d.ring, one)
		return
	}
	d.ring[d.next] = one
	d.next = (d.next + 1) % keptDecisions
}

// Explain implements Explainer.
func (d *Decisions) Explain(id unit.TaskID) (Decision, bool) {
	for i := range d.ring {
		if one := d.ring[(d.next-1-i+2*len(d.ring))%len(d.ring)]; one.Task == id {
			return one, true
		}
	}
	return Decision{}, false
}
