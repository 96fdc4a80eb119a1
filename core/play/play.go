// Package play implements the player: it opens runs and plays them against real time, a few
// milliseconds at a time. The page's worker, the window and the command line are adapters
// above it, which provide the clock, the thread and the screen.
//
// Speed, slices and observation never change the outcome of a run.
//
//	p := play.New(clock, run.Systems(), files.Reader{}, hear)
//	p.Open(play.Opening{Scenario: s, Play: true})
//	for p.Slice(12*time.Millisecond) == play.Busy {
//	}
package play

import (
	"errors"
	"time"

	"parley/core/choices"
	"parley/core/message"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
)

// Clock returns real time, from any beginning.
type Clock func() time.Duration

// Opening describes a run to open.
type Opening struct {
	Scenario *scenario.Scenario
	Files    []trace.File // that the scenario plays
	HasEnd   bool         // the scenario was made for its files and says when they end
	// the scenario's system was not chosen for the files: if it cannot play them, another one does
	Any  bool
	At   unit.Time // run up to here first, without regard to speed
	Play bool      // and go on
	// recorded, which leave out the searches of the first moments if they are of this run; nil if there are none
	Choices *choices.Tape
	Once    bool // the run is never rewound, so no snapshots are taken
	// the number of the act, from 1, that began this course of the run; the acts before it are its parent's. 0: it
	// is the first
	Fork int

	// Make makes the run of the scenario, once its files were read; nil: with the
	// player's systems, and KeptNotes notes kept.
	Make func(*scenario.Scenario) (*run.Run, error)
}

// Event is a notice to the listener of a player.
type Event struct {
	Kind     Kind
	Err      error            // of Refused and Broke: one sentence
	Progress message.Progress // of Waiting
	Answer   Answer           // of Answered and Searching
}

// Kind is a kind of event.
type Kind uint8

// The kinds of events.
const (
	Waiting   Kind = iota // something long is under way: files are read, a run starts, a seek runs
	Opened                // another run is there, its time 0 is over
	Moved                 // a slice of the run was played
	Stood                 // the run came to stand, or all that is shown of it changed: report all of it
	Ended                 // the run reached its end
	Cancelled             // the operation under way is cancelled
	Refused               // the request is invalid; the run goes on
	Broke                 // the engine found something wrong: the run cannot go on, or does not start
	Searching             // a decision is looked for in a second run: how far that is
	Answered              // the answer to Explain is there
	Branched              // another course is played: a new one, or one from before
)

// Next is the work left after a slice.
type Next uint8

// The kinds of work left after a slice: another slice at once (Busy), a slice when real time
// has moved on (Ahead), or none before a request (Idle).
const (
	Busy Next = iota
	Ahead
	Idle
)

// Player holds one run, and at most one more that will replace it. It is not safe for
// concurrent use.
type Player struct {
	clock   Clock
	systems run.Registry
	files   Files
	hear    func(Event)

	run     *run.Run
	from    Opening // the request with which the run was opened
	listed  []message.FileSummary
	coming  *coming
	reading *reading
	search  *search
	past    past
	room    int // bytes that snapshots may hold

	branches []Branch
	branch   int // that is played

	playing    bool
	over       bool      // its end was reported
	speed      float64   // simulated seconds a second wanted; 0: as fast as it goes
	seek       unit.Time // run up to here without regard to speed; -1: no
	resume     bool      // play after seeking
	pace       pace
	slow       slow
	reportedAt time.Duration // when Waiting was last reported
}

// tellEvery is the real time between two events of kind Waiting.
const tellEvery = 100 * time.Millisecond

// New returns a player without a run, which can run the given systems. If files is nil,
// it opens no files. It calls hear with every event, while one of its methods runs; hear
// must not call the player.
func New(clock Clock, systems run.Registry, files Files, hear func(Event)) *Player {
	return &Player{
		clock: clock, systems: systems, files: files, hear: hear, seek: -1,
		slow: slow{fault: -1, byHand: -1}, room: pastBytes,
	}
}

// Run returns the current run, or nil before the first one is open.
func (p *Player) Run() *run.Run { return p.run }

// Files lists the files of the run.
func (p *Player) Files() []message.FileSummary { return p.listed }

// Playing reports whether time advances by itself.
func (p *Player) Playing() bool { return p.playing }

// Seeking reports whether a seek is in progress.
func (p *Player) Seeking() bool { return p.seek >= 0 }

// Speed returns the speed that was set.
func (p *Player) Speed() float64 { return p.speed }

// Rates returns measurements of the last half second: simulated seconds a second, the
// same for computing alone, and kernel events a second.
func (p *Player) Rates() (reached, possible, events float64) {
	return p.pace.reached, p.pace.possible, p.pace.events
}

// Open replaces the current run. That run continues until the files of the new one have been read, and then
// pauses until the new one has finished its time 0. Files that nothing can read are reported as Refused.
func (p *Player) Open(o Opening) {
	p.reading.stop()
	p.reading, p.coming = nil, nil
	p.reportedAt = p.clock()
	if len(o.Files) == 0 {
		p.start(o, nil)
		return
	}
	if p.files == nil {
		p.hear(Event{Kind: Refused, Err: errors.New("there are files to play, but this program has no readers for them")})
		return
	}
	p.reading = read(p.files, o)
}

