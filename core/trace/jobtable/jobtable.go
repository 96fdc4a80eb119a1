// Package jobtable reads tables of rigid jobs that have no fixed columns: what Slurm's sacct
// prints with --parsable, --parsable2 or --json, and any CSV, TSV or other delimited table
// with a first line that names its columns.
//
// A mapping says which column holds what, for example
//
//	submit=begin_time, runtime=elapsed:min, processors=ncpus, zone=+01:00
//
// Without one, columns are taken by their names, in English, German and French, and by their
// content. If a needed column is not found, the error says what was found and which mapping
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

	"parley/core/trace"
)

// Name is the format's name in reports and scenarios.
const Name = "jobtable"

// The kinds of tables.
const (
	sacctText     = "sacct"
	nextflowTable = "nextflow"
	sacctJSON     = "sacct-json"
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

// detect recognises a table by what its first line names, and a document of sacct by its
// first members.
func detect(h *trace.Head, m *mapping) trace.Match {
	text := bytes.TrimSpace(h.Bytes)
	if isJSON(text) {
		return trace.Match{Table: sacctJSON}
	}
	if len(text) == 0 || text[0] == '{' || text[0] == '<' || text[0] == ';' || bytes.IndexByte(text, 0) >= 0 {
		return trace.Match{}
	}
	p, err := planOf(h, m)
	switch {
	case p == nil && m != nil:
		return trace.Match{Ask: "has no first line that names its columns", Hint: "write such a line above the rows, with a comma, semicolon, bar or tab between the names"}
	case p == nil:
		return trace.Match{}
	case m != nil, err == nil:
		return trace.Match{Table: p.table}
	case p.found() > 0:
		return trace.Match{Ask: err.Why, Hint: err.Hint}
	}
	return trace.Match{}
}

// isJSON reports whether a text begins as what sacct --json prints.
func isJSON(text []byte) bool {
	return len(text) > 0 && text[0] == '{' && bytes.Contains(text, []byte(`"jobs"`)) &&
		bytes.Contains(text, []byte(`"job_id"`)) && bytes.Contains(text, []byte(`"submission"`))
}
