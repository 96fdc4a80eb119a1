package swf

import (
	"errors"
	"io"

	"parley/core/trace"
	"parley/core/unit"
)

// log reads a file's jobs, in the order they stand there.
type log struct {
	rows    *trace.Rows
	options trace.Options
	header  Header
	job     job
	report  trace.FileReport
	dated   bool
	last    unit.Time // latest submission
}

// one returns the only file of a trace: a log is one file.
func one(files []trace.File) (trace.File, error) {
	if len(files) == 0 {
		return trace.File{}, &trace.Error{Kind: trace.Empty, File: "no file", Why: "was given", Hint: "choose a log"}
	}
	if len(files) > 1 {
		return trace.File{}, &trace.Error{
			Kind: trace.WrongTable, File: files[1].Name, Why: "is a second log, and logs of two machines cannot be played together",
			Hint: "open one of them at a time",
		}
	}
	return files[0], nil
}

func openLog(f trace.File, o trace.Options) (*log, error) {
	rows, err := trace.OpenRows(f, trace.NewMeter([]trace.File{f}, o.Progress), trace.Blank)
	if err != nil {
		return nil, err
	}
	return &log{rows: rows, options: o, report: trace.FileReport{File: f.Name, Format: Name + "/" + table, Bad: []trace.BadRow{}}}, nil
}

// next moves to the next good row. It returns io.EOF after the last one, and the
// error of a bad row unless those are skipped.
func (l *log) next() error {
	for {
		bad, err := l.read()
		switch {
		case err != nil:
			return err
		case bad == nil:
			return nil
		case !l.options.SkipBadRows:
			return bad
		}
		l.report.AddBad(bad, l.options.ListBad)
	}
}

// read takes one row; header lines on its way.
func (l *log) read() (bad *trace.Error, err error) {
	for {
		if err := l.rows.Next(); err != nil {
			if errors.As(err, &bad) && bad.Kind == trace.BadLine {
				return bad, nil
			}
			return nil, err
		}
		f := l.rows.Fields()
		first := f.At(0)
		if len(first) == 0 {
			continue // blanks only
		}
		if first[0] == ';' {
			l.header.read(f.Text())
			continue
		}
		if t, ok := l.job.parse(f); !ok {
			if t.column < 0 {
				return l.rows.Bad("", f.Text(), t.why), nil
			}
			return l.rows.Bad(names[t.column], f.At(t.column), t.why), nil
		}
		l.count()
		return nil, nil
	}
}

// count notes the present row in the report.
func (l *log) count() {
	at := unit.Time(l.job[submit])
	if !l.dated {
		l.dated = true
		l.report.FirstS = at.Seconds()
	}
	l.last = max(l.last, at)
	l.report.LastS = l.last.Seconds()
	l.report.Rows++
}

// end closes the file after an error; after io.EOF it is closed.
func (l *log) end(err error) {
	if err != io.EOF {
		l.rows.Close()
	}
}
