package raster_test

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/testkit/rastertest"
	"parley/core/unit"
)

// TestDraw draws a row of cells as text, one character a pixel, from '.' (the
// stage) over ":-=+*#%" to '@' (white).
func TestDraw(t *testing.T) {
	datadriven.RunTest(t, "testdata/draw.txt", func(t *testing.T, d *datadriven.TestData) string {
		s := row(t, d)
		width, height, scale := 0, 0, 1.0
		d.ScanArgs(t, "size", &width, &height)
		if d.HasArg("scale") {
			scale = number(t, d, "scale")
		}
		return ascii(new(raster.Canvas).Draw(s, width, height, scale))
	})
}

// row reads the arguments of a draw command: cells stand side by side, in one row or in
// so many, values and states are theirs, names make a category of the layer.
func row(t *testing.T, d *datadriven.TestData) *raster.Scene {
	s := &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}, {ID: "state", Names: []string{"up", "down", "overloaded", "off"}}},
		Look:   raster.Look{Palette: raster.Grey()},
		Camera: raster.Camera{Zoom: 1},
		Cursor: unit.NoNode, Selected: unit.NoNode,
	}
	var values, states []byte
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "values":
			for i := range a.Vals {
				var v int
				a.Scan(t, i, &v)
				values = append(values, byte(v))
			}
		case "states":
			for _, name := range a.Vals {
				states = append(states, byte(slices.Index(s.Layers[1].Names, name)))
			}
		case "names":
			s.Layers[0].Names = a.Vals
		case "top":
			s.Layers[0].Top = number(t, d, "top")
		case "zoom":
			s.Camera.Zoom = number(t, d, "zoom")
		case "x":
			s.Camera.X = number(t, d, "x")
		case "y":
			s.Camera.Y = number(t, d, "y")
		case "cursor", "selected":
			cell := unit.NodeID(number(t, d, a.Key))
			if a.Key == "cursor" {
				s.Cursor = cell
			} else {
				s.Selected = cell
			}
		case "arc", "forced":
			s.Frame.Arcs = []frame.Arc{{From: 0, To: unit.NodeID(len(values) - 1), Progress: byte(number(t, d, a.Key)), Kind: map[bool]frame.ArcKind{true: frame.Forced}[a.Key == "forced"]}}
		}
	}
	if states == nil {
		states = make([]byte, len(values))
	}
	s.Frame.Cells, s.Frame.Layers = len(values), [][]byte{values, states}
	rows := 1
	if d.HasArg("rows") {
		rows = int(number(t, d, "rows"))
	}
	columns := len(values) / rows
	s.Layout = frame.Layout{Columns: columns, Rows: rows, X: make([]uint16, len(values)), Y: make([]uint16, len(values))}
	for i := range values {
		s.Layout.X[i], s.Layout.Y[i] = uint16(i%columns), uint16(i/columns)
	}
	return s
}

func number(t *testing.T, d *datadriven.TestData, key string) (x float64) {
	a, _ := d.Arg(key)
	if _, err := fmt.Sscan(a.Vals[0], &x); err != nil {
		d.Fatalf(t, "%s: %v", key, err)
	}
	return x
}

func ascii(picture *image.RGBA) string {
	const shades = ".:-=+*#%@"
	var b strings.Builder
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			c := picture.RGBAAt(x, y)
			luma := (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
			b.WriteByte(shades[luma*len(shades)/256])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Any camera, any layer and any sizes give a picture: nothing is read outside
// the layers, and frames and layouts of different lengths meet while nodes
// join.
func TestDrawTakesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rastertest.RackLoss()
		s.Look.Fill = rapid.IntRange(-1, 4).Draw(t, "fill")
		s.Camera = raster.Camera{
			X:    rapid.Float64Range(-1e7, 1e7).Draw(t, "x"),
			Y:    rapid.Float64Range(-40, 40).Draw(t, "y"),
			Zoom: rapid.Float64Range(-1, 1e5).Draw(t, "zoom"),
		}
		s.Cursor = unit.NodeID(rapid.IntRange(-1, 500).Draw(t, "cursor"))
		cells := rapid.IntRange(0, 120).Draw(t, "cells")
		if rapid.Bool().Draw(t, "layout is shorter") {
			s.Layout.X, s.Layout.Y = s.Layout.X[:cells], s.Layout.Y[:cells]
		} else {
			for i := range s.Frame.Layers {
				s.Frame.Layers[i] = s.Frame.Layers[i][:cells]
			}
		}
		new(raster.Canvas).Draw(s, 24, 16, rapid.SampledFrom([]float64{1, 1.5, 2, 3}).Draw(t, "scale"))
	})
}

