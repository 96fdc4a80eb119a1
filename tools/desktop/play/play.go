// Package play runs a simulation against real time on a goroutine of its own,
// so that a window never waits for it. The two meet in a Snapshot: the player
// leaves the newest one, the window takes it when it draws.
//
// How fast, when and how often it is looked at changes nothing in a run.
//
//	player := play.New(open, clock)
//	go player.Run()
//	defer player.Stop()
//	player.Pause(false)
//	if s, fresh := player.Take(nil); fresh { … }
package play

import (
	"fmt"
	"math"
	"sync"
	"time"

	"parley/core/frame"
	"parley/core/unit"
)

// Simulation is what can be played: a run.Run, nearly.
type Simulation interface {
	Now() unit.Time
	Until() unit.Time
	Advance(until unit.Time) error
	Inject(kind, target string) error // a fault, as scenarios spell it: "node_down", "node.4711"
	Layers() []frame.Layer
	Layout() frame.Layout
	Frame(buf []byte) []byte
}

// Open makes a simulation of the scenario at time 0 under a system, "" for the
// scenario's own.
type Open func(system string) (Simulation, error)

// Speeds is the ladder of Faster, as on the page: simulated seconds a second,
// 0 is as fast as it goes.
var Speeds = [...]float64{1, 10, 60, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 0}

// firstSpeed is the step of the ladder that a run begins with.
const firstSpeed = 2

// Snapshot is a picture of a run and what a window says about it.
type Snapshot struct {
	Layers    []frame.Layer // shared between snapshots, not to be changed
	Layout    *frame.Layout // the same pointer until nodes join
	Frame     []byte        // encoded; whoever took the snapshot owns it
	At, Until unit.Time
	Paused    bool
	Ended     bool
	Speed     float64 // of Speeds
	Opening   bool    // the first one of a run is still being made
	Err       error   // what went wrong last, nil after the next success
}

// Player holds one simulation.
type Player struct {
	open  Open
	clock func() time.Duration

	mu     sync.Mutex // guards what follows, for moments only
	wishes []func()
	latest Snapshot
	fresh  bool
	spare  []byte
	wake   chan struct{}

	// The rest belongs to the goroutine of Run.
	simulation Simulation
	layers     []frame.Layer
	layout     *frame.Layout
	paused     bool
	speed      int
	seek       unit.Time // run up to here without regard to speed
	err        error     // what went wrong last
	broken     bool      // the run cannot go on
	stopped    bool
	turn       time.Duration // when the last turn began
	published  time.Duration
	stale      bool      // the picture is older than the run
	owed       float64   // simulated µs that real time has allowed
	chunk      unit.Time // what takes about a millisecond
}

// How long a turn computes and how often a picture is made while playing.
const (
	turnLength   = 12 * time.Millisecond
	pictureEvery = 33 * time.Millisecond
)

// New returns a paused player that opens the scenario's own system first and
// runs up to at without regard to speed. clock tells real time, from any
// beginning.
func New(open Open, clock func() time.Duration, at unit.Time) *Player {
	p := &Player{open: open, clock: clock, wake: make(chan struct{}, 1), paused: true, speed: firstSpeed, chunk: unit.Millisecond}
	p.wishes = append(p.wishes, func() { p.start("", at) })
	return p
}

// Run plays until Stop.
func (p *Player) Run() {
	for {
		switch p.Turn() {
		case Busy:
		case Ahead:
			select {
			case <-p.wake:
			case <-time.After(4 * time.Millisecond):
			}
		case Idle:
			<-p.wake
		case Stopped:
			return
		}
	}
}

// Stop ends Run soon.
func (p *Player) Stop() { p.wish(func() { p.stopped = true }) }

// Take returns the newest snapshot and whether it is another one than that
// taken last. spent is a frame that is not looked at any more, for reuse.
func (p *Player) Take(spent []byte) (Snapshot, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fresh {
		return Snapshot{}, false
	}
	p.fresh, p.spare = false, spent
	s := p.latest
	p.latest.Frame = nil
	return s, true
}

