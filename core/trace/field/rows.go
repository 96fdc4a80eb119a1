package field

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/words"
)

// row is one row of a table: a cell for each column of its schema, nil if the column is
// missing.
type row struct {
	schema *schema
	cells  [][]byte
	at     []int  // for each column its index in a line of names, -1: missing; nil: there is no such line
	object []byte // the whole of a JSON object
	file   string
	part   int // of joined files, each with its line of names
	line   int64
	whole  []byte
}

// bad is the error of a cell.
func (r *row) bad(column int, reason string) *trace.Error {
	e := &trace.Error{
		Kind: trace.BadLine, File: r.file, Line: r.line, Reason: reason,
		Hint: "correct the row, or pass over it with --skip-bad",
	}
	value := r.whole
	if column >= 0 {
		e.Column, value = r.schema.columns[column].name, r.cells[column]
	}
	e.Value = shown(value)
	return e
}

// shown shortens a value for a message.
func shown(value []byte) string { return words.Printable(string(value), 40) }

// has reports whether a column is there and known.
func (r *row) has(column int) bool { return !isNone(r.cells[column]) }

// there reports whether the file has a column, if its columns have names.
func (r *row) there(column int) bool { return r.at == nil || r.at[column] >= 0 }

// name returns a column that names something by its number, without the places that numbers have
// which went through floats.
func (r *row) name(column int) string {
	if whole, is := bytes.CutSuffix(r.cells[column], []byte(".0")); is && isNumber(whole) {
		return string(whole)
	}
	return string(r.cells[column])
}

// text returns a column as text.
func (r *row) text(column int) string { return string(r.cells[column]) }

// maxSeconds limits times in seconds: beyond it they are not times of a trace.
const maxSeconds = 1 << 40

// scaled returns a column times 10^places; ok is false if the cell is empty. A cell that is not a number is an
// error.
func (r *row) scaled(column, places int) (n int64, ok bool, err error) {
	cell := r.cells[column]
	if isNone(cell) {
		return 0, false, nil
	}
	minus := cell[0] == '-'
	if minus {
		cell = cell[1:]
	}
	v, reason := trace.Decimal(cell, places)
	if reason != "" {
		return 0, false, r.bad(column, reason)
	}
	if minus {
		return -int64(v), true, nil
	}
	return int64(v), true, nil
}

// seconds returns a column of seconds as a time; unknown if the cell is empty. Dates and spans, as notebooks
// write them, are read too.
func (r *row) seconds(column int) (unit.Time, error) {
	v, ok, err := r.scaled(column, 6)
	switch {
	case err != nil:
		if t, is := moment(r.text(column)); is {
			return t, nil
		}
		return 0, err
	case !ok:
		return unknown, nil
	case v > maxSeconds*int64(unit.Second) || v < -maxSeconds*int64(unit.Second):
		return 0, r.bad(column, trace.ReasonLarge)
	}
	return unit.Time(v), nil
}

// amount returns a column that must not be negative, times 10^places; -1 if the cell is empty.
func (r *row) amount(column, places int) (int64, error) {
	v, ok, err := r.scaled(column, places)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return -1, nil
	case v < 0:
		return 0, r.bad(column, trace.ReasonNegative)
	case v > maxAmount:
		return 0, r.bad(column, trace.ReasonLarge)
	}
	return v, nil
}

// maxAmount limits amounts so that sums and products of them do not overflow.
const maxAmount = 1 << 40

// count returns a column that is a number of things; 1 if it is not known.
func (r *row) count(column int, limit int64) (int64, error) {
	v, ok, err := r.scaled(column, 3)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 1, nil
	case v < 0:
		return 0, r.bad(column, trace.ReasonNegative)
	case v%1000 != 0:
		return 0, r.bad(column, trace.ReasonWhole)
	case v/1000 > limit:
		return 0, r.bad(column, trace.ReasonLarge)
	}
	return v / 1000, nil
}

// reader reads the rows of a file of a table.
type reader struct {
	row
	text    *trace.Rows    // nil: the file has JSON objects
	objects *trace.Objects // else nil
	form                   // how its lines are written
	cut     [][]byte       // the cells of the present line
	split   [][]byte       // those of the table's columns
	known   map[string]int // the columns of members of objects
	report  *trace.FileReport
}

// newReader opens a file of a table. Remarks on how it is written go to the notes of report. The caller closes the
// reader.
func newReader(f trace.File, s *schema, m *trace.Meter, report *trace.FileReport) (r *reader, err error) {
	r = &reader{
		row: row{schema: s, cells: make([][]byte, len(s.columns)), file: f.Name}, known: map[string]int{},
		report: report,
	}
	h, err := trace.ReadHead(f)
	if err != nil {
		return nil, err
	}
	if look := lookAt(h); look.object != nil {
		r.objects, err = trace.OpenObjects(f, m)
	} else {
		r.form = form{comma: s.comma}
		if known := look.form(s); known != nil {
			r.form = *known
			report.Notes = append(report.Notes, known.notes...)
		}
		r.row.at = r.form.at
		r.text, err = trace.OpenRows(f, m, r.comma)
	}
	return r, err
}

func (r *reader) Close() error {
	if r.text != nil {
		return r.text.Close()
	}
	return r.objects.Close()
}

