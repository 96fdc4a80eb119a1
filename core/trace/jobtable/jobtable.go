// Package jobtable reads tables of rigid jobs that have no fixed columns: the output of Slurm's
// sacct with --parsable, --parsable2 or --json, and any CSV, TSV or other delimited table
// with a first line that names its columns.
//
// A mapping assigns columns to fields, for example
//
//	submit=begin_time, runtime=elapsed:min, processors=ncpus, zone=+01:00
//
// Without one, columns are recognised by their names, in English, German and French, and by their
// content. If a needed column is not found, the error lists the columns found and the mapping
// to write. README.md has the fields, the forms of times and numbers, and the rules by which
// rows are left out.
//
//	source, err := jobtable.Format().Open([]trace.File{file}, trace.Options{})
//	var r workload.Record
//	for err == nil {
//		err = source.Next(&r)
//	}
package jobtable

import (
	"bytes"
	"slices"
	"strconv"

	"parley/core/trace"
	"parley/core/trace/accounting"
	"parley/core/unit"
)

// Name is the format's name in reports and scenarios.
const Name = "jobtable"

// The kinds of tables.
const (
	sacctText     = "sacct"
	nextflowTable = "nextflow"
	anyTable      = "table"
)

// Format returns tables of jobs as a format for a list of formats.
func Format() trace.Format {
	f := of(nil)
	f.Mapped = func(text string) (trace.Format, error) {
		m, err := parseMapping(text)
		if err != nil {
			return trace.Format{}, err
		}
		return of(&m), nil
	}
	return f
}

// of returns the format of tables with a mapping; nil: columns are taken by their names.
func of(m *mapping) trace.Format {
	return trace.Format{
		Name:   Name,
		Title:  "jobs with named columns",
		Detect: func(h *trace.Head) trace.Match { return detect(h, m) },
		Open: func(files []trace.File, o trace.Options) (trace.Source, error) {
			s, err := open(files, m, o)
			if err != nil {
				return nil, err
			}
			return s, nil
		},
		Summarise: func(files []trace.File, o trace.Options) (trace.Report, error) {
			s, err := open(files, m, o)
			if err != nil {
				return trace.Report{}, err
			}
			return s.summarise()
		},
	}
}

// detect recognises a table by the names in its first line, and objects by their members.
func detect(h *trace.Head, m *mapping) trace.Match {
	text := bytes.TrimSpace(h.Bytes)
	if len(text) == 0 || text[0] == '<' && accounting.Find(h.Bytes) == nil || text[0] == ';' ||
		bytes.IndexByte(text, 0) >= 0 {
		return trace.Match{}
	}
	p, err := planOf(h, m)
	switch {
	case p == nil && m != nil:
		return trace.Match{
			Ask:  "has no first line that names its columns",
			Hint: "call them by their numbers, as in --map 'submit=2, runtime=3, processors=4', or write such a line above the rows, with a comma, semicolon, bar or tab between the names",
		}
	case p == nil:
		if n := ofNumbers(h); n >= 3 {
			return trace.Match{
				Ask:  "is a table of " + strconv.Itoa(n) + " columns of numbers without a line that names them",
				Hint: "if its rows are jobs, say which column holds what by its number, as in --map 'submit=2, runtime=3, processors=4', or write such a line above the rows",
			}
		}
		if n := nameless(h); n > 0 {
			return trace.Match{
				Ask: "is a table of " + strconv.Itoa(n) +
					" columns, with times in some, without a line that names them",
				Hint: "if its rows are jobs, say which column holds what by its number, as in --map 'submit=2, start=3, end=4, processors=5', or write such a line above the rows",
			}
		}
		return trace.Match{}
	case p.json && m == nil && p.found() < 2: // any document
		return trace.Match{}
	case m != nil, err == nil:
		return trace.Match{Table: p.table}
	case p.found() > 0:
		return trace.Match{Ask: err.Reason, Hint: err.Hint}
	case len(p.header) >= 3 && p.holdsNumbers(h):
		return trace.Match{Ask: "is a table in which no column is known to hold what jobs have (columns: " +
			p.columns() + ")", Hint: "if its rows are jobs, " + err.Hint}
	}
	return trace.Match{}
}

// ofNumbers returns how many columns a table has whose first rows are all numbers; 0 if it is
// no such table.
func ofNumbers(h *trace.Head) (columns int) {
	var r rowReader
	rows := 0
	comma := byte(0)
	h.Lines(func(line []byte) bool {
		if rows++; rows == 1 {
			if comma = commaOf(line); comma == 0 {
				if is, _ := blanks(h); is {
					comma = trace.Blank
				}
			}
		}
		r.divide(line, comma)
		if comma == 0 || rows > 1 && len(r.cells) != columns ||
			slices.ContainsFunc(r.cells, func(c []byte) bool { return !isUnknown(c) && !isAmount(c) }) {
			columns = 0
			return false
		}
		columns = len(r.cells)
		return rows < 20
	})
	if comma == trace.Blank && columns > 14 { // nearly the Standard Workload Format
		return 0
	}
	return columns
}

// nameless returns how many columns a table with bars or semicolons has whose rows all have a time, and which
// have three columns at least; 0 if it is not such a table.
func nameless(h *trace.Head) (columns int) {
	var r rowReader
	rows := 0
	h.Lines(func(line []byte) bool {
		comma := commaOf(line)
		if rows++; comma != '|' && comma != ';' {
			columns = 0
			return false
		}
		r.split(line, comma)
		moments := 0
		for _, c := range r.cells {
			s := style{unit: unit.Second, decimal: '.', order: "dmy"}
			if t, why := s.moment(bytes.TrimSpace(c), new(day)); why == "" && t > 300_000_000*unit.Second {
				moments++
			}
		}
		if len(r.cells) < 3 || moments == 0 || rows > 1 && len(r.cells) != columns {
			columns = 0
			return false
		}
		columns = len(r.cells)
		return rows < 20
	})
	return columns
}

// isAmount reports whether a cell is a number.
func isAmount(cell []byte) bool {
	_, why := trace.Decimal(bytes.TrimPrefix(bytes.TrimSpace(cell), []byte("-")), 0)
	return why == "" || why == trace.ReasonLarge
}

// holdsNumbers reports whether the first row of a table with names has two numbers or more.
func (p *plan) holdsNumbers(h *trace.Head) bool {
	numbers := 0
	for _, row := range p.sample(h)[:min(1, len(p.sample(h)))] {
		for _, cell := range row {
			if len(cell) > 0 && isAmount(cell) {
				numbers++
			}
		}
	}
	return numbers >= 2
}
