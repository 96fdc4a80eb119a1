package table

import (
	"bytes"
	"cmp"
	"errors"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// Part is one file of a trace: a table, or a stretch of time of one.
type Part struct {
	File  trace.File
	Table *Table
	Row   Row         // the present one
	Now   unit.Time   // of the present row
	Rows  *trace.Rows // once the part is open
	// Header receives every line that Table.Remark begins. The line is good
	// until it returns. It may be nil.
	Header func(line []byte)

	options trace.Options
	first   unit.Time // of its first good row, found in the head of the file
	last    unit.Time // of the rows read
	mark    uint64    // a hash of its beginning
	order   int       // among all parts, whatever order they were given in
	places  []int     // of the columns in files that name them otherwise; nil: as in the table
	started bool      // a line was read
	dated   bool      // a row within the trace was read
	ended   bool
	report  trace.FileReport
}

// NewPart returns a file as a part of a table, not opened yet.
func NewPart(f trace.File, t *Table, format string, o trace.Options) *Part {
	return &Part{
		File: f, Table: t, options: o,
		report: trace.FileReport{File: f.Name, Format: format + "/" + t.Name, Bad: []trace.BadRow{}},
	}
}

// Look looks into each file. It returns the parts in the order of the files, and
// those to be read in the order in which their rows of one moment are taken. That order
// depends on the content of the files and not on their order. A file
// given twice is read once.
func Look(files []trace.File, format trace.Format, tables []*Table, o trace.Options) (given, toRead []*Part,
	err error,
) {
	for _, f := range files {
		h, err := trace.ReadHead(f)
		if err != nil {
			return nil, nil, err
		}
		_, name, err := trace.Identify(h, []trace.Format{format})
		if err != nil {
			return nil, nil, err
		}
		p := NewPart(f, tables[slices.IndexFunc(tables, func(t *Table) bool { return t.Name == name })], format.Name, o)
		mark := fnv.New64a()
		mark.Write(h.Bytes)
		p.mark, p.first = mark.Sum64(), firstTime(p.Table, h)
		p.places = p.Table.places(names(h, p.Table))
		given = append(given, p)
	}
	sorted := slices.Clone(given)
	slices.SortStableFunc(sorted, (*Part).compare)
	for i, p := range sorted {
		if i > 0 && p.compare(sorted[i-1]) == 0 {
			p.Note("given before, read once")
			continue
		}
		p.order = i
		toRead = append(toRead, p)
	}
	return given, toRead, nil
}

// compare orders parts by content and base name, not by folder; two that are equal are taken for one
// file that was given twice.
func (p *Part) compare(q *Part) int {
	return cmp.Or(
		cmp.Compare(p.Table.Rank, q.Table.Rank),
		cmp.Compare(p.first, q.first),
		cmp.Compare(filepath.Base(p.File.Name), filepath.Base(q.File.Name)),
		cmp.Compare(p.File.Size, q.File.Size),
		cmp.Compare(p.mark, q.mark),
	)
}

// Open opens the part's file and moves to its first row, see Next.
func (p *Part) Open(m *trace.Meter) error {
	var err error
	if p.Rows, err = trace.OpenRows(p.File, m, p.Table.Comma); err != nil {
		return err
	}
	return p.Next()
}

// Next moves to the next good row. It returns io.EOF after the last one, and
// the error of a bad row unless those are skipped.
func (p *Part) Next() error {
	for {
		bad, err := p.read()
		switch {
		case err != nil:
			p.ended = p.ended || errors.Is(err, io.EOF)
			return err
		case bad == nil:
			p.countRow()
			return nil
		case !p.options.SkipBadRows:
			return bad
		}
		p.report.AddBad(bad, p.options.ListBad)
	}
}

// countRow adds the present row to the report.
func (p *Part) countRow() {
	if p.report.Rows++; p.Now == unit.Forever {
		return
	}
	if !p.dated {
		p.dated, p.first = true, p.Now
	}
	p.last = max(p.last, p.Now)
}

// read moves to the next row and returns the error in it, or the reason why
// there is none.
func (p *Part) read() (bad *trace.Error, err error) {
	for {
		if err := p.Rows.Next(); err != nil {
			if bad, ok := err.(*trace.Error); ok && bad.Kind == trace.BadLine {
				return bad, nil
			}
			p.ended = true
			return nil, err
		}
		if p.isRemark() {
			continue
		}
		first := !p.started
		p.started = true
		if p.places != nil {
			if first {
				p.Note(p.readByName())
				continue
			}
			p.Table.pick(p.Rows.Fields(), p.places)
		} else if p.Table.plain(&p.Row, p.Rows.Text()) {
			break
		}
		t, ok := p.Table.Parse(&p.Row, p.Rows.Fields())
		if ok {
			break
		}
		if !first || !isHeader(p.Rows.Fields()) {
			return p.bad(t), nil
		}
		p.Note("its first line names the columns and is no row")
	}
	now := p.Row.At(p.Table.Time)
	if now < p.Now && !p.Table.Mixed {
		return p.Rows.Bad(p.Table.Columns[p.Table.Time].Name, p.Rows.Fields().At(p.Table.Time),
			"is earlier than the row before"), nil
	}
	p.Now = now
	return nil, nil
}

// readByName says which columns are read by the names in the first line, and which are not there.
func (p *Part) readByName() string {
	var missing []string
	for i, at := range p.places {
		if at < 0 {
			missing = append(missing, p.Table.Columns[i].Name)
		}
	}
	if len(missing) == 0 {
		return "its columns are read by their names"
	}
	return "its columns are read by their names; not there: " + strings.Join(missing, ", ")
}

// isRemark reports whether the present line is a remark and not a row, in tables that have remarks.
func (p *Part) isRemark() bool {
	if p.Table.Remark == 0 {
		return false
	}
	line := bytes.TrimLeft(p.Rows.Text(), " \t")
	if len(line) > 0 && line[0] == p.Table.Remark && p.Header != nil {
		p.Header(line)
	}
	return len(line) == 0 || line[0] == p.Table.Remark
}

// bad returns the error for a row in trouble.
func (p *Part) bad(t Trouble) *trace.Error {
	fields := p.Rows.Fields()
	var e *trace.Error
	switch {
	case t.Column < 0:
		e = p.Rows.Bad("", fields.Text(), t.Reason)
	case t.Column < fields.Len():
		e = p.Rows.Bad(p.Table.Columns[t.Column].Name, fields.At(t.Column), t.Reason)
	default:
		e = p.Rows.Bad(p.Table.Columns[t.Column].Name, nil, t.Reason)
	}
	switch {
	case p.Table.hasColumns(fields.Len()):
	case p.Rows.Cut():
		e.Hint = "the file seems to be cut off: fetch it again"
	case bytes.IndexByte(fields.Text(), '"') >= 0:
		e.Hint = "quotation marks do not protect a comma in this format"
	}
	return e
}

// Note adds a remark to the part's report.
func (p *Part) Note(text string) { p.report.Notes = append(p.report.Notes, text) }

// Close ends the reading early.
func (p *Part) Close() error {
	if p.Rows == nil || p.ended {
		return nil
	}
	p.ended = true
	return p.Rows.Close()
}

// Report returns the report on the rows read so far.
func (p *Part) Report() trace.FileReport {
	r := p.report
	if p.dated {
		r.FirstS, r.LastS = p.first.Seconds(), p.last.Seconds()
	}
	return r
}

// Reports returns the report of each part.
func Reports(parts []*Part) []trace.FileReport {
	reports := make([]trace.FileReport, 0, len(parts))
	for _, p := range parts {
		reports = append(reports, p.Report())
	}
	return reports
}
