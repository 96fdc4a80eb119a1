package frame

import (
	"fmt"
	"math"
	"slices"
)

// Layout describes where cells are drawn: a grid of Columns × Rows squares in which
// each rack is a block and empty squares are gaps. Everything that draws
// cells or finds them under the pointer uses this one table.
type Layout struct {
	Columns, Rows int
	X, Y          []uint16 // of each cell
	Blocks        []Block
	Pitch         Pitch
}

// Pitch describes how squares lie on a picture. Its unit is the width of a cell; the
// zero value makes all squares, gaps too, as wide and as high as that.
type Pitch struct {
	Width, Height int     // squares of a whole block; after each comes one empty column, one empty row
	GapX, GapY    float64 // width of an empty column, height of an empty row
	Tall          float64 // height of a cell
}

// Axis places the columns of a layout, or its rows, on a picture.
type Axis struct {
	Block     int     // squares of a block, the gap after it not counted
	Cell, Gap float64 // their extents
}

// Across returns where columns are.
func (l *Layout) Across() Axis { return axis(l.Pitch.Width, 1, l.Pitch.GapX) }

// Down returns where rows are.
func (l *Layout) Down() Axis {
	if l.Pitch.Tall > 0 {
		return axis(l.Pitch.Height, l.Pitch.Tall, l.Pitch.GapY)
	}
	return axis(0, 1, 0)
}

func axis(block int, cell, gap float64) Axis {
	if block < 1 {
		return Axis{maxSide, cell, cell}
	}
	return Axis{block, cell, gap}
}

// Scaled returns the axis with a cell's width in units.
func (a Axis) Scaled(by float64) Axis { return Axis{a.Block, a.Cell * by, a.Gap * by} }

// Period is the extent of a block with its gap.
func (a Axis) Period() float64 { return float64(float64(a.Block)*a.Cell) + a.Gap }

// At returns where a square begins.
func (a Axis) At(square int) float64 {
	block := square / (a.Block + 1)
	return float64(float64(block)*a.Period()) + float64(float64(square-block*(a.Block+1))*a.Cell)
}

// Index returns the square at a place and where that square begins. A place
// before the first one is in a square below 0.
func (a Axis) Index(x float64) (square int, begins float64) {
	period := a.Period()
	block := math.Floor(x / period)
	start := float64(block * period)
	cell := math.Max(0, math.Min(math.Floor((x-start)/a.Cell), float64(a.Block)))
	return int(block)*(a.Block+1) + int(cell), start + float64(cell*a.Cell)
}

// Size returns the extent of the whole layout in widths of a cell.
func (l *Layout) Size() (width, height float64) {
	return l.Across().At(l.Columns), l.Down().At(l.Rows)
}

// Block is the rectangle of one rack in squares of the grid.
type Block struct {
	Rack          int32 // -1: its cells are of no one rack
	Group         int32 // of blocks that belong together; 0 if there are none
	X, Y          int
	Width, Height int
}

// maxSide is the longest side of a grid: a texture size that every graphics card supports. A
// million cells in racks of one fill less than half of it.
const maxSide = 4096

// Racks lays cells out in rack blocks: cells of one rack are together, racks run in rows in the
// order of their numbers, the picture comes close to aspect (width / height, kept within 1/4 and
// 4). rack holds each cell's rack number.
func Racks(rack []int32, aspect float64) Layout {
	if !(aspect >= 0.25) { // catches NaN too
		aspect = 0.25
	}
	aspect = min(aspect, 4)
	order, members, largest := group(rack)
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
	return place(rack, order, members, columns, width, height)
}

// group returns the racks in their order, how many cells each has, and the most.
func group(rack []int32) (order []int32, members map[int32]int, largest int) {
	members = map[int32]int{}
	for _, r := range rack {
		if members[r] == 0 {
			order = append(order, r)
		}
		members[r]++
	}
	slices.Sort(order)
	largest = 1
	for _, n := range members {
		largest = max(largest, n)
	}
	return order, members, largest
}

// place puts racks in rows of equal length, each into a block of width × height.
func place(rack, order []int32, members map[int32]int, columns, width, height int) Layout {
	l := Layout{X: make([]uint16, len(rack)), Y: make([]uint16, len(rack))}
	index := make(map[int32]int, len(order))
	for i, r := range order {
		index[r] = i
		n := members[r]
		l.Blocks = append(l.Blocks, Block{
			Rack: r, X: i % columns * (width + 1), Y: i / columns * (height + 1),
			Width: min(n, width), Height: (n + width - 1) / width,
		})
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

// blockWidth returns how many squares wide a block of largest cells is: a little wider than high,
// so that a row of racks reads as a row. A single block is the whole picture and takes its aspect.
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

// Check returns an error unless every cell is inside the grid, the pitch is in range and the grid is not
// larger than a texture can be. Layouts from outside the program are checked before they are drawn.
func (l *Layout) Check() error {
	if l.Columns < 1 || l.Rows < 1 || l.Columns > maxSide || l.Rows > maxSide {
		return fmt.Errorf("frame: a layout of %d × %d squares; each side must be 1 to %d", l.Columns, l.Rows, maxSide)
	}
	if p := l.Pitch; p.Width < 0 || p.Height < 0 || p.Width > maxSide || p.Height > maxSide ||
		!(p.GapX >= 0 && p.GapX <= 64 && p.GapY >= 0 && p.GapY <= 64 && p.Tall >= 0 && p.Tall <= 16) {
		return fmt.Errorf(
			"frame: a pitch of %+v; blocks are at most %d squares, gaps 64 cells, cells 16 times as high as wide",
			p, maxSide,
		)
	}
	if len(l.X) != len(l.Y) {
		return fmt.Errorf("frame: a layout with %d columns but %d rows of cells", len(l.X), len(l.Y))
	}
	for cell := range l.X {
		if int(l.X[cell]) >= l.Columns || int(l.Y[cell]) >= l.Rows {
			return fmt.Errorf("frame: cell %d stands on square %d, %d of %d × %d", cell, l.X[cell], l.Y[cell],
				l.Columns, l.Rows)
		}
	}
	return nil
}
