// Package google2011 reads the Google cluster trace of 2011, clusterdata-2011-2
// (John Wilkes and Charles Reiss; "Google cluster-usage traces: format +
// schema", version 2.1, 2014): 29 days of one Borg cell of about 12,500
// machines, in CSV files without header, times in microseconds, resources as
// fractions of the largest machine.
//
// Any files of its six tables may be given, in any order and number. Which
// table a file belongs to is seen from its content. README.md says how rows
// become records and how gaps are filled.
//
//	source, err := google2011.Open(files, trace.Options{})
//	var r workload.Record
//	for err == nil {
//		err = source.Next(&r)
//	}
package google2011

import (
	"parley/core/trace"
	"parley/core/trace/table"
)

// Name is the format's name in reports and scenarios.
const Name = "google2011"

// Format returns the format for a list of formats.
func Format() trace.Format {
	return trace.Format{
		Name:  Name,
		Title: "the Google trace of 2011",
		Parts: trace.TimeParts,
		Detect: func(h *trace.Head) trace.Match {
			m := table.Detect(h, schema)
			m.Resembles = "" // an equal number of columns tells nothing
			return m
		},
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
