package field

import (
	"bytes"
	"fmt"
	"strings"

	"parley/core/trace"
)

// schema describes one table of a trace. Its columns are words: a name, other names after bars,
// and after an equals sign what the column holds:
//
//	n    a number; nothing, NaN, None and null mean that it is not known
//	N    a number that every row has
//	t    a text that is no number
//	s    a state of a job or task
//	h    a hash: sixteen signs or more that are no number, or fewer in a file that is named like the table
//	m_   a text that begins so
//	(…)  one of the words between bars
//
// An exclamation mark ends a column that a line of names must have to be of this table.
type schema struct {
	name    string
	columns []column
	comma   byte
	bare    bool // the publisher's file has no line of names
	least   int  // rows of a bare table may end after this many columns
	json    bool // the publisher's file has JSON objects
	remark  byte // lines that begin with it are no rows
	rows    int  // a file has as many; 0: any number
	// refuse is what is said of a file that is of the table and is not read: why, and after a
	// semicolon what to do.
	refuse string
	// take takes a row; nil: rows are counted, and a run needs nothing of them.
	take func(*collection, *row) error
}

// column is one column of a schema.
type column struct {
	name  string
	names []string // folded
	kind  string
	key   bool
}

// table returns a schema of comma-separated columns.
func table(name, columns string, take func(*collection, *row) error) *schema {
	s := &schema{name: name, comma: ',', take: take}
	for word := range strings.FieldsSeq(columns) {
		var c column
		word, c.key = strings.CutSuffix(word, "!")
		word, c.kind, _ = strings.Cut(word, "=")
		for name := range strings.SplitSeq(word, "|") {
			if c.name == "" {
				c.name = strings.ReplaceAll(name, "~", " ")
			}
			c.names = append(c.names, folded(name))
		}
		s.columns = append(s.columns, c)
	}
	return s
}

// headless says that the publisher's file has no line of names.
func (s *schema) headless() *schema { s.bare = true; return s }

// lines says that the publisher's file has JSON objects.
func (s *schema) lines() *schema { s.json = true; return s }

// split says what separates columns, and which lines are remarks.
func (s *schema) split(comma, remark byte) *schema { s.comma, s.remark = comma, remark; return s }

// of says how many rows a file has.
func (s *schema) of(rows int) *schema { s.rows = rows; return s }

// refused returns a table that is recognised and not read.
func refused(name, columns, why string) *schema {
	s := table(name, columns, nil)
	s.refuse = why
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

// isNone reports whether a cell says that a value is not known.
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
	"Terminated": true, "Failed": true, "Running": true, "Waiting": true, "Ready": true, "Cancelled": true, "Canceled": true, "Interrupted": true, "Interupted": true, "Killed": true,
}

// holds reports whether a cell can stand in a column.
func (c *column) holds(cell []byte, named bool) bool {
	if isNone(cell) {
		return c.kind != "N" && c.kind != "h" && !strings.HasSuffix(c.kind, "_")
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
		return (named || len(cell) >= 16) && !isNumber(cell) && bytes.IndexByte(cell, ' ') < 0
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
	_, why := trace.Decimal(cell, 0)
	return why == "" || why == trace.WhyLarge
}

// fits reports whether cells are a row of a table without names. The file may be named like it.
func (s *schema) fits(cells [][]byte, named bool) bool {
	if len(cells) > len(s.columns) || len(cells) < max(s.least, 1) || s.least == 0 && len(cells) != len(s.columns) {
		return false
	}
	for i, cell := range cells {
		if !s.columns[i].holds(cell, named) {
			return false
		}
	}
	return true
}

// places returns where each column of the table stands among names; nil if they are those of
// another table.
func (s *schema) places(names []string) []int {
	at := make([]int, len(s.columns))
	found, keys := 0, false
	for i := range s.columns {
		at[i] = -1
		for _, name := range s.columns[i].names {
			for k, n := range names {
				if n == name && at[i] < 0 {
					at[i] = k
					found++
				}
			}
		}
		if at[i] < 0 && s.columns[i].key {
			return nil
		}
		keys = keys || s.columns[i].key
	}
	if found < 2 || !keys {
		return nil
	}
	return at
}

// look is the beginning of a file as tables see it.
type look struct {
	file   string // its name
	object []byte // the first JSON object; nil if the file has none
	lines  [][]byte
	count  int               // of all lines, if the file ends within its beginning
	names  map[byte][]string // folded cells of the first line, by comma
}

// sampled is how many lines of the beginning decide what a file is.
const sampled = 64

func lookAt(h *trace.Head) *look {
	l := &look{file: h.File.Name, names: map[byte][]string{}}
	text := bytes.TrimSpace(h.Bytes)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		l.object = trace.FirstObject(text)
		return l
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return l
	}
	h.Lines(func(line []byte) bool {
		if l.count++; l.count <= sampled {
			l.lines = append(l.lines, line)
		}
		return h.Whole || l.count < sampled
	})
	return l
}

// is reports whether a file is of a table.
func (l *look) is(s *schema) bool {
	if l.object != nil {
		return s.json && s.hasMembers(l.object)
	}
	return l.comma(s) != 0
}

// comma returns what separates the columns of a file that is of a table; 0 if it is of another
// one. Tables that were written anew may have other commas than the publisher's.
func (l *look) comma(s *schema) byte {
	if len(l.lines) == 0 {
		return 0
	}
	if l.isWith(s, s.comma) {
		return s.comma
	}
	if s.comma == ',' {
		for _, comma := range []byte{';', '\t', '|'} {
			if bytes.IndexByte(l.lines[0], comma) >= 0 && l.isWith(s, comma) {
				return comma
			}
		}
	}
	return 0
}

func (l *look) isWith(s *schema, comma byte) bool {
	if l.namesOf(s, comma) != nil {
		return true
	}
	if !s.bare || s.rows > 0 && l.count != s.rows {
		return false
	}
	good, rows := 0, 0
	for i, line := range l.lines {
		if s.remark != 0 && line[0] == s.remark {
			continue
		}
		fits := s.fits(splitCells(nil, line, comma), strings.Contains(l.file, s.name))
		if i == 0 && !fits && len(l.lines) > 1 { // it may be a line of names in other words
			continue
		}
		rows++
		if fits {
			good++
		}
	}
	return good > 0 && 2*good >= rows
}

// namesOf returns the places of a table's columns if the first line names them.
func (l *look) namesOf(s *schema, comma byte) []int {
	names, known := l.names[comma]
	if !known {
		for _, cell := range splitCells(nil, l.lines[0], comma) {
			names = append(names, folded(string(cell)))
		}
		l.names[comma] = names
	}
	return s.places(names)
}

// near describes the table that a file would be if it had another number of columns; "" if there
// is no such table.
func (l *look) near(s *schema) string {
	if l.object != nil || len(l.lines) == 0 || !s.bare || s.refuse != "" || len(s.columns) < 4 {
		return ""
	}
	cells := splitCells(nil, l.lines[len(l.lines)-1], s.comma)
	n, want := len(cells), len(s.columns)
	if n == want || n < want-2 || n > want+2 {
		return ""
	}
	typed, sure := 0, false
	for i := range min(n, want) {
		c := &s.columns[i]
		if !c.holds(cells[i], true) {
			return ""
		}
		if !isNone(cells[i]) && c.kind != "" {
			typed++
			sure = sure || c.kind != "n" && c.kind != "N" && c.kind != "t"
		}
	}
	if !sure || typed < 3 {
		return ""
	}
	return fmt.Sprintf("%s, whose rows have %d columns where this file has %d", s.name, want, n)
}
