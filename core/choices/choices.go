// Package choices records which nodes a scheduler chose in the first moments of a run, and
// replays them. The start of a large cell is mostly search: a replay leaves the search out and
// plays everything else through the same acts, so that the run has the same digest.
//
// A system asks its Log before each search and adds the result afterwards. A Log either records, or
// replays, or does neither, as a nil one does:
//
//	c, replayed := log.Next(now)
//	if !replayed {
//		c = search()
//		log.Add(c)
//	}
//
// A Tape holds the recorded choices, with digests of the run to check a replay by. It never changes
// once a Log replays it.
package choices

import (
	"encoding/binary"
	"fmt"

	"parley/core/unit"
)

// Choice is the result of one search.
type Choice struct {
	Node   unit.NodeID // NoNode if none was found
	Forced bool        // the node has no room
	Draws  uint64      // random numbers that the search used up
	Looked uint32      // nodes that it looked at, where the next search begins behind them
}

// Tape is the recorded choices of a run.
type Tape struct {
	Head
	low, high []byte // of each choice: its node, NoNode as 32,767, and 32,768 more if it was forced
	draws     []byte // of each choice; wide: it is in wides
	looks     []byte // of each choice, two bytes; empty if no search looked at nodes in turn
	wides     []byte // numbers of draws, as uvarints
	lists     []byte // lists of tasks, as uvarints
}

// Head describes the run of a tape.
type Head struct {
	Engine string    `json:"engine"` // the version that recorded it
	Run    string    `json:"run"`    // the scenario fields that decide the choices: see package run
	Faults []byte    `json:"faults"` // of the run, as its scenario has them
	Until  unit.Time `json:"until"`  // the choices before this moment are recorded
	Checks []Check   `json:"checks"` // by time; the last one is at Until
}

// Check is the digest of the run at a moment.
type Check struct {
	At     unit.Time `json:"at"`
	Digest uint64    `json:"digest,string"`
}

const (
	none   = 1<<15 - 1 // stands for NoNode
	forced = 1 << 15
	wide   = 255 // stands for a number of draws that has no room in a byte

	// MaxNodes is the size of the largest cell whose choices can be recorded.
	MaxNodes = none
)

// Len returns how many choices there are.
func (t *Tape) Len() int { return len(t.low) }

// Log provides the recorded choices of a system, or records them. Only a Log that Record or Replay
// returned does anything.
type Log struct {
	tape    *Tape
	records bool
	until   unit.Time // choices are replayed before this moment
	next    int
	wide    int // the place in wides
	list    int // the place in lists
	check   int // the next of the checks
	broken  bool
}

// Record returns a Log that adds all choices to a tape.
func Record(t *Tape) *Log { return &Log{tape: t, records: true} }

// Replay returns a Log that replays the choices of a tape before a moment.
func Replay(t *Tape, until unit.Time) *Log { return &Log{tape: t, until: min(until, t.Until)} }

// Stop ends the replay before a moment: from then on the choices of the run are others.
func (l *Log) Stop(at unit.Time) {
	if l != nil {
		l.until = min(l.until, at)
	}
}

// Replays reports whether the choices of this moment are replayed.
func (l *Log) Replays(now unit.Time) bool { return l != nil && now < l.until && !l.broken }

// Next returns the recorded choice; false if the system has to search.
func (l *Log) Next(now unit.Time) (c Choice, replayed bool) {
	if !l.Replays(now) {
		return Choice{}, false
	}
	t, i := l.tape, l.next
	if i >= len(t.low) {
		l.broken = true // the next check reports it
		return Choice{}, false
	}
	l.next++
	word := uint16(t.low[i]) | uint16(t.high[i])<<8
	c.Node, c.Forced, c.Draws = unit.NodeID(word&none), word&forced != 0, uint64(t.draws[i])
	if c.Node == none {
		c.Node = unit.NoNode
	}
	if c.Draws == wide {
		c.Draws = l.number(t.wides, &l.wide)
	}
	if len(t.looks) > 0 {
		c.Looked = uint32(binary.LittleEndian.Uint16(t.looks[2*i:]))
	}
	return c, !l.broken
}

// number reads the next uvarint at a place.
func (l *Log) number(from []byte, at *int) uint64 {
	n, size := binary.Uvarint(from[min(*at, len(from)):])
	if size <= 0 {
		l.broken = true
		return 0
	}
	*at += size
	return n
}

// Add records a choice.
func (l *Log) Add(c Choice) {
	if l == nil || !l.records {
		return
	}
	t, word := l.tape, uint16(none)
	if c.Node != unit.NoNode {
		word = uint16(c.Node)
	}
	if c.Node >= none || c.Looked > 1<<16-1 {
		l.broken = true
	}
	if c.Forced {
		word |= forced
	}
	t.low, t.high = append(t.low, byte(word)), append(t.high, byte(word>>8))
	if c.Draws >= wide {
		t.draws, t.wides = append(t.draws, wide), binary.AppendUvarint(t.wides, c.Draws)
	} else {
		t.draws = append(t.draws, byte(c.Draws))
	}
	t.looks = binary.LittleEndian.AppendUint16(t.looks, uint16(c.Looked))
}

// NextTasks returns the recorded list of tasks; false if the system has to search.
func (l *Log) NextTasks(now unit.Time) (list []unit.TaskID, replayed bool) {
	if !l.Replays(now) {
		return nil, false
	}
	for n := l.number(l.tape.lists, &l.list); n > 0 && !l.broken; n-- {
		list = append(list, unit.TaskID(l.number(l.tape.lists, &l.list)))
	}
	return list, !l.broken
}

// AddTasks records a list of tasks.
func (l *Log) AddTasks(list []unit.TaskID) {
	if l == nil || !l.records {
		return
	}
	t := l.tape
	t.lists = binary.AppendUvarint(t.lists, uint64(len(list)))
	for _, id := range list {
		t.lists = binary.AppendUvarint(t.lists, uint64(id))
	}
}

// Due returns the moment of the next check, or unit.Forever.
func (l *Log) Due() unit.Time {
	if l == nil || l.records || l.check >= len(l.tape.Checks) {
		return unit.Forever
	}
	at := l.tape.Checks[l.check].At
	if l.until < l.tape.Until && at >= l.until {
		return unit.Forever // it was stopped: later choices belong to another run
	}
	return at
}

// Check compares the digest of the run with the recorded one if a check is due. It returns
// false if they differ.
func (l *Log) Check(now unit.Time, digest uint64) bool {
	if now < l.Due() || l.Due() == unit.Forever {
		return true
	}
	c := l.tape.Checks[l.check]
	l.check++
	last := l.check == len(l.tape.Checks)
	return now == c.At && digest == c.Digest && !l.broken && (!last || l.next == l.tape.Len())
}

// Mark records the digest of the run at a moment, which becomes the end of the tape.
func (l *Log) Mark(at unit.Time, digest uint64) error {
	if l.broken {
		return fmt.Errorf("a choice does not fit on the tape: at most %d nodes can be recorded", MaxNodes)
	}
	t := l.tape
	t.Until, t.Checks = at, append(t.Checks, Check{at, digest})
	return nil
}
