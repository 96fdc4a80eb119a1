//go:build js && wasm

package main

import (
	"parley/core/run"
	"parley/core/trace"
	"parley/core/unit"
	"parley/wasm/bridge"
)

// coming is a run whose time 0 is being played: nodes join, and a scheduler that
// takes no simulated time may place a hundred thousand tasks. Until then the run
// before it stands still, and Cancel returns to it.
type coming struct {
	run   *run.Run
	want  opening
	files []trace.File
	list  []map[string]any
	began float64 // ms
	last  float64 // when the page was last told
}

// play tells whether the run is to play on when it is there.
func (c *coming) play(on bool) {
	if c != nil {
		c.want.play = on
	}
}

// bring plays time 0 on for some milliseconds. When that is over there is something
// to lay out, and the run takes the place of the one before.
func (p *player) bring() {
	c := p.coming
	start := bridge.Now()
	err := c.run.AdvanceWhile(1, func() bool { return bridge.Now()-start < breathEvery })
	if err == nil && c.run.Now() < 1 && !c.run.Done() {
		c.tell()
		p.turn.Ask()
		return
	}
	p.coming = nil
	p.run, p.document, p.files, p.list = c.run, c.want.document, c.files, c.list
	p.told, p.seek, p.playing, p.node = false, -1, c.want.play, unit.NoNode
	p.pace.restart()
	p.out.reset()
	if err != nil {
		bridge.Broken(err)
	}
	p.advance(1) // perhaps that was all
	p.tellOpened()
	if c.want.at > 0 {
		p.seek, p.resume = c.want.at, c.want.play
	}
	p.tell(true)
	p.turn.Ask()
}

// tell says how far it is, where that takes long.
func (c *coming) tell() {
	if t := bridge.Now(); t-max(c.last, c.began) >= tellEvery {
		c.last = t
		bridge.Post(map[string]any{
			"type": "progress", "phase": "starting", "files": []any{},
			"done": float64(c.run.View().Totals().Submitted), "total": float64(c.run.Expected()),
		})
	}
}
