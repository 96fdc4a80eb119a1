package raster

import (
	"image"
	"image/color"
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

type point struct{ x, y float64 }

func (p point) add(q point, times float64) point {
	return point{p.x + float64(q.x*times), p.y + float64(q.y*times)}
}

// Stroke is one line above the squares: a curve of X, Y in device pixels,
// painted once where it crosses itself. A stroke without points is the outline
// of Box instead, on whole pixels.
type Stroke struct {
	X, Y   []float64
	Box    image.Rectangle
	Width  float64 // device pixels, inwards from Box
	Colour color.RGBA
	Alpha  float64
}

// Colours of the overlay.
var (
	forced    = color.RGBA{0xff, 0x8f, 0x85, 0xff}
	selection = color.RGBA{0x7f, 0xb0, 0xff, 0xff}
)

// Overlay returns what is drawn above the squares, in drawing order: the arcs
// of the migrations that touch a picture of width × height device pixels, then
// the rings of the selection and the cursor.
func (s *Scene) Overlay(width, height int, scale float64) []Stroke {
	g := s.Grid(scale)
	seen := image.Rect(0, 0, width, height)
	var strokes []Stroke
	// More arcs are drawn fainter, so that the squares stay readable.
	fade := min(1, max(0.35, math.Sqrt(80/float64(len(s.Frame.Arcs)+1))))
	for _, arc := range s.Frame.Arcs {
		if s.drawn(arc.From) && s.drawn(arc.To) && arc.From != arc.To {
			strokes = s.appendArc(strokes, g, arc, seen, scale, fade)
		}
	}
	for _, ring := range []struct {
		cell   unit.NodeID
		colour color.RGBA
		width  float64
	}{{s.Selected, selection, 2}, {s.Cursor, white, 1.5}} {
		if !s.drawn(ring.cell) {
			continue
		}
		thick := math.Max(1, math.Round(ring.width*scale))
		box := g.box(g.square(&s.Layout, ring.cell), 5*scale).Inset(-int(thick) - int(max(1, scale)))
		if box.Overlaps(seen) {
			dark := max(1, math.Floor(scale))
			strokes = append(strokes,
				Stroke{Box: box.Inset(-int(dark)), Width: thick + 2*dark, Colour: Stage, Alpha: 0.85},
				Stroke{Box: box, Width: thick, Colour: ring.colour, Alpha: 1})
		}
	}
	return strokes
}

// box returns the pixels of a square, or at least side × side pixels around
// its middle.
func (g Grid) box(corner point, side float64) image.Rectangle {
	own := g.Zoom - g.Gap
	side = math.Max(own, side)
	out := float64((own - side) / 2)
	x := int(math.Floor(corner.x + out + 0.5))
	y := int(math.Floor(corner.y + out + 0.5))
	return image.Rect(x, y, x+int(math.Round(side)), y+int(math.Round(side)))
}

// appendArc adds a migration: a faint curve from source to target, bright as
// far as the task's memory has come, and a box at the target. Forced ones are
// dashed and red.
func (s *Scene) appendArc(strokes []Stroke, g Grid, arc frame.Arc, seen image.Rectangle, scale, fade float64) []Stroke {
	middle := float64((g.Zoom - g.Gap) / 2)
	from := g.square(&s.Layout, arc.From).add(point{middle, middle}, 1)
	target := g.square(&s.Layout, arc.To)
	to := target.add(point{middle, middle}, 1)
	control, length := bend(from, to, scale)
	if !bounds(from, control, to).Inset(-int(8 * scale)).Overlaps(seen) {
		return strokes
	}
	colour, faint := white, 0.3
	if arc.Forced {
		colour, faint = forced, 0.5
	}
	progress := float64(arc.Progress) / 255
	curve := func(a, b, width, alpha float64) {
		steps := int(min(max((b-a)*length/(9*scale), 2), 40))
		line := Stroke{X: make([]float64, steps+1), Y: make([]float64, steps+1), Width: width * scale, Colour: colour, Alpha: alpha * fade}
		for i := range line.X {
			p := along(from, control, to, a+float64((b-a)*float64(i)/float64(steps)))
			line.X[i], line.Y[i] = p.x, p.y
		}
		strokes = append(strokes, line)
	}
	piece := func(a, b, width, alpha float64) {
		if b <= a {
			return
		}
		if !arc.Forced {
			curve(a, b, width, alpha)
			return
		}
		// Dashes of four CSS pixels after gaps of three, of the straight
		// line's length; longer ones on a line that leaves the screen anyway.
		period := max(7*scale/length, 1.0/600)
		for n := math.Floor(a / period); n*period < b; n++ {
			start := float64(n * period)
			if end := start + float64(period*4/7); end > a {
				curve(max(start, a), min(end, b), width, alpha)
			}
		}
	}
	piece(progress, 1, 1, faint)
	piece(0, progress, 1.25, 0.65)
	head := min(progress, 7*scale/length)
	if head > 0 {
		curve(progress-head, progress, 2.6, 1)
	}
	return append(strokes, Stroke{Box: g.box(target, 5*scale).Inset(-int(max(1, scale))), Width: max(1, math.Floor(scale)), Colour: colour, Alpha: max(0.6, fade)})
}

// bend returns the control point of an arc's quadratic curve, off the straight
// line on its upper side (a level line bends up, an upright one to the right),
// and the length of the straight line.
func bend(from, to point, scale float64) (point, float64) {
	dx, dy := to.x-from.x, to.y-from.y
	length := max(1, math.Sqrt(float64(dx*dx)+float64(dy*dy)))
	normal := point{dy / length, -dx / length}
	if normal.y > 0 || normal.y == 0 && normal.x < 0 {
		normal = point{-normal.x, -normal.y}
	}
	return point{float64((from.x + to.x) / 2), float64((from.y + to.y) / 2)}.add(normal, min(float64(0.35*length), float64(64*scale))), length
}

// along returns the point at t of 0 to 1 of a quadratic curve.
func along(from, control, to point, t float64) point {
	return point{}.add(from, (1-t)*(1-t)).add(control, 2*t*(1-t)).add(to, t*t)
}

func bounds(points ...point) image.Rectangle {
	box := image.Rectangle{}
	for i, p := range points {
		// Far outside is outside: the bound keeps the conversion defined.
		x, y := int(min(max(p.x, -1e6), 1e6)), int(min(max(p.y, -1e6), 1e6))
		dot := image.Rect(x, y, x+1, y+1)
		if i == 0 {
			box = dot
		}
		box = box.Union(dot)
	}
	return box
}
