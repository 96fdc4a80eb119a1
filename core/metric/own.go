package metric

import "slices"

// own are the columns that are added to the physical ones: a system's, and those of
// the kind of work. They are sampled, merged and averaged like the physical ones.
type own struct {
	columns []Column
	measure []measured
	rows    [][]float64 // as many as Table.Rows
	sum     []float64   // over all samples
	part    []float64   // of the row under way
	now     []float64
}

// measured writes values[from:to].
type measured struct {
	from, to int
	by       Measurer
	state    bool // of the cluster, which changes at events only
}

// Measurer measures figures.
type Measurer interface {
	// Measure writes the present value of the i-th of them into values[i].
	Measure(values []float64)
}

// Track adds columns, before the first Sample, and who measures them.
func (t *Table) Track(columns []Column, by Measurer) { t.track(columns, by, false) }

// TrackState adds columns whose values change with the cluster only, and not with time.
func (t *Table) TrackState(columns []Column, by Measurer) { t.track(columns, by, true) }

func (t *Table) track(columns []Column, by Measurer, state bool) {
	o := &t.own
	from := len(o.columns)
	o.columns = append(slices.Clip(o.columns), columns...)
	n := len(o.columns)
	o.measure = append(o.measure, measured{from, n, by, state})
	o.sum, o.part, o.now = make([]float64, n), make([]float64, n), make([]float64, n)
}

// Columns describes all columns: the physical ones, then those that were added.
func (t *Table) Columns() []Column { return append(Columns[:], t.own.columns...) }

// Kept lists the columns that mean something for the kind of work, by their number in Columns.
func (t *Table) Kept() (list []int) {
	for c := range Width + len(t.own.columns) {
		if !t.exact.on || c >= Width || slices.Contains(jobColumnsOfCluster[:], c) {
			list = append(list, c)
		}
	}
	return list
}

// Value returns column c, by number in Columns, of a kept row.
func (t *Table) Value(row, c int) float64 {
	if c < Width {
		return t.Rows[row][c]
	}
	return t.own.rows[row][c-Width]
}

// LatestOwn returns the latest sample of the i-th added column.
func (t *Table) LatestOwn(i int) float64 { return t.own.now[i] }

// PresentOwn measures the added columns now, between two samples, and returns their values
// in the order in which they were added.
func (t *Table) PresentOwn() []float64 {
	values := make([]float64, len(t.own.columns))
	for _, m := range t.own.measure {
		m.by.Measure(values[m.from:m.to])
	}
	return values
}

// MeanOwn returns the mean of the i-th of the added columns over all samples within the
// window; of the present moment if there are none yet.
func (t *Table) MeanOwn(i int) float64 {
	if t.count == 0 {
		t.own.look(false)
		return t.own.now[i]
	}
	return t.own.sum[i] / t.count
}

// look measures the present values. A quiet cluster has not changed since the latest sample.
func (o *own) look(quiet bool) {
	for _, m := range o.measure {
		if !quiet || !m.state {
			m.by.Measure(o.now[m.from:m.to])
		}
	}
}

func (o *own) sample(counts, quiet bool) {
	o.look(quiet)
	for i, x := range o.now {
		if counts {
			o.sum[i] += x
		}
		o.part[i] += x
	}
}

// keep ends a row of n samples.
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
	half := len(o.rows) / 2
	clear(o.rows[half:]) // else the array behind the slice would hold them
	o.rows = o.rows[:half]
}
