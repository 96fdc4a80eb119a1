package raster

import (
	"math"

	"parley/core/message"
	"parley/core/unit"
)

// MinCardWidth is the width of a cell, in CSS pixels, from which on it is a card: the
// node's tasks as bars, one column a resource. The writer of the words beside them
// (site/src/model/near.ts) has the same numbers; a test compares them.
const MinCardWidth = 240

// The parts of a card in CSS pixels, from its top: the head is the node's name, the
// keys are the names of the resources, then comes the bar of all tasks together and
// a row a task.
const (
	cardPad   = 10
	cardHead  = 34
	cardKeys  = 18
	cardBar   = 14
	cardRow   = 17
	cardNames = 0.36 // of the width: the column of names
	cardGap   = 12   // between columns
	cardOver  = 0.1  // how much more than the node a column has room for
)

// cardOf returns the card of a node; nil while cells are smaller.
func (s *Scene) cardOf(n unit.NodeID) *message.Card {
	if s.Camera.Zoom >= MinCardWidth {
		for i := range s.Cards {
			if s.Cards[i].Node == n {
				return &s.Cards[i]
			}
		}
	}
	return nil
}

// rows is how many tasks a card of this height lists; the last line has the number of the others.
func (o *overlay) rows(high float64) int {
	return max(0, int((high/o.scale-(cardHead+cardKeys+cardBar+2*cardPad+cardRow))/cardRow))
}

// card draws a node with its tasks: each resource is a bar of all tasks and below it a row a task,
// which begins where the row above ends. Production is solid, the rest hatched, requests dashed,
// and the part beyond the node's capacity red.
func (o *overlay) card(b box, c *message.Card) {
	px := func(x float64) float64 { return math.Floor(float64(x*o.scale) + 0.5) }
	o.rect("card", b, o.theme.Card, 1)
	o.outline("card", b, px(1), o.theme.Faint, 0.35)
	wide := b.x1 - b.x0 - 2*px(cardPad)
	left := b.x0 + px(cardPad) + math.Floor(cardNames*wide)
	n := len(c.Used)
	if n == 0 {
		return
	}
	column := math.Floor((b.x1 - px(cardPad) - left - float64(px(cardGap)*float64(n-1))) / float64(n))
	top := b.y0 + px(cardHead) + px(cardKeys)
	rows := min(o.rows(b.y1-b.y0), len(c.Tasks))
	end := top + px(cardBar) + px(4) + float64(float64(rows)*px(cardRow))
	for r := range n {
		x0 := left + float64(float64(r)*(column+px(cardGap)))
		whole := math.Floor(column / (1 + cardOver))
		bar := box{x0, top, x0 + whole, top + px(cardBar)}
		for _, part := range [3]float64{0, 0.5, 1} {
			x := x0 + math.Floor(part*whole)
			o.rect("grid", box{x, top, x + px(1), end}, o.theme.Faint, 0.25)
		}
		o.outline("whole", bar.grown(px(1)), px(1), o.theme.Faint, 0.5)
		at := 0.0
		x := func(share float64) float64 { return x0 + math.Floor(float64(min(max(share, 0), 1+cardOver)*whole)+0.5) }
		for i, t := range c.Tasks {
			if r >= len(t.Used) {
				continue
			}
			from, to := x(at), x(at+t.Used[r])
			if t.Used[r] > 0 {
				to = max(to, from+px(1)) // too small to see is not nothing
			}
			at += t.Used[r]
			o.task(box{from, bar.y0, to, bar.y1}, t, o.Task)
			if i < rows {
				y := top + px(cardBar) + px(4) + float64(float64(i)*px(cardRow))
				o.task(box{from, y + px(2), to, y + px(cardRow-3)}, t, o.Task)
			}
		}
		if over := x(c.Used[r]); over > bar.x1 {
			o.rect("over", box{bar.x1, bar.y0, over, bar.y1}, o.theme.Fail, 1)
		}
		if r < len(c.Requested) {
			o.dashed("requested", box{x0, bar.y0 - px(3), x(c.Requested[r]), bar.y1 + px(3)})
		}
	}
}

// task draws one task's part of a bar.
func (o *overlay) task(b box, t message.CardTask, selected string) {
	switch {
	case b.x1 <= b.x0:
	case t.ID == selected:
		o.rect("chosen", b, o.theme.Selected, 1)
		o.outline("chosen", b.grown(1), 1, o.theme.Ink, 1)
	case t.Production:
		o.rect("production", b, o.theme.Production, 1)
		o.rect("production", box{b.x1 - 1, b.y0, b.x1, b.y1}, o.theme.Card, 1) // tasks stay apart
	default:
		o.rect("batch", b, o.theme.Batch, 1)
		o.hatch("batch", b, 5*o.scale, 1.4*o.scale, o.theme.Card, 0.6)
		o.rect("batch", box{b.x1 - 1, b.y0, b.x1, b.y1}, o.theme.Card, 1)
	}
}

// dashed frames a rectangle.
func (o *overlay) dashed(kind string, b box) {
	for x := b.x0; x < b.x1; x += 5 {
		o.rect(kind, box{x, b.y0, min(x+3, b.x1), b.y0 + 1}, o.theme.Ink, 0.5)
		o.rect(kind, box{x, b.y1 - 1, min(x+3, b.x1), b.y1}, o.theme.Ink, 0.5)
	}
	for y := b.y0; y < b.y1; y += 5 {
		o.rect(kind, box{b.x1 - 1, y, b.x1, min(y+3, b.y1)}, o.theme.Ink, 0.5)
	}
}
