//go:build js && wasm

package main

import (
	"parley/core/run"
	"parley/core/unit"
	"parley/wasm/bridge"
)

// pace spreads simulated time over real time. It only chooses how far a slice
// goes: what happens in the run never depends on it.
type pace struct {
	began   float64   // ms; when playing began at this speed
	from    unit.Time // the simulated time then
	started bool
	chunk   unit.Time // simulated time that takes about a millisecond
	busy    float64   // ms spent advancing since the last rate
	covered unit.Time // simulated time covered in it
	window  float64   // ms; when the last rate was taken
	first   unit.Time // simulated time then
	fired   uint64
	Reached float64 // simulated seconds a second, over the last second
	Able    float64 // the same, of pure computing
	Events  float64 // kernel events a second
}

// sliceMS is how long a slice may compute before messages get their turn.
const sliceMS = 12

func (p *pace) restart() { p.started = false }

// target returns how far to run by now at a speed; 0 means as far as possible.
func (p *pace) target(at unit.Time, speed float64) unit.Time {
	if speed == 0 {
		return unit.Forever
	}
	t := bridge.Now()
	if !p.started {
		p.started, p.began, p.from = true, t, at
	}
	want := p.from + unit.Time((t-p.began)/1000*speed*float64(unit.Second))
	if lag := want - at; float64(lag) > speed*float64(unit.Second)/4 {
		p.began, p.from = t, at // too slow for this speed: do not pile up
		want = at + unit.Time(speed*float64(unit.Second)/4)
	}
	return want
}

// run advances towards target for at most a slice.
func (p *pace) run(r *run.Run, target unit.Time, advance func(unit.Time)) {
	start := bridge.Now()
	from := r.Now()
	if p.chunk == 0 {
		p.chunk = unit.Millisecond
	}
	for t := start; r.Now() < target && !r.Done() && t-start < sliceMS; {
		advance(min(target, r.Now()+p.chunk))
		end := bridge.Now()
		switch took := end - t; {
		case took > 4:
			p.chunk = max(p.chunk/2, 1)
		case took < 1:
			p.chunk = min(p.chunk*2, unit.Hour)
		}
		t = end
	}
	p.measure(r, from, start)
}

// measure keeps the rates of the last second.
func (p *pace) measure(r *run.Run, from unit.Time, start float64) {
	end := bridge.Now()
	p.busy += end - start
	p.covered += r.Now() - from
	if p.window == 0 || r.Events() < p.fired {
		p.window, p.first, p.fired, p.busy, p.covered = start, from, r.Events(), 0, 0
		return
	}
	if span := end - p.window; span >= 500 {
		p.Reached = max(0, (r.Now()-p.first).Seconds()/span*1000)
		p.Events = float64(r.Events()-p.fired) / span * 1000
		if p.busy > 0 {
			p.Able = p.covered.Seconds() / p.busy * 1000
		}
		p.window, p.first, p.fired, p.busy, p.covered = end, r.Now(), r.Events(), 0, 0
	}
}
