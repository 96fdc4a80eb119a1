package raster_test

import (
	"bytes"
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/heatmap/raster"
	_ "parley/core/testkit/scripttest/seed"
)

// TestPaintAgainstEveryPixel compares a mesh's picture with one for which every pixel of the
// picture is asked whether it lies in a triangle, bit for bit: thin triangles, flat ones, some
// on whole pixels, some far outside.
func TestPaintAgainstEveryPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const width, height = 40, 24
		scale := rapid.SampledFrom([]float64{1, 1, 1, 50, 1e4, 1e7}).Draw(t, "scale")
		place := func(limit int, name string) float32 {
			at := scale * float64(rapid.IntRange(-8*limit, 16*limit).Draw(t, name)) / 8
			if rapid.Bool().Draw(t, "a fraction") {
				at += rapid.Float64Range(-1, 1).Draw(t, "by")
			}
			return float32(at)
		}
		part := func(name string) float32 {
			return rapid.SampledFrom([]float32{0, 0, 0.3, 0.77, 1, 1}).Draw(t, name)
		}
		var m raster.Mesh
		for range rapid.IntRange(1, 6).Draw(t, "corners beyond two") + 2 {
			a := part("alpha")
			m.Vertices = append(m.Vertices, raster.Vertex{X: place(width, "x"), Y: place(height, "y"), R: a * part("r"), G: a * part("g"), B: a * part("b"), A: a})
		}
		for i := uint32(2); int(i) < len(m.Vertices); i++ {
			m.Indices = append(m.Indices, i-2, i-1, i)
		}
		quick, slow := image.NewRGBA(image.Rect(0, 0, width, height)), image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range quick.Pix {
			quick.Pix[i] = byte(37 * i)
		}
		copy(slow.Pix, quick.Pix)
		m.Paint(quick)
		for i := 0; i < len(m.Indices); i += 3 {
			everyPixel(slow, m.Vertices[m.Indices[i]], m.Vertices[m.Indices[i+1]], m.Vertices[m.Indices[i+2]])
		}
		if !bytes.Equal(quick.Pix, slow.Pix) {
			t.Fatalf("the pictures of %+v differ", m)
		}
	})
}

// everyPixel draws a triangle: a pixel belongs to it if its middle is inside of all three edges.
func everyPixel(picture *image.RGBA, a, b, c raster.Vertex) {
	side := func(p, q raster.Vertex, x, y float64) (inside float64, owns bool) {
		dx, dy := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
		return float64(dx*(y-float64(p.Y))) - float64(dy*(x-float64(p.X))), dy < 0 || dy == 0 && dx > 0
	}
	area, _ := side(a, b, float64(c.X), float64(c.Y))
	if area == 0 || a.A == 0 && b.A == 0 && c.A == 0 {
		return
	}
	if area < 0 {
		b, c, area = c, b, -area
	}
	byteOf := func(x float32) uint8 { return uint8(float32(min(max(x, 0), 1)*255) + 0.5) }
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			px, py := float64(x)+0.5, float64(y)+0.5
			wa, ownsA := side(b, c, px, py)
			wb, ownsB := side(c, a, px, py)
			wc, ownsC := side(a, b, px, py)
			if low := math.Min(wa, math.Min(wb, wc)); low < 0 || wa == 0 && !ownsA || wb == 0 && !ownsB || wc == 0 && !ownsC {
				continue
			}
			pixel := picture.Pix[picture.PixOffset(x, y):][:3]
			if a.A == 1 && b.A == 1 && c.A == 1 {
				pixel[0], pixel[1], pixel[2] = byteOf(a.R), byteOf(a.G), byteOf(a.B)
				continue
			}
			mix := func(p, q, r float32) float32 {
				return float32(float32(wa/area)*p) + float32(float32(wb/area)*q) + float32(float32(wc/area)*r)
			}
			left := 1 - mix(a.A, b.A, c.A)
			pixel[0] = byteOf(mix(a.R, b.R, c.R) + float32(left*float32(pixel[0])/255))
			pixel[1] = byteOf(mix(a.G, b.G, c.G) + float32(left*float32(pixel[1])/255))
			pixel[2] = byteOf(mix(a.B, b.B, c.B) + float32(left*float32(pixel[2])/255))
		}
	}
}
