// Package raster draws a frame as pixels, in plain Go. Tests compare its pictures, PNG files
// hold them, and the shader of core/heatmap must draw the same.
//
// The picture is a map of the cluster. Each node is a square of the frame's Layout, filled
// with the colour of one layer's byte. Nothing is shown by colour alone: nodes that are down
// are hatched, overloaded ones have a diamond, and every value of a category has its own
// pattern once squares are large enough. Arcs of migrations and the rings of the cursor and
// the selection are drawn above the squares.
//
//	scene := raster.Scene{Layers: layers, Layout: layout, Frame: f,
//		Look: raster.Look{Fill: 0, Palette: raster.Cividis()},
//		Camera: raster.Camera{Zoom: 4}, Cursor: unit.NoNode, Selected: unit.NoNode}
//	picture := new(raster.Canvas).Draw(&scene, 640, 400, 1)
//
// Products that are added are rounded first (float64(a*b)+c), so that the pixels are the same
// on every platform.
package raster

import (
	"encoding/binary"

	"parley/core/frame"
	"parley/core/message"
	"parley/core/unit"
)

// Scene is everything a picture shows.
type Scene struct {
	Layers           []frame.Layer // the meaning of the frame's layers, in the frame's order
	Layout           frame.Layout
	Frame            frame.Frame
	Look             Look
	Camera           Camera
	Cursor, Selected unit.NodeID    // ringed cells, or unit.NoNode
	Motion           *Motion        // moving parts; nil: nothing moves
	Left             LevelOfDetail  // details that are omitted if drawing is slow
	Cards            []message.Card // of nodes in sight, once cells are Near
	Task             string         // the chosen one of a card, by its id
}

// Look describes how cells are coloured.
type Look struct {
	Fill      int     // the layer's index
	Palette   Palette // of ramp layers
	Low, High uint8   // the bytes where the ramp begins and ends; 0, 0: it ends at frame.FullScale
	Light     bool    // the stage is light
}

// Range returns the bytes where the ramp begins and ends.
func (l Look) Range() (low, high int) {
	if l.High <= l.Low {
		return 0, frame.FullScale
	}
	return int(l.Low), int(l.High)
}

// drawn reports whether cell has a square.
func (s *Scene) drawn(cell unit.NodeID) bool {
	return cell >= 0 && int(cell) < min(len(s.Layout.X), len(s.Layout.Y))
}

// Mark describes a mark on a square beside its colour.
type Mark uint8

// The marks. A node that is down shows no load, so it shows nothing else.
const (
	Plain Mark = iota
	Down
	Overloaded
	Off // no load either, and no power: an outline upon the stage
)

// Texels describes every square of the grid in four bytes, row by row: the
// layer's byte, the Mark, 0, and 255 where a cell is or 0 in a gap and where a node is off. It reuses
// dst. This is the picture as the shader takes it: copied bytes, no colours.
func (s *Scene) Texels(dst []byte) []byte {
	size := 4 * s.Layout.Columns * s.Layout.Rows
	if cap(dst) < size {
		dst = make([]byte, size)
	}
	dst = dst[:size]
	clear(dst)
	values := s.layer(s.Look.Fill)
	if values == nil {
		return dst
	}
	states, marks := s.states()
	overload := byte(255) // above it the layer's own byte means overload; 255: never
	if s.Look.Fill < len(s.Layers) && s.Layers[s.Look.Fill].IsShare() {
		overload = frame.FullScale
	}
	cells := min(len(values), len(s.Layout.X), len(s.Layout.Y))
	if states == nil {
		states = make([]byte, cells)
	}
	values, states = values[:cells], states[:cells]
	x, y, columns := s.Layout.X[:cells], s.Layout.Y[:cells], uint32(s.Layout.Columns)
	for cell, value := range values {
		mark := marks[states[cell]]
		if value > overload && mark == Plain {
			mark = Overloaded
		}
		at := 4 * (uint32(y[cell])*columns + uint32(x[cell]))
		if mark != Off {
			binary.LittleEndian.PutUint32(dst[at:], uint32(value)|uint32(mark)<<8|255<<24)
		}
	}
	return dst
}

func (s *Scene) layer(i int) []byte {
	if i < 0 || i >= len(s.Frame.Layers) {
		return nil
	}
	return s.Frame.Layers[i]
}

func stateMarks(names []string) (marks [256]Mark) {
	for value, name := range names {
		switch name {
		case "down":
			marks[value&255] = Down
		case "overloaded":
			marks[value&255] = Overloaded
		case "off":
			marks[value&255] = Off
		}
	}
	return marks
}
