package window_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/frame"
	core "parley/core/play"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/desktop/play"
	"parley/tools/desktop/window"
)

// Keys become wishes to the player.
func TestKeysReachThePlayer(t *testing.T) {
	var opened []string
	var clock, tick time.Duration
	player := play.New(func(system string) (core.Opening, error) {
		opened = append(opened, system)
		if system == "broken" {
			return core.Opening{}, errors.New("broken has no settings")
		}
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","seed":7,"cluster":{"nodes":12},"until":"1d"}`))
		return core.Opening{Scenario: s}, err
	}, func() time.Duration { clock += tick; return clock }, 0, false)
	w := window.New(player, "A cell", "One", []window.System{{ID: "one", Name: "One"}, {ID: "two", Name: "Two"}, {ID: "broken", Name: "Broken"}})
	take := func() play.Snapshot {
		for player.Turn() == core.Busy {
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
	if s := take(); !s.Paused || s.At != unit.Minute {
		t.Errorf("steps: %+v", s)
	}
	w.Press(ebiten.KeyK) // nothing is selected
	w.View().Selected = 5
	w.Press(ebiten.KeyK)
	w.Press(ebiten.KeyR)
	take()
	var faults []scenario.Fault
	player.Ask(func(p *core.Player) { faults = p.Run().Scenario().Faults })
	take()
	want := []scenario.Fault{{At: scenario.Duration(unit.Minute), Kind: "node_down", Target: "node.5"}, {At: scenario.Duration(unit.Minute), Kind: "node_up", Target: "node.5"}}
	if !slices.Equal(faults, want) {
		t.Errorf("the faults are %v, want %v", faults, want)
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
	w := window.New(play.New(nil, func() time.Duration { return 0 }, 0, false), "A cell", "One", nil)
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
	w := window.New(play.New(nil, func() time.Duration { return 0 }, 0, false), "A cell", "One", nil)
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
