package raster_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// The whole layout is seen, whatever the stage.
func TestFitShowsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rack := make([]int32, rapid.IntRange(1, 3000).Draw(t, "cells"))
		for i := range rack {
			rack[i] = int32(i / 40)
		}
		l := frame.Racks(rack, 1.5)
		width, height := rapid.Float64Range(50, 4000).Draw(t, "width"), rapid.Float64Range(50, 4000).Draw(t, "height")
		c := raster.Fit(&l, width, height, 1, 48)
		w, h := l.Size()
		left, top := -c.X*c.Zoom, -c.Y*c.Zoom
		right, bottom := (w-c.X)*c.Zoom, (h-c.Y)*c.Zoom
		if left < -1 || top < -1 || right > width+1 || bottom > height+1 {
			t.Fatalf("%d × %d squares from %.1f, %.1f to %.1f, %.1f of %.1f × %.1f pixels", l.Columns, l.Rows, left, top, right, bottom, width, height)
		}
		if math.Abs(left-(width-right)) > 1.01 || math.Abs(top-(height-bottom)) > 1.01 {
			t.Fatalf("margins %.2f, %.2f, %.2f, %.2f", left, width-right, top, height-bottom)
		}
	})
}

// A cell is as large as fits, at most 48 CSS pixels, of whole pixels of the screen where
// it has room for one; what is left over stands on both sides, in whole pixels too.
func TestFitTakesWholePixels(t *testing.T) {
	l := frame.Racks(make([]int32, 100), 1) // 10 × 10
	for _, c := range []struct {
		width, height, scale float64
		want                 raster.Camera
	}{
		{100, 100, 1, raster.Camera{Zoom: 10}},
		{105, 200, 1, raster.Camera{X: -0.3, Y: -5, Zoom: 10}},
		{105, 105, 2, raster.Camera{Zoom: 10.5}},
		{103, 100, 2, raster.Camera{X: -0.15, Zoom: 10}},
		{103, 103, 2, raster.Camera{X: -0.15, Y: -0.15, Zoom: 10}},
		{15, 15, 1, raster.Camera{X: -3, Y: -3, Zoom: 1}}, // 2.5 pixels on either side are 3
		{5, 5, 1, raster.Camera{Zoom: 0.5}},
		{0.1, 0.1, 1, raster.Camera{Zoom: 0.05}},
		{1000, 2000, 1, raster.Camera{X: -260. / 48, Y: -760. / 48, Zoom: 48}},
	} {
		got := raster.Fit(&l, c.width, c.height, c.scale, 48)
		if got.Zoom != c.want.Zoom || math.Abs(got.X-c.want.X) > 1e-12 || math.Abs(got.Y-c.want.Y) > 1e-12 {
			t.Errorf("%v × %v CSS pixels of %v: %+v, want %+v", c.width, c.height, c.scale, got, c.want)
		}
	}
}

// Zooming keeps the square under the pointer there.
func TestZoomedKeepsThePointer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(0, 400)
		c := raster.Camera{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), Zoom: rapid.Float64Range(1, 480).Draw(t, "zoom")}
		px, py := number.Draw(t, "pointer x"), number.Draw(t, "pointer y")
		z := c.Zoomed(rapid.Float64Range(0.1, 10).Draw(t, "factor"), px, py)
		if math.Abs(c.X+px/c.Zoom-z.X-px/z.Zoom) > 1e-9 || math.Abs(c.Y+py/c.Zoom-z.Y-py/z.Zoom) > 1e-9 {
			t.Fatalf("%+v became %+v", c, z)
		}
		if z.Zoom < 1 || z.Zoom > 480 {
			t.Fatalf("zoom %v", z.Zoom)
		}
	})
}

func TestCentred(t *testing.T) {
	l := frame.Racks(make([]int32, 100), 1)
	c := raster.Camera{Zoom: 10}.Centred(&l, 37, 300, 200)
	x, y := (float64(l.X[37])+0.5-c.X)*c.Zoom, (float64(l.Y[37])+0.5-c.Y)*c.Zoom
	if x != 150 || y != 100 {
		t.Errorf("the cell's middle is at %v, %v of 300 × 200", x, y)
	}
}

// A camera without a valid place draws the stage or the origin, and ends.
func TestCamerasOutOfThisWorld(t *testing.T) {
	l := frame.Racks(make([]int32, 100), 1)
	for _, c := range []raster.Camera{{X: math.NaN(), Y: math.Inf(1), Zoom: 4}, {Zoom: math.NaN()}, {Zoom: math.Inf(1)}, {X: -1e300, Zoom: 1e300}} {
		s := &raster.Scene{
			Layout: l, Camera: c, Cursor: 5, Selected: 6,
			Frame: frame.Frame{Cells: 100, Layers: [][]byte{make([]byte, 100)}, Arcs: []frame.Arc{{From: 1, To: unit.NodeID(99), Progress: 77, Kind: frame.Forced}}},
		}
		var list raster.List
		s.Overlay(&list, 300, 200, 2)
		if n := len(list.Shapes); n > 3000 {
			t.Errorf("%+v: %d shapes for one arc", c, n)
		}
		new(raster.Canvas).Draw(s, 30, 20, 2)
	}
}
