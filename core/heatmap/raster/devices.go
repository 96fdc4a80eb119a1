package raster

import (
	"image/color"
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

// The sizes of devices inside a node, in device pixels, but named in CSS pixels.
const (
	minDevice  = 7  // of a cell for each device of its longer side, from which on nodes show theirs
	markDevice = 9  // the least side of a part that shows its colour's mark
	named      = 56 // the width of a cell from which on the page writes the node's number into it
	nameHigh   = 16
)

// pad returns the gaps of a node above its devices, around them, and between them.
func (s *Scene) pad(g Grid, scale float64) (above, around, between float64) {
	if s.Camera.Zoom >= named {
		above = math.Floor(nameHigh * scale)
	}
	switch side := g.Side(); {
	case side >= 64:
		return above, 6, 3
	case side >= 28:
		return above, 3, 2
	}
	return above, 1, 1
}

// bay is the arrangement of a node's devices: side by side in rows, in squares or higher.
type bay struct {
	across     int
	wide, high float64 // of a device and the gap after it
}

// Devices reports whether cells are large enough to show the devices inside them: nodes must have
// devices, and the fill of the cells must show the jobs' holdings of devices.
func (s *Scene) Devices(scale float64) bool { return s.most(scale) > 0 }

// most returns how many devices a node has at most; 0 if cells do not show them. The page has the same
// rule (site/src/model/look.ts).
func (s *Scene) most(scale float64) int {
	fill, largest := s.Look.Fill, 0
	if fill < 0 || fill >= len(s.Layers) || s.Layers[fill].Devices == "" {
		return 0
	}
	for _, n := range s.Frame.Devices.Of {
		largest = max(largest, int(n))
	}
	if s.Grid(scale).Side() < minDevice*math.Ceil(math.Sqrt(float64(largest))) {
		return 0
	}
	return largest
}

// bay returns the arrangement of the devices in a cell, in all nodes alike.
func (o *overlay) bay(limit int) (best bay) {
	above, around, between := o.pad(o.Grid, o.scale)
	wide, high := o.Across.Cell-o.Gap-2*around+between, o.Down.Cell-o.Gap-2*around-above+between
	score := -1.0
	for across := 1; across <= limit; across++ {
		rows := (limit + across - 1) / across
		side := math.Floor(math.Min(wide/float64(across), high/float64(rows)))
		up := math.Floor(math.Min(high/float64(rows), float64(side*1.4)))
		rated := float64(side * up)
		if across*rows > limit { // a place that stays empty looks like a device that is missing
			rated /= 2
		}
		if rated > score {
			score, best = rated, bay{across, side, up}
		}
	}
	return best
}

// devices draws the cells in sight as nodes with their devices.
func (o *overlay) devices(limit int) {
	states, marks := o.states()
	above, _, between := o.pad(o.Grid, o.scale)
	d, in := &o.Frame.Devices, o.bay(limit)
	next := 0
	for cell := range d.Of {
		n := unit.NodeID(cell)
		if !o.drawn(n) {
			break
		}
		b := o.box(n, 0)
		seen := b.grown(4).meets(o.seen)
		mark := Plain
		if states != nil {
			mark = marks[states[cell]]
		}
		seen = seen && mark != Off // off draws it
		if seen {
			o.rect("node", b, o.theme.Plate, 1)
			o.outline("node", b, 1, o.theme.Faint, 0.28)
		}
		rows := float64((limit + in.across - 1) / in.across)
		left := math.Floor((b.x0 + b.x1 - float64(in.wide*float64(in.across)) + between) / 2)
		top := math.Floor((b.y0 + above + b.y1 - float64(in.high*rows) + between) / 2)
		last, sum := -1, 0
		next = d.Cell(cell, next, func(device int, p frame.Part) {
			if !seen {
				return
			}
			if device != last {
				last, sum = device, 0
			}
			x, y := left+float64(in.wide*float64(device%in.across)), top+float64(in.high*float64(device/in.across))
			at := func(milli int) float64 {
				return math.Floor(x + float64(float64((in.wide-between)*float64(milli))/frame.Whole) + 0.5)
			}
			part := box{at(sum), y, at(sum + int(p.Share)), y + in.high - between}
			sum += int(p.Share)
			o.part(part, p, mark == Down)
		})
	}
}

// part draws a part of a device.
func (o *overlay) part(b box, p frame.Part, failed bool) {
	thin := math.Max(1, math.Floor(o.scale))
	every, width := 4*o.scale, 1.1*o.scale
	switch {
	case failed || p.Kind == frame.Failed:
		o.rect("failed", b, o.theme.FailPad, 1)
		o.hatch("failed", b, every, width, o.theme.Fail, 0.9)
	case p.Kind == frame.Held:
		s := OtherSwatches()[int(p.Colour)%len(OtherSwatches())]
		o.rect("held", b, s.Colour, 1)
		ink := black
		if luma(s.Colour) < 128_000 {
			ink = white
		}
		o.mark(b, s.Pattern, ink)
	case p.Kind == frame.Useless:
		o.hatch("useless", b, every, width, o.theme.Faint, 0.9)
		o.outline("useless", b, thin, o.theme.Faint, 0.8)
	default:
		o.outline("idle", b, thin, o.theme.Ink, 1)
	}
}

// luma is that of ITU-R BT.601, times a thousand.
func luma(c color.RGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }

// mark draws the mark of a colour upon a part that has room for it.
func (o *overlay) mark(b box, kind Pattern, ink color.RGBA) {
	wide, high := b.x1-b.x0, b.y1-b.y0
	if wide < markDevice || high < markDevice {
		return
	}
	thick := math.Max(1, math.Round(math.Min(wide, high)/9))
	line := func(from, to point) {
		o.add(Shape{Name: "mark", Kind: Line, Width: thick, Colour: ink, Alpha: 0.6, End: 0.6}, from, to)
	}
	x, y := math.Floor((b.x0+b.x1)/2), math.Floor((b.y0+b.y1)/2)
	in := math.Floor(thick / 2)
	if kind == Slash || kind == Cross {
		line(point{b.x0 + in, b.y1 - in}, point{b.x1 - in, b.y0 + in})
	}
	if kind == Back || kind == Cross {
		line(point{b.x0 + in, b.y0 + in}, point{b.x1 - in, b.y1 - in})
	}
	switch kind {
	case Level:
		o.rect("mark", box{b.x0 + math.Round(wide/6), y - in, b.x1 - math.Round(wide/6), y - in + thick}, ink, 0.6)
	case Dot:
		r := math.Round(math.Min(wide, high) / 6)
		o.rect("mark", box{x - r, y - r, x + r, y + r}, ink, 0.6)
	}
}
