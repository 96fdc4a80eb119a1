package play_test

import (
	"errors"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/unit"
	"parley/tools/desktop/play"
)

// toy is a simulation whose every simulated second takes cost of a clock that
// only it moves.
type toy struct {
	clock    *time.Duration
	cost     time.Duration
	now      unit.Time
	until    unit.Time
	nodes    int
	failsAt  unit.Time
	injected []string
}

var errToy = errors.New("the sum is broken")

func (s *toy) Now() unit.Time   { return s.now }
func (s *toy) Until() unit.Time { return s.until }

func (s *toy) Advance(until unit.Time) error {
	until = min(until, s.until)
	*s.clock += time.Duration(float64(s.cost) * (until - s.now).Seconds())
	s.now = max(s.now, until)
	if s.failsAt > 0 && s.now >= s.failsAt {
		return errToy
	}
	return nil
}

func (s *toy) Inject(kind, target string) error {
	if target == "node.99" {
		return errors.New("there is no node 99")
	}
	s.injected = append(s.injected, kind+" "+target)
	return nil
}

func (s *toy) Layers() []frame.Layer { return []frame.Layer{{ID: "cpu"}} }
func (s *toy) Layout() frame.Layout  { return frame.Racks(make([]int32, s.nodes), 1) }

func (s *toy) Frame(buf []byte) []byte {
	return frame.Append(buf, &frame.Frame{At: s.now, Cells: s.nodes, Layers: [][]byte{make([]byte, s.nodes)}})
}

// table is a player with a toy on a clock that stands still unless told.
type table struct {
	*play.Player
	clock  time.Duration
	toy    *toy
	opened []string
}

func lay(at unit.Time, change func(*toy)) *table {
	t := &table{}
	t.Player = play.New(func(system string) (play.Simulation, error) {
		t.opened = append(t.opened, system)
		if system == "market" {
			return nil, errors.New("market is not here")
		}
		t.toy = &toy{clock: &t.clock, until: unit.Hour, nodes: 4, cost: 10 * time.Microsecond}
		if change != nil {
			change(t.toy)
		}
		return t.toy, nil
	}, func() time.Duration { return t.clock }, at)
	t.settle()
	return t
}

// settle turns until nothing is left to do at this moment.
func (t *table) settle() play.Progress {
	for range 10_000 {
		if p := t.Turn(); p != play.Busy {
			return p
		}
	}
	return play.Busy
}

// pass lets real time pass in steps of 5 ms.
func (t *table) pass(real time.Duration) {
	for end := t.clock + real; t.clock < end; {
		t.clock += 5 * time.Millisecond
		t.settle()
	}
}

func (t *table) shown() play.Snapshot {
	s, _ := t.Take(nil)
	return s
}

// A run opens paused, laid out, at its beginning.
func TestOpensPaused(t *testing.T) {
	p := lay(0, nil)
	p.pass(time.Second)
	s := p.shown()
	if !s.Paused || s.At != 1 || s.Layout == nil || len(s.Layout.X) != 4 || len(s.Frame) == 0 || s.Err != nil || s.Opening {
		t.Errorf("got %+v", s)
	}
	if _, again := p.Take(nil); again {
		t.Error("the same snapshot is taken twice")
	}
}

// Simulated time follows real time at the ladder's speeds.
func TestSpeeds(t *testing.T) {
	p := lay(0, nil)
	p.Pause(false)
	for _, step := range []struct {
		faster int
		speed  float64
	}{{0, 60}, {1, 300}, {-2, 10}, {-1, 1}, {-5, 1}} {
		p.Faster(step.faster)
		p.settle()
		p.shown()
		from := p.toy.now
		p.pass(2 * time.Second)
		if got := (p.toy.now - from).Seconds() / 2; got < 0.97*step.speed || got > 1.03*step.speed {
			t.Errorf("%v simulated seconds a second, want %v", got, step.speed)
		}
		if s := p.shown(); s.Speed != step.speed {
			t.Errorf("the window is told %v, want %v", s.Speed, step.speed)
		}
	}
}

