package play

import (
	"fmt"
	"time"

	"parley/core/frame"
	"parley/core/message"
	core "parley/core/play"
	"parley/core/play/remote"
	"parley/core/unit"
)

// Speeds is the ladder of Faster, as on the page: simulated seconds a second, 0 is as fast as
// possible.
var Speeds = [...]float64{1, 10, 60, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 0}

// firstSpeed is the step of the ladder that a run begins with.
const firstSpeed = 2

// Snapshot is a picture of a run with the window's texts about it.
type Snapshot struct {
	Layers    []frame.Layer // shared between snapshots, not to be changed
	Layout    *frame.Layout // the same pointer until nodes join
	Frame     []byte        // encoded; owned by the taker of the snapshot; nil if only words changed
	At, Until unit.Time
	Paused    bool
	Ended     bool
	Speed     float64           // of Speeds
	Waiting   *message.Progress // progress of a long operation; nil if there is none
	Cards     []message.Card    // of the nodes that the view is close to
	Err       error             // the latest error, nil after the next wish
}

// picture holds the parts of the next snapshot.
type picture struct {
	layers  []frame.Layer
	layout  *frame.Layout
	cards   []message.Card
	waiting *message.Progress
	err     error
	broken  bool // the run cannot go on: its error stays
	stale   bool // the latest snapshot is older than the run
	words   bool // or than its texts
	made    time.Duration
}

// pictureEvery is the interval between pictures while playing.
const pictureEvery = 33 * time.Millisecond

// hear records an event of the player.
func (p *Player) hear(e core.Event) {
	s := &p.picture
	switch e.Kind {
	case core.Waiting:
		s.waiting, s.words = &e.Progress, true
		return
	case core.Opened:
		if s.broken { // that was the run before
			s.err = nil
		}
		*s = picture{layers: p.core.Run().Layers(), made: s.made, err: s.err}
	case core.Refused:
		s.err, s.waiting, s.words = e.Err, nil, true
	case core.Broke:
		s.err, s.waiting, s.broken = e.Err, nil, true
	case core.Cancelled, core.Stood, core.Ended:
		s.waiting, s.words = nil, true
	}
	s.stale = true
}

// publish leaves a snapshot if there is something new: at once, or where the
// latest picture is old enough.
func (p *Player) publish(now bool) {
	s, r := &p.picture, p.core.Run()
	due := s.stale && r != nil && (now || p.clock()-s.made >= pictureEvery)
	if !due && !s.words && !(now && s.stale) {
		return
	}
	var drawn []byte
	if due {
		drawn = p.draw()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh = true
	l := &p.latest
	l.Waiting, l.Err, l.Speed, s.words = s.waiting, s.err, Speeds[p.speed], false
	if due {
		l.Frame, l.Layers, l.Layout, l.Cards = drawn, s.layers, s.layout, s.cards
		l.At, l.Until, l.Paused, l.Ended = r.Now(), r.Until(), !p.core.Playing(), r.Done()
	}
}

// draw returns a frame of the run, and keeps its layout.
func (p *Player) draw() []byte {
	p.mu.Lock()
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	s, r := &p.picture, p.core.Run()
	s.made, s.stale = p.clock(), false
	drawn := r.Frame(spare[:0])
	var f frame.Frame
	if err := frame.Decode(drawn, &f); err != nil {
		s.err = fmt.Errorf("the run's own frame: %w", err)
	}
	if s.layout == nil || len(s.layout.X) != f.Cells {
		layout, _ := r.LayoutIn(0, 0, 1, p.group)
		s.layout = &layout
	}
	s.cards = nil
	for _, n := range p.nearby {
		if int(n) < f.Cells {
			s.cards = append(s.cards, remote.Card(r.View(), n))
		}
	}
	return drawn
}

// ShowCards requests the cards of some nodes, from now on.
func (p *Player) ShowCards(nodes []unit.NodeID) {
	p.Ask(func(*core.Player) { p.nearby, p.picture.stale = nodes, true })
}

// Group groups nodes in the layout by a key of run.LayoutIn.
func (p *Player) Group(by string) {
	p.Ask(func(*core.Player) { p.group, p.picture.layout, p.picture.stale = by, nil, true })
}

// Take returns the newest snapshot, and whether it is newer than the last one taken. spent is a
// frame that is no longer used, for reuse.
func (p *Player) Take(spent []byte) (Snapshot, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fresh {
		return Snapshot{}, false
	}
	p.fresh, p.spare = false, spent
	s := p.latest
	p.latest.Frame = nil
	return s, true
}
