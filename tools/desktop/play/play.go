// Package play runs the player on a goroutine of its own, so that a window never
// waits for it. The two meet in a Snapshot: the player's side leaves the newest
// one, the window takes it when it draws.
//
//	player := play.New(open, clock, 0)
//	go player.Run()
//	defer player.Stop()
//	player.Ask(func(p *core.Player) { p.Play() })
//	if s, fresh := player.Take(nil); fresh { … }
package play

import (
	"sync"
	"time"

	"parley/core/message"
	core "parley/core/play"
	"parley/core/play/files"
	"parley/core/run/full"
	"parley/core/trace/packed"
	"parley/core/unit"
)

// Open describes the scenario to play under a system, "" for the scenario's own.
type Open func(system string) (core.Opening, error)

// Player has a player of the core on a goroutine of its own.
type Player struct {
	mu     sync.Mutex // guards the fields below, held briefly
	wishes []func()
	latest Snapshot
	fresh  bool
	spare  []byte
	wake   chan struct{}

	// The rest belongs to the goroutine of Run.
	open    Open
	core    *core.Player
	clock   core.Clock
	picture picture
	speed   int // of Speeds
	nearby  []unit.NodeID
	group   string
	stopped bool
}

// New returns a player that opens the scenario's own system first, runs up to at as fast as
// possible, and continues from there if play is true. clock returns real time from any origin.
func New(open Open, clock core.Clock, at unit.Time, play bool) *Player {
	p := &Player{open: open, clock: clock, wake: make(chan struct{}, 1), speed: firstSpeed}
	p.core = core.New(clock, full.Systems(), files.Reader{Unpack: packed.Open}, p.hear)
	p.core.SetSpeed(Speeds[p.speed])
	p.wishes = append(p.wishes, func() { p.start("", at, play) })
	return p
}

// Run plays until Stop.
func (p *Player) Run() {
	for {
		switch next := p.Turn(); {
		case p.stopped:
			return
		case next == core.Ahead:
			p.sleep(4 * time.Millisecond)
		case next == core.Idle:
			if wait := p.core.Settle(); wait > 0 {
				p.sleep(wait)
			} else {
				<-p.wake
			}
		}
	}
}

// sleep waits, but not when there is a wish.
func (p *Player) sleep(d time.Duration) {
	select {
	case <-p.wake:
	case <-time.After(d):
	}
}

// turnLength is the duration of a turn.
const turnLength = 12 * time.Millisecond

// Turn carries out the wishes and then plays for some milliseconds. Run calls it; tests do too.
func (p *Player) Turn() core.Next {
	p.mu.Lock()
	wishes := p.wishes
	p.wishes = nil
	p.mu.Unlock()
	for _, wish := range wishes {
		wish()
	}
	next := p.core.Slice(turnLength)
	p.publish(next == core.Idle || len(wishes) > 0)
	return next
}

// Ask does something with the core's player, soon.
func (p *Player) Ask(f func(*core.Player)) {
	p.wish(func() {
		if !p.picture.broken {
			p.picture.err = nil
		}
		f(p.core)
	})
}

// Toggle pauses or continues.
func (p *Player) Toggle() {
	p.Ask(func(c *core.Player) {
		if c.Playing() {
			c.Pause()
		} else {
			c.Play()
		}
		p.picture.stale = true
	})
}

// Faster climbs the ladder of speeds, or descends.
func (p *Player) Faster(steps int) {
	p.Ask(func(c *core.Player) {
		p.speed = min(max(p.speed+steps, 0), len(Speeds)-1)
		c.SetSpeed(Speeds[p.speed])
		p.picture.stale = true
	})
}

// Choose restarts the scenario under another system. If that fails, the present run continues.
func (p *Player) Choose(system string) {
	p.Ask(func(c *core.Player) { p.start(system, 0, c.Playing()) })
}

func (p *Player) start(system string, at unit.Time, play bool) {
	o, err := p.open(system)
	if err != nil {
		p.hear(core.Event{Kind: core.Refused, Err: err})
		return
	}
	o.At, o.Play = at, play
	p.picture.waiting, p.picture.words = &message.Progress{Phase: "starting"}, true
	p.core.Open(o)
}

// Stop ends Run soon.
func (p *Player) Stop() { p.wish(func() { p.stopped = true }) }

// wish queues a function for the goroutine of Run.
func (p *Player) wish(f func()) {
	p.mu.Lock()
	p.wishes = append(p.wishes, f)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
