package play_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	core "parley/core/play"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/desktop/play"
)

// table is a player on a clock that only the table moves, and by tick whenever
// somebody looks at it.
type table struct {
	*play.Player
	clock, tick time.Duration
	opened      []string
	last        play.Snapshot
}

func lay(t *testing.T, at unit.Time, run bool) *table {
	t.Helper()
	b := &table{tick: 20 * time.Microsecond}
	b.Player = play.New(b.open, func() time.Duration { b.clock += b.tick; return b.clock }, at, run)
	return b
}

func (b *table) open(system string) (core.Opening, error) {
	b.opened = append(b.opened, system)
	nodes := "40"
	switch system {
	case "missing":
		return core.Opening{}, errors.New("the file is gone")
	case "large":
		system, nodes = "central", "400"
	case "":
		system = "central"
	}
	s, err := scenario.Parse([]byte(`{"v":1,"system":"` + system + `","seed":7,"cluster":{"nodes":` + nodes + `},"until":"1h"}`))
	return core.Opening{Scenario: s}, err
}

// settle turns until nothing is left to do at this moment.
func (b *table) settle() core.Next {
	for range 100_000 {
		if next := b.Turn(); next != core.Busy {
			return next
		}
	}
	return core.Busy
}

// pass lets real time pass in steps of 5 ms.
func (b *table) pass(real time.Duration) {
	for end := b.clock + real; b.clock < end; {
		b.clock += 5 * time.Millisecond
		b.settle()
	}
}

// shown is what a window shows: the newest picture, and the newest words.
func (b *table) shown() play.Snapshot {
	if s, fresh := b.Take(nil); fresh {
		if s.Frame == nil {
			s.Frame = b.last.Frame
		}
		b.last = s
	}
	return b.last
}

// A run opens laid out, at its beginning, and stands unless it shall play.
func TestOpens(t *testing.T) {
	b := lay(t, 0, false)
	b.settle()
	b.pass(time.Second)
	s := b.shown()
	if !s.Paused || s.At != 1 || s.Layout == nil || len(s.Layout.X) != 40 || len(s.Layers) == 0 || len(s.Frame) == 0 || s.Err != nil || s.Waiting != nil {
		t.Errorf("got %+v", s)
	}
	if _, again := b.Take(nil); again {
		t.Error("the same snapshot is taken twice")
	}
	b = lay(t, 7*unit.Minute, true)
	b.settle()
	b.pass(100 * time.Millisecond)
	if s := b.shown(); s.At < 7*unit.Minute || s.Paused {
		t.Errorf("at %v, paused %v", s.At, s.Paused)
	}
}

// A start goes in slices: it is told how far it is, can be given up, and the run
// before it stays.
func TestStartsInSlices(t *testing.T) {
	b := lay(t, 0, false)
	b.settle()
	first := b.shown().Layout
	b.tick = 60 * time.Millisecond // a slice is over whenever somebody looks
	b.Choose("large")
	for range 4 {
		if next := b.Turn(); next != core.Busy {
			t.Fatalf("a slice leaves %v to do", next)
		}
	}
	if w := b.shown().Waiting; w == nil || w.Phase != "starting" || !(w.Done < w.Total) {
		t.Errorf("of the start is told %+v", w)
	}
	b.Ask((*core.Player).Cancel)
	if next := b.settle(); next != core.Idle {
		t.Errorf("a cancelled start leaves %v to do", next)
	}
	if s := b.shown(); s.Waiting != nil || s.Layout != first || s.Err != nil {
		t.Errorf("after it %+v", s)
	}
	b.tick = 20 * time.Microsecond
	b.Choose("large")
	b.settle()
	if s := b.shown(); s.Layout == first || s.At != 1 {
		t.Errorf("the other run has the first one's layout, at %v", s.At)
	}
}

// Simulated time follows real time at the ladder's speeds.
func TestSpeeds(t *testing.T) {
	b := lay(t, 0, true)
	b.settle()
	for _, step := range []struct {
		faster int
		speed  float64
	}{{0, 60}, {1, 300}, {-2, 10}, {-1, 1}, {-5, 1}} {
		b.Faster(step.faster)
		b.settle()
		from := b.shown().At
		b.pass(2 * time.Second)
		s := b.shown()
		if got := (s.At - from).Seconds() / 2; got < 0.93*step.speed || got > 1.05*step.speed {
			t.Errorf("%v simulated seconds a second, want %v", got, step.speed)
		}
		if s.Speed != step.speed {
			t.Errorf("the window is told %v, want %v", s.Speed, step.speed)
		}
	}
	b.Toggle()
	b.settle()
	from := b.shown()
	b.pass(time.Second)
	if s := b.shown(); s.At != from.At || !s.Paused {
		t.Errorf("paused at %v it goes on to %v", from.At, s.At)
	}
}

// As fast as it goes: to the end, which the window is told.
func TestEnd(t *testing.T) {
	b := lay(t, 0, true)
	b.Faster(100)
	if got := b.settle(); got != core.Idle {
		t.Fatalf("%v is left to do", got)
	}
	if s := b.shown(); !s.Ended || s.At != unit.Hour || s.Speed != 0 {
		t.Errorf("got %+v", s)
	}
}

// What cannot be is told until something else is asked for, and leaves the run.
func TestTrouble(t *testing.T) {
	b := lay(t, unit.Minute, false)
	b.settle()
	for _, c := range []struct {
		ask  func()
		want string
	}{
		{func() { b.Choose("missing") }, "the file is gone"},
		{func() { b.Choose("nobody") }, `"nobody"`},
		{func() {
			b.Ask(func(p *core.Player) { p.Inject(scenario.Fault{Kind: "meteor", Target: "node.9"}) })
		}, "meteor"},
	} {
		c.ask()
		b.settle()
		if s := b.shown(); s.Err == nil || !strings.Contains(s.Err.Error(), c.want) || s.At != unit.Minute || s.Waiting != nil {
			t.Errorf("told is %v at %v, waiting %v; want %s", s.Err, s.At, s.Waiting, c.want)
		}
		b.Ask(func(p *core.Player) { p.Inject(scenario.Fault{Kind: "node_down", Target: "node.3"}) })
		b.settle()
		if s := b.shown(); s.Err != nil {
			t.Errorf("after a fault that happens still %v", s.Err)
		}
	}
	if got := strings.Join(b.opened, ","); got != ",missing,nobody" {
		t.Errorf("opened %s", got)
	}
}

// The layout's pointer stays as long as the nodes do.
func TestLayoutIsShared(t *testing.T) {
	b := lay(t, 0, false)
	b.settle()
	first := b.shown()
	b.Ask((*core.Player).Step)
	b.settle()
	if s := b.shown(); s.Layout != first.Layout || s.At != unit.Minute || !s.Paused {
		t.Errorf("a step leads to %v, paused %v, the same layout: %v", s.At, s.Paused, s.Layout == first.Layout)
	}
}

// Run wakes for wishes and ends with Stop.
func TestRun(t *testing.T) {
	b := lay(t, 0, true)
	began := time.Now()
	p := play.New(b.open, func() time.Duration { return time.Since(began) }, 0, false)
	done := make(chan struct{})
	go func() {
		p.Run()
		close(done)
	}()
	p.Toggle()
	p.Faster(100)
	for {
		if s, fresh := p.Take(nil); fresh && s.Ended {
			break
		}
		time.Sleep(time.Millisecond)
	}
	p.Stop()
	<-done
}
