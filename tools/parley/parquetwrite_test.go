package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"parley/core/rng"
	"parley/core/trace/packed"
)

// TestParquetIsWritten writes random tables, of none to three row groups, and lets the parquet-go
// library read them: every cell is there.
func TestParquetIsWritten(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 300, 65_535, 65_536, 140_000}
	if testing.Short() {
		sizes = sizes[:7]
	}
	random := rng.New(1, "parquet")
	for _, rows := range sizes {
		columns := make([]packed.Column, 1+random.Intn(20))
		for i := range columns {
			columns[i] = packed.Column{Name: fmt.Sprintf("column %d", i), Kind: packed.Kind(random.Intn(4)), Null: random.Intn(2) == 0}
		}
		if rows > 1000 {
			columns = columns[:min(len(columns), 3)]
		}
		var out bytes.Buffer
		w, err := packed.NewWriter(&out, "parley version 0", columns...)
		if err != nil {
			t.Fatal(err)
		}
		table := make([][]any, rows)
		for i := range table {
			row := make([]any, len(columns))
			for c, of := range columns {
				row[c] = randomCell(random, of)
			}
			if table[i] = row; w.Add(row...) != nil {
				t.Fatal(w.Add(row...))
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		compareTable(t, out.Bytes(), columns, table)
	}
}

// randomCell returns a cell of a column. Cells that are missing come in runs.
func randomCell(random *rng.Stream, of packed.Column) any {
	if of.Null && random.Intn(3) == 0 {
		return [...]any{nil, (*float64)(nil)}[random.Intn(2)]
	}
	switch of.Kind {
	case packed.Text:
		return strings.Repeat("ü,\n", random.Intn(4))
	case packed.Whole:
		return int64(random.Uint64())
	case packed.Number:
		return [...]float64{0, -1.5, 1e300, math.Inf(1), random.Float64()}[random.Intn(5)]
	}
	return random.Intn(2) == 0
}

// compareTable holds a Parquet file to the rows that were written.
func compareTable(t *testing.T, file []byte, columns []packed.Column, table [][]any) {
	t.Helper()
	in, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatalf("%d rows: %v", len(table), err)
	}
	if n := len(in.Schema().Columns()); n != len(columns) || in.NumRows() != int64(len(table)) {
		t.Fatalf("%d columns and %d rows, not %d and %d", n, in.NumRows(), len(columns), len(table))
	}
	at, batch := 0, make([]parquet.Row, 100)
	for _, group := range in.RowGroups() {
		rows := group.Rows()
		for {
			n, err := rows.ReadRows(batch)
			for _, row := range batch[:n] {
				for c, v := range row {
					if want := table[at][c]; fmt.Sprint(cellOfWritten(v)) != fmt.Sprint(plainCell(want)) {
						t.Fatalf("row %d of %d, %s: %v, not %v", at, len(table), columns[c].Name, v, want)
					}
				}
				at++
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if at != len(table) {
		t.Fatalf("%d of %d rows are read", at, len(table))
	}
}

func plainCell(cell any) any {
	if p, is := cell.(*float64); is && p == nil {
		return nil
	}
	return cell
}

// cellOfWritten returns a value as the type that was written; nil if it is missing.
func cellOfWritten(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}

// TestParquetRefusesOtherCells: a cell that is not of its column's kind is an error, not a zero.
func TestParquetRefusesOtherCells(t *testing.T) {
	w, err := packed.NewWriter(io.Discard, "parley", packed.Column{Name: "n", Kind: packed.Whole})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]any{{"1"}, {1.5}, {nil}, {true}, {}, {int64(1), int64(2)}} {
		if w.Add(row...) == nil {
			t.Errorf("%v is a row of whole numbers", row)
		}
	}
}
