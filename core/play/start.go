package play

import (
	"errors"
	"time"

	"parley/core/message"
	"parley/core/run"
	"parley/core/system"
	"parley/core/workload"
)

// KeptNotes is the number of a system's latest notes that are kept.
const KeptNotes = 20_000

// coming is a run whose time 0 is being played: nodes join, and a scheduler that
// takes no simulated time may place a hundred thousand tasks. Until then the run
// before it stands still, and Cancel returns to it.
type coming struct {
	run    *run.Run
	want   Opening
	listed []message.FileSummary
	again  bool // the same run from its start, on the way to an earlier moment
	branch int  // of that
}

// start makes a run. If that fails the old one goes on.
func (p *Player) start(o Opening, listed []message.FileSummary) {
	r, err := p.make(o)
	if err != nil {
		p.hear(Event{Kind: Refused, Err: err})
		return
	}
	p.coming = &coming{run: r, want: o, listed: listed}
}

func (p *Player) make(o Opening) (*run.Run, error) {
	if o.Make != nil {
		return o.Make(o.Scenario)
	}
	options := []run.Option{run.KeepNotes(KeptNotes), run.KeepIncidents()}
	if o.Choices != nil {
		options = append(options, run.Replay(o.Choices))
	}
	return p.open(o, options...)
}

// withoutChoices plays the run again up to its present moment without the recorded choices,
// which are not those of this run.
func (p *Player) withoutChoices() {
	o := p.from
	o.Scenario, o.Choices, o.At, o.Play = p.run.Scenario(), nil, p.run.Now(), p.playing
	if p.seek >= 0 {
		o.At, o.Play = p.seek, p.resume
	}
	p.seek, p.playing, p.past.kept = -1, false, nil
	p.startAgain(o, p.branch)
}

// startAgain starts the same run from its beginning, in one of its courses.
func (p *Player) startAgain(o Opening, branch int) {
	p.reportedAt = p.clock()
	p.start(o, p.listed)
	if p.coming != nil {
		p.coming.again, p.coming.branch = true, branch
	}
}

// open makes a run with the player's systems.
func (p *Player) open(o Opening, options ...run.Option) (*run.Run, error) {
	var source workload.Source
	if len(o.Files) > 0 {
		var err error
		if source, err = p.files.Open(o.Scenario, o.Files); err != nil {
			return nil, err
		}
	}
	s, stated := o.Scenario, []string(nil)
	if o.Any {
		s, stated = p.systems.StandIn(s, source)
	}
	return p.systems.Open(s, source, append(options, run.WithChoices(stated...))...)
}

// bring plays time 0 on for a slice. When that is over there is something to lay
// out, and the run takes the place of the one before.
func (p *Player) bring(length time.Duration) {
	c := p.coming
	begin := p.clock()
	err := c.run.AdvanceWhile(1, func() bool { return p.clock()-begin < length })
	switch {
	case errors.Is(err, run.ErrChoices):
		again, branch := c.again, c.branch
		c.want.Choices = nil
		if p.start(c.want, c.listed); p.coming != nil {
			p.coming.again, p.coming.branch = again, branch
		}
		return
	case err != nil:
		p.coming = nil
		kind := Broke
		if unsupported := system.Unsupported(""); errors.As(err, &unsupported) {
			kind = Refused
		}
		p.hear(Event{Kind: kind, Err: err})
		return
	case c.run.Now() < 1 && !c.run.Done():
		p.waiting("starting", float64(c.run.View().Totals().Submitted), float64(c.run.Expected()))
		return
	}
	p.coming, p.search = nil, nil
	p.run, p.from, p.listed = c.run, c.want, c.listed
	p.over, p.seek, p.playing = false, -1, c.want.Play
	p.pace = pace{}
	if c.again {
		p.beginAgain()
	} else {
		p.begin()
		p.slow.fault, p.slow.byHand, p.slow.ever = -1, -1, false
	}
	changed := c.again && p.branch != c.branch
	if p.branch = c.branch; !c.again {
		p.branches = coursesOf(p.run.Scenario().Faults, c.want.Fork)
		p.branch = len(p.branches) - 1
		changed = p.branch > 0
	}
	p.hear(Event{Kind: Opened})
	if changed {
		p.hear(Event{Kind: Branched})
	}
	if c.want.At > p.run.Now() {
		p.seek, p.resume, p.playing = min(c.want.At, p.run.Latest()), c.want.Play, false
	}
	p.end() // perhaps that was all
	p.stand()
}
