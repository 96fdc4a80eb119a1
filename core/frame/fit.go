package frame

import "math"

// Fit lays cells out in rack blocks so that they fill width × height pixels: cells are whole pixels
// and as large as they can be, racks may lie or stand, and the remaining pixels widen the gaps
// between them. limit is the largest side of a cell. If cells would be smaller than a pixel, the
// layout is that of Racks.
func Fit(rack []int32, width, height, limit int) Layout {
	order, members, largest := group(rack)
	if width < 1 || height < 1 {
		return Racks(rack, 1.6)
	}
	best := shape{}
	for w := 1; w <= largest; w++ {
		h := (largest + w - 1) / w
		if !block(w, h, largest, rack) {
			continue
		}
		best = best.better(shape{across: w, down: h}.grown(len(order), width, height, limit))
	}
	if best.score == 0 {
		return Racks(rack, float64(width)/float64(height))
	}
	l := place(rack, order, members, best.columns, best.across, best.down)
	rows := (len(order) + best.columns - 1) / best.columns
	unit := float64(best.px)
	l.Pitch = Pitch{
		Width: best.across, Height: best.down, Tall: float64(best.py) / unit,
		GapX: float64(spread(width, best.columns, best.across*best.px, gapOf(best.px))) / unit,
		GapY: float64(spread(height, rows, best.down*best.py, gapOf(best.py))) / unit,
	}
	if l.Check() != nil { // more squares than a texture has
		return Racks(rack, float64(width)/float64(height))
	}
	return l
}

// shape is one way to lay racks out.
type shape struct {
	across, down int // cells of a block
	px, py       int // pixels of a cell
	columns      int // blocks in a row
	score        float64
}

func (s shape) better(o shape) shape {
	if o.score > s.score {
		return o
	}
	return s
}

// block reports whether a whole rack of n cells may be w × h of them: not if too many squares stay
// empty, or it is a line and not a block. A single rack takes any shape.
func block(w, h, largest int, rack []int32) bool {
	return largest == len(rack) || w*h*10 <= largest*11+9 && w <= 6*h && h <= 4*w
}

// flattest and tallest are the heights of cells px wide, none above most.
func flattest(px int) int       { return max(1, min(px-1, (3*px+3)/4)) }
func tallest(px, limit int) int { return min(limit, max(px+1, 4*px/3)) }

// rated returns the shape with its score: the pixels of a cell, of which each that
// the cell is away from a square costs 3.5 %, and a block twice as wide or as high as
// 4 : 3 costs 2 %.
func (s shape) rated() shape {
	ratio := float64(3*s.across) / float64(4*s.down)
	slim := math.Max(ratio, 1/ratio) - 1
	s.score = float64(s.px*s.py) * math.Max(0.1, 1-float64(0.035*math.Abs(float64(s.px-s.py)))-float64(0.02*slim))
	return s
}

// grown returns the shape with the best score, given the number of racks and pixels.
func (s shape) grown(racks, width, height, limit int) shape {
	best := shape{}
	for px := 1; px <= limit; px++ {
		block := s.across * px
		columns := min(racks, (width+gapOf(px))/(block+gapOf(px)))
		if columns < 1 {
			break
		}
		rows := (racks + columns - 1) / columns
		for py := flattest(px); py <= tallest(px, limit); py++ {
			if rows*(s.down*py+gapOf(py))-gapOf(py) > height {
				break
			}
			try := shape{across: s.across, down: s.down, px: px, py: py, columns: (racks + rows - 1) / rows}.rated()
			best = best.better(try)
		}
	}
	return best
}

// gapOf is the least gap between blocks beside cells of this size in pixels.
func gapOf(cell int) int {
	if cell < 3 {
		return 1
	}
	return max(2, (9*cell+10)/20)
}

// spread returns the gap between n blocks that leaves least of length free, at
// most three times the least.
func spread(length, n, block, fewest int) int {
	if n < 2 {
		return fewest
	}
	return max(fewest, min(3*fewest, (length-n*block)/(n-1)))
}
