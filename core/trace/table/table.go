// Package table is the reader that tabular trace formats share: rows of typed columns in
// files that are plain or gzip, with or without a byte order mark, a header line
// or CRLF, one part of a table or one of five hundred. A format describes its
// tables as data and interprets the rows.
//
// A Part is a file read as rows of a Table. Its errors name file, line, column and
// value; rows that break the table end the reading or are counted. Merge takes the
// rows of many parts in the order of time. Detect returns the table of a file.
//
//	jobs := &table.Table{Name: "jobs", Comma: ',', Columns: []table.Column{
//		{Name: "start", Kind: table.Seconds, Must: true},
//		{Name: "processors", Kind: table.Number, Limit: 4096},
//	}}
//	parts, err := table.Look(files, format, options)
//	merge := table.NewMerge(parts, meter)
//	for part, err := merge.Peek(); err == nil; part, err = merge.Peek() {
//		… part.Row.Time(), part.Row.Value(1) …
//		err = merge.Advance()
//	}
package table

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// Kind is the type of a column's values, with their unit.
type Kind uint8

// The kinds of a column.
const (
	Moment  Kind = iota // whole microseconds; 2^63-1 is after the end of the trace
	Seconds             // decimal seconds, kept as microseconds
	Number              // a whole number
	Rounded             // a decimal number, rounded to a whole one
	Share               // a fraction of the reference machine, kept in millionths
	Real                // another decimal number
	Text                // a hash, a plain word or a number; its value is its length
	Comment             // text that is ignored
)

// Column is one column of a table.
type Column struct {
	Name  string // in the format's documents
	Other string // other names that lines of names have for it, as folded returns them, between blanks
	Kind  Kind
	Must  bool   // a row without it is bad
	Whole bool   // of Rounded: a fraction is bad, and not rounded; "4.00" has none
	Limit uint64 // of Moment, Seconds, Number and Rounded; 0: as large as it can be
	// Word reports that a text of this column is a word: files that have a
	// number there are of another format. It serves Detect only.
	Word bool
}

// MaxColumns is the number of columns a table may have.
const MaxColumns = 24

// Table is one table of a format.
type Table struct {
	Name       string
	Title      string // its name in sentences; "": Name
	Columns    []Column
	MinColumns int  // rows may lack the columns from here on; 0 if none
	Exact      bool // rows lack all columns from MinColumns on, or none
	Comma      byte // the separator of columns; trace.Blank: blanks
	Remark     byte // lines that begin with it are skipped; 0: no lines
	Minus      bool // a negative number stands for an unknown one
	Mixed      bool // rows are not in the order of time
	Loose      bool // its columns hold nearly anything: broken rows do not identify it
	Time       int  // the column with a row's time
	Rank       int  // rows of one moment are taken by the rank of their tables
}

// Row is one row's columns as numbers. A column for which Holds is false is empty and
// its number 0.
type Row struct {
	has    uint32 // a bit for each column
	values [MaxColumns]uint64
}

// Holds reports whether a column is there.
func (r *Row) Holds(column int) bool { return r.has>>column&1 != 0 }

// HoldsBoth reports whether two columns are there.
func (r *Row) HoldsBoth(a, b int) bool { return r.Holds(a) && r.Holds(b) }

// Value returns a column's number.
func (r *Row) Value(column int) uint64 { return r.values[column] }

// Int returns a column's number; -1 if it is empty.
func (r *Row) Int(column int) int64 {
	if !r.Holds(column) {
		return -1
	}
	return int64(r.values[column])
}

// Code returns a column of at most 255.
func (r *Row) Code(column int) uint8 { return uint8(r.values[column]) }

// Index returns a column of at most 2^32-1.
func (r *Row) Index(column int) uint32 { return uint32(r.values[column]) }

// Share returns a column of kind Share.
func (r *Row) Share(column int) unit.Share { return unit.Share(r.values[column]) }

// At returns a column of kind Moment or Seconds.
func (r *Row) At(column int) unit.Time { return unit.Time(r.values[column]) }

// Trouble describes an invalid row.
type Trouble struct {
	Column int // -1: the whole row
	Reason string
}

