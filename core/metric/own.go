package metric

import "slices"

// own are the columns that a system adds. They are sampled, merged and averaged
// like the physical ones.
type own struct {
	columns []Column
	measure func(values []float64)
	rows    [][]float64 // as many as Table.Rows
	sum     []float64   // over all samples
	part    []float64   // of the row under way
	now     []float64
}

// Track adds columns of the system's own, before the first Sample. measure
// writes the present value of each.
func (t *Table) Track(columns []Column, measure func(values []float64)) {
	n := len(columns)
	t.own = own{columns: columns, measure: measure, sum: make([]float64, n), part: make([]float64, n), now: make([]float64, n)}
}

// Columns describes all columns: the physical ones, then the system's own.
func (t *Table) Columns() []Column { return append(Columns[:], t.own.columns...) }

// Value returns column c, by number in Columns, of a kept row.
func (t *Table) Value(row, c int) float64 {
	if c < Width {
		return t.Rows[row][c]
	}
	return t.own.rows[row][c-Width]
}

// MeanOwn returns the mean of the i-th of the system's own columns over all
// samples; of the present moment if there are none yet.
func (t *Table) MeanOwn(i int) float64 {
	if t.count == 0 {
		t.own.measure(t.own.now)
		return t.own.now[i]
	}
	return t.own.sum[i] / t.count
}

func (o *own) sample() {
	if o.measure == nil {
		return
	}
	o.measure(o.now)
	for i, x := range o.now {
		o.sum[i] += x
		o.part[i] += x
	}
}

// keep ends a row of so many samples.
func (o *own) keep(samples int) {
	if o.measure == nil {
		return
	}
	row := slices.Clone(o.part)
	for i := range row {
		row[i] /= float64(samples)
		o.part[i] = 0
	}
	o.rows = append(o.rows, row)
}

// halve merges pairs of rows into their mean.
func (o *own) halve() {
	for i := range len(o.rows) / 2 {
		for c := range o.rows[i] {
			o.rows[i][c] = (o.rows[2*i][c] + o.rows[2*i+1][c]) / 2
		}
	}
	o.rows = o.rows[:len(o.rows)/2]
}
