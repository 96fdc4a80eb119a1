package raster_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/heatmap/raster/rastertest"
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

// row reads the arguments of a draw command: cells stand side by side, values
// and states are theirs, names make a category of the layer.
func row(t *testing.T, d *datadriven.TestData) *raster.Scene {
	s := &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}, {ID: "state", Names: []string{"up", "down", "overloaded"}}},
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
	s.Layout = frame.Layout{Columns: len(values), Rows: 1, X: make([]uint16, len(values)), Y: make([]uint16, len(values))}
	for i := range values {
		s.Layout.X[i] = uint16(i)
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
