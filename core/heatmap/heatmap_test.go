package heatmap_test

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/frame"
	"parley/core/heatmap"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/testkit/rastertest"
	"parley/core/unit"
)

// show gives a scene to a new game through its setters.
func show(t *testing.T, s *raster.Scene) *heatmap.Game {
	t.Helper()
	g, err := heatmap.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	g.SetLayers(s.Layers)
	if err := g.SetLayout(s.Layout); err != nil {
		t.Fatal(err)
	}
	if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
		t.Fatal(err)
	}
	g.SetLook(s.Look)
	g.SetCamera(s.Camera)
	g.SetCursor(s.Cursor, s.Selected)
	g.SetTime(time.Minute) // nothing moves any more
	return g
}

// pixels draws the game on a screen of its own and reads it back.
func pixels(g *heatmap.Game, width, height int) *image.RGBA {
	screen := ebiten.NewImage(width, height)
	defer screen.Deallocate()
	g.Draw(screen)
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	screen.ReadPixels(picture.Pix)
	return picture
}

// worst returns the largest difference of a channel, and where it is.
func worst(a, b *image.RGBA) (difference int, at string) {
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		if d = max(d, -d); d > difference {
			difference = d
			at = fmt.Sprintf("pixel %d, %d: %v and %v", i%a.Stride/4, i/a.Stride, a.RGBAAt(i%a.Stride/4, i/a.Stride), b.RGBAAt(i%a.Stride/4, i/a.Stride))
		}
	}
	return difference, at
}

// TestShaderEqualsRaster: at whole zooms the shader's squares, hatches, marks
// and patterns are the raster's, within the rounding of the graphics card.
func TestShaderEqualsRaster(t *testing.T) {
	for _, zoom := range []float64{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24, 40} {
		for fill := range 6 {
			s := rastertest.RackLoss()
			s.Frame.Arcs = nil
			s.Cursor, s.Selected = unit.NoNode, unit.NoNode
			s.Look.Fill = fill % 3
			if s.Glyphs(zoom) {
				continue // these are shapes, see below
			}
			for i := range s.Frame.Layers[rastertest.State] {
				s.Frame.Layers[rastertest.State][i] %= 1 + byte(i%3) // some cells of each rack are down, no rack is
			}
			s.Camera = raster.Camera{X: -1, Y: -2, Zoom: zoom}
			if fill >= 3 { // by odd pixels, which no period of a hatch divides
				s.Camera.X, s.Camera.Y = -5/zoom, -3/zoom
			}
			got, want := pixels(show(t, s), 320, 200), new(raster.Canvas).Draw(s, 320, 200, 1)
			if d, at := worst(got, want); d > 2 {
				t.Errorf("zoom %v, look %d: shader and raster differ by %d at %s", zoom, fill, d, at)
			}
		}
	}
}

// Every pattern of a category is the raster's, where the picture is moved by pixels that
// no period of a hatch divides.
func TestShaderHasEveryPattern(t *testing.T) {
	for _, zoom := range []float64{6, 9, 12, 16, 24, 40} {
		s := line(7, 1)
		s.Layers[0].Names = []string{"one", "two", "three", "four", "five", "six", "idle"}
		s.Camera = raster.Camera{X: -5 / zoom, Y: -3 / zoom, Zoom: zoom}
		got, want := pixels(show(t, s), 300, 50), new(raster.Canvas).Draw(s, 300, 50, 1)
		if d, at := worst(got, want); d > 2 {
			t.Errorf("zoom %v: shader and raster differ by %d at %s", zoom, d, at)
		}
	}
}

// line is cells in one row or one column, each of another value.
func line(columns, rows int) *raster.Scene {
	n := columns * rows
	s := &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}},
		Layout: frame.Layout{Columns: columns, Rows: rows, X: make([]uint16, n), Y: make([]uint16, n)},
		Frame:  frame.Frame{Cells: n, Layers: [][]byte{make([]byte, n)}},
		Look:   raster.Look{Palette: raster.Grey()},
		Camera: raster.Camera{Zoom: 8},
		Cursor: unit.NoNode, Selected: unit.NoNode,
	}
	for i := range n {
		s.Layout.X[i], s.Layout.Y[i], s.Frame.Layers[0][i] = uint16(i%columns), uint16(i/columns), byte(i)
	}
	return s
}

