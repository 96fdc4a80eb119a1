package play

import (
	"cmp"
	"slices"
	"time"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// past holds snapshots of the played part of a run, so that any earlier moment can be restored
// after a short replay. When memory is full, the snapshots nearest to others are dropped, and
// later ones are taken as far apart as the others are.
type past struct {
	taker *run.Snapshots
	kept  []*run.Snapshot // by time
	from  unit.Time       // the time up to which none is taken
	every unit.Time       // simulated time between two of them, at least
	off   bool            // no snapshots: a seek back replays the run from its start
	cost  time.Duration   // of the latest snapshot
	busy  time.Duration   // time spent computing since the latest snapshot

	arrived time.Duration // when the latest seek arrived
	rests   bool          // no request since then, and Settle took no snapshot
}

// pastBytes is the memory for snapshots if the size of the memory is unknown,
// firstEvery their first distance.
const (
	pastBytes  = 256 << 20
	firstEvery = unit.Minute
)

// Room returns the memory that snapshots may hold on a device with this many GB: a sixteenth,
// and with 0 (unknown) as on one with 4.
func Room(gigabytes float64) int {
	if gigabytes <= 0 {
		return pastBytes
	}
	return int(min(max(gigabytes, 1), 8) * (1 << 30) / 16)
}

// A snapshot is due when the events since the one before took this many times as long to
// compute as taking one does. That is also the longest replay, as far as there
// is room. During a seek through the played part the user waits, so only long intervals
// get one (dueWay). At the end of a seek half of due is enough (dueHere), unless the user is still
// dragging the timeline.
const (
	due     = 2
	dueWay  = 12
	dueHere = 1
	rest    = 500 * time.Millisecond
)

// Branch is one course of a run: the first, or one that began when somebody acted in
// the past of another, which is kept. Acts that were to come in the other's course
// come in this one too: they differ by one act.
type Branch struct {
	Number, Parent int            // Parent is -1 for the first
	At             unit.Time      // of the act
	Act            scenario.Fault // zero for the first
	Shared         int            // acts that it has from its parent: the first of Faults
	Head           unit.Time      // how far it was ever played
	Faults         []scenario.Fault
}

// coursesOf returns the courses of a run that is opened: one, or where an act began it
// in another one's past, that and its parent, with the acts that the parent had then.
func coursesOf(faults []scenario.Fault, fork int) []Branch {
	if fork < 1 || fork > len(faults) {
		return []Branch{{Parent: -1, Faults: slices.Clone(faults)}}
	}
	shared, act := fork-1, faults[fork-1]
	at := unit.Time(act.At)
	return []Branch{
		{Parent: -1, Head: at, Faults: slices.Clone(faults[:shared])},
		{Number: 1, At: at, Act: act, Shared: shared, Faults: slices.Clone(faults)},
	}
}

// Branches returns the courses of the run in the order of their beginning, and the
// number of the one that is played.
func (p *Player) Branches() ([]Branch, int) { return p.branches, p.branch }

// Scenario returns the scenario that makes a branch.
func (p *Player) Scenario(b Branch) *scenario.Scenario {
	s := *p.run.Scenario()
	s.Faults = b.Faults
	return &s
}

// Keep lets the snapshots of the run hold a given number of bytes.
func (p *Player) Keep(bytes int) { p.room = bytes }

// Kept returns about how many bytes the snapshots hold.
func (p *Player) Kept() int {
	if p.past.taker == nil {
		return 0
	}
	return p.past.taker.Bytes()
}

// A cell with many nodes places a hundred thousand tasks when it begins: until that is
// over somebody waits, and copies would soon be unlike the cell. The first of them is
// assumed to cost a fixed amount for each node. Before a seek to a moment that is far, where
// there is none yet, waits for one: else the way back would place all tasks again.
const (
	many    = 5000
	settled = 2 * unit.Minute
	guess   = 40 * time.Microsecond
	far     = 10 * unit.Minute
)

// begin forgets all snapshots, for a run that begins at its start. In a cell of many nodes, the first snapshots are
// delayed.
func (p *Player) begin() {
	p.past = past{taker: run.NewSnapshots(p.run), every: firstEvery, off: p.from.Once}
	if n := p.run.View().Nodes(); n >= many {
		p.past.from, p.past.cost = settled, guess*time.Duration(n)
	}
}

// beginAgain is begin for a run that starts again because no snapshot leads to the moment sought: other snapshots stay,
// and the start becomes one.
func (p *Player) beginAgain() {
	p.past.taker = p.past.taker.Another(p.run)
	p.take()
}

// keep takes a snapshot if the time computed since the latest one is due times the cost of one, and none is nearer than
// every.
func (p *Player) keep(due time.Duration) {
	h, r := &p.past, p.run
	if r.Now() <= h.from {
		h.busy = 0
		return
	}
	if h.off || h.busy < due*h.cost || r.Behind() || r.Done() && r.Now() < r.Until() {
		return
	}
	if s := p.nearest(r.Now(), r.Scenario().Faults); s != nil && r.Now()-s.At() < h.every {
		return
	}
	p.take()
}

// Settle takes the snapshot that is due where a seek ended, once the run has rested there. Call it after a Slice that
// leaves nothing to do. It returns the delay before the next call, and 0 if none is needed.
func (p *Player) Settle() time.Duration {
	h := &p.past
	if !h.rests || p.playing || p.seek >= 0 || p.coming != nil {
		return 0
	}
	if wait := h.arrived + rest - p.clock(); wait > 0 {
		return wait
	}
	h.rests = false
	p.keep(dueHere)
	return 0
}

// take takes a snapshot, and drops others while they exceed p.room bytes. After an error no more are taken.
func (p *Player) take() {
	h := &p.past
	if h.off {
		return
	}
	begin := p.clock()
	s, err := h.taker.Take()
	if err != nil {
		h.off = true
		return
	}
	h.kept = append(h.kept, s)
	slices.SortStableFunc(h.kept, func(a, b *run.Snapshot) int { return cmp.Compare(a.At(), b.At()) })
	for h.taker.Bytes() > p.room && len(h.kept) > 2 {
		h.thin()
	}
	h.busy, h.cost = 0, p.clock()-begin
}

// thin drops one snapshot, neither the first nor the last: the one whose neighbours are nearest to one another, among
// those that free memory if any does. There must be at least three.
func (h *past) thin() {
	smallest, which, bare := unit.Time(0), 0, false
	for i := 1; i < len(h.kept)-1; i++ {
		s := h.kept[i]
		gap, frees := h.gap(i), s.Bare()
		if which == 0 || frees && !bare || frees == bare && gap < smallest {
			smallest, which, bare = gap, i, frees
		}
	}
	if smallest < unit.Forever {
		h.every = max(h.every, smallest)
	}
	h.kept[which].Drop()
	h.kept = slices.Delete(h.kept, which, which+1)
}

// gap returns the time between the snapshots before and after the i-th in its branch; unit.Forever if none is after it.
func (h *past) gap(i int) unit.Time {
	s, before := h.kept[i], unit.Time(0)
	for _, other := range slices.Backward(h.kept[:i]) {
		if other.LeadsTo(s) {
			before = other.At()
			break
		}
	}
	for _, other := range h.kept[i+1:] {
		if s.LeadsTo(other) {
			return other.At() - before
		}
	}
	return unit.Forever
}

// nearest returns the latest snapshot up to a time from which a run with these faults continues; nil if there is
// none.
func (p *Player) nearest(at unit.Time, faults []scenario.Fault) *run.Snapshot {
	for _, s := range slices.Backward(p.past.kept) {
		if s.At() <= at && s.Leads(faults) {
			return s
		}
	}
	return nil
}

// restore returns the run of a snapshot on a timeline with these faults. It fails if the
// scenario's files cannot be opened again.
func (p *Player) restore(s *run.Snapshot, faults []scenario.Fault) (*run.Run, *run.Snapshots, error) {
	var source workload.Source
	if len(p.from.Files) > 0 {
		var err error
		if source, err = p.files.Open(p.from.Scenario, p.from.Files); err != nil {
			return nil, nil, err
		}
	}
	return s.Restore(source, faults)
}

// back replaces the run by the nearest snapshot up to a time, and reports whether it did: not if there is none or it
// cannot be restored. The caller then starts the run again.
func (p *Player) back(at unit.Time, faults []scenario.Fault) bool {
	s := p.nearest(at, faults)
	if s == nil {
		return false
	}
	r, taker, err := p.restore(s, faults)
	if err != nil {
		p.past.off = true
		return false
	}
	p.run, p.past.taker, p.past.busy, p.over, p.pace = r, taker, 0, false, pace{}
	p.hear(Event{Kind: Opened})
	return true
}

// Seek runs to a time, from the nearest snapshot before it or from the present.
func (p *Player) Seek(at unit.Time) {
	if p.run != nil {
		p.control()
		branch := p.branch
		if p.coming != nil && p.coming.again {
			branch = p.coming.branch
		}
		p.goTo(branch, max(1, min(at, p.run.Until())))
	}
}

// Switch goes to another branch at the present moment, or at the branch's head if that is earlier. An unknown branch
// is ignored.
func (p *Player) Switch(branch int) {
	if p.run == nil || branch < 0 || branch >= len(p.branches) || branch == p.branch && p.coming == nil {
		return
	}
	p.goTo(branch, max(1, min(p.run.Now(), p.branches[branch].Head)))
}

// goTo seeks to a moment of a branch: on from the present, or from a snapshot if the moment is earlier, on another
// branch, or much nearer to a snapshot; from the start if no snapshot leads there. If another run is being
// opened, it does nothing.
func (p *Player) goTo(branch int, at unit.Time) {
	play, here := p.playing, p.run.Now()
	if p.seek >= 0 {
		play = p.resume
	}
	if c := p.coming; c != nil {
		play = c.want.Play
		if !c.again {
			return // another run comes
		}
		p.coming = nil
	}
	faults := p.branches[branch].Faults
	changed := branch != p.branch
	if s := p.nearest(at, faults); changed || at < here || s != nil && s.At() > here+p.past.every {
		if !p.back(at, faults) {
			o := p.from
			o.Scenario, o.At, o.Play = p.Scenario(p.branches[branch]), at, play
			p.startAgain(o, branch)
			return
		}
		if p.branch = branch; changed {
			p.hear(Event{Kind: Branched})
		}
	}
	if len(p.past.kept) == 0 && at-here >= far && here > p.past.from && !p.run.Behind() {
		p.take()
	}
	p.seek, p.resume, p.playing = at, play, false
}

// Inject applies a fault now; it becomes part of the run's scenario. Before the head of the branch it begins another
// branch. An invalid fault is reported as Refused.
func (p *Player) Inject(f scenario.Fault) {
	if p.run == nil {
		return
	}
	if p.coming != nil && p.coming.again {
		p.coming = nil // an act cancels a return under way
	}
	p.slow.byHand = p.run.Now()
	err := p.run.Inject(f)
	faults := slices.Clone(p.run.Scenario().Faults)
	b, now := &p.branches[p.branch], p.run.Now()
	switch {
	case err != nil:
		p.hear(Event{Kind: Refused, Err: err})
	case now < b.Head:
		p.branches = append(p.branches, Branch{
			Number: len(p.branches), Parent: p.branch, At: now,
			Act: faults[len(faults)-1], Shared: len(faults) - 1, Head: now, Faults: faults,
		})
		p.branch = len(p.branches) - 1
		p.hear(Event{Kind: Branched})
	default:
		b.Faults = faults
	}
	p.stand()
}
