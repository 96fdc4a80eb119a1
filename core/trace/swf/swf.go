// Package swf reads logs of parallel machines in the Standard Workload Format, 2.2
// (Chapin and others, JSSPP 1999; the Parallel Workloads Archive, "The Standard
// Workload Format"): one job a line, 18 columns separated by blanks, -1 if
// nothing is known, and header lines that begin with a semicolon.
//
// A log becomes a workload of rigid jobs on the machine that its header describes:
// MaxProcs processors on MaxNodes nodes. README.md says which jobs are played and
// how gaps are filled.
//
//	source, err := swf.Open([]trace.File{file}, trace.Options{})
//	var r workload.Record
//	for err == nil {
//		err = source.Next(&r)
//	}
package swf

import (
	"bytes"

	"parley/core/trace"
	"parley/core/trace/table"
)

// Name is the format's name in reports and scenarios.
const Name = "swf"

// Format returns the format for a list of formats.
func Format() trace.Format {
	return trace.Format{
		Name:   Name,
		Title:  "the Standard Workload Format",
		Detect: Detect,
		Open: func(files []trace.File, o trace.Options) (trace.Source, error) {
			s, err := Open(files, o)
			if err != nil {
				return nil, err
			}
			return s, nil
		},
		Summarise: Summarise,
	}
}

// sampleRows is the number of rows that identify a log without a header.
const sampleRows = 32

// Detect recognises a log by its header, whatever its rows are: then a bad first row has
// its own error. A file of nothing but remarks is a log without jobs. Without a header at least half of the first
// rows must be good ones.
func Detect(h *trace.Head) trace.Match {
	jobs := schema()
	rows, good, remarks, header, width := 0, 0, 0, false, 0
	h.Lines(func(line []byte) bool {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return true
		}
		if line[0] == ';' {
			remarks++
			header = header || bytes.Contains(line, []byte("MaxProcs")) || bytes.Contains(line, []byte("MaxNodes"))
			return true
		}
		var f trace.Fields
		var j table.Row
		f.Split(line, trace.Blank)
		if rows == 0 {
			width = f.Len()
		}
		rows++
		if _, ok := jobs.Parse(&j, &f); ok {
			good++
		}
		return rows < sampleRows
	})
	switch {
	case header, good > 0 && 2*good >= rows, h.Whole && rows == 0 && remarks > 0:
		return trace.Match{Table: jobs.Name}
	case width > columns-3 && width < columns+3:
		return trace.Match{Resembles: "the Standard Workload Format, whose rows have 18 columns of numbers"}
	}
	return trace.Match{}
}