// A layout may be one column or one row, and have more or fewer of them than the one
// before.
func TestLayoutsOfEverySize(t *testing.T) {
	var g *heatmap.Game
	for _, size := range [][2]int{{1, 1}, {1, 5}, {4, 5}, {4, 3}, {6, 3}, {6, 1}} {
		s := line(size[0], size[1])
		for i := range s.Frame.Layers[0] {
			s.Frame.Layers[0][i] = byte(80 + 5*i)
		}
		if g == nil {
			g = show(t, s)
		} else {
			if err := g.SetLayout(s.Layout); err != nil {
				t.Fatal(err)
			}
			if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
				t.Fatal(err)
			}
			g.SetTime(time.Hour)
		}
		got, want := pixels(g, 60, 50), new(raster.Canvas).Draw(s, 60, 50, 1)
		if d, at := worst(got, want); d > 2 {
			t.Errorf("%d × %d cells: shader and raster differ by %d at %s", size[0], size[1], d, at)
		}
	}
}

// Between whole zooms edges fall inside pixels; the two still agree but for
// the few pixels where float32 puts an edge on the other side.
func TestShaderFollowsRasterBetweenZooms(t *testing.T) {
	for _, zoom := range []float64{1.3, 2.5, 3.7, 4.25, 7.9, 13.1} {
		s := rastertest.RackLoss()
		s.Frame.Arcs = nil
		s.Camera = raster.Camera{X: -0.37, Y: 0.81, Zoom: zoom}
		got, want := pixels(show(t, s), 160, 100), new(raster.Canvas).Draw(s, 160, 100, 1)
		far := 0
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(want.Pix[i]); d > 6 || d < -6 {
				far++
			}
		}
		if far > len(got.Pix)/500 {
			t.Errorf("zoom %v: %d of %d channels differ by more than 6", zoom, far, len(got.Pix))
		}
	}
}

// Racks that are down, arcs, rings, glyphs and devices are the same triangles here and in
// the raster: the two pictures are equal but for the pixels whose middle lies on an
// edge, within the rounding of float32.
func TestShapesEqualRaster(t *testing.T) {
	for _, light := range []bool{false, true} {
		for i, zoom := range []float64{4, 8, 16, 22, 40, 22, 40, 80} {
			s := rastertest.RackLoss()
			if i >= 5 {
				s = rastertest.GPUs()
			}
			s.Camera.Zoom, s.Look.Light = zoom, light
			s.Motion = &raster.Motion{}
			s.Motion.Follow(s, 0)
			s.Motion.Tick(time.Minute)
			got, want := pixels(show(t, s), 420, 260), new(raster.Canvas).Draw(s, 420, 260, 1)
			far, painted := 0, 0
			for i := range got.Pix {
				if d := int(got.Pix[i]) - int(want.Pix[i]); d > 8 || d < -8 {
					far++
				}
				if i%4 == 0 && want.Pix[i] != s.Look.Theme().Stage.R {
					painted++
				}
			}
			if far > len(got.Pix)/1000 || painted < 1500 {
				_, at := worst(got, want)
				t.Errorf("light %v, zoom %v: %d of %d channels differ by more than 8, the most at %s; %d pixels painted", light, zoom, far, len(got.Pix), at, painted)
			}
		}
	}
}

// Rings of messages, glow, arcs in flight and cards with their tasks are the raster's
// too, at a moment when they move.
func TestMotionEqualsRaster(t *testing.T) {
	for _, zoom := range []float64{8, 30, raster.MinCardWidth} {
		for _, light := range []bool{false, true} {
			s := rastertest.RackLoss()
			s.Camera.Zoom, s.Look.Light = zoom, light
			s.Motion = &raster.Motion{}
			s.Cards = []message.Card{{Node: 0, Up: true, Used: []float64{0.75, 0.4}, Requested: []float64{1.02, 0.6}, Tasks: []message.CardTask{
				{ID: "1", Production: true, Used: []float64{0.5, 0.1}}, {ID: "2", Used: []float64{0.25, 0.3}},
			}}}
			s.Task = "2"
			g := show(t, s)
			s.Motion.Follow(s, 0) // as the game did, before its clock went on
			s.Motion.Tick(time.Minute)
			s.Frame.At += unit.Second
			for i := range 6 {
				s.Frame.Layers[rastertest.CPU][9*i] ^= 0x40
				s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(i), To: unit.NodeID(8 * i), Kind: frame.Messaged})
			}
			g.SetCards(s.Cards, s.Task)
			if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
				t.Fatal(err)
			}
			g.SetTime(time.Minute + 200*time.Millisecond)
			s.Motion.Follow(s, time.Minute)
			s.Motion.Tick(time.Minute + 200*time.Millisecond)
			got, want := pixels(g, 420, 260), new(raster.Canvas).Draw(s, 420, 260, 1)
			var list raster.List
			s.Overlay(&list, 420, 260, 1)
			if !strings.Contains(list.String(), "message line") || (zoom == raster.MinCardWidth) != strings.Contains(list.String(), "chosen area") {
				t.Fatalf("zoom %v: the list is not what is to be compared:\n%s", zoom, list.String())
			}
			far := 0
			for i := range got.Pix {
				if d := int(got.Pix[i]) - int(want.Pix[i]); d > 8 || d < -8 {
					far++
				}
			}
			if far > len(got.Pix)/1000 {
				_, at := worst(got, want)
				t.Errorf("light %v, zoom %v: %d of %d channels differ by more than 8, the most at %s", light, zoom, far, len(got.Pix), at)
			}
		}
	}
}