// next moves to the next row; the cells are valid until the next call. Remarks and repeated lines of names are
// passed over. An *Error of class BadLine is about one row: reading may go on. io.EOF is the end.
func (r *reader) next() error {
	if r.objects != nil {
		return r.nextObject()
	}
	for {
		if err := r.text.Next(); err != nil {
			return err
		}
		first := r.line == 0
		r.line, r.whole = r.text.Line(), r.text.Text()
		if r.schema.remark != 0 && r.whole[0] == r.schema.remark {
			continue
		}
		r.cut = splitCells(r.cut, r.whole, r.comma)
		r.split = r.cut[min(r.drop, len(r.cut)):]
		if first && (r.form.at != nil || r.first) {
			continue
		}
		if r.isNames() {
			r.part++
			continue
		}
		if first && r.schema.bare && !r.schema.fits(r.split, true) && isNames(r.split) {
			r.report.Notes = append(r.report.Notes, "its first line names the columns and is no row")
			continue
		}
		return r.spread()
	}
}

// isNames reports whether a line may be a line of names: three cells or more, all of them words other than states.
func isNames(cells [][]byte) bool {
	for _, c := range cells {
		if isNone(c) || isNumber(c) || states[string(c)] {
			return false
		}
	}
	return len(cells) > 2
}

// isNames reports whether the present line is the line of names again, as in joined files.
func (r *reader) isNames() bool {
	if r.form.at == nil {
		return false
	}
	for i, at := range r.form.at {
		if at < 0 || !r.schema.columns[i].key {
			continue
		}
		if at >= len(r.split) || folded(string(r.split[at])) != r.schema.columns[i].names[0] {
			return false
		}
	}
	return true
}

// spread assigns the cells of the present line to the columns of the schema; a column that the file lacks is
// empty. It returns an error about the row if a required cell is missing.
func (r *reader) spread() error {
	s, n := r.schema, len(r.split)
	if r.form.at == nil {
		if n > s.width && len(bytes.TrimSpace(r.split[n-1])) == 0 { // rows end with a comma
			n--
		}
		if minColumns := max(s.minColumns, 1); n > s.width || n < minColumns || s.minColumns == 0 && n != s.width {
			reason := "has " + strconv.Itoa(n) + " columns, and a row of " + s.name + " has " + strconv.Itoa(s.width)
			e := r.bad(-1, reason)
			if r.text.Cut() {
				e.Hint = "the file seems to be cut off: fetch it again"
			}
			return e
		}
		for i := range r.cells {
			r.cells[i] = nil
			if i < n {
				r.cells[i] = r.split[i]
			}
		}
	} else {
		for i, at := range r.form.at {
			r.cells[i] = nil
			if at >= 0 && at < n {
				r.cells[i] = r.split[at]
			} else if at >= n && s.columns[i].key {
				e := r.bad(-1, "has "+strconv.Itoa(n)+" columns, and column "+strconv.Quote(s.columns[i].name)+
					" is number "+strconv.Itoa(at+1))
				if r.text.Cut() {
					e.Hint = "the file seems to be cut off: fetch it again"
				}
				return e
			}
		}
	}
	for i := range s.columns {
		if s.columns[i].kind == "N" && isNone(r.cells[i]) && r.there(i) {
			return r.bad(i, trace.ReasonEmpty)
		}
	}
	return nil
}

// nextObject moves to the next JSON object.
func (r *reader) nextObject() error {
	err := r.objects.Next()
	r.line = r.objects.Line()
	if err != nil {
		return err
	}
	r.object, r.whole = r.objects.Text(), r.objects.Text()
	if !gjson.ValidBytes(r.object) {
		return r.bad(-1, "is no JSON object")
	}
	r.cells = members(r.cells, r.schema, r.object, r.known)
	for i := range r.schema.columns {
		if c := &r.schema.columns[i]; c.kind == "N" && isNone(r.cells[i]) {
			return r.bad(i, trace.ReasonEmpty)
		}
	}
	return nil
}

// splitCells appends the cells of a line to cells[:0]. A cell may be in quotation marks, with commas and doubled
// quotation marks in it. Blanks around cells are dropped. The cells share memory with line.
func splitCells(cells [][]byte, line []byte, comma byte) [][]byte {
	cells = cells[:0]
	if comma == trace.Blank {
		return append(cells, bytes.Fields(line)...)
	}
	if bytes.IndexByte(line, '"') < 0 {
		for {
			i := bytes.IndexByte(line, comma)
			if i < 0 {
				return append(cells, bytes.TrimSpace(line))
			}
			cells, line = append(cells, bytes.TrimSpace(line[:i])), line[i+1:]
		}
	}
	plain := make([]byte, 0, len(line)) // never grows: cells point into it
	for i := 0; ; i++ {
		from := len(plain)
		for i < len(line) && line[i] == ' ' {
			i++
		}
		if i < len(line) && line[i] == '"' {
			for i++; i < len(line); i++ {
				if line[i] == '"' {
					if i+1 == len(line) || line[i+1] != '"' {
						i++
						break
					}
					i++
				}
				plain = append(plain, line[i])
			}
		}
		for i < len(line) && line[i] != comma {
			plain = append(plain, line[i])
			i++
		}
		cells = append(cells, bytes.TrimSpace(plain[from:]))
		if i >= len(line) {
			return cells
		}
	}
}

// ending returns an error that is not the end of the file.
func ending(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// unknown is a time that is not known.
const unknown unit.Time = math.MinInt64