// Play resumes. During a seek or an opening, it takes effect at the end.
func (p *Player) Play() {
	switch {
	case p.coming != nil:
		p.coming.want.Play = true
	case p.seek >= 0:
		p.resume = true
	default:
		p.playing = p.run != nil && !p.run.Done()
	}
	p.pace.restart()
}

// Pause stops at the present moment. A seek continues to its end and stops there.
func (p *Player) Pause() {
	if p.coming != nil {
		p.coming.want.Play = false
	}
	p.playing, p.resume = false, false
	p.control()
	p.stand()
}

// SetSpeed sets the speed in simulated seconds per second; 0 is as fast as possible.
func (p *Player) SetSpeed(speed float64) {
	p.speed = max(0, speed)
	p.control()
}

// Step runs to the next sample and pauses. It does nothing while another run is being opened.
func (p *Player) Step() {
	if p.run != nil && p.coming == nil {
		p.playing = false
		p.control()
		p.advance((p.run.Now()/run.SampleStep + 1) * run.SampleStep)
		p.stand()
	}
}

// Cancel stops the operation in progress: reading files, opening a run, or a seek, which
// ends where it is.
func (p *Player) Cancel() {
	switch {
	case p.reading != nil:
		p.reading.stop()
		p.reading = nil
	case p.coming != nil:
		p.coming = nil
	case p.seek >= 0:
		p.seek = -1
		p.stand()
	default:
		return
	}
	p.hear(Event{Kind: Cancelled})
}

// Slice works for about length of real time and returns the work that is left. It reads files, opens a run,
// searches for a decision, or advances the run. Events are reported while it runs.
func (p *Player) Slice(length time.Duration) Next {
	if p.reading != nil {
		p.look(3 * length) // someone waits for it
	}
	if p.coming != nil {
		p.bring(length)
		return Busy
	}
	if p.search != nil {
		share := length
		if p.playing || p.seek >= 0 {
			share = length / 2 // the run that is watched goes on
		}
		p.searchOn(share)
	}
	next := p.play(length)
	if p.reading != nil || p.search != nil {
		return Busy
	}
	return next
}

// play advances the run for a slice: catches up after a restore, seeks, or plays at the set speed. It reports
// Moved unless there was nothing to do.
func (p *Player) play(length time.Duration) Next {
	r := p.run
	if r == nil {
		return Idle
	}
	next := Busy
	switch {
	case p.seek >= 0 && r.Behind():
		p.catchUp(length)
		if p.seek >= 0 {
			p.waiting("seeking", float64(r.Now()), float64(p.seek))
		}
	case p.seek >= 0:
		p.progress(p.seek, length)
		if p.coming != nil {
			return Busy // it starts again
		}
		if r.Now() < p.seek && !r.Done() {
			p.waiting("seeking", float64(r.Now()), float64(p.seek))
			break
		}
		p.seek, p.playing = -1, p.resume && !r.Done()
		p.pace.restart()
		r.Arrive()
		p.stand()
		p.past.arrived, p.past.rests = p.clock(), true
	case p.playing:
		target := p.paced()
		p.progress(target, length)
		if p.coming != nil {
			return Busy
		}
		if r.Now() >= target {
			next = Ahead
		}
	default:
		return Idle
	}
	p.hear(Event{Kind: Moved})
	if r.Done() || p.seek < 0 && !p.playing {
		return Idle
	}
	return next
}

// progress runs towards a time for a slice, and takes a snapshot if one is due: less often before the head of the
// branch, where the way is known.
func (p *Player) progress(target unit.Time, length time.Duration) {
	p.past.busy += p.pace.run(p.clock, p.run, target, length, p.advance)
	if p.run.Now() < p.branches[p.branch].Head {
		p.keep(dueWay)
	} else {
		p.keep(due)
	}
}

// advance runs to a time and reports an error, or the end of the run. If a recording of choices does not fit the run,
// the run starts again without it; p.coming is then set.
func (p *Player) advance(to unit.Time) {
	done := p.run.Done()
	if err := p.run.Advance(to); errors.Is(err, run.ErrChoices) {
		p.withoutChoices()
		return
	} else if err != nil && !done {
		p.playing = false
		p.hear(Event{Kind: Broke, Err: err})
	}
	b := &p.branches[p.branch]
	b.Head = max(b.Head, p.run.Now())
	p.end()
}

// catchUp reads on in the files of a restored run for a slice, up to the moment of the snapshot. An error ends
// the seek.
func (p *Player) catchUp(length time.Duration) {
	begin := p.clock()
	if err := p.run.CatchUp(func() bool { return p.clock()-begin < length }); err != nil {
		p.seek, p.playing = -1, false
		p.hear(Event{Kind: Broke, Err: err})
	}
}

// end reports once that the run is over.
func (p *Player) end() {
	if p.run.Done() && !p.over {
		p.over, p.playing = true, false
		p.stand()
		p.hear(Event{Kind: Ended})
	}
}

// stand reports that everything shown of the run is due now.
func (p *Player) stand() {
	if p.run != nil {
		p.hear(Event{Kind: Stood})
	}
}

// waiting reports the progress of a long operation, at most once every tellEvery.
func (p *Player) waiting(phase string, done, total float64, files ...message.FileProgress) {
	if t := p.clock(); t-p.reportedAt >= tellEvery {
		p.reportedAt = t
		p.hear(Event{Kind: Waiting, Progress: message.Progress{
			Files: append([]message.FileProgress{}, files...),
			Phase: phase, Done: done, Total: total,
		}})
	}
}
