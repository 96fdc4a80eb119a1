package table

import (
	"math"

	"parley/core/trace"
	"parley/core/unit"
)

// plain reads a line of t as Parse does, where blanks separate its columns and all
// of them are short whole numbers, as in nearly every row of a log; else it reports
// false. It looks at each byte once.
func (t *Table) plain(r *Row, line []byte) bool {
	if t.Comma != trace.Blank {
		return false
	}
	column, i := 0, 0
	has := uint32(0)
	for {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) {
			break
		}
		if column == len(t.Columns) {
			return false
		}
		c := &t.Columns[column]
		minus := line[i] == '-'
		if minus {
			i++
		}
		begin := i
		n := uint64(0)
		for ; i < len(line); i++ {
			d := line[i] - '0'
			if d > 9 {
				break
			}
			n = n*10 + uint64(d)
		}
		if i == begin || i > begin+12 || i < len(line) && line[i] != ' ' && line[i] != '\t' || c.Kind >= Share {
			return false
		}
		switch {
		case minus && (!t.Minus || c.Must):
			return false
		case minus && n > 0:
			r.values[column] = 0
			column++
			continue
		case c.Kind == Seconds:
			n *= uint64(unit.Second)
		}
		if n > c.most() {
			return false
		}
		r.values[column] = n
		has |= 1 << column
		column++
	}
	r.has = has
	return t.hasColumns(column)
}

// most is the largest number of a column.
func (c *Column) most() uint64 {
	switch {
	case c.Limit > 0:
		return c.Limit
	case c.Kind == Moment || c.Kind == Seconds:
		return math.MaxInt64
	}
	return math.MaxUint64
}
