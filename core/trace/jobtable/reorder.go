package jobtable

import (
	"bytes"
	"errors"
	"slices"

	"parley/core/trace"
)

// takes reports whether a table has every column that p reads, and returns how it is read: then its rows can be
// given the columns of p. Both have lines with a byte between their cells.
func (p *plan) takes(h *trace.Head, m *mapping, of **plan) bool {
	other, _ := planOf(h, m)
	if p == nil || other == nil || p.json || other.json || p.joint != nil || other.joint != nil ||
		p.comma == trace.Blank || other.comma == trace.Blank || p.bare || other.bare {
		return false
	}
	for f := range fields {
		if at := p.at[f]; at >= 0 && !slices.Contains(other.header, p.header[at]) {
			return false
		}
	}
	*of = other
	return true
}

// reordered is a table whose rows have the columns of another one, on the lines on which they were.
type reordered struct {
	*rowReader
	like *plan
	from []int // the column of each cell; -1: the table has none
	line int64
	out  []byte
	made []byte
	err  error
}

// reorder returns the rows of a table with the columns of p.
func (p *plan) reorder(r *rowReader) *reordered {
	o := &reordered{rowReader: r, like: p}
	for _, name := range p.header {
		o.from = append(o.from, slices.Index(r.plan.header, name))
	}
	return o
}

// Read implements io.Reader. Each row is on the line of the original one, so that errors name it; a bad row is passed
// on as it is, for the reader of the joined table to report.
func (o *reordered) Read(to []byte) (int, error) {
	for len(o.out) == 0 {
		if o.err != nil {
			return 0, o.err
		}
		err := o.next()
		var bad *trace.Error
		if err != nil && !(errors.As(err, &bad) && bad.Kind == trace.BadLine) {
			o.err = err
			continue
		}
		o.made = o.made[:0]
		for ; o.line+1 < o.at; o.line++ {
			o.made = append(o.made, '\n')
		}
		if err != nil { // the joined table says so
			o.made = append(o.made, bytes.ReplaceAll(o.text, []byte{'\n'}, []byte{' '})...)
		} else {
			o.row()
		}
		o.made = append(o.made, '\n')
		o.line++
		o.out = o.made
	}
	n := copy(to, o.out)
	o.out = o.out[n:]
	return n, nil
}

// row appends the cells of the present row.
func (o *reordered) row() {
	comma := o.like.comma
	for i, at := range o.from {
		if i > 0 {
			o.made = append(o.made, comma)
		}
		if at < 0 {
			continue
		}
		cell := bytes.ReplaceAll(o.cells[at], []byte{'\n'}, []byte{' '})
		if comma == '|' || !bytes.ContainsAny(cell, "\"\n"+string(comma)) {
			o.made = append(o.made, cell...)
			continue
		}
		o.made = append(append(append(o.made, '"'), bytes.ReplaceAll(cell, []byte{'"'}, []byte(`""`))...), '"')
	}
}
