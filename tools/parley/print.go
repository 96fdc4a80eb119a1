package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// printJSON writes one indented document.
func printJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// number writes a number for people: whole ones with commas, others with as
// many digits as matter.
func number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 1e15:
		return strconv.FormatFloat(x, 'g', 4, 64)
	case size >= 100 || x == math.Trunc(x):
		return grouped(int64(math.Round(x)))
	case size >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case size >= 0.01:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// quantity writes a number with its unit.
func quantity(x float64, unit string) string {
	if unit == "" {
		return number(x)
	}
	return number(x) + " " + unit
}

// words turns a field's name into words: "tasks_waiting" is "tasks waiting".
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// table lines up columns: the first to the left, the others to the right but
// for those that are asked to the left.
type table struct {
	rows  [][]string
	lefts []int
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) left(column int) { t.lefts = append(t.lefts, column) }

func (t *table) print(w io.Writer) {
	var width []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				line.WriteString(cell + pad)
			case slices.Contains(t.lefts, i):
				line.WriteString("  " + cell + pad)
			default:
				line.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// printReport writes a run's report for people.
func printReport(w io.Writer, r run.Report) {
	s := r.Scenario
	name := s.Name
	if name == "" {
		name = "unnamed scenario"
	}
	fmt.Fprintf(w, "%s, %s, seed %d\n", name, s.System, s.Seed)
	fmt.Fprintf(w, "%v simulated in %s s (%s × real time), %s events\n", scenario.Duration(unit.Time(r.SimulatedS*1e6+0.5)), number(r.WallS), number(r.Speedup), grouped(int64(r.Events)))
	fmt.Fprintf(w, "digest %s\n\n", r.Digest)
	var means table
	for _, c := range metric.Columns {
		means.add(c.Name, quantity(r.Metrics[c.ID], c.Unit))
	}
	means.print(w)
	fmt.Fprintln(w)
	var counts table
	for _, name := range slices.Sorted(maps.Keys(r.System)) {
		if _, told := r.Metrics[name]; told {
			continue
		}
		if x, ok := numeric(r.System[name]); ok {
			counts.add(words(name), number(x))
		} else {
			counts.add(words(name), "in --json")
		}
	}
	counts.print(w)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", warning)
	}
}

// numeric returns a figure of a report as a number, if it is one.
func numeric(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// printSamples writes a run's samples as the page exports them: one row a
// sample, the time in minutes first.
func printSamples(w io.Writer, t *metric.Table) {
	columns := t.Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.ID
	}
	fmt.Fprintf(w, "minute,%s\n", strings.Join(names, ","))
	for i := range t.Rows {
		cells := make([]string, 0, 1+len(columns))
		cells = append(cells, plain(t.At[i].Seconds()/60))
		for c := range columns {
			cells = append(cells, plain(t.Value(i, c)))
		}
		fmt.Fprintln(w, strings.Join(cells, ","))
	}
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
