package heatmap

import (
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap/raster"
)

// squares draws the cells: a texture of the grid, a table of looks, a shader.
type squares struct {
	shader *ebiten.Shader
	texels []byte
	grid   *ebiten.Image // a texel a square
	looks  *ebiten.Image // 256 × 2: the colour of each byte, its pattern and ink

	staleTexels, staleTable bool
	options                 ebiten.DrawTrianglesShaderOptions
}

func (q *squares) draw(screen *ebiten.Image, s *raster.Scene, scale float64) {
	if s.Layout.Columns < 1 || s.Layout.Rows < 1 || s.Detailed(scale) {
		screen.Fill(s.Look.Theme().Stage)
		return
	}
	q.upload(s)
	q.place(s.Grid(scale), s.Look.Theme())
	size := screen.Bounds().Size()
	w, h := float32(size.X), float32(size.Y)
	corners := [4]ebiten.Vertex{{}, {DstX: w}, {DstY: h}, {DstX: w, DstY: h}}
	screen.DrawTrianglesShader32(corners[:], []uint32{0, 1, 2, 1, 2, 3}, q.shader, &q.options)
}

// upload updates the textures.
func (q *squares) upload(s *raster.Scene) {
	if q.grid == nil || q.grid.Bounds().Dx() != s.Layout.Columns || q.grid.Bounds().Dy() != s.Layout.Rows {
		if q.grid != nil {
			q.grid.Deallocate()
		}
		q.grid = ebiten.NewImage(s.Layout.Columns, s.Layout.Rows)
		q.staleTexels = true
	}
	if q.staleTexels {
		q.texels = s.Texels(q.texels)
		q.grid.WritePixels(q.texels)
		q.staleTexels = false
	}
	if q.looks == nil {
		q.looks = ebiten.NewImage(256, 2)
		q.staleTable = true
	}
	if q.staleTable {
		q.looks.WritePixels(looks(s.Table()))
		q.staleTable = false
	}
	q.options.Images[0], q.options.Images[1] = q.grid, q.looks
}

func looks(t *raster.Table) []byte {
	pixels := make([]byte, 4*256*2)
	for v, c := range t.Colour {
		copy(pixels[4*v:], []byte{c.R, c.G, c.B, 255})
		light := byte(0)
		if t.Light[v] {
			light = 255
		}
		copy(pixels[4*(256+v):], []byte{byte(t.Pattern[v]), light, 0, 255})
	}
	return pixels
}

// place sets the shader's uniforms. The phase of hatches is reduced here, which
// float32 could not hold for a picture far from the layout's origin.
func (q *squares) place(g raster.Grid, theme *raster.Theme) {
	shared := raster.Shared()
	period := 4 * g.Stroke
	q.options.Uniforms = map[string]any{
		"MarkZoom":    float32(shared.Mark),
		"PatternZoom": float32(shared.Pattern),
		"Black":       channels(shared.Black),
		"Stage":       channels(theme.Stage),
		"DownGround":  channels(theme.FailPad),
		"DownHatch":   channels(theme.Fail),
		"DownFar":     channels(theme.FailFar),
		"Origin":      []float32{float32(g.X), float32(g.Y)},
		"Cell":        []float32{float32(g.Across.Cell), float32(g.Down.Cell)},
		"Block":       []float32{float32(g.Across.Block), float32(g.Down.Block)},
		"Period":      []float32{float32(g.Across.Period()), float32(g.Down.Period())},
		"Gap":         float32(g.Gap),
		"Stroke":      float32(g.Stroke),
		"Phase":       []float32{float32(math.Mod(-g.X-g.Y, period)), float32(math.Mod(-g.X+g.Y, period))},
	}
}

func channels(c color.RGBA) []float32 {
	return []float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
}