// A pan by whole squares shifts the picture and changes nothing else: what a
// cell looks like does not depend on where it stands. (Fractions of a square
// are not asked for: hatches are drawn on whole pixels.)
func TestPanShiftsThePicture(t *testing.T) {
	s := rastertest.RackLoss()
	s.Cursor, s.Selected = unit.NoNode, unit.NoNode
	s.Frame.Arcs = nil // they stay on the stage
	for _, zoom := range []float64{1, 2, 3, 4, 6, 9, 16, 40} {
		for fill := range s.Layers {
			s.Look.Fill = fill
			s.Camera = raster.Camera{Zoom: zoom}
			if s.Glyphs(1) {
				continue // lines through the middles of pixels fall to either side
			}
			still := new(raster.Canvas).Draw(s, 200, 120, 1)
			s.Camera = raster.Camera{X: 2, Y: 1, Zoom: zoom}
			moved := new(raster.Canvas).Draw(s, 120, 80, 1)
			for y := range 80 {
				for x := range 120 {
					if x+int(2*zoom) >= 200 || y+int(zoom) >= 120 {
						continue
					}
					a, b := still.RGBAAt(x+int(2*zoom), y+int(zoom)), moved.RGBAAt(x, y)
					if off := max(a.R, b.R) - min(a.R, b.R) + max(a.G, b.G) - min(a.G, b.G) + max(a.B, b.B) - min(a.B, b.B); off > 3 { // triangles round
						t.Fatalf("zoom %v, layer %d: pixel %d, %d is %v before the pan and %v after", zoom, fill, x, y, a, b)
					}
				}
			}
		}
	}
}

// listed is the list of what is drawn over the cells of a scene.
func listed(s *raster.Scene, width, height int) string {
	var list raster.List
	s.Overlay(&list, width, height, 1)
	return list.String()
}

// A canvas follows the size that is asked for, and keeps its picture while that stays.
func TestCanvasFollowsTheSize(t *testing.T) {
	s, c := rastertest.RackLoss(), new(raster.Canvas)
	var before *image.RGBA
	for _, size := range [][2]int{{20, 10}, {20, 10}, {30, 10}, {30, 12}, {20, 10}} {
		got := c.Draw(s, size[0], size[1], 1)
		same := before != nil && before.Rect.Dx() == size[0] && before.Rect.Dy() == size[1]
		if got.Rect != image.Rect(0, 0, size[0], size[1]) || (got == before) != same {
			t.Errorf("%v pixels were asked for and %v drawn, on the picture before: %v", size, got.Rect, got == before)
		}
		before = got
	}
}

// A layer that there is not fills nothing, and a layer's place among others says nothing.
func TestLayersByTheirNames(t *testing.T) {
	ids := []string{"cpu", "memory", "cpu_requested", "memory_requested"}
	for shift := range ids {
		s := field(4)
		s.Layers, s.Frame.Layers = nil, nil
		for i := range ids {
			s.Layers = append(s.Layers, frame.Layer{ID: ids[(i+shift)%4]})
			s.Frame.Layers = append(s.Frame.Layers, []byte{9, 9, 9, 9})
		}
		s.Camera.Zoom = 14
		if !s.Glyphs(1) {
			t.Errorf("with %s first there are no glyphs", s.Layers[0].ID)
		}
		for fill := -1; fill <= 4; fill++ {
			s.Look.Fill = fill
			if got, want := s.Texels(nil)[0], map[bool]byte{true: 9}[fill >= 0 && fill < 4]; got != want {
				t.Errorf("layer %d of four fills with %d, want %d", fill, got, want)
			}
		}
		s.Look.Fill, s.Layers = 0, s.Layers[:3]
		if s.Glyphs(1) {
			t.Errorf("without %s there are glyphs", ids[(3+shift)%4])
		}
	}
}

// A ramp runs straight between its ends and is rounded; marks are white on what is
// darker than half of white.
func TestTableOfARamp(t *testing.T) {
	s := field(1)
	for i := range s.Look.Palette {
		s.Look.Palette[i] = color.RGBA{byte(i), byte(i), byte(i), 255}
	}
	for _, c := range []struct {
		low, high uint8
		want      map[int]uint8 // bytes to places in the ramp
	}{
		{0, 0, map[int]uint8{0: 0, 1: 1, 100: 128, 199: 254, 200: 255, 255: 255}}, // 127.5 is 128
		{50, 150, map[int]uint8{0: 0, 50: 0, 51: 3, 52: 5, 100: 128, 149: 252, 150: 255, 255: 255}},
	} {
		s.Look.Low, s.Look.High = c.low, c.high
		table := s.Table()
		for value, want := range c.want {
			if got := table.Colour[value].R; got != want {
				t.Errorf("of a ramp from %d to %d, %d is at %d, want %d", c.low, c.high, value, got, want)
			}
			if table.Light[value] != (table.Colour[value].R < 128) {
				t.Errorf("marks on %v are white: %v", table.Colour[value], table.Light[value])
			}
		}
	}
}

// Glyphs stand on the stage, whatever the canvas showed before.
func TestGlyphsStandOnTheStage(t *testing.T) {
	s, c := rastertest.RackLoss(), new(raster.Canvas)
	c.Draw(s, 60, 60, 1) // squares all over
	s.Frame.Arcs, s.Cursor, s.Selected = nil, unit.NoNode, unit.NoNode
	s.Camera = raster.Camera{X: 1000, Zoom: 22}
	stage := s.Look.Theme().Stage
	picture := c.Draw(s, 60, 60, 1)
	for y := range 60 {
		for x := range 60 {
			if got := picture.RGBAAt(x, y); got != stage {
				t.Fatalf("far from all glyphs, pixel %d, %d is %v and the stage %v", x, y, got, stage)
			}
		}
	}
}
