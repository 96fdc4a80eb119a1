package play

import "parley/core/unit"

// WithoutPast takes a player's snapshots away: it goes back by the start.
func WithoutPast(p *Player) { p.past.kept, p.past.off = nil, true }

// Snapshots returns how many a player has, and how many bytes they hold.
func Snapshots(p *Player) (n, bytes int) { return len(p.past.kept), p.past.taker.Bytes() }

// Thin drops one of a player's snapshots, and Every returns how far apart new ones are.
func Thin(p *Player) { p.past.thin() }

func Every(p *Player) unit.Time { return p.past.every }

// Times returns when a player's snapshots were taken.
func Times(p *Player) (times []unit.Time) {
	for _, s := range p.past.kept {
		times = append(times, s.At())
	}
	return times
}

// Gaps returns how far apart they are.
func Gaps(p *Player) (gaps []unit.Time) {
	times := Times(p)
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i]-times[i-1])
	}
	return gaps
}