// Parse reads fields as a row of t.
func (t *Table) Parse(r *Row, fields *trace.Fields) (Trouble, bool) {
	if !t.hasColumns(fields.Len()) {
		return t.wrongColumns(fields), false
	}
	r.has = 0
	for i := range fields.Len() {
		c, f := &t.Columns[i], fields.At(i)
		r.values[i] = 0
		if len(f) == 0 {
			if c.Must {
				return Trouble{i, trace.ReasonEmpty}, false
			}
			continue
		}
		if t.Minus && f[0] == '-' && c.Kind < Text {
			if reason := c.negative(f); reason != "" {
				return Trouble{i, reason}, false
			}
			if !isZero(f[1:]) {
				continue
			}
			f = f[1:]
		}
		n, reason := c.parse(f)
		if reason != "" {
			return Trouble{i, reason}, false
		}
		r.has |= 1 << i
		r.values[i] = n
	}
	return Trouble{}, true
}

// negative returns the error of a number below zero in a table in which those mean
// unknown.
func (c *Column) negative(field []byte) string {
	if _, reason := trace.Decimal(field[1:], 0); reason != "" && reason != trace.ReasonLarge || field[1] == '-' {
		return trace.ReasonNumber
	}
	if c.Must && !isZero(field[1:]) {
		return trace.ReasonNegative
	}
	return ""
}

// isZero reports whether a number is 0, however it is written.
func isZero(digits []byte) bool {
	digits, _, _ = bytes.Cut(bytes.ToLower(digits), []byte("e"))
	return len(bytes.Trim(digits, "0.")) == 0
}

func (t *Table) title() string {
	if t.Title != "" {
		return t.Title
	}
	return t.Name
}

// hasColumns reports whether rows of t may have n columns.
func (t *Table) hasColumns(n int) bool {
	return n == len(t.Columns) ||
		t.MinColumns > 0 && n >= t.MinColumns && n <= len(t.Columns) && (n == t.MinColumns || !t.Exact)
}

// parse returns the value of a column as a number, or the reason why it cannot.
func (c *Column) parse(field []byte) (n uint64, reason string) {
	limit := c.most()
	switch c.Kind {
	case Moment:
		return trace.Whole(field, limit)
	case Number:
		n, reason = trace.Whole(field, limit)
		if reason == trace.ReasonLarge && limit <= math.MaxUint8 {
			reason = "is not between 0 and " + strconv.FormatUint(limit, 10)
		}
		return n, reason
	case Seconds:
		n, reason = trace.Decimal(field, 6)
	case Rounded:
		n, reason = trace.Decimal(field, 0)
		if reason == "" && c.Whole {
			if exact, large := trace.Decimal(field, 6); large == "" && exact != n*1_000_000 {
				reason = trace.ReasonWhole
			}
		}
	case Share:
		s, reason := trace.Share(field)
		return uint64(s), reason
	case Real:
		return trace.Decimal(field, 0)
	case Text:
		if bytes.IndexByte(field, '"') >= 0 {
			reason = "has a quotation mark, and this format is written without"
		}
		return uint64(len(field)), reason
	case Comment:
		return uint64(len(field)), ""
	}
	if reason == "" && n > limit {
		reason = trace.ReasonLarge
	}
	return n, reason
}

// wrongColumns says where a row with a wrong number of columns first goes
// wrong: there one was left out or put in, or somewhere before.
func (t *Table) wrongColumns(fields *trace.Fields) Trouble {
	widths := strconv.Itoa(len(t.Columns))
	if t.Exact {
		widths = strconv.Itoa(t.MinColumns) + " or " + widths
	}
	count := "the row should have the " + widths + " columns of " + t.title() +
		" and has " + strconv.Itoa(fields.Len())
	for i := range min(fields.Len(), len(t.Columns)) {
		reason := trace.ReasonEmpty
		c, f := &t.Columns[i], fields.At(i)
		switch {
		case len(f) == 0 && !c.Must:
			continue
		case len(f) > 0 && t.Minus && f[0] == '-':
			reason = c.negative(f)
		case len(f) > 0:
			_, reason = c.parse(f)
		}
		if reason != "" {
			return Trouble{i, reason + ": " + count}
		}
	}
	if fields.Len() < len(t.Columns) {
		return Trouble{fields.Len(), "is missing: " + count}
	}
	return Trouble{-1, strings.TrimPrefix(count, "the row ")}
}
