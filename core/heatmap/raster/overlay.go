package raster

import (
	"image/color"
	"math"

	"parley/core/frame"
	"parley/core/unit"
)

// Overlay puts into the list the shapes above the cells of a picture of width × height device
// pixels: failed racks, glyphs or cards, changes, messages, arcs, and the rings of the selection
// and the cursor.
func (s *Scene) Overlay(l *List, width, height int, scale float64) {
	l.clear()
	o := overlay{
		List: l, Scene: s, Grid: s.Grid(scale), theme: s.Look.Theme(),
		seen: box{0, 0, float64(width), float64(height)}, scale: scale,
	}
	if limit := s.most(scale); limit > 0 {
		o.devices(limit)
	} else if s.Glyphs(scale) {
		o.glyphs()
	}
	o.off()
	o.borders()
	o.racks()
	o.changes()
	o.messages()
	o.arcs()
	o.ring("selected", s.Selected, 2)
	o.ring("cursor", s.Cursor, 1.5)
}

// overlay is a list while it grows.
type overlay struct {
	*List
	*Scene
	Grid
	theme *Theme
	seen  box
	scale float64
}

// box returns the pixels of a cell, or at least side × side pixels around its
// middle, on whole pixels.
func (o *overlay) box(cell unit.NodeID, side float64) box {
	at := o.square(&o.Layout, cell)
	wide, high := o.Across.Cell-o.Gap, o.Down.Cell-o.Gap
	w, h := math.Max(wide, side), math.Max(high, side)
	x := math.Floor(at.x + float64((wide-w)/2) + 0.5)
	y := math.Floor(at.y + float64((high-h)/2) + 0.5)
	return box{x, y, x + math.Round(w), y + math.Round(h)}
}

// ring marks a cell, with a rim in the stage's colour around it.
func (o *overlay) ring(kind string, cell unit.NodeID, width float64) {
	if !o.drawn(cell) {
		return
	}
	thick, moat := math.Max(1, math.Round(width*o.scale)), math.Max(1, math.Floor(o.scale))
	b := o.box(cell, 5*o.scale).grown(thick + moat)
	if !b.meets(o.seen) {
		return
	}
	colour := o.theme.Cursor
	if kind == "selected" {
		colour = o.theme.Selected
	}
	o.outline(kind, b.grown(moat), thick+2*moat, o.theme.Stage, 0.85)
	o.outline(kind, b, thick, colour, 1)
}

// racks draws the racks that are down: a moat in the stage's colour, a hatched
// plate, an edge; and those that just came back, whose hatch is wiped away.
func (o *overlay) racks() {
	for i, b := range o.failed() {
		at := o.blockBox(b)
		if !at.grown(40 * o.scale).meets(o.seen) {
			continue
		}
		since := o.Motion.failedFor(b)
		thick := math.Max(1, math.Round(2*o.scale))
		o.outline("moat", at.grown(2*thick), 2*thick, o.theme.Stage, 1)
		if o.Side() < glyphZoom {
			o.rect("rack", at, o.theme.FailPad, 1)
			o.hatch("rack", at, 4.5*o.scale, 1.3*o.scale, o.theme.Fail, 0.9)
		}
		o.outline("rack", at.grown(thick-1), thick, o.theme.Fail, 1)
		if i < 20 {
			for ring := range 3 {
				if part := float64(since*1.6) - float64(0.2*float64(ring)); part > 0 && part < 1 {
					o.outline("fails", at.grown(math.Round(part*34*o.scale)), thick, o.theme.Fail, 0.8*(1-part))
				}
			}
		}
	}
	for _, h := range o.Motion.healing() {
		if h.block >= len(o.Layout.Blocks) {
			continue
		}
		at := o.blockBox(h.block)
		at.x0 += math.Round(h.part * (at.x1 - at.x0))
		o.rect("heals", at, o.theme.FailPad, 0.9)
		o.hatch("heals", at, 4.5*o.scale, 1.3*o.scale, o.theme.Fail, 0.9)
	}
}

// off outlines the cells in sight whose nodes are switched off, where they are not too small for marks: nothing
// is drawn in them, so they are as dark as the stage.
func (o *overlay) off() {
	states, marks := o.states()
	if o.Side() < markZoom {
		return
	}
	for cell, state := range states[:min(len(states), len(o.Layout.X), len(o.Layout.Y))] {
		if b := o.box(unit.NodeID(cell), 0); marks[state] == Off && b.meets(o.seen) {
			o.outline("off", b, math.Max(1, math.Floor(o.scale)), o.theme.Faint, 0.5)
		}
	}
}

