package main

import (
	"errors"
	"fmt"
	"time"

	"parley/core/escape"
	core "parley/core/play"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/parley/external"
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
		fmt.Fprint(b.console.Err, "\r\x1b[K", escape.Terminal(fmt.Sprintf(format, args...)))
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
// that took. If it is interrupted it returns the run as far as it came, with
// errInterrupted; if it cannot go on likewise, with the reason.
func play(c *Console, p *playable, until unit.Time, label string, options ...run.Option) (*run.Run, time.Duration, error) {
	b := newBar(c)
	defer b.clear()
	began := c.Now()
	clock := func() time.Duration { return c.Now().Sub(began) }
	var r *run.Run
	var failed error
	player := core.New(clock, c.Systems, nil, func(e core.Event) {
		switch e.Kind {
		case core.Refused, core.Broke:
			failed = e.Err
		case core.Waiting:
			if e.Progress.Phase == "starting" {
				b.show("%s: starting, %.0f of %.0f tasks", label, e.Progress.Done, e.Progress.Total)
				return
			}
			speed := r.Now().Seconds() / max(clock().Seconds(), 1e-9)
			b.show("%s: %v of %v, %s × real time", label, scenario.Duration(r.Now()), scenario.Duration(until), number(speed))
		}
	})
	if p.scenario.Most > 0 && until >= p.end() {
		until = unit.Time(p.scenario.Most)
	}
	player.Open(core.Opening{Scenario: p.scenario, At: until, Once: true, Make: func(*scenario.Scenario) (made *run.Run, err error) {
		made, err = p.open(options...)
		r = made
		return made, err
	}})
	for failed == nil && player.Slice(slice) != core.Idle {
		if c.stopped() {
			return r, clock(), errInterrupted
		}
	}
	if errors.Is(failed, external.ErrStopped) {
		failed = errInterrupted
	}
	if p.scenario.Most > 0 && r != nil && r.Done() && failed == nil {
		p.scenario.Until = r.Scenario().Until
	}
	return r, clock(), failed
}

// slice is how long the player computes before somebody may interrupt it.
const slice = 100 * time.Millisecond

// reported returns a run's report with the real time it took.
func reported(p *playable, r *run.Run, took time.Duration) run.Report {
	report := r.Report()
	report.WallS = took.Seconds()
	if report.WallS > 0 {
		report.Speedup = report.SimulatedS / report.WallS
	}
	report.Played = r.Played(p.extent)
	report.Warnings = append(report.Warnings, p.document.warnings...)
	return report
}
