package load

import (
	"errors"
	"time"

	core "parley/core/play"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/parley/console"
	"parley/tools/parley/external"
)

// Play opens a scenario, runs it to a time and returns it with the real time taken. If it is
// interrupted, it returns the run so far, with errInterrupted; if the run cannot continue, with the
// reason.
func Play(c *console.Console, p *Playable, until unit.Time, label string, options ...run.Option) (*run.Run,
	time.Duration, error,
) {
	b := console.NewBar(c)
	defer b.Clear()
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
				b.Show("%s: starting, %.0f of %.0f tasks", label, e.Progress.Done, e.Progress.Total)
				return
			}
			speed := r.Now().Seconds() / max(clock().Seconds(), 1e-9)
			b.Show("%s: %v of %v, %s × real time", label, scenario.Duration(r.Now()), scenario.Duration(until),
				console.Number(speed))
		}
	})
	if p.Scenario.MaxUntil > 0 && until >= p.End() {
		until = unit.Time(p.Scenario.MaxUntil)
	}
	player.Open(core.Opening{
		Scenario: p.Scenario, At: until, Once: true,
		Make: func(*scenario.Scenario) (made *run.Run, err error) {
			made, err = p.Open(options...)
			r = made
			return made, err
		},
	})
	for failed == nil && player.Slice(Slice) != core.Idle {
		if c.Stopped() {
			return r, clock(), console.ErrInterrupted
		}
	}
	if errors.Is(failed, external.ErrStopped) {
		failed = console.ErrInterrupted
	}
	if p.Scenario.MaxUntil > 0 && r != nil && r.Done() && failed == nil {
		p.Scenario.Until = r.Scenario().Until
	}
	return r, clock(), failed
}

// Slice is the time for which the player computes before it can be interrupted.
const Slice = 100 * time.Millisecond

// Report returns a run's report with the real time it took.
func Report(p *Playable, r *run.Run, took time.Duration) run.Report {
	report := r.Report()
	report.WallS = took.Seconds()
	if report.WallS > 0 {
		report.Speedup = report.SimulatedS / report.WallS
	}
	report.Played = r.Played(p.Extent)
	report.Warnings = append(report.Warnings, p.Document.Warnings...)
	return report
}
