package system

import (
	"slices"

	"parley/core/fifo"
	"parley/core/unit"
)

// Decision describes how a task came to its node: every candidate and why it was
// taken or not.
type Decision struct {
	At         unit.Time
	Task       unit.TaskID
	From, To   unit.NodeID // NoNode: from waiting; to nowhere
	Forced     bool
	Ref        uint32 // of the notes that led there; 0: none did
	Candidates []Candidate
	Brief      []Brief // in their place, of a decision like very many: its system's Explain writes them out
	Summary    string  // the decision, in a sentence; empty: the fields suffice
	Rule       string  // the one rule that decided, in a sentence
	Ranked     bool    // candidates are in their own order, not that of their scores
	// Messages are the messages behind the decision if agents sent some, for a picture of the
	// exchange. Text is one of Description.Messages.
	Messages []Message
}

// Candidate is one node that was considered in a Decision.
type Candidate struct {
	Node   unit.NodeID
	Score  float64
	Answer string   // Chosen, or another of Description.Answers
	Name   string   // a name if it is more than a node; empty: "node 7"
	Reason string   // the reason for its answer, in words; empty: Answer suffices
	After  unit.Vec // its load with the task; zero if unknown
}

// Brief is a candidate in compact form, without text, for a hundred thousand decisions at one
// moment: only the fields that distinguish it from the others.
type Brief struct {
	Node  unit.NodeID
	After unit.Vec
	Score float64
}

// Explainer is a System that remembers its latest decisions.
type Explainer interface {
	// Explain returns the latest decision about a task, if it is remembered.
	Explain(unit.TaskID) (Decision, bool)
	// Decided returns when that was, remembered or not; false: there was none.
	Decided(unit.TaskID) (unit.Time, bool)
}

// keptDecisions is how many decisions are remembered for people to ask about:
// all that fill a cell of some 700 nodes.
const keptDecisions = 8192

// Decisions remembers the latest decisions of a system, which may embed it to
// be an Explainer. The zero value is ready.
type Decisions struct {
	latest *fifo.Ring[Decision]
	last   []moment // of the latest decision, by the task's slot
}

// moment is when something was decided about one use of a slot.
type moment struct {
	at  unit.Time
	use uint32 // 0: never
}

// Pass notes that a decision about a task was made, without remembering it.
func (d *Decisions) Pass(id unit.TaskID, at unit.Time) {
	slot := int(id.Slot())
	if slot >= len(d.last) {
		d.last = append(d.last, make([]moment, slot+1-len(d.last))...)
	}
	d.last[slot] = moment{at, id.Use()}
}

// Remember keeps one more decision, in the place of the oldest.
func (d *Decisions) Remember(one Decision) {
	d.Pass(one.Task, one.At)
	if d.latest == nil {
		d.latest = fifo.NewRing[Decision](keptDecisions)
	}
	d.latest.Add(one)
}

// Room returns an empty list with room for n brief candidates of the next decision that
// is remembered: those that are forgotten leave their memory to them.
func (d *Decisions) Room(n int) []Brief {
	if d.latest != nil {
		if old := d.latest.Leaving(); old != nil && cap(old.Brief) >= n {
			return old.Brief[:0]
		}
	}
	return make([]Brief, 0, n)
}

// Explain implements Explainer.
func (d *Decisions) Explain(id unit.TaskID) (Decision, bool) {
	if d.latest == nil {
		return Decision{}, false
	}
	for i := range d.latest.Len() {
		if one := *d.latest.Latest(i); one.Task == id {
			one.Brief = slices.Clone(one.Brief) // of which others take the place
			return one, true
		}
	}
	return Decision{}, false
}

// Decided implements Explainer.
func (d *Decisions) Decided(id unit.TaskID) (unit.Time, bool) {
	if slot := int(id.Slot()); slot < len(d.last) && id.Use() > 0 && d.last[slot].use == id.Use() {
		return d.last[slot].at, true
	}
	return 0, false
}
