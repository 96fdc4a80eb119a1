package play

import (
	"time"

	"parley/core/run"
	"parley/core/unit"
)

// pace spreads simulated time over real time. It only chooses the length of a
// slice: the events of the run never depend on it.
type pace struct {
	began   time.Duration // when playing began at this speed
	from    unit.Time     // the simulated time then
	started bool
	chunk   unit.Time // simulated time that takes about a millisecond; 0 if not measured yet

	window  time.Duration // when the rates were last taken
	busy    time.Duration // spent advancing since then
	covered unit.Time     // simulated time advanced since then
	first   unit.Time     // simulated time then
	fired   uint64        // events then

	reached, possible, events float64
}

// How long a chunk should take, and the real time over which rates are taken.
const (
	chunkLeast = time.Millisecond
	chunkMost  = 4 * time.Millisecond
	// of simulated time: a chunk with events is no shorter, however slow the clock says that it was
	chunkFloor = unit.Millisecond
	firstChunk = unit.Millisecond // of simulated time: a large cell places a hundred thousand tasks in its first second
	rateEvery  = 500 * time.Millisecond
)

func (p *pace) restart() { p.started = false }

// target returns how far to run by now at a speed; 0 means as far as possible.
func (p *pace) target(now time.Duration, at unit.Time, speed float64) unit.Time {
	if speed == 0 {
		return unit.Forever
	}
	if !p.started {
		p.started, p.began, p.from = true, now, at
	}
	want := p.from + unit.Time((now-p.began).Seconds()*speed*float64(unit.Second))
	if limit := speed * float64(unit.Second) / 4; float64(want-at) > limit {
		want = at + unit.Time(limit) // too slow for this speed, or asleep: do not pile up
		p.began, p.from = now, want
	}
	return want
}

// run advances towards target for at most about a slice, and returns how long it took. A chunk ends between two
// moments, so that a fault that is clicked after it happens before the events of
// its moment, as it will when the scenario is played again.
func (p *pace) run(clock Clock, r *run.Run, target unit.Time, length time.Duration,
	advance func(unit.Time),
) (took time.Duration) {
	begin, from := clock(), r.Now()
	if p.chunk == 0 {
		p.chunk = unit.Second
		if r.View().Nodes() >= many {
			p.chunk = firstChunk
		}
	}
	for t := begin; r.Now() < target && !r.Done() && t-begin < length; {
		fired := r.Events()
		advance(min(target, r.Now()+p.chunk))
		end := clock()
		switch took := end - t; {
		case took > chunkMost && r.Events() == fired && p.chunk < run.SampleStep:
			p.chunk *= 2 // nothing happened, so it was not the run that took long: the next one gets further
		case took > chunkMost:
			p.chunk = max(p.chunk/2, chunkFloor)
		case took < chunkLeast:
			p.chunk = min(p.chunk*2, unit.Hour)
		}
		t = end
	}
	end := clock()
	p.measure(end, begin, r, from)
	return end - begin
}

// measure keeps the rates of the last half second.
func (p *pace) measure(end, begin time.Duration, r *run.Run, from unit.Time) {
	p.busy += end - begin
	p.covered += r.Now() - from
	if p.window == 0 || r.Events() < p.fired {
		p.window, p.first, p.fired, p.busy, p.covered = begin, from, r.Events(), 0, 0
		return
	}
	if span := (end - p.window).Seconds(); span >= rateEvery.Seconds() {
		p.reached = max(0, (r.Now()-p.first).Seconds()/span)
		p.events = float64(r.Events()-p.fired) / span
		if p.busy > 0 {
			p.possible = p.covered.Seconds() / p.busy.Seconds()
		}
		p.window, p.first, p.fired, p.busy, p.covered = end, r.Now(), r.Events(), 0, 0
	}
}
