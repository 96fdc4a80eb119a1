package raster

import (
	"image"
	"image/color"
	"math"
)

// Colours of the marks. From afar a node that is down is one flat colour
// between its ground and its hatch.
var (
	downGround = color.RGBA{0x3a, 0x12, 0x14, 0xff}
	downHatch  = color.RGBA{0xff, 0x8f, 0x85, 0xff}
	downFar    = color.RGBA{0x7d, 0x2c, 0x2e, 0xff}
	white      = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// Constants are the numbers that the shader shares with this package.
type Constants struct {
	Mark, Pattern                  float64 // the zoom from which on hatches and diamonds, and patterns, are drawn
	DownGround, DownHatch, DownFar color.RGBA
}

// Shared returns them.
func Shared() Constants {
	return Constants{markZoom, patternZoom, downGround, downHatch, downFar}
}

// Draw returns the scene as a picture of width × height device pixels on a
// screen with scale device pixels a CSS pixel.
func Draw(s *Scene, width, height int, scale float64) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	p := painter{Grid: s.Grid(scale), table: s.Table(), texels: s.Texels(nil), columns: s.Layout.Columns, rows: s.Layout.Rows}
	for y := range height {
		for x := range width {
			r, g, b := p.pixel(float64(x), float64(y)).bytes()
			picture.SetRGBA(x, y, color.RGBA{r, g, b, 255})
		}
	}
	overlay := s.Overlay(width, height, scale)
	for i := range overlay {
		overlay[i].paint(picture)
	}
	return picture
}

// tint is a colour while it is mixed, 0 to 1 a channel.
type tint struct{ r, g, b float64 }

func tintOf(c color.RGBA) tint {
	return tint{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255}
}

func (t tint) mix(o tint, share float64) tint {
	return tint{
		float64(t.r*(1-share)) + float64(o.r*share),
		float64(t.g*(1-share)) + float64(o.g*share),
		float64(t.b*(1-share)) + float64(o.b*share),
	}
}

func (t tint) bytes() (r, g, b uint8) {
	round := func(x float64) uint8 { return uint8(math.Floor(float64(x*255) + 0.5)) }
	return round(t.r), round(t.g), round(t.b)
}

// painter finds the colour of one pixel, in the shader's own steps.
type painter struct {
	Grid
	table         *Table
	texels        []byte
	columns, rows int
}

// pixel returns the colour of the device pixel whose top left corner is x, y.
func (p *painter) pixel(x, y float64) tint {
	if p.Gap == 0 {
		return p.far(x, y)
	}
	// A pixel is no wider than a gap, so it overlaps one square at most: the
	// one that holds the pixel's far corner.
	cx := math.Floor((x+1)/p.Zoom + p.X)
	cy := math.Floor((y+1)/p.Zoom + p.Y)
	left, top := float64((cx-p.X)*p.Zoom), float64((cy-p.Y)*p.Zoom)
	side := p.Zoom - p.Gap
	cover := overlap(x, left, side) * overlap(y, top, side)
	middle := float64(side / 2)
	dx, dy := x+0.5-left-middle, y+0.5-top-middle
	sum, difference := x+y+1+float64((p.X+p.Y)*p.Zoom), x-y+float64((p.X-p.Y)*p.Zoom)
	return tintOf(Stage).mix(p.shade(cx, cy, dx, dy, sum, difference), float64(cover))
}

// far mixes the squares under a pixel where squares are too small for gaps:
// two a side at most while a square is no smaller than a pixel; below that,
// squares between the two are passed over.
func (p *painter) far(x, y float64) tint {
	x0, x1 := math.Floor(x/p.Zoom+p.X), math.Floor((x+1)/p.Zoom+p.X)
	y0, y1 := math.Floor(y/p.Zoom+p.Y), math.Floor((y+1)/p.Zoom+p.Y)
	wx := clamp(x + 1 - float64((x1-p.X)*p.Zoom))
	wy := clamp(y + 1 - float64((y1-p.Y)*p.Zoom))
	upper := p.shade(x0, y0, 0, 0, 0, 0).mix(p.shade(x1, y0, 0, 0, 0, 0), wx)
	lower := p.shade(x0, y1, 0, 0, 0, 0).mix(p.shade(x1, y1, 0, 0, 0, 0), wx)
	return upper.mix(lower, wy)
}

// overlap returns how much of the pixel at x lies in side pixels from start.
func overlap(x, start, side float64) float64 {
	return clamp(math.Min(x+1, start+side) - math.Max(x, start))
}

func clamp(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// shade returns the colour of the square cx, cy at dx, dy from its middle.
// Hatches run on from square to square, so they take the pixel's place in the
// whole grid: the sum and the difference of its coordinates.
func (p *painter) shade(cx, cy, dx, dy, sum, difference float64) tint {
	if cx < 0 || cy < 0 || cx >= float64(p.columns) || cy >= float64(p.rows) {
		return tintOf(Stage)
	}
	at := 4 * (int(cy)*p.columns + int(cx))
	if p.texels[at+3] == 0 {
		return tintOf(Stage)
	}
	value, mark := p.texels[at], Mark(p.texels[at+1])
	if mark == Down {
		if p.Zoom < markZoom {
			return tintOf(downFar)
		}
		return tintOf(downGround).mix(tintOf(downHatch), float64(0.9*p.stripes(sum)))
	}
	ink := tintOf(Stage)
	if p.table.Light[value] {
		ink = tintOf(white)
	}
	colour := tintOf(p.table.Colour[value])
	if p.Zoom >= patternZoom {
		colour = colour.mix(ink, float64(0.45*p.pattern(p.table.Pattern[value], dx, dy, sum, difference)))
	}
	if mark == Overloaded && p.Zoom >= markZoom {
		radius := min(max(0.3*(p.Zoom-p.Gap), 1), 14)
		colour = colour.mix(ink, clamp(radius+0.5-math.Abs(dx)-math.Abs(dy)))
	}
	return colour
}

// stripes returns how much of a line covers the pixel that lies at along.
func (p *painter) stripes(along float64) float64 {
	period, half := float64(4*p.Stroke), float64(2*p.Stroke)
	along += half
	off := along - float64(period*math.Floor(along/period)) - half
	return clamp(float64(p.Stroke/2) + 0.5 - math.Abs(off))
}

func (p *painter) pattern(kind Pattern, dx, dy, sum, difference float64) float64 {
	side := p.Zoom - p.Gap
	switch kind {
	case Slash:
		return p.stripes(sum)
	case Back:
		return p.stripes(difference)
	case Level:
		return p.stripes(dy)
	case Dot:
		return clamp(float64(0.2*side) + 0.5 - math.Sqrt(float64(dx*dx)+float64(dy*dy)))
	case Cross:
		return math.Max(p.stripes(sum), p.stripes(difference))
	case Bullet:
		return clamp(float64(0.25*side) + 0.5 - math.Max(math.Abs(dx), math.Abs(dy)))
	}
	return 0
}
