package sweeps

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"parley/core/study"
)

// Parquet returns the table in long form, a row a cell and figure: what DuckDB, Polars,
// pandas and Spark read. Axes are text columns; what is missing is null.
func Parquet(t *study.Table) ([]byte, error) {
	columns := parquet.Group{
		"figure": parquet.String(), "n": parquet.Int(64), "mean": parquet.Leaf(parquet.DoubleType), "sd": parquet.Leaf(parquet.DoubleType),
	}
	for _, name := range []string{"low", "high", "difference", "difference_low", "difference_high"} {
		columns[name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	for _, axis := range t.Axes {
		columns["axis "+axis] = parquet.String()
	}
	schema := parquet.NewSchema("sweep", columns)
	var out bytes.Buffer
	w := parquet.NewGenericWriter[map[string]any](&out, schema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("parley", t.Engine, ""))
	for _, r := range t.Rows {
		for _, f := range r.Figures {
			row := map[string]any{"figure": f.Name, "n": int64(f.N), "mean": f.Mean, "sd": f.SD}
			for _, v := range r.At {
				row["axis "+v.Path] = v.Text()
			}
			if f.Interval != nil {
				row["low"], row["high"] = f.Low, f.High
			}
			if d, has := study.Find(r.Differences, f.Name); has {
				row["difference"] = d.Mean
				if d.Interval != nil {
					row["difference_low"], row["difference_high"] = d.Low, d.High
				}
			}
			if _, err := w.Write([]map[string]any{row}); err != nil {
				return nil, fmt.Errorf("writing Parquet: %w", err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	return out.Bytes(), nil
}
