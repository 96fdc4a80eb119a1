// Package gpu has the functions that documents of papers about clusters of GPUs call: published
// simulations, replayed with the arithmetic and the peculiarities of their own programs, on the
// files that they were published with.
package gpu

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"parley/core/trace"
)

// table is a file of comma-separated values whose first line has the names.
type table struct {
	name   string
	column map[string]int
	rows   [][]string
}

// maxRows limits a table.
const maxRows = 100_000

// read reads a table that has some columns. It returns nil, without an error, for a file that
// lacks one: it is another table.
func read(f trace.File, columns ...string) (*table, error) {
	content, err := trace.Unpack(f, trace.NewMeter([]trace.File{f}, nil))
	if err != nil {
		return nil, err
	}
	defer content.Close()
	r := csv.NewReader(content)
	names, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s has no line of comma-separated names: %w", f.Name, err)
	}
	t := &table{name: f.Name, column: map[string]int{}}
	for i, n := range names {
		t.column[n] = i
	}
	if !t.has(columns...) {
		return nil, nil
	}
	for {
		row, err := r.Read()
		switch {
		case err == io.EOF:
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		case len(t.rows) == maxRows:
			return nil, fmt.Errorf("%s has more than %d rows: give the file that was published", f.Name, maxRows)
		}
		t.rows = append(t.rows, row)
	}
}

// has says whether the table has all of some columns.
func (t *table) has(columns ...string) bool {
	for _, c := range columns {
		if _, has := t.column[c]; !has {
			return false
		}
	}
	return true
}

// numbers returns numbers of a row, none below 0.
func (t *table) numbers(row int, columns ...string) ([]float64, error) {
	v := make([]float64, len(columns))
	for i, column := range columns {
		var err error
		if v[i], err = t.number(row, column, 0, 1e30); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// number returns a number of a row from one value to another.
func (t *table) number(row int, column string, low, high float64) (float64, error) {
	text := t.rows[row][t.column[column]]
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= low && x <= high) {
		return 0, fmt.Errorf("%s, row %d, column %q: %q is no number from %v to %v; give the file that was published",
			t.name, row+1, column, text, low, high)
	}
	return x, nil
}

// text returns a text of a row.
func (t *table) text(row int, column string) string { return t.rows[row][t.column[column]] }