// Where computing is slower than the speed wanted, turns stay short: what is
// owed does not pile up.
func TestTooSlow(t *testing.T) {
	p := lay(0, func(s *toy) { s.cost = 100 * time.Millisecond }) // ten times real time at most
	p.Pause(false)
	p.Turn()
	for range 200 {
		before := p.clock
		p.clock += 5 * time.Millisecond
		p.Turn()
		if took := p.clock - before; took > 60*time.Millisecond {
			t.Fatalf("a turn took %v", took)
		}
	}
	if p.toy.now < unit.Second {
		t.Errorf("reached %v only", p.toy.now)
	}
}

// As fast as it goes: to the end, which the window is told.
func TestEnd(t *testing.T) {
	p := lay(0, nil)
	p.Pause(false)
	p.Faster(100)
	if got := p.settle(); got != play.Idle || p.toy.now != unit.Hour {
		t.Fatalf("%v at %v", got, p.toy.now)
	}
	if s := p.shown(); !s.Ended || s.At != unit.Hour {
		t.Errorf("got %+v", s)
	}
}

// A start time is reached without regard to speed, then the run stands.
func TestStartsAt(t *testing.T) {
	p := lay(7*unit.Minute, nil)
	if p.toy.now != 7*unit.Minute {
		t.Errorf("at %v", p.toy.now)
	}
	p.Step()
	p.settle()
	if s := p.shown(); s.At != 8*unit.Minute || !s.Paused {
		t.Errorf("a step leads to %v, paused %v", s.At, s.Paused)
	}
}

// Another system begins the scenario anew; one that fails leaves the run.
func TestChoose(t *testing.T) {
	p := lay(unit.Minute, nil)
	first := p.toy
	p.Choose("market")
	p.settle()
	if s := p.shown(); s.Err == nil || s.At != unit.Minute || p.toy != first {
		t.Errorf("got %+v", s)
	}
	p.Choose("central")
	p.settle()
	if s := p.shown(); s.Err != nil || s.At != 1 || p.toy == first {
		t.Errorf("got %+v", s)
	}
	if len(p.opened) != 3 {
		t.Errorf("opened %q", p.opened)
	}
}

// A fault that cannot happen is told and stops nothing; a broken run stands.
func TestTrouble(t *testing.T) {
	p := lay(0, func(s *toy) { s.failsAt = unit.Minute })
	p.Fault("node_down", "node.99")
	p.settle()
	if s := p.shown(); s.Err == nil {
		t.Error("nothing is told of a fault that cannot happen")
	}
	p.Fault("rack_down", "rack.1")
	p.Pause(false)
	p.settle()
	if s := p.shown(); s.Err != nil || len(p.toy.injected) != 1 {
		t.Errorf("got %v, injected %q", s.Err, p.toy.injected)
	}
	p.pass(3 * time.Second)
	s := p.shown()
	if !errors.Is(s.Err, errToy) || s.At < unit.Minute || s.At > unit.Minute+10*unit.Second {
		t.Errorf("broken at %v: %v", s.At, s.Err)
	}
}

// Nodes that join get a new layout; until then the old one is shared.
func TestLayoutFollowsNodes(t *testing.T) {
	p := lay(0, nil)
	first := p.shown().Layout
	p.Step()
	p.settle()
	if same := p.shown().Layout; same != first {
		t.Error("the layout changes without need")
	}
	p.toy.nodes = 9
	p.Step()
	p.settle()
	if l := p.shown().Layout; len(l.X) != 9 {
		t.Errorf("%d cells of 9", len(l.X))
	}
}

// Run wakes for wishes and ends with Stop.
func TestRun(t *testing.T) {
	began := time.Now()
	var clock time.Duration
	p := play.New(func(string) (play.Simulation, error) {
		return &toy{clock: &clock, until: unit.Hour, nodes: 1}, nil
	}, func() time.Duration { return time.Since(began) }, 0)
	done := make(chan struct{})
	go func() {
		p.Run()
		close(done)
	}()
	p.Pause(false)
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
