package sweeps

import (
	"bytes"
	"fmt"

	"parley/core/study"
	"parley/core/trace/packed"
)

// Parquet returns the table in long form, a row for each cell and figure, for DuckDB, Polars, pandas
// and Spark. Axes are text columns; missing values are null.
func Parquet(t *study.Table) ([]byte, error) {
	var columns []packed.Column
	for _, axis := range t.Axes {
		columns = append(columns, packed.Column{Name: "axis " + axis})
	}
	columns = append(
		columns, packed.Column{Name: "figure"}, packed.Column{Name: "n", Kind: packed.Whole},
		packed.Column{Name: "mean", Kind: packed.Number}, packed.Column{Name: "sd", Kind: packed.Number},
	)
	for _, name := range []string{"low", "high", "difference", "difference_low", "difference_high"} {
		columns = append(columns, packed.Column{Name: name, Kind: packed.Number, Null: true})
	}
	var out bytes.Buffer
	w, err := packed.NewWriter(&out, "parley version "+t.Engine, columns...)
	if err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	for _, r := range t.Rows {
		for _, f := range r.Figures {
			var row []any
			for _, v := range r.At {
				row = append(row, v.Text())
			}
			row = append(row, f.Name, int64(f.N), f.Mean, f.SD)
			var low, high, difference, differenceLow, differenceHigh any // nil if missing
			if f.Interval != nil {
				low, high = f.Low, f.High
			}
			if d, has := study.Find(r.Differences, f.Name); has {
				difference = d.Mean
				if d.Interval != nil {
					differenceLow, differenceHigh = d.Low, d.High
				}
			}
			if err := w.Add(append(row, low, high, difference, differenceLow, differenceHigh)...); err != nil {
				return nil, fmt.Errorf("writing Parquet: %w", err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	return out.Bytes(), nil
}
