package table

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// sampleRows is the number of rows at the beginning that decide the table of a file.
const sampleRows = 64

// sampleOf returns the rows of a file's beginning, without remarks and a header.
func sampleOf(h *trace.Head, t *Table) []*trace.Fields {
	var rows []*trace.Fields
	first := true
	h.Lines(func(line []byte) bool {
		if begin := bytes.TrimLeft(line, " \t"); t.Remark != 0 && (len(begin) == 0 || begin[0] == t.Remark) {
			return true
		}
		if fields := split(line, t.Comma); !first || !isHeader(fields) {
			rows = append(rows, fields)
		}
		first = false
		return len(rows) < sampleRows
	})
	return rows
}

// hasNames reports whether a file's first line names its columns and is not a remark.
func hasNames(h *trace.Head) (named bool) {
	h.Lines(func(line []byte) bool {
		fields := split(line, ',')
		named = line[0] != '#' && isHeader(fields)
		return false
	})
	return named
}

func split(line []byte, comma byte) *trace.Fields {
	var f trace.Fields
	f.Split(line, comma)
	return &f
}

// isHeader reports whether a file's first row names columns: words, and no
// number among them, or anything after a #, as in the samples of CloudSim Plus.
func isHeader(fields *trace.Fields) bool {
	if bytes.HasPrefix(fields.Text(), []byte("#")) {
		return true
	}
	for i := range fields.Len() {
		if _, reason := trace.Decimal(fields.At(i), 0); reason != trace.ReasonNumber && reason != trace.ReasonEmpty {
			return false
		}
	}
	first := bytes.TrimSpace(fields.At(0))
	return fields.Len() > 1 && len(first) > 0 && (first[0]|0x20 >= 'a' && first[0]|0x20 <= 'z' || first[0] == '"')
}

// Detect returns the table of a format to which a file belongs: the one that at
// least half of its first rows are good rows of, or else nearly are. Of several such
// tables, and for a file that is of none of them but has the right number of
// columns, the file's name decides. All tables must have the same comma and remark.
func Detect(h *trace.Head, tables []*Table) trace.Match {
	if t := byNames(h, tables); t != nil {
		return trace.Match{Table: t.Name}
	}
	rows := sampleOf(h, tables[0])
	named := tableNamed(h.File.Name, tables)
	tries := []func(*Table, *trace.Fields) bool{(*Table).good, (*Table).nearlyGood}
	if named == nil && hasNames(h) { // columns that have names in the file are those of another format
		tries = tries[:1]
	}
	for _, fits := range tries {
		var best *Table
		largest := 0
		for _, t := range tables {
			n := 0
			for _, fields := range rows {
				if fits(t, fields) {
					n++
				}
			}
			if n > largest || n == largest && n > 0 && t == named {
				best, largest = t, n
			}
		}
		if largest > 0 && 2*largest >= len(rows) {
			return trace.Match{Table: best.Name}
		}
	}
	if named == nil {
		return trace.Match{Resembles: nearest(rows, tables)}
	}
	for _, fields := range rows {
		if named.hasColumns(fields.Len()) {
			return trace.Match{Table: named.Name}
		}
	}
	if len(rows) == 0 {
		return trace.Match{Table: named.Name} // a header and no rows
	}
	return trace.Match{Resembles: nearest(rows, tables)}
}

// good reports whether fields are a row of t. Tables of nothing but numbers are of
// other traces where this one has words.
func (t *Table) good(fields *trace.Fields) bool {
	var r Row
	if _, ok := t.Parse(&r, fields); !ok {
		return false
	}
	for i := range fields.Len() {
		if f := fields.At(i); t.Columns[i].Word && len(f) > 0 {
			if _, reason := trace.Decimal(f, 0); reason != trace.ReasonNumber {
				return false
			}
		}
	}
	return true
}

// nearlyGood reports whether fields are a row of t but for one column that is
// broken, missing or too many. Loose columns would nearly fit tables of other
// traces.
func (t *Table) nearlyGood(fields *trace.Fields) bool {
	width := len(t.Columns)
	missing := width - fields.Len()
	if t.Loose || missing < -1 || missing > 1 || fields.Len() < 4 {
		return false
	}
	for i := range max(width, fields.Len()) {
		repaired := make([][]byte, 0, width+1)
		for k := range fields.Len() {
			repaired = append(repaired, fields.At(k))
		}
		switch missing {
		case 0:
			if t.Columns[i].Kind == Text {
				continue // a number there speaks against the table
			}
			repaired[i] = t.filler(i)
		case 1:
			if t.Columns[i].Word {
				continue // without its word a row of numbers is of any table
			}
			repaired = slices.Insert(repaired, i, t.filler(i))
		case -1:
			repaired = slices.Delete(repaired, i, i+1)
		}
		if t.good(split(bytes.Join(repaired, []byte{t.Comma}), t.Comma)) {
			return t.hasWords(fields)
		}
	}
	return false
}

// hasWords reports whether fields have a word, if rows of t have texts: a row of numbers that
// nearly fits may be of any table.
func (t *Table) hasWords(fields *trace.Fields) bool {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind == Text }) {
		return true
	}
	for i := range fields.Len() {
		if _, reason := trace.Decimal(fields.At(i), 0); reason == trace.ReasonNumber {
			return true
		}
	}
	return false
}

// filler is a value that fits column i of t.
func (t *Table) filler(i int) []byte {
	if t.Columns[i].Kind == Text {
		return []byte("x")
	}
	return []byte("0")
}

// nearest names the table whose number of columns is nearest to that of the
// file's first row, if it is near.
func nearest(rows []*trace.Fields, tables []*Table) string {
	if len(rows) == 0 || rows[0].Len() < 4 {
		return ""
	}
	width := rows[0].Len()
	var best *Table
	distance := 3
	for _, t := range tables {
		if d := max(len(t.Columns)-width, width-len(t.Columns)); d < distance {
			best, distance = t, d
		}
	}
	switch {
	case best == nil:
		return ""
	case distance == 0:
		return best.Name + ", which has the same number of columns, but different data"
	}
	return best.Name + ", which has " + strconv.Itoa(len(best.Columns)) + " columns where this file has " +
		strconv.Itoa(width)
}

// tableNamed returns the table that a path speaks of, or nil.
func tableNamed(path string, tables []*Table) *Table {
	for _, t := range tables {
		if strings.Contains(path, t.Name) {
			return t
		}
	}
	return nil
}

// firstTime returns the time of a file's first good row, or 0 if there is none: such a file is
// opened at once to report its error.
func firstTime(t *Table, h *trace.Head) unit.Time {
	var r Row
	at := t.places(names(h, t))
	for _, fields := range sampleOf(h, t) {
		if at != nil {
			t.pick(fields, at)
		}
		if _, ok := t.Parse(&r, fields); ok {
			return r.At(t.Time)
		}
	}
	return 0
}
