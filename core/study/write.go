package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"

	"parley/core/escape"
)

// Encode returns the table as a JSON document.
func (t *Table) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(t)
	return out.Bytes(), err
}

// CSV returns the table with a row a cell, and for each figure its mean, deviation,
// interval and difference. Missing values are empty.
func (t *Table) CSV() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	head := append(append([]string{}, t.Axes...), "n")
	for _, m := range t.Metrics {
		head = append(head, m, m+" sd", m+" low", m+" high", m+" difference", m+" difference low", m+" difference high")
	}
	_ = w.Write(escape.CSVRow(head)) // a buffer takes all
	for _, r := range t.Rows {
		var cells []string
		for _, v := range r.At {
			cells = append(cells, v.Text())
		}
		cells = append(cells, strconv.Itoa(r.N))
		for _, m := range t.Metrics {
			f, has := Find(r.Figures, m)
			d, differs := Find(r.Differences, m)
			var mean, deviation, low, high, difference, differenceLow, differenceHigh string
			if has {
				mean, deviation = exact(f.Mean), exact(f.SD)
				if f.Interval != nil {
					low, high = exact(f.Low), exact(f.High)
				}
			}
			if differs {
				difference = exact(d.Mean)
				if d.Interval != nil {
					differenceLow, differenceHigh = exact(d.Low), exact(d.High)
				}
			}
			cells = append(cells, mean, deviation, low, high, difference, differenceLow, differenceHigh)
		}
		_ = w.Write(escape.CSVRow(cells))
	}
	w.Flush()
	return out.Bytes()
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
