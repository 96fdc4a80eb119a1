package window_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/frame"
	"parley/core/unit"
	"parley/tools/desktop/play"
	"parley/tools/desktop/window"
)

// still is a simulation in which nothing happens.
type still struct {
	now      unit.Time
	injected *[]string
}

func (s *still) Now() unit.Time                { return s.now }
func (s *still) Until() unit.Time              { return unit.Day }
func (s *still) Advance(until unit.Time) error { s.now = until; return nil }
func (s *still) Layers() []frame.Layer         { return []frame.Layer{{ID: "cpu", Name: "CPU used"}} }
func (s *still) Layout() frame.Layout          { return frame.Racks(make([]int32, 12), 1) }
func (s *still) Frame(buf []byte) []byte {
	return frame.Append(buf, &frame.Frame{At: s.now, Cells: 12, Layers: [][]byte{make([]byte, 12)}})
}

func (s *still) Inject(kind, target string) error {
	*s.injected = append(*s.injected, kind+" "+target)
	return nil
}

// Keys become wishes to the player.
func TestKeysReachThePlayer(t *testing.T) {
	var opened, injected []string
	var clock time.Duration
	player := play.New(func(system string) (play.Simulation, error) {
		opened = append(opened, system)
		if system == "broken" {
			return nil, errors.New("broken has no settings")
		}
		return &still{injected: &injected}, nil
	}, func() time.Duration { return clock }, 0)
	w := window.New(player, "A cell", "One", []window.System{{ID: "one", Name: "One"}, {ID: "two", Name: "Two"}, {ID: "broken", Name: "Broken"}})
	take := func() play.Snapshot {
		for player.Turn() == play.Busy {
		}
		s, _ := player.Take(nil)
		return s
	}
	if s := take(); !s.Paused || s.Speed != 60 {
		t.Errorf("began with %+v", s)
	}
	w.Press(ebiten.KeySpace)
	w.Press(ebiten.KeyBracketRight)
	w.Press(ebiten.KeyBracketRight)
	w.Press(ebiten.KeyBracketLeft)
	if s := take(); s.Paused || s.Speed != 300 {
		t.Errorf("plays: %+v", s)
	}
	w.Press(ebiten.KeyPeriod)
	if s := take(); !s.Paused || s.At < unit.Minute {
		t.Errorf("steps: %+v", s)
	}
	w.Press(ebiten.KeyK) // nothing is selected
	w.View().Selected = 5
	w.Press(ebiten.KeyK)
	w.Press(ebiten.KeyR)
	take()
	if got := strings.Join(injected, ", "); got != "node_down node.5, node_up node.5" {
		t.Errorf("injected %s", got)
	}
	w.Press(ebiten.KeyDigit2)
	w.Press(ebiten.KeyDigit3)
	w.Press(ebiten.KeyDigit4) // there is none
	if s := take(); s.Err == nil {
		t.Errorf("nothing is told of a system that does not open: %+v", s)
	}
	if got := strings.Join(opened, ","); got != ",two,broken" {
		t.Errorf("opened %s", got)
	}
}

// The pointer: hovering, clicking, dragging, the wheel.
func TestPointer(t *testing.T) {
	w := window.New(play.New(nil, nil, 0), "A cell", "One", nil)
	layout := frame.Racks(make([]int32, 12), 1)
	v := w.View()
	v.Resize(300, 300)
	v.Show([]frame.Layer{{ID: "cpu", Name: "CPU used"}}, &layout)
	x, y := 150.0, 150.0
	w.Point(x, y, false, 0)
	under := v.Cursor
	if under == unit.NoNode || under != v.Cell(x, y) {
		t.Fatalf("hovering over cell %d gives %d", v.Cell(x, y), under)
	}
	w.Point(x, y, true, 0)
	w.Point(x+2, y, true, 0) // a hand is never still
	w.Point(x+2, y, false, 0)
	if v.Selected != under || !v.Fitted {
		t.Errorf("a click selects %d, not %d; fitted %v", v.Selected, under, v.Fitted)
	}
	v.Selected = unit.NoNode
	before := v.Camera
	w.Point(x, y, true, 0)
	w.Point(x+30, y+10, true, 0)
	w.Point(x+50, y+10, true, 0)
	w.Point(x+50, y+10, false, 0)
	if dx, dy := (before.X-v.Camera.X)*v.Camera.Zoom, (before.Y-v.Camera.Y)*v.Camera.Zoom; dx < 49.99 || dx > 50.01 || dy < 9.99 || dy > 10.01 {
		t.Errorf("a drag by 50, 10 moves by %.2f, %.2f", dx, dy)
	}
	if v.Selected != unit.NoNode {
		t.Error("a drag selects")
	}
	w.Point(x, y, false, 0)
	under = v.Cell(x, y)
	w.Point(x, y, false, 1)
	if v.Camera.Zoom <= before.Zoom || v.Cell(x, y) != under {
		t.Errorf("the wheel zooms from %v to %v and moves cell %d to %d", before.Zoom, v.Camera.Zoom, under, v.Cell(x, y))
	}
}

// Plus and minus are characters, not places.
func TestType(t *testing.T) {
	w := window.New(play.New(nil, nil, 0), "A cell", "One", nil)
	w.View().Resize(300, 300)
	before := w.View().Camera.Zoom
	w.Type('+')
	if after := w.View().Camera.Zoom; after <= before {
		t.Errorf("+ zooms from %v to %v", before, after)
	}
	w.Type('-')
	if after := w.View().Camera.Zoom; math.Abs(after-before) > 1e-9 {
		t.Errorf("- comes back to %v, not %v", after, before)
	}
}
