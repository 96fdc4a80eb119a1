package console

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/core/escape"
	"parley/core/scenario"
	"parley/core/unit"
)

// PrintJSON writes one indented document.
func PrintJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Number writes a number for people: whole ones with commas, others with as
// many digits as matter.
func Number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 1e15:
		return strconv.FormatFloat(x, 'g', 4, 64)
	case size >= 100 || x == math.Trunc(x):
		return Grouped(int64(math.Round(x)))
	case size >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case size >= 0.01:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// Grouped writes a whole number with commas between thousands.
func Grouped(n int64) string {
	return unit.Grouped(strconv.FormatInt(n, 10))
}

// Words turns a field's name into words: "tasks_waiting" is "tasks waiting".
func Words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Table aligns columns: the first to the left, the others to the right except those passed to Left.
type Table struct {
	Rows  [][]string
	Lefts []int
}

func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = escape.Line(cells[i])
	}
	t.Rows = append(t.Rows, cells)
}

func (t *Table) Left(column int) { t.Lefts = append(t.Lefts, column) }

func (t *Table) Print(w io.Writer) {
	var width []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.Rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				line.WriteString(cell + pad)
			case slices.Contains(t.Lefts, i):
				line.WriteString("  " + cell + pad)
			default:
				line.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// Duration writes seconds as scenarios do, from an hour on in whole seconds.
func Duration(seconds float64) string {
	if seconds >= 3600 {
		seconds = math.Round(seconds)
	}
	return scenario.Duration(unit.Time(seconds*1e6 + 0.5)).String()
}

// Days writes seconds as days, with a digit behind the point if there are few.
func Days(seconds float64) string {
	if d := seconds / 86400; d < 10 {
		return strconv.FormatFloat(d, 'f', 1, 64)
	}
	return Grouped(int64(math.Round(seconds / 86400)))
}

// Plain writes a number with all its digits and no exponent.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
