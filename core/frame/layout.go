package frame

import (
	"fmt"
	"slices"
)

// Layout says where cells are drawn: a grid of Columns × Rows squares in which
// each rack is a block and empty squares are gaps. Whoever draws (the
// renderer, the page's fallback, the pointer's hit test) uses this one table.
type Layout struct {
	Columns, Rows int
	X, Y          []uint16 // of each cell
	Blocks        []Block
}

// Block is the rectangle of one rack in squares of the grid.
type Block struct {
	Rack          int32
	X, Y          int
	Width, Height int
}

// maxSide is the longest side of a grid: what every graphics card takes as one
// texture. A million cells in racks of one fill less than half of it.
const maxSide = 4096

// Racks lays cells out in rack blocks: cells of one rack stand together,
// racks run in rows in the order of their numbers, the picture comes close to
// aspect (width / height, kept within 1/4 and 4). rack holds each cell's rack
// number.
func Racks(rack []int32, aspect float64) Layout {
	if !(aspect >= 0.25) { // catches NaN too
		aspect = 0.25
	}
	aspect = min(aspect, 4)
	members := map[int32]int{}
	var order []int32
	for _, r := range rack {
		if members[r] == 0 {
			order = append(order, r)
		}
		members[r]++
	}
	slices.Sort(order)
	largest := 1
	for _, n := range members {
		largest = max(largest, n)
	}
	width := blockWidth(largest, len(order), aspect)
	height := (largest + width - 1) / width
	columns := 1
	for columns < len(order) {
		rows := (len(order) + columns - 1) / columns
		if float64(columns*(width+1)) >= aspect*float64(rows*(height+1)) {
			break
		}
		columns++
	}
	l := Layout{X: make([]uint16, len(rack)), Y: make([]uint16, len(rack))}
	index := make(map[int32]int, len(order))
	for i, r := range order {
		index[r] = i
		n := members[r]
		l.Blocks = append(l.Blocks, Block{r, i % columns * (width + 1), i / columns * (height + 1), min(n, width), (n + width - 1) / width})
	}
	rows := max(1, (len(order)+columns-1)/columns)
	l.Columns, l.Rows = max(1, columns*(width+1)-1), rows*(height+1)-1
	filled := make([]int, len(order))
	for cell, r := range rack {
		i := index[r]
		b := l.Blocks[i]
		l.X[cell] = uint16(b.X + filled[i]%width)
		l.Y[cell] = uint16(b.Y + filled[i]/width)
		filled[i]++
	}
	return l
}

// blockWidth returns how many squares wide a block of largest cells is: a
// little wider than high, so that a row of racks reads as a row. A block that
// stands alone is the whole picture and takes its aspect.
func blockWidth(largest, racks int, aspect float64) int {
	width := 1
	if racks == 1 {
		for float64(width*width) < aspect*float64(largest) {
			width++
		}
		return min(width, largest)
	}
	for width*(width-1) < largest && width < largest {
		width++
	}
	return width
}

// Check returns an error unless every cell stands on a square of its own grid
// and the grid is no larger than a texture can be. Layouts that come from
// outside the program are checked before they are drawn.
func (l *Layout) Check() error {
	if l.Columns < 1 || l.Rows < 1 || l.Columns > maxSide || l.Rows > maxSide {
		return fmt.Errorf("frame: a layout of %d × %d squares; each side must be 1 to %d", l.Columns, l.Rows, maxSide)
	}
	if len(l.X) != len(l.Y) {
		return fmt.Errorf("frame: a layout with %d columns but %d rows of cells", len(l.X), len(l.Y))
	}
	for cell := range l.X {
		if int(l.X[cell]) >= l.Columns || int(l.Y[cell]) >= l.Rows {
			return fmt.Errorf("frame: cell %d stands on square %d, %d of %d × %d", cell, l.X[cell], l.Y[cell], l.Columns, l.Rows)
		}
	}
	return nil
}
