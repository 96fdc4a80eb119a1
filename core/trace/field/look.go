package field

import (
	"bytes"
	"fmt"
	"strings"

	"parley/core/trace"
)

// look is the beginning of a file as tables see it.
type look struct {
	file   string // its name
	object []byte // the first JSON object; nil if the file has none
	lines  [][]byte
	count  int               // of all lines, if the file ends within its beginning
	names  map[byte][]string // folded cells of the first line, by comma
}

// sampled is the number of lines at the beginning that decide a file's table.
const sampled = 64

// lookAt returns the beginning of a file. One with zero bytes has neither lines nor an object.
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
		return s.hasMembers(l.object)
	}
	return l.form(s) != nil
}

// form is how the rows of a file are written.
type form struct {
	comma byte
	at    []int // where each column stands in a line of names; nil: as in the schema
	drop  int   // cells before the first column: the index that pandas writes
	first bool  // the first line is not a row: it numbers the columns
	notes []string
}

// form returns how a file of a table is written; nil if it is of another one. Tables that were
// written anew may have other commas than the publisher's, and an index before the first column.
func (l *look) form(s *schema) *form {
	if len(l.lines) == 0 {
		return nil
	}
	commas := []byte{s.comma}
	for _, comma := range []byte{',', ';', '\t', '|'} {
		if s.comma != trace.Blank && comma != s.comma && bytes.IndexByte(l.lines[0], comma) >= 0 {
			commas = append(commas, comma)
		}
	}
	for _, comma := range commas {
		if at, notes := s.places(l.namesBetween(comma)); at != nil && l.words(s, comma, at) {
			return &form{comma: comma, at: at, notes: notes}
		}
		// Without a line of names the file is of this table only if the publisher's has none either and it has as
		// many rows as the publisher's. If that number is not known and all columns are numbers, as in many other
		// traces, the file's name must contain the table's.
		if !s.bare || s.rows > 0 && l.count != s.rows || s.rows == 0 && s.numbers() &&
			!strings.Contains(l.file, s.name) {
			continue
		}
		// pandas may have added a first line that numbers the columns, or an index before the first column.
		f := &form{comma: comma}
		f.first, f.drop = numbered(splitCells(nil, l.lines[0], comma))
		if !f.first && !l.fitsAs(s, f) && l.counts(comma) {
			f.drop = 1
		}
		if l.fitsAs(s, f) {
			return f
		}
	}
	return nil
}

// words reports whether columns that hold one of a few words do so in at least half of the rows below
// a line of names, which other traces may have too.
func (l *look) words(s *schema, comma byte, at []int) bool {
	good, rows := 0, 0
	for _, line := range l.lines[1:] {
		cells := splitCells(nil, line, comma)
		fits := true
		for i, place := range at {
			if c := &s.columns[i]; place >= 0 && place < len(cells) && strings.HasPrefix(c.kind, "(") && c.key {
				fits = fits && c.holds(cells[place], true)
			}
		}
		if rows++; fits {
			good++
		}
	}
	return rows == 0 || 2*good >= rows
}

// fitsAs reports whether lines without names are rows of a table that is written so.
func (l *look) fitsAs(s *schema, f *form) bool {
	good, rows := 0, 0
	for i, line := range l.lines {
		if s.remark != 0 && line[0] == s.remark || f.first && i == 0 {
			continue
		}
		cells := splitCells(nil, line, f.comma)
		fits := len(cells) > f.drop && s.fits(cells[f.drop:], strings.Contains(l.file, s.name))
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

// counts reports whether the first cells of the lines are numbers that count up.
func (l *look) counts(comma byte) bool {
	var last uint64
	for i, line := range l.lines {
		cell, _, _ := bytes.Cut(line, []byte{comma})
		n, reason := trace.Whole(cell, 1<<53)
		if reason != "" || i > 0 && n != last+1 {
			return false
		}
		last = n
	}
	return len(l.lines) > 1
}

// numbered reports whether the cells of the first line number the columns, as pandas does where a
// table has no names, and how many stand before the first number.
func numbered(cells [][]byte) (is bool, before int) {
	if len(cells) > 2 && isIndex(folded(string(cells[0]))) {
		cells, before = cells[1:], 1
	}
	for i, c := range cells {
		if n, reason := trace.Whole(c, 1000); reason != "" || n != uint64(i) {
			return false, 0
		}
	}
	return len(cells) > 2, before
}

// isIndex reports whether a folded name is that of the index of a pandas table.
func isIndex(name string) bool {
	return name == "" || name == "index" || strings.HasPrefix(name, "unnamed") || strings.HasPrefix(name, "indexlevel")
}

// namesBetween returns the folded cells of the first line.
func (l *look) namesBetween(comma byte) []string {
	names, known := l.names[comma]
	if !known {
		for _, cell := range splitCells(nil, l.lines[0], comma) {
			names = append(names, folded(string(cell)))
		}
		l.names[comma] = names
	}
	return names
}

// columns returns how many columns of a table are in the file's line of names; 0 if it has none.
func (l *look) columns(s *schema) (n int) {
	if l.object != nil {
		return 0
	}
	f := l.form(s)
	if f == nil {
		return 0
	}
	for _, at := range f.at {
		if at >= 0 {
			n++
		}
	}
	return n
}

// similar describes the table that the file would match with another number of columns; "" if
// there is none.
func (l *look) similar(s *schema) string {
	if l.object != nil || len(l.lines) == 0 || !s.bare || s.refuse != "" || s.width < 4 {
		return ""
	}
	cells := splitCells(nil, l.lines[len(l.lines)-1], s.comma)
	n, want := len(cells), s.width
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
