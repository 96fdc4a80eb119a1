package raster

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

type point struct{ x, y float64 }

func (p point) add(q point, times float64) point {
	return point{p.x + float64(q.x*times), p.y + float64(q.y*times)}
}

// ShapeKind is a kind of Shape.
type ShapeKind uint8

// The kinds of shapes.
const (
	Area ShapeKind = iota // a convex polygon; its edges are smooth unless all corners are whole pixels
	Line                  // a curve with a width
	Glow                  // a disc that fades towards its rim
)

// Shape is one thing that is drawn above the cells, in device pixels.
type Shape struct {
	Name       string // kind of shape: "arc", "rack"
	Kind       ShapeKind
	Width      float64 // of a Line; of a Glow its radius
	Colour     color.RGBA
	Alpha, End float64 // at the first point of a Line and at its last; of others End is Alpha
	from, to   int     // its points in the list
}

// List describes the shapes above the cells, in drawing order. The renderer, the graphics card or
// Draw, draws the triangles of its Mesh.
type List struct {
	Shapes []Shape
	points []point
}

// clear empties the list and keeps its memory.
func (l *List) clear() { l.Shapes, l.points = l.Shapes[:0], l.points[:0] }

//go:noinline
func (l *List) add(s Shape, points ...point) {
	s.from = len(l.points)
	l.points = append(l.points, points...)
	s.to = len(l.points)
	if s.Alpha > 0 || s.End > 0 {
		l.Shapes = append(l.Shapes, s)
	}
}

func (l *List) area(kind string, c color.RGBA, alpha float64, points ...point) {
	l.add(Shape{Name: kind, Kind: Area, Colour: c, Alpha: alpha, End: alpha}, points...)
}

// rect adds a rectangle.
//
//go:noinline
func (l *List) rect(kind string, b box, c color.RGBA, alpha float64) {
	if b.x1 > b.x0 && b.y1 > b.y0 {
		l.area(kind, c, alpha, point{b.x0, b.y0}, point{b.x1, b.y0}, point{b.x1, b.y1}, point{b.x0, b.y1})
	}
}

// outline adds the frame of a rectangle, inwards.
func (l *List) outline(kind string, b box, width float64, c color.RGBA, alpha float64) {
	l.rect(kind, box{b.x0, b.y0, b.x1, b.y0 + width}, c, alpha)
	l.rect(kind, box{b.x0, b.y1 - width, b.x1, b.y1}, c, alpha)
	l.rect(kind, box{b.x0, b.y0 + width, b.x0 + width, b.y1 - width}, c, alpha)
	l.rect(kind, box{b.x1 - width, b.y0 + width, b.x1, b.y1 - width}, c, alpha)
}

// hatch adds lines that rise to the right, at equal distances in pixels, inside a rectangle.
func (l *List) hatch(kind string, b box, every, width float64, c color.RGBA, alpha float64) {
	if b.x1 <= b.x0 {
		return // its lines would be dots
	}
	for sum := b.x0 + b.y0 + float64(every/2) + 0.3; sum < b.x1+b.y1; sum += every {
		from := point{math.Max(b.x0, sum-b.y1), 0}
		from.y = sum - from.x
		to := point{math.Min(b.x1, sum-b.y0), 0}
		to.y = sum - to.x
		l.add(Shape{Name: kind, Kind: Line, Width: width, Colour: c, Alpha: alpha, End: alpha}, from, to)
	}
}

func (l *List) glow(kind string, at point, radius float64, c color.RGBA, alpha float64) {
	l.add(Shape{Name: kind, Kind: Glow, Width: radius, Colour: c, Alpha: alpha, End: alpha}, at)
}

// circle adds a ring.
func (l *List) circle(kind string, at point, radius, width float64, c color.RGBA, alpha float64) {
	first := len(l.points)
	for i := range len(round) + 1 {
		l.points = append(l.points, at.add(round[i%len(round)], radius))
	}
	l.Shapes = append(l.Shapes, Shape{
		Name: kind, Kind: Line, Width: width, Colour: c, Alpha: alpha, End: alpha,
		from: first, to: len(l.points),
	})
}

// round has the corners of rings: 24 of a circle.
var round = func() (corners [24]point) {
	// The cosines of 0, 15, 30 and 45 degrees: no function whose bits differ between platforms.
	const a, b, c, d = 0.9659258262890683, 0.8660254037844386, 0.7071067811865476, 0.25881904510252074
	quarter := [6]point{{1, 0}, {a, d}, {b, 0.5}, {c, c}, {0.5, b}, {d, a}}
	for i, p := range quarter {
		corners[i], corners[i+6], corners[i+12], corners[i+18] = p, point{-p.y, p.x}, point{-p.x, -p.y},
			point{p.y, -p.x}
	}
	return corners
}()

// Length returns how long the i-th shape's points are together, in device pixels.
func (l *List) Length(i int) (sum float64) {
	points := l.points[l.Shapes[i].from:l.Shapes[i].to]
	for i := 1; i < len(points); i++ {
		dx, dy := points[i].x-points[i-1].x, points[i].y-points[i-1].y
		sum += math.Sqrt(float64(dx*dx) + float64(dy*dy))
	}
	return sum
}

// String returns the list as text, one shape a line.
func (l *List) String() string {
	var b strings.Builder
	for _, s := range l.Shapes {
		fmt.Fprintf(&b, "%s %s #%02x%02x%02x %.2f", s.Name, [...]string{"area", "line", "glow"}[s.Kind], s.Colour.R, s.Colour.G, s.Colour.B, s.Alpha)
		if s.End != s.Alpha {
			fmt.Fprintf(&b, "→%.2f", s.End)
		}
		if s.Kind != Area {
			fmt.Fprintf(&b, " width %.4g", s.Width)
		}
		points := l.points[s.from:s.to]
		if len(points) > 4 {
			points = []point{points[0], points[len(points)/2], points[len(points)-1]}
		}
		for _, p := range points {
			fmt.Fprintf(&b, " %.4g,%.4g", p.x, p.y)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// box is a rectangle in device pixels.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) grown(by float64) box {
	by = float64(by) // rounded, whatever product it was
	return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by}
}

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// around returns the rectangle around points.
func around(points ...point) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		b = box{math.Min(b.x0, p.x), math.Min(b.y0, p.y), math.Max(b.x1, p.x), math.Max(b.y1, p.y)}
	}
	return b
}
