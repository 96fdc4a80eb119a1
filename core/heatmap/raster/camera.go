package raster

import (
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

// Camera defines which part of the layout is seen: the place at the top left in
// widths of a cell, and the width of a cell in CSS pixels.
type Camera struct{ X, Y, Zoom float64 }

// Largest returns the largest width of a cell, in CSS pixels, while the whole layout is shown: nodes
// with devices are larger.
func Largest(layers []frame.Layer) float64 {
	for _, l := range layers {
		if l.Devices != "" {
			return 128
		}
	}
	return 48
}

// Fit returns the camera that shows the whole layout in the middle of width ×
// height CSS pixels, with cells at most limit wide; if a cell has room for a whole
// pixel of the screen, which has scale of them a CSS pixel, cells are whole ones.
func Fit(l *frame.Layout, width, height, scale, limit float64) Camera {
	w, h := l.Size()
	zoom := min(width/w, height/h, limit)
	if device := math.Floor(float64(zoom*scale) + 1e-6); device >= 1 {
		zoom = device / scale
	}
	zoom = max(zoom, 0.05)
	aside := func(room, size float64) float64 {
		free := room - float64(size*zoom)
		return -math.Floor(float64(free/2*scale)+0.5) / scale / zoom
	}
	return Camera{aside(width, w), aside(height, h), zoom}
}

// nearest is the largest width of a cell, in CSS pixels: a card that is easy to read.
const nearest = 480

// Zoomed returns the camera with squares factor times as large, 1 to nearest CSS
// pixels, while the point at x, y (CSS pixels) stays where it is.
func (c Camera) Zoomed(factor, x, y float64) Camera {
	zoom := min(max(c.Zoom*factor, min(1, c.Zoom)), max(nearest, c.Zoom))
	return Camera{c.X + x/c.Zoom - x/zoom, c.Y + y/c.Zoom - y/zoom, zoom}
}

// Centred returns the camera with a cell in the middle of width × height CSS
// pixels.
func (c Camera) Centred(l *frame.Layout, cell unit.NodeID, width, height float64) Camera {
	across, down := l.Across(), l.Down()
	x, y := across.At(int(l.X[cell]))+float64(across.Cell/2), down.At(int(l.Y[cell]))+float64(down.Cell/2)
	return Camera{x - width/2/c.Zoom, y - height/2/c.Zoom, c.Zoom}
}

// Cells smaller than these many device pixels show less: gaps between cells need
// gapZoom, hatches and diamonds markZoom, patterns patternZoom; from glyphZoom on a
// cell is a glyph of its own.
const (
	gapZoom     = 3.5
	markZoom    = 4
	patternZoom = 6
	glyphZoom   = 14
)

// Grid is the camera in device pixels.
type Grid struct {
	X, Y         float64 // where the layout begins, a whole pixel
	Across, Down frame.Axis
	Gap          float64 // between cells
	Stroke       float64 // width of the lines in hatches and patterns; they repeat every four
}

// Grid returns the scene's grid on a screen with scale device pixels a CSS
// pixel. A camera without a valid place (NaN, infinite) shows the origin.
func (s *Scene) Grid(scale float64) Grid {
	zoom := within(s.Camera.Zoom*scale, 0.01, 4096)
	g := Grid{Across: s.Layout.Across().Scaled(zoom), Down: s.Layout.Down().Scaled(zoom)}
	g.X = -math.Floor(float64(within(s.Camera.X, -1e6, 1e6)*zoom) + 0.5)
	g.Y = -math.Floor(float64(within(s.Camera.Y, -1e6, 1e6)*zoom) + 0.5)
	side := g.Side()
	switch {
	case side >= 40:
		g.Gap = 4
	case side >= glyphZoom:
		g.Gap = 3
	case side >= gapZoom:
		g.Gap = 1
	}
	g.Stroke = min(max(math.Floor(side/8), 1), 4)
	return g
}

// Side is the smaller side of a cell with its gap.
func (g Grid) Side() float64 { return min(g.Across.Cell, g.Down.Cell) }

// within returns x, or the bound that it exceeds; for NaN the one nearer to 0.
func within(x, low, high float64) float64 {
	if math.IsNaN(x) {
		return max(low, 0)
	}
	return min(max(x, low), high)
}

// square returns the top left corner of a cell, in device pixels.
func (g Grid) square(l *frame.Layout, cell unit.NodeID) point {
	return point{g.X + g.Across.At(int(l.X[cell])), g.Y + g.Down.At(int(l.Y[cell]))}
}

// middle returns the middle of a cell, in device pixels.
func (g Grid) middle(l *frame.Layout, cell unit.NodeID) point {
	return g.square(l, cell).add(point{g.Across.Cell - g.Gap, g.Down.Cell - g.Gap}, 0.5)
}
