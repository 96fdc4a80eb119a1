package raster

import (
	"image/color"
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

// load has the indices of the layers that a glyph shows: the indices of the layers of CPU and of memory, used
// and requested.
type load struct{ cpu, memory, cpuRequested, memoryRequested int }

// Detailed reports whether cells are drawn by the overlay alone: as nodes with their devices, or as glyphs.
func (s *Scene) Detailed(scale float64) bool {
	return s.Devices(scale) || s.Glyphs(scale)
}

// Glyphs reports whether cells are large enough to be drawn as glyphs, of CPU
// across and memory up: the layer that fills them is one of these, and all are there.
func (s *Scene) Glyphs(scale float64) bool {
	_, ok := s.load()
	return ok && s.Grid(scale).Side() >= glyphZoom
}

// load returns the indices of the four layers that a glyph shows. It is false unless all are there and one of them
// fills the cells.
func (s *Scene) load() (load, bool) {
	l := load{-1, -1, -1, -1}
	for i, layer := range s.Layers {
		if layer.Devices != "" {
			continue // devices are not part of a glyph
		}
		switch layer.ID {
		case "cpu":
			l.cpu = i
		case "memory":
			l.memory = i
		case "cpu_requested":
			l.cpuRequested = i
		case "memory_requested":
			l.memoryRequested = i
		}
	}
	fill := s.Look.Fill
	ours := fill >= 0 && (fill == l.cpu || fill == l.memory || fill == l.cpuRequested || fill == l.memoryRequested)
	return l, ours && l.cpu >= 0 && l.memory >= 0 && l.cpuRequested >= 0 && l.memoryRequested >= 0
}

// glyphs draws the cells in sight as squares of CPU against memory.
func (o *overlay) glyphs() {
	at, _ := o.load()
	layers := [4][]byte{o.layer(at.cpu), o.layer(at.memory), o.layer(at.cpuRequested), o.layer(at.memoryRequested)}
	states, marks := o.states()
	cells := min(len(o.Layout.X), len(o.Layout.Y), len(layers[0]))
	colours := o.whole().Table().Colour
	for cell := range cells {
		b := o.box(unit.NodeID(cell), 0)
		if !b.grown(4).meets(o.seen) {
			continue
		}
		card := o.cardOf(unit.NodeID(cell))
		if card != nil && card.Up {
			o.card(b, card)
			continue
		}
		mark := Plain
		if states != nil {
			mark = marks[states[cell]]
		}
		switch mark {
		case Down:
			o.rect("down", b, o.theme.FailPad, 1)
			o.hatch("down", b, 5*o.scale, 1.3*o.scale, o.theme.Fail, 0.9)
			o.outline("down", b, 1, o.theme.Fail, 0.9)
			continue
		case Off:
			continue // off draws it
		}
		share := func(i int) float64 { return float64(layers[i][cell]) / frame.FullScale }
		fuller := max(layers[0][cell], layers[1][cell])
		o.glyph(b, share(0), share(1), share(2), share(3), colours[fuller])
	}
}

// whole returns the scene with a scale that runs to 100 %: a glyph has the colour of
// its fuller resource, whatever fills the cells.
func (s *Scene) whole() *Scene {
	all := *s
	all.Look.Low, all.Look.High = 0, 0
	return &all
}

// The limits of a glyph, as shares of the node.
const (
	tight        = 0.86 // an edge is lit from here on
	beyond       = 1.14 // how far a fill may leave the square
	maxRequested = 1.12 // how far the dashes of requests may
)

// glyph draws one node: used is a fill from the lower left, requested is dashed, the
// diagonal is proportion, an edge is lit if little is left, and a fill that leaves
// the square is overload. Work that uses and requests only one of the two resources
// fills the whole of the other side: a bar instead of nothing.
func (o *overlay) glyph(b box, cpu, memory, cpuRequested, memoryRequested float64, fill color.RGBA) {
	wide, high := b.x1-b.x0, b.y1-b.y0
	noCPU, noMemory := cpu == 0 && cpuRequested == 0, memory == 0 && memoryRequested == 0
	if noCPU != noMemory {
		o.bar(b, max(cpu, memory), max(cpuRequested, memoryRequested), noCPU, fill)
		return
	}
	x := func(share float64) float64 { return math.Floor(b.x0 + float64(share*wide) + 0.5) }
	y := func(share float64) float64 { return math.Floor(b.y1 - float64(share*high) + 0.5) }
	o.rect("node", b, o.theme.Plate, 1)
	o.outline("node", b, 1, o.theme.Faint, 0.28)
	if wide >= 12 {
		o.add(Shape{Name: "proportion", Kind: Line, Width: 1, Colour: o.theme.Faint, Alpha: 0.4, End: 0.4},
			point{b.x0, b.y1}, point{b.x1, b.y0})
	}
	used := box{b.x0, y(min(memory, beyond)), x(min(cpu, beyond)), b.y1}
	o.rect("used", used, fill, 1)
	if wide >= 12 {
		o.dashes(box{b.x0, y(min(memoryRequested, maxRequested)), x(min(cpuRequested, maxRequested)), b.y1})
	}
	thick := math.Min(4*o.scale, math.Max(1, math.Round(wide/9)))
	edge := func(share float64, at box) {
		switch {
		case share > 1:
			o.rect("over", at, o.theme.Fail, 1)
		case share > tight:
			o.rect("tight", at, o.theme.Ink, 1)
		}
	}
	edge(cpu, box{used.x1 + 1, used.y0, used.x1 + 1 + thick, b.y1})
	edge(memory, box{b.x0, used.y0 - 1 - thick, used.x1, used.y0 - 1})
}

// bar draws a node whose work uses one resource: from the left for CPU, from below for
// memory, with a dashed line where the requests end.
func (o *overlay) bar(b box, used, requested float64, up bool, fill color.RGBA) {
	o.rect("node", b, o.theme.Plate, 1)
	o.outline("node", b, 1, o.theme.Faint, 0.28)
	// part returns the bar from one share of the node to another; more widens its end.
	part := func(from, to, more float64) box {
		if up {
			high := b.y1 - b.y0
			return box{
				b.x0, math.Floor(b.y1-float64(to*high)+0.5) - more,
				b.x1, math.Floor(b.y1 - float64(from*high) + 0.5),
			}
		}
		wide := b.x1 - b.x0
		return box{
			math.Floor(b.x0 + float64(from*wide) + 0.5), b.y0, math.Floor(b.x0+float64(to*wide)+0.5) + more,
			b.y1,
		}
	}
	end := min(used, beyond)
	o.rect("used", part(0, end, 0), fill, 1)
	if b.x1-b.x0 >= 12 && requested > 0 {
		end := min(requested, maxRequested)
		o.rect("requested", part(end, end, 1), o.theme.Ink, 0.42)
	}
	thick := math.Min(4*o.scale, math.Max(1, math.Round((b.x1-b.x0)/9)))
	switch {
	case used > 1:
		o.rect("over", part(end, end, thick), o.theme.Fail, 1)
	case used > tight:
		o.rect("tight", part(end, end, thick), o.theme.Ink, 1)
	}
}

// dashes draws the upper and the right side of a rectangle.
func (o *overlay) dashes(b box) {
	for x := b.x0; x < b.x1; x += 4 {
		o.rect("requested", box{x, b.y0, min(x+2, b.x1), b.y0 + 1}, o.theme.Ink, 0.42)
	}
	for y := b.y0; y < b.y1; y += 4 {
		o.rect("requested", box{b.x1 - 1, y, b.x1, min(y+2, b.y1)}, o.theme.Ink, 0.42)
	}
}
