package raster

import (
	"image/color"
	"math"
)

// Vertex is a corner of a triangle, in device pixels, with a colour that is
// multiplied by its alpha.
type Vertex struct{ X, Y, R, G, B, A float32 }

// Mesh is a list of shapes as triangles; colours run between their corners. Edges
// are smooth because a strip of one pixel along them runs out to nothing.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint32 // three a triangle
}

// Fill replaces the mesh by the triangles of a list and keeps its memory.
func (m *Mesh) Fill(l *List) {
	m.Vertices, m.Indices = m.Vertices[:0], m.Indices[:0]
	for i := range l.Shapes {
		s := &l.Shapes[i]
		points := l.points[s.from:s.to]
		switch s.Kind {
		case Area:
			m.area(points, inkOf(s.Colour, s.Alpha))
		case Line:
			m.line(points, s)
		case Glow:
			m.glow(points[0], s)
		}
	}
}

// ink is a colour multiplied by its alpha.
type ink [4]float32

func inkOf(c color.RGBA, alpha float64) ink {
	a := float32(alpha)
	return ink{float32(c.R) / 255 * a, float32(c.G) / 255 * a, float32(c.B) / 255 * a, a}
}

func (m *Mesh) vertex(x, y float64, c ink) {
	m.Vertices = append(m.Vertices, Vertex{float32(x), float32(y), c[0], c[1], c[2], c[3]})
}

// quad joins four vertices, two of one strip's end and two of the other.
func (m *Mesh) quad(a, b, c, d uint32) { m.Indices = append(m.Indices, a, b, c, b, c, d) }

// area fills a convex polygon. Its edge fades within half a pixel to each side, unless all corners are whole pixels.
func (m *Mesh) area(points []point, c ink) {
	at, n := uint32(len(m.Vertices)), uint32(len(points))
	if whole(points) {
		for _, p := range points {
			m.vertex(p.x, p.y, c)
		}
		for i := uint32(2); i < n; i++ {
			m.Indices = append(m.Indices, at, at+i-1, at+i)
		}
		return
	}
	var middle point
	for _, p := range points {
		middle = middle.add(p, 1/float64(n))
	}
	for _, p := range points { // half a pixel inwards and outwards
		away := point{p.x - middle.x, p.y - middle.y}
		far := math.Max(0.5, math.Sqrt(float64(away.x*away.x)+float64(away.y*away.y)))
		inside, outside := p.add(away, -0.5/far), p.add(away, 0.5/far)
		m.vertex(inside.x, inside.y, c)
		m.vertex(outside.x, outside.y, ink{})
	}
	for i := uint32(0); i < n; i++ {
		a, b := at+2*i, at+2*((i+1)%n)
		m.quad(a, a+1, b, b+1)
		if i >= 2 {
			m.Indices = append(m.Indices, at, at+2*(i-1), a)
		}
	}
}

// whole reports whether all points are whole pixels.
func whole(points []point) bool {
	for _, p := range points {
		if p.x != math.Floor(p.x) || p.y != math.Floor(p.y) {
			return false
		}
	}
	return true
}

// line adds a ribbon of three strips: the middle one has the line's colour, the
// outer ones fade.
func (m *Mesh) line(points []point, s *Shape) {
	inner, outer := math.Max(0, float64(s.Width/2)-0.5), float64(s.Width/2)+0.5
	thin := math.Min(1, s.Width) // a line thinner than a pixel is fainter
	last := len(points) - 1
	for i, p := range points {
		// the direction at a point is that between its neighbours
		before, after := points[max(0, i-1)], points[min(last, i+1)]
		dx, dy := after.x-before.x, after.y-before.y
		length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		if length == 0 {
			dx, length = 1, 1
		}
		normal := point{-dy / length, dx / length}
		part := float64(i) / math.Max(1, float64(last))
		c := inkOf(s.Colour, float64(thin*(s.Alpha+float64((s.End-s.Alpha)*part))))
		for _, side := range [4]struct {
			off float64
			c   ink
		}{{-outer, ink{}}, {-inner, c}, {inner, c}, {outer, ink{}}} {
			q := p.add(normal, side.off)
			m.vertex(q.x, q.y, side.c)
		}
		if i == last {
			break
		}
		at := uint32(len(m.Vertices) - 4)
		for strip := range uint32(3) {
			m.quad(at+strip, at+strip+1, at+strip+4, at+strip+5)
		}
	}
}

// circle has the corners of the discs.
var circle = func() (corners [12]point) {
	// Halves of √3 and 1: no function whose bits differ between platforms.
	const h, q = 0.8660254037844386, 0.5
	return [12]point{
		{1, 0},
		{h, q},
		{q, h},
		{0, 1},
		{-q, h},
		{-h, q},
		{-1, 0},
		{-h, -q},
		{-q, -h},
		{0, -1},
		{q, -h},
		{h, -q},
	}
}()

// glow draws a disc that fades from its middle over three rings.
func (m *Mesh) glow(at point, s *Shape) {
	middle := uint32(len(m.Vertices))
	m.vertex(at.x, at.y, inkOf(s.Colour, s.Alpha))
	n := uint32(len(circle))
	for _, ring := range [3][2]float64{{0.33, 0.55}, {0.66, 0.16}, {1, 0}} {
		for _, c := range circle {
			p := at.add(c, float64(ring[0]*s.Width))
			m.vertex(p.x, p.y, inkOf(s.Colour, float64(ring[1]*s.Alpha)))
		}
	}
	for i := range n {
		a, b := middle+1+i, middle+1+(i+1)%n
		m.Indices = append(m.Indices, middle, a, b)
		m.quad(a, b, a+n, b+n)
		m.quad(a+n, b+n, a+2*n, b+2*n)
	}
}
