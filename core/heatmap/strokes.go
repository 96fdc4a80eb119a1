package heatmap

import (
	"image"
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap/raster"
)

// strokes draws arcs and rings as one batch of triangles. A curve is a ribbon
// of three strips: its middle has the stroke's colour, the outer ones fade
// over one pixel, which smooths the edge without another pass.
type strokes struct {
	white    *ebiten.Image
	vertices []ebiten.Vertex
	indices  []uint32
}

func (t *strokes) draw(screen *ebiten.Image, all []raster.Stroke) {
	if len(all) == 0 {
		return
	}
	if t.white == nil {
		// One pixel inside a white border, so that nothing else of the atlas
		// bleeds in.
		border := ebiten.NewImage(3, 3)
		border.Fill(color.White)
		t.white = border.SubImage(image.Rect(1, 1, 2, 2)).(*ebiten.Image)
	}
	t.vertices, t.indices = t.vertices[:0], t.indices[:0]
	for i := range all {
		if len(all[i].X) > 0 {
			t.ribbon(&all[i])
			continue
		}
		for _, side := range all[i].Sides() {
			t.bar(side, ink(&all[i], all[i].Alpha))
		}
	}
	screen.DrawTriangles32(t.vertices, t.indices, t.white, &ebiten.DrawTrianglesOptions{ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha})
}

// ink is a premultiplied colour.
func ink(s *raster.Stroke, alpha float64) [4]float32 {
	a := float32(alpha)
	return [4]float32{float32(s.Colour.R) / 255 * a, float32(s.Colour.G) / 255 * a, float32(s.Colour.B) / 255 * a, a}
}

func (t *strokes) vertex(x, y float64, c [4]float32) {
	t.vertices = append(t.vertices, ebiten.Vertex{
		DstX: float32(x), DstY: float32(y), SrcX: 1.5, SrcY: 1.5,
		ColorR: c[0], ColorG: c[1], ColorB: c[2], ColorA: c[3],
	})
}

func (t *strokes) bar(r image.Rectangle, c [4]float32) {
	if r.Empty() {
		return
	}
	at := uint32(len(t.vertices))
	x0, y0, x1, y1 := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)
	t.vertex(x0, y0, c)
	t.vertex(x1, y0, c)
	t.vertex(x0, y1, c)
	t.vertex(x1, y1, c)
	t.indices = append(t.indices, at, at+1, at+2, at+1, at+2, at+3)
}

func (t *strokes) ribbon(s *raster.Stroke) {
	middle, edge := ink(s, s.Alpha), [4]float32{}
	inner, outer := math.Max(0, s.Width/2-0.5), s.Width/2+0.5
	last := len(s.X) - 1
	for i := range s.X {
		// The direction at a point is that from its neighbour to its neighbour.
		before, after := max(0, i-1), min(last, i+1)
		dx, dy := s.X[after]-s.X[before], s.Y[after]-s.Y[before]
		length := math.Sqrt(dx*dx + dy*dy)
		if length == 0 {
			dx, length = 1, 1
		}
		nx, ny := -dy/length, dx/length
		t.vertex(s.X[i]-nx*outer, s.Y[i]-ny*outer, edge)
		t.vertex(s.X[i]-nx*inner, s.Y[i]-ny*inner, middle)
		t.vertex(s.X[i]+nx*inner, s.Y[i]+ny*inner, middle)
		t.vertex(s.X[i]+nx*outer, s.Y[i]+ny*outer, edge)
		if i == last {
			break
		}
		at := uint32(len(t.vertices) - 4)
		for strip := range uint32(3) {
			a := at + strip
			t.indices = append(t.indices, a, a+1, a+4, a+1, a+4, a+5)
		}
	}
}
