package frame

import (
	"cmp"
	"slices"
)

// Shape is one way to lay racks out that Fit may choose.
type Shape struct {
	Across, Down  int // cells of a block
	Width, Height int // pixels of a cell
	GapX, GapY    int // the least pixels between blocks
}

// Shapes lists the candidates of Fit, the best first: it takes the first for which there is room.
// Shapes that need more room than a better one are left out. So a program without this package
// finds Fit's answer by looking down a list.
func Shapes(rack []int32, limit int) []Shape {
	_, _, largest := group(rack)
	var all []shape
	for w := 1; w <= largest; w++ {
		h := (largest + w - 1) / w
		if !block(w, h, largest, rack) {
			continue
		}
		for px := 1; px <= limit; px++ {
			for py := flattest(px); py <= tallest(px, limit); py++ {
				all = append(all, shape{across: w, down: h, px: px, py: py}.rated())
			}
		}
	}
	slices.SortStableFunc(all, func(a, b shape) int { return cmp.Compare(b.score, a.score) })
	var list []Shape
	for _, s := range all {
		now := Shape{s.across, s.down, s.px, s.py, gapOf(s.px), gapOf(s.py)}
		if !slices.ContainsFunc(list, now.needs) {
			list = append(list, now)
		}
	}
	return list
}

// needs reports whether s has room nowhere where o has none.
func (s Shape) needs(o Shape) bool {
	return o.Across*o.Width <= s.Across*s.Width && o.GapX <= s.GapX && o.Down*o.Height <= s.Down*s.Height &&
		o.GapY <= s.GapY
}