// wish asks the goroutine of Run for something.
func (p *Player) wish(f func()) {
	p.mu.Lock()
	p.wishes = append(p.wishes, f)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Pause stands still or plays on.
func (p *Player) Pause(still bool) { p.wish(func() { p.paused = still; p.owed = 0; p.stale = true }) }

// Toggle does the other of the two.
func (p *Player) Toggle() { p.wish(func() { p.paused = !p.paused; p.owed = 0; p.stale = true }) }

// Faster climbs the ladder of speeds, or descends.
func (p *Player) Faster(steps int) {
	p.wish(func() {
		p.speed = min(max(p.speed+steps, 0), len(Speeds)-1)
		p.owed, p.stale = 0, true
	})
}

// Step runs one minute further and stands still.
func (p *Player) Step() {
	p.wish(func() {
		p.paused = true
		if p.simulation != nil {
			p.seek = p.simulation.Now() + unit.Minute
		}
	})
}

// Choose begins the scenario anew under another system. Where that fails the
// present run goes on.
func (p *Player) Choose(system string) { p.wish(func() { p.start(system, 0) }) }

// Fault breaks or mends a node or a rack now.
func (p *Player) Fault(kind, target string) {
	p.wish(func() {
		if p.simulation != nil {
			p.err, p.stale = p.simulation.Inject(kind, target), true
		}
	})
}

func (p *Player) start(system string, at unit.Time) {
	p.publish(func(s *Snapshot) { s.Opening = true })
	simulation, err := p.open(system)
	if err == nil {
		err = simulation.Advance(1) // nodes join at time 0: now there is something to lay out
	}
	p.stale = true
	if p.err = err; err != nil {
		return
	}
	p.simulation, p.layers, p.layout, p.broken = simulation, simulation.Layers(), nil, false
	p.seek, p.owed, p.chunk = at, 0, unit.Millisecond
}

// Progress is what a turn leaves to be done.
type Progress int

// What follows a turn: the next one at once, one when real time has moved on,
// one after the next wish, none.
const (
	Busy Progress = iota
	Ahead
	Idle
	Stopped
)

// Turn does what was wished for and then plays for some milliseconds. Run
// calls it; tests do too.
func (p *Player) Turn() Progress {
	p.mu.Lock()
	wishes := p.wishes
	p.wishes = nil
	p.mu.Unlock()
	for _, wish := range wishes {
		wish()
	}
	if p.stopped {
		return Stopped
	}
	now := p.clock()
	elapsed := min(now-p.turn, 250*time.Millisecond) // a sleeping machine owes nothing
	p.turn = now
	progress := p.play(now, elapsed)
	if p.stale && (progress == Idle || len(wishes) > 0 || p.clock()-p.published >= pictureEvery) {
		p.picture()
	}
	return progress
}

// play advances the run for a turn.
func (p *Player) play(begun, elapsed time.Duration) Progress {
	s := p.simulation
	if s == nil || p.broken || s.Now() >= s.Until() {
		return Idle
	}
	goal := p.seek
	if goal <= s.Now() {
		if p.paused {
			return Idle
		}
		goal = s.Until()
		if speed := Speeds[p.speed]; speed > 0 {
			p.owed = min(p.owed, speed*0.25e6) + speed*float64(elapsed.Microseconds())
			goal = min(goal, s.Now()+unit.Time(p.owed))
		}
	}
	if goal <= s.Now() {
		return Ahead
	}
	p.stale = true
	for t := begun; s.Now() < goal && t-begun < turnLength; {
		from := s.Now()
		if err := s.Advance(min(goal, from+p.chunk)); err != nil {
			p.err, p.broken = err, true
			return Idle
		}
		p.owed = math.Max(0, p.owed-float64(s.Now()-from))
		end := p.clock()
		switch took := end - t; {
		case took > 4*time.Millisecond:
			p.chunk = max(p.chunk/2, 1)
		case took < time.Millisecond:
			p.chunk = min(p.chunk*2, unit.Hour)
		}
		t = end
	}
	return Busy
}

// picture leaves a snapshot of the run.
func (p *Player) picture() {
	p.published, p.stale = p.clock(), false
	if p.simulation == nil {
		p.publish(func(s *Snapshot) { s.Opening, s.Err = false, p.err })
		return
	}
	p.mu.Lock()
	buf := p.spare
	p.spare = nil
	p.mu.Unlock()
	buf = p.simulation.Frame(buf[:0])
	var f frame.Frame
	if err := frame.Decode(buf, &f); err != nil {
		p.err = fmt.Errorf("the run's own frame: %w", err)
	}
	if p.layout == nil || len(p.layout.X) != f.Cells {
		layout := p.simulation.Layout()
		p.layout = &layout
	}
	at, until := p.simulation.Now(), p.simulation.Until()
	p.publish(func(s *Snapshot) {
		*s = Snapshot{
			Layers: p.layers, Layout: p.layout, Frame: buf, At: at, Until: until,
			Paused: p.paused, Ended: at >= until, Speed: Speeds[p.speed], Err: p.err,
		}
	})
}

func (p *Player) publish(change func(*Snapshot)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.latest)
	p.fresh = true
}
