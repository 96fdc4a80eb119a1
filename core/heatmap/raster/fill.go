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

func (e *edge) at(x, y float64) float64 { return float64(e.dx*(y-e.y)) - float64(e.dy*(x-e.x)) }

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
	x0, x1 := span(min(a.X, b.X, c.X), max(a.X, b.X, c.X), bounds.Min.X, bounds.Max.X)
	y0, y1 := span(min(a.Y, b.Y, c.Y), max(a.Y, b.Y, c.Y), bounds.Min.Y, bounds.Max.Y)
	flat := a.A == b.A && b.A == c.A
	for y := y0; y < y1; y++ {
		py := float64(y) + 0.5
		row := picture.Pix[picture.PixOffset(x0, y):]
		for x := x0; x < x1; x, row = x+1, row[4:] {
			px := float64(x) + 0.5
			wa, wb, wc := bc.at(px, py), ca.at(px, py), ab.at(px, py)
			if !(wa > 0 || wa == 0 && bc.owns) || !(wb > 0 || wb == 0 && ca.owns) || !(wc > 0 || wc == 0 && ab.owns) {
				continue
			}
			if flat && a.A == 1 {
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
func channel(x float32) uint8 { return uint8(float32(min(max(x, 0), 1)*255) + 0.5) }

// span returns the pixels whose middles may lie between two places.
func span(least, most float32, from, to int) (int, int) {
	low := math.Max(float64(from), math.Min(math.Floor(float64(least)), float64(to)))
	high := math.Max(float64(from), math.Min(math.Ceil(float64(most))+1, float64(to)))
	return int(low), int(high)
}