// borders draws lines between blocks that are not of one group.
func (o *overlay) borders() {
	blocks := o.Layout.Blocks
	if len(blocks) == 0 || blocks[len(blocks)-1].Group == 0 {
		return
	}
	columns := 0 // blocks in a row
	for columns < len(blocks) && blocks[columns].Y == 0 {
		columns++
	}
	thick := math.Max(1, math.Round(o.scale))
	for i, b := range blocks {
		at := o.blockBox(i)
		whole := o.blockBox(i - i%columns) // the first of the row is as high as any
		if !at.grown(40 * o.scale).meets(o.seen) {
			continue
		}
		right, below := math.Floor(o.Across.Gap/2), math.Floor(o.Down.Gap/2)
		if i%columns > 0 && blocks[i-1].Group != b.Group {
			o.rect("border", box{at.x0 - right, at.y0 - below, at.x0 - right + thick, whole.y1 + below}, o.theme.Faint, 1)
		}
		if i >= columns && blocks[i-columns].Group != b.Group {
			o.rect("border", box{at.x0 - right, at.y0 - below, at.x1 + right, at.y0 - below + thick}, o.theme.Faint, 1)
		}
	}
}

// blockBox returns the pixels of a rack, one around its cells.
func (o *overlay) blockBox(block int) box {
	b := o.Layout.Blocks[block]
	x, y := o.X+o.Across.At(b.X), o.Y+o.Down.At(b.Y)
	at := box{
		x, y, x + float64(float64(b.Width)*o.Across.Cell) - o.Gap,
		y + float64(float64(b.Height)*o.Down.Cell) - o.Gap,
	}
	return box{math.Floor(at.x0) - 1, math.Floor(at.y0) - 1, math.Ceil(at.x1) + 1, math.Ceil(at.y1) + 1}
}

// changes rims the cells that took another value, and lets those that changed most
// glow.
func (o *overlay) changes() {
	for i, c := range o.Motion.changes() {
		if !o.drawn(c.cell) {
			continue
		}
		b := o.box(c.cell, 0)
		if !b.grown(20 * o.scale).meets(o.seen) {
			continue
		}
		if i < glowing && o.Left < NoGlow && !o.Look.Light {
			radius := math.Min(26*o.scale, math.Max(6*o.scale, 1.7*o.Side()))
			o.glow("glow", o.middle(&o.Layout, c.cell), radius, o.theme.Glow, 0.5*c.left)
		}
		rim := math.Max(1, math.Floor(o.scale))
		o.outline("changed", b.grown(rim), rim, o.theme.Arc, 0.75*c.left)
	}
}

// messages draws a ring that grows and fades around each node that was just spoken to.
func (o *overlay) messages() {
	if o.Left >= NoRings {
		return
	}
	for _, m := range o.Motion.messages() {
		if !o.drawn(m.cell) {
			continue
		}
		lowest := float64(min(max(o.Side(), 4*o.scale), 18*o.scale))
		radius := float64(lowest * (0.8 + float64(1.7*(1-m.left))))
		at := o.middle(&o.Layout, m.cell)
		if around(at).grown(radius + 2).meets(o.seen) {
			o.circle("message", at, radius, 1.2*o.scale, o.theme.Arc, 0.7*m.left)
		}
	}
}

// The kinds of arcs have shapes of their own, so that colour does not speak alone.
func (o *overlay) arcs() {
	flights := o.flights()
	// More arcs are drawn fainter, so that the cells stay readable.
	fade := math.Min(1, math.Max(0.4, math.Sqrt(60/float64(len(flights)+1))))
	for _, f := range flights {
		if o.drawn(f.From) && o.drawn(f.To) && f.From != f.To {
			o.arc(f, fade)
		}
	}
}

