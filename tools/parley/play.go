package main

import (
	"fmt"
	"time"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// bar is a line on the terminal that says how far something is.
type bar struct {
	console *Console
	shown   time.Time
	dirty   bool
}

func newBar(c *Console) *bar { return &bar{console: c} }

// show rewrites the line, at most five times a second.
func (b *bar) show(format string, args ...any) {
	if !b.console.Terminal {
		return
	}
	if now := b.console.Now(); now.Sub(b.shown) >= 200*time.Millisecond {
		b.shown, b.dirty = now, true
		fmt.Fprint(b.console.Err, "\r\x1b[K", printable(fmt.Sprintf(format, args...)))
	}
}

// clear takes the line away.
func (b *bar) clear() {
	if b.dirty {
		fmt.Fprint(b.console.Err, "\r\x1b[K")
		b.dirty = false
	}
}

// play opens a scenario, runs it to a time and returns it with the real time
// that took. What happens in a run does not depend on the slices. Where it is
// interrupted it returns the run as far as it came, with errInterrupted.
func play(c *Console, p *playable, until unit.Time, label string, options ...run.Option) (*run.Run, time.Duration, error) {
	b := newBar(c)
	defer b.clear()
	began := c.Now()
	r, err := p.open(options...)
	if err != nil {
		return nil, 0, err
	}
	slice := unit.Minute
	for before := began; r.Now() < until; {
		if c.stopped() {
			return r, c.Now().Sub(began), errInterrupted
		}
		if err := r.Advance(min(until, r.Now()+slice)); err != nil {
			return nil, 0, err
		}
		now := c.Now()
		switch took := now.Sub(before); {
		case took < 50*time.Millisecond:
			slice = min(2*slice, unit.Day)
		case took > 300*time.Millisecond:
			slice = max(slice/2, unit.Second)
		}
		before = now
		speed := r.Now().Seconds() / max(now.Sub(began).Seconds(), 1e-9)
		b.show("%s: %v of %v, %s × real time", label, scenario.Duration(r.Now()), scenario.Duration(until), number(speed))
	}
	return r, c.Now().Sub(began), nil
}

// reported returns a run's report with the real time it took.
func reported(p *playable, r *run.Run, took time.Duration) run.Report {
	report := r.Report()
	report.WallS = took.Seconds()
	if report.WallS > 0 {
		report.Speedup = report.SimulatedS / report.WallS
	}
	report.Warnings = append(report.Warnings, p.warnings()...)
	return report
}
