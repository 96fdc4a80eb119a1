package play

import (
	"time"

	"parley/core/run"
	"parley/core/unit"
)

// slow makes time pass slowly after a fault, for the viewer: at 600× a fault is one
// picture. It chooses how far a slice goes, as pace does, and the run knows nothing of
// it.
type slow struct {
	careful   bool
	stretches bool          // the first second of some faults is stretched
	speed     float64       // that time is slowed to; 0: it is not slowed
	since     time.Duration // time is slowed, or is not any more
	changed   bool          // it ever was

	fault     unit.Time // the latest fault that was checked for a stretched first second; -1 if there is none
	stretched bool      // it is
	byHand    unit.Time // the latest one that was made by hand; -1 if there is none
	began     time.Duration
	ever      bool // began is set: a first second was stretched
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

// In the first second of a fault the tasks find other nodes, one decision after another:
// some systems decide within milliseconds, others within the second. It is stretched to
// 6 s, slowest at its beginning: the simulated time since the fault doubles in every
// eleventh of these. That is done for faults made by hand and for the first one in view,
// and not again for a minute of real time.
const (
	stretchSpeed = 1.0 / 6 // on average
	stretchSpan  = unit.Second
	stretchStart = stretchSpan / 2048
	stretchTwice = 6 * time.Second / 11
	stretchAgain = time.Minute
)

// stretchedTo returns the simulated time since a fault after real time: a line between
// its values at each doubling.
func stretchedTo(real time.Duration) unit.Time {
	doubled := stretchStart << min(30, max(0, real)/stretchTwice)
	return doubled + doubled*unit.Time(max(0, real)%stretchTwice)/unit.Time(stretchTwice)
}

// SetSlowHealing sets whether time slows while a fault heals, and whether it slows further in
// the first second.
func (p *Player) SetSlowHealing(careful, stretches bool) {
	p.slow.careful, p.slow.stretches = careful, stretches
	p.control()
}

// Slowed returns the speed that time is slowed to because of a fault, in simulated seconds
// a second; 0 if it is not.
func (p *Player) Slowed() float64 {
	if !p.playing {
		return 0
	}
	return p.slow.speed
}

// control notes that the viewer has changed the speed or the time: a first second that is being stretched goes on at
// the speed of healing.
func (p *Player) control() {
	if p.slow.speed == stretchSpeed {
		p.slow.stretched = false
	}
	p.pace.restart()
}

// limit returns the speed, in simulated seconds a second, to which time is limited after a fault; 0 if the run is not
// healing from one. It records which fault is being stretched.
func (s *slow) limit(now time.Duration, r *run.Run) float64 {
	if !r.Healing(healingSpan) {
		return 0
	}
	at := r.LatestFault()
	if !s.stretches || r.Now()-at >= stretchSpan {
		return healingSpeed
	}
	if at != s.fault {
		s.fault, s.stretched = at, !s.ever || at == s.byHand && now-s.began >= stretchAgain
	}
	if !s.stretched {
		return healingSpeed
	}
	switch {
	case s.speed == stretchSpeed:
	case r.Now()-at > stretchStart:
		return healingSpeed // it comes late
	default:
		s.began, s.ever = now, true
	}
	return stretchSpeed
}

// paced returns the time to which the run should have advanced by now. While faults are shown slowly, it does
// not pass the next one at full speed.
func (p *Player) paced() unit.Time {
	s, now, speed := &p.slow, p.clock(), p.speed
	could := s.careful && speed > 0 && (s.speed > 0 || !s.changed || now-s.since >= healingAgain)
	limit := 0.0
	if could {
		if limit = s.limit(now, p.run); limit >= speed {
			limit = 0
		}
	}
	if limit != s.speed {
		if (limit > 0) != (s.speed > 0) {
			s.since, s.changed = now, true
		}
		s.speed = limit
		p.pace.restart()
	}
	if limit > 0 {
		speed = limit
	}
	target := p.pace.target(now, p.run.Now(), speed)
	if limit == stretchSpeed {
		target = s.fault + stretchedTo(now-s.began)
	}
	if could && limit == 0 {
		target = min(target, p.run.NextFault()) // not past it at full speed
	}
	return target
}
