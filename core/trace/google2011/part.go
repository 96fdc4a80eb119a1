package google2011

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"path/filepath"
	"slices"

	"parley/core/trace"
	"parley/core/unit"
)

// part is one file of the trace: a table, or a stretch of time of one.
type part struct {
	file  trace.File
	table tableID
	first unit.Time // of its first row, as its beginning tells before it is read
	last  unit.Time // of the rows read
	mark  uint64    // a hash of its beginning
	order int       // among all parts, whatever order they were given in

	options trace.Options
	rows    *trace.Rows
	row     row       // the present one
	now     unit.Time // of the present row
	started bool      // a line was read
	dated   bool      // a row within the trace was read
	ended   bool
	report  trace.FileReport
}

// partsOf looks into each file. It returns the parts in the order of the
// files, and those to be read in the order in which their rows of one moment
// are taken, which depends on what the files hold and not on the order they
// were given in. A file given twice is read once.
func partsOf(files []trace.File, o trace.Options) (given, toRead []*part, err error) {
	for _, f := range files {
		p, err := look(f)
		if err != nil {
			return nil, nil, err
		}
		p.options = o
		given = append(given, p)
	}
	sorted := slices.Clone(given)
	slices.SortStableFunc(sorted, (*part).compare)
	for i, p := range sorted {
		if i > 0 && p.compare(sorted[i-1]) == 0 {
			p.report.Notes = append(p.report.Notes, "given before, read once")
			continue
		}
		p.order = i
		toRead = append(toRead, p)
	}
	return given, toRead, nil
}

// look finds out which table a file holds and when it begins.
func look(f trace.File) (*part, error) {
	h, err := trace.ReadHead(f)
	if err != nil {
		return nil, err
	}
	_, name, err := trace.Identify(h, []trace.Format{Format()})
	if err != nil {
		return nil, err
	}
	mark := fnv.New64a()
	mark.Write(h.Bytes)
	p := &part{file: f, table: tableNamed(name), mark: mark.Sum64()}
	p.first = firstTime(p.table, h)
	p.report = trace.FileReport{File: f.Name, Format: Name + "/" + name, Bad: []trace.BadRow{}}
	return p, nil
}

// compare orders parts; two that are equal are the same file.
func (p *part) compare(q *part) int {
	return cmp.Or(
		cmp.Compare(p.table, q.table),
		cmp.Compare(p.first, q.first),
		cmp.Compare(filepath.Base(p.file.Name), filepath.Base(q.file.Name)),
		cmp.Compare(p.file.Size, q.file.Size),
		cmp.Compare(p.mark, q.mark),
	)
}

// next moves to the next good row. It returns io.EOF after the last one, and
// the error of a bad row unless those are skipped.
func (p *part) next() error {
	for {
		bad, err := p.read()
		switch {
		case err != nil:
			return err
		case bad == nil:
			p.count()
			return nil
		case !p.options.SkipBadRows:
			return bad
		}
		p.report.AddBad(bad, p.options.ListBad)
	}
}

// count adds the present row to the report.
func (p *part) count() {
	if p.report.Rows++; p.now == unit.Forever {
		return
	}
	if !p.dated {
		p.dated, p.first = true, p.now
	}
	p.last = p.now
}

// read moves to the next row and says what is bad about it, or returns why
// there is none.
func (p *part) read() (bad *trace.Error, err error) {
	if err := p.rows.Next(); err != nil {
		if bad, ok := err.(*trace.Error); ok && bad.Kind == trace.BadLine {
			return bad, nil
		}
		p.ended = true
		return nil, err
	}
	first := !p.started
	p.started = true
	fields := p.rows.Fields()
	if t, ok := p.row.parse(p.table, fields); !ok {
		if first && isHeader(fields) {
			p.report.Notes = append(p.report.Notes, "its first line names the columns and is no row")
			return p.read()
		}
		return p.bad(t), nil
	}
	now := p.row.time()
	if now < p.now {
		return p.rows.Bad(schema[p.table].columns[0].name, fields.At(0), "is earlier than the row before"), nil
	}
	p.now = now
	return nil, nil
}

// bad returns the error for a row in trouble.
func (p *part) bad(t trouble) *trace.Error {
	fields := p.rows.Fields()
	var e *trace.Error
	switch {
	case t.column < 0:
		e = p.rows.Bad("", fields.Text(), t.why)
	case t.column < fields.Len():
		e = p.rows.Bad(schema[p.table].columns[t.column].name, fields.At(t.column), t.why)
	default:
		e = p.rows.Bad(schema[p.table].columns[t.column].name, nil, t.why)
	}
	switch {
	case p.table.hasColumns(fields.Len()):
	case p.rows.Cut():
		e.Hint = "the file seems to be cut off: fetch it again"
	case bytes.IndexByte(fields.Text(), '"') >= 0:
		e.Hint = "quotation marks do not protect a comma in this format"
	}
	return e
}

// open opens the part's file and moves to its first row.
func (p *part) open(m *trace.Meter) error {
	var err error
	if p.rows, err = trace.OpenRows(p.file, m, ','); err != nil {
		return err
	}
	return p.next()
}

// close ends the reading early.
func (p *part) close() {
	if p.rows != nil && !p.ended {
		p.rows.Close()
	}
}
