package raster

import (
	"image"
	"image/color"
	"math"

	"parley/core/frame"
)

// Inks of marks upon light and dark colours.
var (
	black = color.RGBA{0x08, 0x0b, 0x11, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// Constants are the numbers that the shader shares with this package.
type Constants struct {
	Mark, Pattern float64 // the zoom from which on hatches and diamonds, and patterns, are drawn
	Black         color.RGBA
}

// Shared returns them.
func Shared() Constants { return Constants{markZoom, patternZoom, black} }

// Canvas draws one picture after the other and reuses its memory.
type Canvas struct {
	picture *image.RGBA
	texels  []byte
	list    List
	mesh    Mesh
}

// Draw returns the scene as a picture of width × height device pixels on a screen with scale device pixels a CSS
// pixel. The picture is the canvas's own and valid until the next Draw.
func (c *Canvas) Draw(s *Scene, width, height int, scale float64) *image.RGBA {
	if c.picture == nil || c.picture.Rect.Dx() != width || c.picture.Rect.Dy() != height {
		c.picture = image.NewRGBA(image.Rect(0, 0, width, height))
	}
	picture := c.picture
	c.texels = s.Texels(c.texels)
	p := painter{
		Grid: s.Grid(scale), theme: s.Look.Theme(), table: s.Table(), texels: c.texels,
		columns: s.Layout.Columns, rows: s.Layout.Rows,
	}
	if s.Detailed(scale) {
		clean(picture, p.theme.Stage)
	} else {
		p.paint(picture)
	}
	s.Overlay(&c.list, width, height, scale)
	c.mesh.Fill(&c.list)
	c.mesh.Paint(picture)
	return picture
}

// clean fills a picture with one colour.
func clean(picture *image.RGBA, c color.RGBA) {
	for i := 0; i < len(picture.Pix); i += 4 {
		picture.Pix[i], picture.Pix[i+1], picture.Pix[i+2], picture.Pix[i+3] = c.R, c.G, c.B, 255
	}
}

// place is the place of a column of pixels, or a row, in the layout.
type place struct {
	square int     // that covers it, or the second of two
	before int     // the first of two, where squares are too small for gaps
	cover  float64 // how much of it the square covers
	off    float64 // of its middle from the square's
}

// places returns the place of each of n pixels along an axis. origin is the position of the layout's beginning in
// pixels.
func (p *painter) places(axis frame.Axis, origin float64, n int) []place {
	all := make([]place, n)
	for i := range all {
		x := float64(i) - origin
		at := &all[i]
		var begins float64
		// A pixel is no wider than a gap, so it overlaps one cell at most: the one
		// that holds the pixel's far side.
		at.square, begins = axis.Index(x + 1)
		if p.Gap == 0 {
			at.before, _ = axis.Index(x)
			at.cover = clamp(x + 1 - begins)
			continue
		}
		at.before = at.square
		at.cover = overlap(x, begins, axis.Cell-p.Gap)
		at.off = x + 0.5 - begins - float64((axis.Cell-p.Gap)/2)
	}
	return all
}

// paint draws the cells. A pixel that must be like its neighbour on the left or above is copied, so that large squares
// are cheap.
func (p *painter) paint(picture *image.RGBA) {
	columns, rows := p.places(p.Across, p.X, picture.Rect.Dx()), p.places(p.Down, p.Y, picture.Rect.Dy())
	plain := false // the row of squares under the line: each is one colour
	for y := range rows {
		line := picture.Pix[y*picture.Stride : (y+1)*picture.Stride]
		if y == 0 || rows[y].square != rows[y-1].square {
			plain = p.plain(rows[y].square) // where there are two of them they are too small for marks
		} else if plain && rows[y].cover == rows[y-1].cover {
			copy(line, picture.Pix[(y-1)*picture.Stride:y*picture.Stride])
			continue
		}
		even := plain // the square under the last pixel is of one colour
		for x := range columns {
			same := x > 0 && columns[x].square == columns[x-1].square
			if !plain && !same {
				even = p.even(columns[x].square, rows[y].square)
			}
			if even && same && columns[x].cover == columns[x-1].cover {
				pixel := line[4*x-4 : 4*x+4]
				pixel[4], pixel[5], pixel[6], pixel[7] = pixel[0], pixel[1], pixel[2], 255
				continue
			}
			if p.Gap == 0 && columns[x].alone() && rows[y].alone() {
				c := p.flat(columns[x].square, rows[y].square)
				line[4*x], line[4*x+1], line[4*x+2], line[4*x+3] = c.R, c.G, c.B, 255
				continue
			}
			r, g, b := p.pixel(x, y, &columns[x], &rows[y]).bytes()
			line[4*x], line[4*x+1], line[4*x+2], line[4*x+3] = r, g, b, 255
		}
	}
}

// alone reports whether there is one square under the pixels.
func (at *place) alone() bool { return at.cover == 1 || at.before == at.square }

// flat returns the colour of a square too small for marks and patterns; it equals the result of
// shade.
func (p *painter) flat(cx, cy int) color.RGBA {
	if cx < 0 || cy < 0 || cx >= p.columns || cy >= p.rows {
		return p.theme.Stage
	}
	at := p.texels[4*(cy*p.columns+cx):][:4]
	switch {
	case at[3] == 0:
		return p.theme.Stage
	case Mark(at[1]) == Down:
		return p.theme.FailFar
	}
	return p.table.Colour[at[0]]
}

// plain reports whether every square of a row is of one colour: no square is hatched or marked, and none has a
// pattern. It is true if squares are too small for marks, and for rows outside the layout.
func (p *painter) plain(row int) bool {
	if p.Side() < markZoom || row < 0 || row >= p.rows {
		return true
	}
	for column := range p.columns {
		if !p.even(column, row) {
			return false
		}
	}
	return true
}

// even reports whether a square, large enough for marks, is of one colour. Squares outside the layout are.
func (p *painter) even(column, row int) bool {
	if column < 0 || column >= p.columns {
		return true
	}
	at := p.texels[4*(row*p.columns+column):][:4]
	return at[3] == 0 || Mark(at[1]) == Plain && (p.Side() < patternZoom || p.table.Pattern[at[0]] == Solid)
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
	theme         *Theme
	table         *Table
	texels        []byte
	columns, rows int
}

// pixel returns the colour of the pixel x, y of the picture, whose places in the layout are column and row.
func (p *painter) pixel(x, y int, column, row *place) tint {
	if p.Gap == 0 {
		return p.far(column, row)
	}
	cover := float64(column.cover * row.cover)
	if cover == 0 {
		return tintOf(p.theme.Stage)
	}
	sum, difference := float64(x+y+1)-p.X-p.Y, float64(x-y)-p.X+p.Y
	colour := p.shade(column.square, row.square, column.off, row.off, sum, difference)
	if cover == 1 {
		return colour
	}
	return tintOf(p.theme.Stage).mix(colour, cover)
}

// far mixes the squares under a pixel if they are too small for gaps: at most two a side while a square is no smaller
// than a pixel; below that, the squares between the first and the last are passed over.
func (p *painter) far(column, row *place) tint {
	last := p.shade(column.square, row.square, 0, 0, 0, 0)
	if column.alone() && row.alone() {
		return last
	}
	upper := p.shade(column.before, row.before, 0, 0, 0, 0).
		mix(p.shade(column.square, row.before, 0, 0, 0, 0), column.cover)
	lower := p.shade(column.before, row.square, 0, 0, 0, 0).mix(last, column.cover)
	return upper.mix(lower, row.cover)
}

// overlap returns how much of the pixel at x is within side pixels from start.
func overlap(x, start, side float64) float64 {
	return clamp(math.Min(x+1, start+side) - math.Max(x, start))
}

func clamp(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// shade returns the colour of the square cx, cy at dx, dy from its middle; that of the stage outside the
// layout. Hatches run on from square to square, so they take the pixel's place in the whole grid: the sum and
// the difference of its coordinates.
func (p *painter) shade(cx, cy int, dx, dy, sum, difference float64) tint {
	if cx < 0 || cy < 0 || cx >= p.columns || cy >= p.rows {
		return tintOf(p.theme.Stage)
	}
	at := 4 * (cy*p.columns + cx)
	if p.texels[at+3] == 0 {
		return tintOf(p.theme.Stage)
	}
	value, mark := p.texels[at], Mark(p.texels[at+1])
	if mark == Down {
		if p.Side() < markZoom {
			return tintOf(p.theme.FailFar)
		}
		return tintOf(p.theme.FailPad).mix(tintOf(p.theme.Fail), float64(0.9*p.stripes(sum)))
	}
	ink := tintOf(black)
	if p.table.Light[value] {
		ink = tintOf(white)
	}
	colour := tintOf(p.table.Colour[value])
	if p.Side() >= patternZoom {
		colour = colour.mix(ink, float64(0.45*p.pattern(p.table.Pattern[value], dx, dy, sum, difference)))
	}
	if mark == Overloaded && p.Side() >= markZoom {
		radius := min(max(0.3*(p.Side()-p.Gap), 1), 14)
		colour = colour.mix(ink, clamp(radius+0.5-math.Abs(dx)-math.Abs(dy)))
	}
	return colour
}

// stripes returns how much of a hatch's line, 0 to 1, covers the pixel at a coordinate across the lines.
func (p *painter) stripes(along float64) float64 {
	period, half := float64(4*p.Stroke), float64(2*p.Stroke)
	along += half
	off := along - float64(period*math.Floor(along/period)) - half
	return clamp(float64(p.Stroke/2) + 0.5 - math.Abs(off))
}

// pattern returns how much of a pattern's ink, 0 to 1, covers the pixel at dx, dy from the middle of its square.
// sum and difference are as for shade.
func (p *painter) pattern(kind Pattern, dx, dy, sum, difference float64) float64 {
	side := p.Side() - p.Gap
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
