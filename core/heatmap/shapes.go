package heatmap

import (
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap/raster"
)

// shapes draws everything above the cells as one batch of triangles.
type shapes struct {
	list     raster.List
	mesh     raster.Mesh
	white    *ebiten.Image
	vertices []ebiten.Vertex
}

// draw draws the overlay of a scene at a scale of pixels to units.
func (t *shapes) draw(screen *ebiten.Image, s *raster.Scene, scale float64) {
	size := screen.Bounds().Size()
	s.Overlay(&t.list, size.X, size.Y, scale)
	t.mesh.Fill(&t.list)
	if len(t.mesh.Indices) == 0 {
		return
	}
	if t.white == nil {
		// One pixel inside a white border, so that nothing else of the atlas
		// bleeds in.
		border := ebiten.NewImage(3, 3)
		border.Fill(color.White)
		t.white = border.SubImage(image.Rect(1, 1, 2, 2)).(*ebiten.Image)
	}
	t.vertices = t.vertices[:0]
	for _, v := range t.mesh.Vertices {
		t.vertices = append(t.vertices, ebiten.Vertex{
			DstX: v.X, DstY: v.Y, SrcX: 1.5, SrcY: 1.5, ColorR: v.R,
			ColorG: v.G, ColorB: v.B, ColorA: v.A,
		})
	}
	screen.DrawTriangles32(t.vertices, t.mesh.Indices, t.white,
		&ebiten.DrawTrianglesOptions{ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha})
}
