package table

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
)

// folded returns a name as names are compared: its letters and digits, in lower case.
func folded(name []byte) string {
	return string(bytes.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name))
}

// names returns the folded names of the columns of a file's first line; nil if it names none.
func names(h *trace.Head, t *Table) (list []string) {
	if t.Comma == trace.Blank {
		return nil
	}
	h.Lines(func(line []byte) bool {
		fields := split(bytes.TrimPrefix(line, []byte("#")), t.Comma)
		for i := range fields.Len() {
			if _, reason := trace.Decimal(fields.At(i), 0); reason == "" && !numbers(fields) {
				list = nil
				return false
			}
			list = append(list, folded(fields.At(i)))
		}
		return false
	})
	return list
}

// numbers reports whether a first line numbers the columns behind one without a name, as pandas
// does if a table has no names.
func numbers(fields *trace.Fields) bool {
	for i := 1; i < fields.Len(); i++ {
		if string(fields.At(i)) != strconv.Itoa(i-1) {
			return false
		}
	}
	return fields.Len() > 3 && len(fields.At(0)) == 0
}

// places returns where a file has each column of t by its names, -1 for none; nil if it lacks one
// that every row must have, or if all are where rows without names have them.
func (t *Table) places(names []string) []int {
	if at, plain := t.named(names); !plain {
		return at
	}
	return nil
}

// named returns where a file has each column of t, nil if it is of another table, and whether all
// are where rows without names have them.
func (t *Table) named(names []string) (at []int, plain bool) {
	if len(names) == len(t.Columns)+1 && names[0] == "" && names[1] == "0" {
		at := make([]int, len(t.Columns))
		for i := range at {
			at[i] = i + 1
		}
		return at, false
	}
	at, plain = make([]int, len(t.Columns)), len(names) == len(t.Columns)
	found := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		at[i] = slices.Index(names, folded([]byte(c.Name)))
		for other := range strings.FieldsSeq(c.Other) {
			if at[i] < 0 {
				at[i] = slices.Index(names, other)
			}
		}
		if at[i] < 0 && c.Must {
			return nil, false
		}
		if plain = plain && at[i] == i; at[i] >= 0 {
			found++
		}
	}
	if found < 3 {
		return nil, false
	}
	return at, plain
}

// pick makes fields those of the columns at these places; numbers lose the places that those have
// which went through floats.
func (t *Table) pick(fields *trace.Fields, at []int) {
	fields.Pick(at, func(i int, cell []byte) []byte {
		if t.Columns[i].Kind == Moment || t.Columns[i].Kind == Number {
			return bytes.TrimSuffix(cell, []byte(".0"))
		}
		return cell
	})
}

// byNames returns the table whose columns a file's first line names: the one with most of them; nil
// if there is none.
func byNames(h *trace.Head, tables []*Table) (best *Table) {
	known := names(h, tables[0])
	if known == nil {
		return nil
	}
	largest := 0
	for _, t := range tables {
		at, _ := t.named(known)
		if at == nil || !t.mostly(h, at) {
			continue
		}
		n := 0
		for _, place := range at {
			if place >= 0 {
				n++
			}
		}
		if n > largest {
			best, largest = t, n
		}
	}
	return best
}

// mostly reports whether at least half of the first rows are good ones with their columns at these
// places.
func (t *Table) mostly(h *trace.Head, at []int) bool {
	good, rows := 0, 0
	h.Lines(func(line []byte) bool {
		if rows++; rows > 1 {
			fields := split(line, t.Comma)
			t.pick(fields, at)
			if t.good(fields) {
				good++
			}
		}
		return rows <= sampleRows
	})
	return rows == 1 || 2*good >= rows-1
}