// Pictures that take too long make the game leave out rings, then glow, then tails.
func TestSlowPicturesLeaveOut(t *testing.T) {
	s := rastertest.RackLoss()
	g := show(t, s)
	now := time.Minute
	for picture := range 20 {
		s.Frame.At += unit.Second
		s.Frame.Layers[rastertest.CPU][picture] ^= 0x40 // something moves
		if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
			t.Fatal(err)
		}
		now += 90 * time.Millisecond
		g.SetTime(now)
		if want := raster.LevelOfDetail(min(picture/4, 3)); g.Left() != want && g.Left() != want+1 {
			t.Errorf("after %d pictures of 90 ms the level of detail is %d", picture+1, g.Left())
		}
	}
	if g.Left() != raster.NoTails {
		t.Errorf("20 pictures of 90 ms leave out %d", g.Left())
	}
	if g.SetTime(time.Hour); g.Moves() || g.Left() != raster.Everything {
		t.Errorf("what stands still leaves out %d", g.Left())
	}
}

// Only pictures cost: the same moment told twice is none, and neither is a whole second,
// in which nobody looked.
func TestPicturesThatCost(t *testing.T) {
	for _, c := range []struct {
		apart time.Duration
		left  raster.LevelOfDetail
	}{{time.Second - 1, raster.NoTails}, {time.Second, raster.Everything}, {90 * time.Millisecond, raster.NoTails}} {
		s := rastertest.RackLoss()
		g := show(t, s)
		now := time.Minute
		for picture := range 20 {
			s.Frame.At += unit.Second
			s.Frame.Layers[rastertest.CPU][picture] ^= 0x40 // it glows for more than a second
			if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
				t.Fatal(err)
			}
			now += c.apart
			g.SetTime(now)
			g.SetTime(now)
		}
		if g.Left() != c.left {
			t.Errorf("pictures %v apart leave out %d, want %d", c.apart, g.Left(), c.left)
		}
	}
}

// A screen has whole pixels, and one at least.
func TestPixelsOfTheScreen(t *testing.T) {
	for _, c := range [][3]float64{{40.6, 1, 40}, {40.6, 2, 81}, {40, 1.5, 60}, {0.2, 2, 1}, {0, 1, 1}} {
		if got := heatmap.Pixels(c[0], c[1]); got != c[2] {
			t.Errorf("%v CSS pixels of %v have %v pixels, want %v", c[0], c[1], got, c[2])
		}
	}
}

// A picture is drawn when something changed and only then.
func TestDrawsOnlyChanges(t *testing.T) {
	s := rastertest.RackLoss()
	g := show(t, s)
	screen := ebiten.NewImage(100, 60)
	other := ebiten.NewImage(80, 60)
	buf := frame.Append(nil, &s.Frame)
	for _, step := range []struct {
		name   string
		do     func()
		screen *ebiten.Image
		draws  bool
	}{
		{"first", func() {}, screen, true},
		{"nothing", func() {}, screen, false},
		{"the same camera", func() { g.SetCamera(s.Camera) }, screen, false},
		{"another camera", func() { g.SetCamera(raster.Camera{Zoom: 3}) }, screen, true},
		{"the same look", func() { g.SetLook(s.Look) }, screen, false},
		{"another look", func() { g.SetLook(raster.Look{Fill: 1, Palette: raster.Grey()}) }, screen, true},
		{"the same cursor", func() { g.SetCursor(s.Cursor, s.Selected) }, screen, false},
		{"another cursor", func() { g.SetCursor(1, unit.NoNode) }, screen, true},
		{"a frame", func() { _ = g.SetFrame(buf) }, screen, true},
		{"another screen", func() {}, other, true},
		{"nothing again", func() {}, other, false},
	} {
		step.do()
		before := g.Pictures()
		g.Draw(step.screen)
		if drew := g.Pictures() > before; drew != step.draws {
			t.Errorf("%s: drew %v, want %v", step.name, drew, step.draws)
		}
	}
}

