package field

import (
	"bytes"
	"slices"
	"strings"

	"parley/core/trace"
)

// schema describes one table of a trace. Its columns are words: a name, other names after bars,
// and after an equals sign the kind of value in the column:
//
//	n    a number; nothing, NaN, None and null mean that it is not known
//	N    a number that every row has
//	t    a text that is not a number
//	s    a state of a job or task
//	h    a hash: sixteen signs or more that are neither a number nor a date, or fewer in a file that is named like the table
//	m_   a text that begins so
//	(…)  one of the words between bars
//
// An exclamation mark ends a column that a line of names must have to be of this table. A plus
// begins a column that only files with a line of names have, as tables that were joined do.
type schema struct {
	name       string
	columns    []column
	width      int // of the publisher's rows: those without the columns behind a plus
	comma      byte
	bare       bool // the publisher's file has no line of names
	minColumns int  // rows of a bare table may end after this many columns
	json       bool // the publisher's file has JSON objects
	remark     byte // lines that begin with it are skipped
	rows       int  // a file has as many; 0: any number
	alone      bool // several files of it are different editions, and not parts
	// refuse is the error for a file that is of the table but is not read: the reason and, after a
	// semicolon, the remedy.
	refuse string
	// take takes a row; nil: rows are counted, and a run needs nothing of them.
	take func(*collection, *row) error
	// whole recognises and takes a file of another format; its schema has no columns.
	whole *wholeFile
}

// wholeFile is a file that has no rows.
type wholeFile struct {
	is   func(*trace.Head) bool
	take func(*collection, trace.File, *trace.FileReport, *trace.Meter) error
}

// column is one column of a schema.
type column struct {
	name  string
	paths []string // as JSON has them
	names []string // folded
	kind  string
	key   bool
}

// table returns a schema of comma-separated columns.
func table(name, columns string, take func(*collection, *row) error) *schema {
	s := &schema{name: name, comma: ',', take: take}
	for word := range strings.FieldsSeq(columns) {
		var c column
		word, added := strings.CutPrefix(word, "+")
		word, c.key = strings.CutSuffix(word, "!")
		word, c.kind, _ = strings.Cut(word, "=")
		for name := range strings.SplitSeq(word, "|") {
			if c.name == "" {
				c.name = strings.ReplaceAll(name, "~", " ")
			}
			c.paths, c.names = append(c.paths, name), append(c.names, folded(name))
		}
		if s.columns = append(s.columns, c); !added {
			s.width = len(s.columns)
		}
	}
	return s
}

// headless says that the publisher's file has no line of names.
func (s *schema) headless() *schema { s.bare = true; return s }

// lines says that the publisher's file has JSON objects.
func (s *schema) lines() *schema { s.json = true; return s }

// once says that several files of the table are editions of one another.
func (s *schema) once() *schema { s.alone = true; return s }

// split sets the separator of columns, and the byte that begins remarks.
func (s *schema) split(comma, remark byte) *schema { s.comma, s.remark = comma, remark; return s }

// of says how many rows a file has.
func (s *schema) of(rows int) *schema { s.rows = rows; return s }

// refused returns a table that is recognised and not read.
func refused(name, columns, reason string) *schema {
	s := table(name, columns, nil)
	s.refuse = reason
	return s
}

// folded returns a name as names are compared: its letters and digits, in lower case.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

// isNone reports whether a cell says that a value is not known, as written by Python, R, MySQL (\N) and others. The
// longest such word has four letters.
func isNone(cell []byte) bool {
	if len(cell) == 0 || len(cell) > 4 {
		return len(cell) == 0
	}
	switch strings.ToLower(string(cell)) {
	case "nan", "none", "null", "na", "nil", `\n`:
		return true
	}
	return false
}

// states are those of Alibaba's jobs, tasks and instances, with their misspelling.
var states = map[string]bool{
	"Terminated": true, "Failed": true, "Running": true, "Waiting": true, "Ready": true, "Cancelled": true,
	"Canceled": true, "Interrupted": true, "Interupted": true, "Killed": true,
}

// holds reports whether a cell can stand in a column.
func (c *column) holds(cell []byte, named bool) bool {
	if isNone(cell) {
		return c.kind != "N" && c.kind != "h" && c.kind != "s" && !strings.HasSuffix(c.kind, "_")
	}
	switch c.kind {
	case "":
		return true
	case "n", "N":
		return isNumber(cell)
	case "t":
		return !isNumber(cell)
	case "s":
		return states[string(cell)]
	case "h":
		return (named || len(cell) >= 16) && !isNumber(cell) && !bytes.ContainsAny(cell, " :")
	}
	if words, is := strings.CutPrefix(c.kind, "("); is {
		for word := range strings.SplitSeq(strings.TrimSuffix(words, ")"), "|") {
			if string(cell) == word {
				return true
			}
		}
		return false
	}
	return bytes.HasPrefix(cell, []byte(c.kind))
}

func isNumber(cell []byte) bool {
	cell = bytes.TrimPrefix(cell, []byte("-"))
	_, reason := trace.Decimal(cell, 0)
	return reason == "" || reason == trace.ReasonLarge
}

// numbers reports whether the rows of a table hold nothing but numbers, as those of many others.
func (s *schema) numbers() bool {
	return !slices.ContainsFunc(s.columns, func(c column) bool { return c.kind != "n" && c.kind != "N" })
}

// fits reports whether cells are a row of a table without names. The file may be named like it.
func (s *schema) fits(cells [][]byte, named bool) bool {
	if len(cells) > s.width || len(cells) < max(s.minColumns, 1) || s.minColumns == 0 && len(cells) != s.width {
		return false
	}
	for i, cell := range cells {
		if !s.columns[i].holds(cell, named) {
			return false
		}
	}
	return true
}
