package play

import (
	"time"

	"parley/core/unit"
)

// slow makes time pass slowly while a fault heals, for the viewer: at 600× a
// fault is one picture. It chooses how far a slice goes, as pace does, and the run
// knows nothing of it.
type slow struct {
	careful bool
	now     bool          // time is slowed
	since   time.Duration // that changed
	changed bool          // it ever did
}

// While a fault heals, time passes at most this many times as fast as real time; for so
// long at most, of simulated time after the fault; and once it was over, so much real
// time passes before the next fault slows it: where nodes fail all the time, time goes
// on.
const (
	healingSpeed = 2
	healingSpan  = 40 * unit.Second
	healingAgain = 20 * time.Second
)

// SetCareful sets whether time slows while a fault heals.
func (p *Player) SetCareful(careful bool) {
	p.slow.careful = careful
	p.pace.restart()
}

// Slowed reports whether time is slowed because a fault heals.
func (p *Player) Slowed() bool { return p.slow.now && p.playing }

// paced returns how far to run by now.
func (p *Player) paced() unit.Time {
	s, now, speed := &p.slow, p.clock(), p.speed
	could := s.careful && speed > healingSpeed && (s.now || !s.changed || now-s.since >= healingAgain)
	if heals := could && p.run.Healing(healingSpan); heals != s.now {
		s.now, s.since, s.changed = heals, now, true
		p.pace.restart()
	}
	if s.now {
		speed = healingSpeed
	}
	target := p.pace.target(now, p.run.Now(), speed)
	if could && !s.now {
		target = min(target, p.run.NextFault()) // not past it at full speed
	}
	return target
}