// arc draws a flight: a curve that fades towards where it came from, and at its end
// a square ring, a diamond where it was forced, a cross where it was refused.
func (o *overlay) arc(f Flight, fade float64) {
	from, to := o.middle(&o.Layout, f.From), o.middle(&o.Layout, f.To)
	control, length := o.bend(from, to)
	if !around(from, control, to).grown(8 * o.scale).meets(o.seen) {
		return
	}
	if o.Side() >= glyphZoom && !around(from).grown(o.Side()).meets(o.seen) &&
		!around(to).grown(o.Side()).meets(o.seen) {
		return // between nodes out of sight: a line that shows nothing here
	}
	colour, width, strength := o.theme.Arc, 1.25*o.scale, 0.9*fade*f.Alpha
	part := f.Part
	switch f.Kind {
	case frame.Forced:
		colour, width = o.theme.Forced, 1.5*o.scale
	case frame.Refused:
		strength *= 0.5
		part *= 0.82 // it stops short
	}
	curve := func(a, b float64) {
		steps := int(min(max((b-a)*length/(9*o.scale), 2), 40))
		first := len(o.points)
		for i := range steps + 1 {
			o.points = append(o.points, along(from, control, to, a+float64((b-a)*float64(i)/float64(steps))))
		}
		shade := func(t float64) float64 { return strength * (0.06 + float64(0.94*t/math.Max(part, 0.01))) }
		o.Shapes = append(o.Shapes, Shape{
			Name: "arc", Kind: Line, Width: width, Colour: colour, Alpha: shade(a),
			End: shade(b), from: first, to: len(o.points),
		})
	}
	begin := 0.0
	if o.Left >= NoTails {
		begin = max(0, part-0.12)
	}
	if f.Kind == frame.Forced {
		dash := max(7*o.scale/length, 1.0/200)
		for at := begin; at < part; at += 2 * dash {
			curve(at, min(part, at+dash))
		}
	} else if part > 0 {
		curve(begin, part)
	}
	o.head(f, along(from, control, to, part), part, colour, strength)
}

// head ends an arc.
func (o *overlay) head(f Flight, at point, part float64, colour color.RGBA, strength float64) {
	thick := math.Max(1, math.Floor(o.scale))
	switch {
	case f.Kind == frame.Refused:
		r := 3 * o.scale
		for _, d := range [2]point{{r, r}, {r, -r}} {
			o.add(Shape{
				Name: "refused", Kind: Line, Width: 1.3 * o.scale, Colour: colour, Alpha: strength,
				End: strength,
			}, at.add(d, -1), at.add(d, 1))
		}
	case part < 1:
		o.glow("head", at, 3.2*o.scale, colour, strength)
	case f.Kind == frame.Forced:
		r := math.Max(4*o.scale, 0.3*o.Side())
		o.area("forced", colour, strength, point{at.x, at.y - r}, point{at.x + r, at.y}, point{at.x, at.y + r},
			point{at.x - r, at.y})
	default:
		o.outline("moved", o.box(f.To, 5*o.scale).grown(thick), thick, colour, math.Max(0.6*f.Alpha, strength))
	}
}

// bend returns the control point of an arc's quadratic curve, off the straight
// line on its upper side but not above the stage, and the length of the line.
func (o *overlay) bend(from, to point) (point, float64) {
	dx, dy := to.x-from.x, to.y-from.y
	length := max(1, math.Sqrt(float64(dx*dx)+float64(dy*dy)))
	normal := point{dy / length, -dx / length}
	if normal.y > 0 || normal.y == 0 && normal.x < 0 {
		normal = point{-normal.x, -normal.y}
	}
	lift := 2 * min(float64(0.24*length), float64(90*o.scale)) // the curve rises half as far as its control point
	control := point{float64((from.x + to.x) / 2), float64((from.y + to.y) / 2)}.add(normal, lift)
	// The top of the curve stays with the cells, below the menus, and its sides on the stage.
	edge := math.Max(0, o.Y-float64(10*o.scale))
	if low := min(from.y, to.y); low >= edge {
		control.y = max(control.y, float64(2*edge)-low)
	}
	if low := min(from.x, to.x); low >= 0 {
		control.x = max(control.x, -low)
	}
	if high := max(from.x, to.x); high <= o.seen.x1 {
		control.x = min(control.x, float64(2*o.seen.x1)-high)
	}
	return control, length
}

// along returns the point at t of 0 to 1 of a quadratic curve.
func along(from, control, to point, t float64) point {
	return point{}.add(from, (1-t)*(1-t)).add(control, 2*t*(1-t)).add(to, t*t)
}
