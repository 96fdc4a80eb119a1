package raster

import (
	"image"
	"math"
)

// Paint draws the mesh over a picture, as a graphics card does: a pixel belongs to
// the triangle that holds its middle, one on an edge to the triangle below or to the
// right of it, and colours run straight between the corners.
func (m *Mesh) Paint(picture *image.RGBA) {
	for i := 0; i+2 < len(m.Indices); i += 3 {
		a, b, c := &m.Vertices[m.Indices[i]], &m.Vertices[m.Indices[i+1]], &m.Vertices[m.Indices[i+2]]
		if a.A == 0 && b.A == 0 && c.A == 0 {
			continue
		}
		triangle(picture, a, b, c)
	}
}

// edge is one side of a triangle: how far points are inside of it.
type edge struct {
	x, y, dx, dy float64
	owns         bool // points on it are inside
}

func edgeOf(a, b *Vertex) edge {
	dx, dy := float64(b.X)-float64(a.X), float64(b.Y)-float64(a.Y)
	return edge{float64(a.X), float64(a.Y), dx, dy, dy < 0 || dy == 0 && dx > 0}
}

// along is the part of at that all pixels of a row have in common.
func (e *edge) along(y float64) float64 { return float64(e.dx * (y - e.y)) }

func (e *edge) at(x, y float64) float64 { return e.along(y) - float64(e.dy*(x-e.x)) }

// holds reports whether a point so far inside belongs to the triangle.
func (e *edge) holds(inside float64) bool { return inside > 0 || inside == 0 && e.owns }

// ends reports whether no point to the right of one so far inside belongs to the triangle: the edge's values
// do not rise along a row, rounded or not.
func (e *edge) ends(inside float64) bool { return e.dy >= 0 && !e.holds(inside) }

// within narrows the pixels x0 to x1 of a row to those that may be inside the edge, with two more on either side.
// It keeps all of them if the edge is too flat to decide. along is the edge's value for that row.
func (e *edge) within(along float64, x0, x1 int) (int, int) {
	switch x := e.x + along/e.dy - 0.5; {
	case e.dy >= flattest && x < float64(x1-2):
		x1 = max(x0, int(math.Floor(x))+3)
	case e.dy <= -flattest && x > float64(x0+2):
		x0 = min(x1, int(math.Ceil(x))-2)
	}
	return x0, x1
}

// Limits of within: on flatter edges, or farther out, rounding could exceed the pixels that it adds.
const (
	flattest = 1. / 64
	farthest = 1 << 20
)

// triangle fills the pixels of the picture whose middles are in a triangle; those on an edge that two triangles
// share are filled once. If all vertices are opaque, it has the colour of a, so they must be of one colour;
// otherwise premultiplied colours are mixed from the vertices and laid over the picture.
func triangle(picture *image.RGBA, a, b, c *Vertex) {
	ab := edgeOf(a, b)
	area := ab.at(float64(c.X), float64(c.Y))
	if area == 0 || area != area {
		return
	}
	if area < 0 {
		b, c, area = c, b, -area
		ab = edgeOf(a, b)
	}
	bc, ca := edgeOf(b, c), edgeOf(c, a)
	bounds := picture.Rect
	left, right := ends(a.X, b.X, c.X)
	top, bottom := ends(a.Y, b.Y, c.Y)
	x0, x1 := span(left, right, bounds.Min.X, bounds.Max.X)
	y0, y1 := span(top, bottom, bounds.Min.Y, bounds.Max.Y)
	narrow := x1-x0 > 4 && left > -farthest && right < farthest && top > -farthest && bottom < farthest
	opaque := a.A == 1 && b.A == 1 && c.A == 1
	for y := y0; y < y1; y++ {
		py := float64(y) + 0.5
		alongA, alongB, alongC := bc.along(py), ca.along(py), ab.along(py)
		from, to := x0, x1
		if narrow {
			from, to = bc.within(alongA, from, to)
			from, to = ca.within(alongB, from, to)
			from, to = ab.within(alongC, from, to)
		}
		if from >= to {
			continue
		}
		row := picture.Pix[picture.PixOffset(from, y) : picture.PixOffset(to-1, y)+4]
		for x := from; x < to; x, row = x+1, row[4:] {
			px := float64(x) + 0.5
			wa, wb, wc := alongA-float64(bc.dy*(px-bc.x)), alongB-float64(ca.dy*(px-ca.x)),
				alongC-float64(ab.dy*(px-ab.x))
			if !bc.holds(wa) || !ca.holds(wb) || !ab.holds(wc) {
				if bc.ends(wa) || ca.ends(wb) || ab.ends(wc) {
					break
				}
				continue
			}
			if opaque {
				row[0], row[1], row[2] = channel(a.R), channel(a.G), channel(a.B)
				continue
			}
			u, v, w := float32(wa/area), float32(wb/area), float32(wc/area)
			mix := func(p, q, r float32) float32 { return float32(u*p) + float32(v*q) + float32(w*r) }
			left := 1 - mix(a.A, b.A, c.A)
			row[0] = channel(mix(a.R, b.R, c.R) + float32(left*float32(row[0])/255))
			row[1] = channel(mix(a.G, b.G, c.G) + float32(left*float32(row[1])/255))
			row[2] = channel(mix(a.B, b.B, c.B) + float32(left*float32(row[2])/255))
		}
	}
}

// channel is a colour's part of 0 to 1 as a byte.
//
// It compares, as span and ends do: min and max of floats are calls in WebAssembly.
func channel(x float32) uint8 {
	switch {
	case !(x > 0):
		return 0
	case x >= 1:
		return 255
	}
	return uint8(float32(x*255) + 0.5)
}

// ends returns the least and the greatest of three numbers.
func ends(a, b, c float32) (lowest, highest float32) {
	if b < a {
		a, b = b, a
	}
	switch {
	case c < a:
		return c, b
	case c > b:
		return a, c
	}
	return a, b
}

// span returns the pixels whose middles may lie between two places.
func span(lowest, highest float32, from, to int) (int, int) {
	return limited(math.Floor(float64(lowest)), from, to), limited(math.Ceil(float64(highest))+1, from, to)
}

// limited returns a whole number, clamped to a range.
func limited(x float64, from, to int) int {
	switch {
	case !(x > float64(from)):
		return from
	case x >= float64(to):
		return to
	}
	return int(x)
}