// Bad buffers and layouts are refused with a sentence and end nothing.
func TestRefusals(t *testing.T) {
	s := rastertest.RackLoss()
	g := show(t, s)
	if err := g.SetFrame([]byte("PFR1 but short")); err == nil {
		t.Error("a short frame is shown")
	}
	pixels(g, 40, 30)
	if err := g.SetLayout(frame.Layout{Columns: 1 << 20, Rows: 1}); err == nil {
		t.Error("a layout larger than any texture is taken")
	}
	if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
		t.Fatal(err)
	}
	if got, want := pixels(g, 160, 100), new(raster.Canvas).Draw(s, 160, 100, 1); got.RGBAAt(30, 20) != want.RGBAAt(30, 20) {
		t.Error("the picture did not arrive in time back after a refusal")
	}
}

type steering struct{ times int }

func (s *steering) Steer(g *heatmap.Game) error {
	s.times++
	return errSteer
}

var errSteer = errors.New("enough")

func TestControlEndsTheGame(t *testing.T) {
	control := &steering{}
	g, err := heatmap.New(control)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Update(); !errors.Is(err, errSteer) || control.times != 1 {
		t.Errorf("got %v after %d calls", err, control.times)
	}
}

// TestMovesUntilItIsOver: the picture goes on moving after a run's last frame, and
// comes to rest.
func TestMovesUntilItIsOver(t *testing.T) {
	for _, still := range []bool{false, true} {
		s := rastertest.RackLoss()
		g := show(t, s)
		g.SetStill(still)
		if g.Moves() {
			t.Fatal("it moves before anything changed")
		}
		s.Frame.At += unit.Second
		fill := s.Frame.Layers[s.Look.Fill]
		for i := range 5 {
			fill[i] = 255 - fill[i]
		}
		now := time.Minute + 10*time.Second
		g.SetTime(now)
		if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
			t.Fatal(err)
		}
		if !g.Moves() {
			t.Errorf("still %v: cells changed and nothing moves", still)
		}
		if g.SetTime(now + time.Second); !g.Moves() {
			t.Errorf("still %v: nothing moves after a second", still)
		}
		if g.SetTime(now + 10*time.Second); g.Moves() {
			t.Errorf("still %v: it moves for ever", still)
		}
	}
}

// A picture counts when a frame and a layout are there, and a screen whose pixels are as
// dense as before is not drawn again.
func TestPicturesAreCounted(t *testing.T) {
	s := rastertest.RackLoss()
	g, err := heatmap.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := func(want int, when string) {
		t.Helper()
		pixels(g, 40, 30)
		if g.Pictures() != want {
			t.Errorf("%s: %d pictures, not %d", when, g.Pictures(), want)
		}
	}
	counts(0, "of nothing")
	g.SetLayers(s.Layers)
	if err := g.SetLayout(s.Layout); err != nil {
		t.Fatal(err)
	}
	counts(0, "without a frame")
	if err := g.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
		t.Fatal(err)
	}
	g.SetTime(time.Minute)
	g.SetTime(2 * time.Minute) // nothing moves
	counts(1, "with both")
	if width, height := g.LayoutF(40.6, 30.2); width != 40 || height != 30 {
		t.Errorf("the screen has %v by %v pixels", width, height)
	}
	if width, height := g.Size(); width != 40.6 || height != 30.2 {
		t.Errorf("its size is %v by %v", width, height)
	}
	counts(1, "of the same screen")
	if width, height := g.LayoutF(0.2, 0); width != 1 || height != 1 {
		t.Errorf("the least screen has %v by %v pixels", width, height)
	}

	empty, err := heatmap.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.SetFrame(frame.Append(nil, &s.Frame)); err != nil {
		t.Fatal(err)
	}
	pixels(empty, 40, 30)
	if empty.Pictures() != 0 {
		t.Error("a picture is counted without a layout")
	}
}
