package raster

import (
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

// Camera says which part of the grid is seen: the square at the top left, and
// the side of a square in CSS pixels.
type Camera struct{ X, Y, Zoom float64 }

// Fit returns the camera that shows the whole layout in the middle of width ×
// height CSS pixels, with one square's margin and squares of at most 48
// pixels.
func Fit(l *frame.Layout, width, height float64) Camera {
	zoom := min(width/float64(l.Columns+2), height/float64(l.Rows+2), 48)
	zoom = max(zoom, 0.05)
	return Camera{(float64(l.Columns) - width/zoom) / 2, (float64(l.Rows) - height/zoom) / 2, zoom}
}

// Zoomed returns the camera with squares factor times as large, 1 to 96 CSS
// pixels, while the point at x, y (CSS pixels) stays where it is.
func (c Camera) Zoomed(factor, x, y float64) Camera {
	zoom := min(max(c.Zoom*factor, min(1, c.Zoom)), max(96, c.Zoom))
	return Camera{c.X + x/c.Zoom - x/zoom, c.Y + y/c.Zoom - y/zoom, zoom}
}

// Centred returns the camera with a cell in the middle of width × height CSS
// pixels.
func (c Camera) Centred(l *frame.Layout, cell unit.NodeID, width, height float64) Camera {
	return Camera{float64(l.X[cell]) + 0.5 - width/2/c.Zoom, float64(l.Y[cell]) + 0.5 - height/2/c.Zoom, c.Zoom}
}

// Squares smaller than these many device pixels show less: gaps between
// squares need gapZoom, hatches and diamonds markZoom, patterns patternZoom.
const (
	gapZoom     = 3
	markZoom    = 4
	patternZoom = 6
)

// Grid is the camera in device pixels.
type Grid struct {
	X, Y   float64 // the square at the top left
	Zoom   float64 // device pixels a square, its gap included
	Gap    float64 // between squares
	Stroke float64 // width of the lines in hatches and patterns; they repeat every four
}

// Grid returns the scene's grid on a screen with scale device pixels a CSS
// pixel. A camera that is no place at all (NaN, infinite) shows the origin.
func (s *Scene) Grid(scale float64) Grid {
	g := Grid{X: within(s.Camera.X, -1e6, 1e6), Y: within(s.Camera.Y, -1e6, 1e6), Zoom: within(s.Camera.Zoom*scale, 0.01, 4096)}
	switch {
	case g.Zoom >= 40:
		g.Gap = 3
	case g.Zoom >= 14:
		g.Gap = 2
	case g.Zoom >= gapZoom:
		g.Gap = 1
	}
	g.Stroke = min(max(math.Floor(g.Zoom/8), 1), 4)
	return g
}

// within returns x, or the bound it lies beyond; for NaN the one nearer to 0.
func within(x, low, high float64) float64 {
	if math.IsNaN(x) {
		return max(low, 0)
	}
	return min(max(x, low), high)
}

// square returns the top left corner of a cell's square, in device pixels.
func (g Grid) square(l *frame.Layout, cell unit.NodeID) point {
	return point{float64((float64(l.X[cell]) - g.X) * g.Zoom), float64((float64(l.Y[cell]) - g.Y) * g.Zoom)}
}
