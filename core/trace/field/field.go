// Package field reads the traces that research on clusters is published on: Alibaba's, Google's
// of 2019, Microsoft's and others. Each is a set of tables with fixed columns, described as data
// (see dataset), in CSV with or without a line of names, in JSON lines or as a JSON array.
//
// All rows are read before the first record, because no table is in the order of time.
// trace.Options.MaxTasks limits the rows in memory. For each table, README.md gives the meaning of a
// row, its units, and the parts that a run ignores.
//
//	source, err := trace.Open(files, field.Formats(), trace.Options{})
//	var r workload.Record
//	for err == nil {
//		err = source.Next(&r)
//	}
package field

import (
	"strings"

	"parley/core/trace"
	"parley/core/workload"
)

// dataset is one published trace: its tables and the function that completes its work.
type dataset struct {
	name, title string
	shape       workload.Shape
	tables      []*schema
	// with recognises a file of another format that may be given with the tables; it may be nil.
	with *schema
	// lacks continues the sentence about files without work: it names the files to open beside them.
	lacks string
	// sinceFirst means that times are counted from the first submission.
	sinceFirst bool
	// end completes the collected rows after all are read; it may be nil.
	end func(*collection) error
	// assume describes the machines to assume if no table has any.
	assume machineKind
}

// Formats returns the traces as formats for a list of formats.
func Formats() []trace.Format {
	list := make([]trace.Format, 0, len(datasets))
	for _, d := range datasets {
		if d == others {
			list = append(list, trace.Format{Name: d.name, Detect: d.detect})
			continue
		}
		f := trace.Format{
			Name:   d.name,
			Title:  d.title,
			Family: "published traces (Alibaba, Azure, Batsim, Bitbrains, Google 2019, GWF, Huawei, OpenDC, Philly)",
			Detect: d.detect,
			Parts:  trace.AllParts,
			Open: func(files []trace.File, o trace.Options) (trace.Source, error) {
				s, err := open(d, files, o)
				if err != nil {
					return nil, err
				}
				return s, nil
			},
			Summarise: func(files []trace.File, o trace.Options) (trace.Report, error) {
				s, err := open(d, files, o)
				if err != nil {
					return trace.Report{}, err
				}
				return s.summarise()
			},
		}
		if d.with != nil {
			f.With = func(h *trace.Head) bool { return d.with.whole.is(h) }
		}
		list = append(list, f)
	}
	return list
}

// detect recognises a table of the trace.
func (d *dataset) detect(h *trace.Head) trace.Match {
	look := lookAt(h)
	if s := d.find(look); s != nil {
		if s.refuse != "" {
			reason, hint, _ := strings.Cut(s.refuse, "; ")
			return trace.Match{Ask: reason, Hint: hint}
		}
		return trace.Match{Table: s.name}
	}
	for _, s := range d.tables {
		if similar := look.similar(s); similar != "" {
			return trace.Match{Resembles: similar + " (" + d.title + ")"}
		}
	}
	return trace.Match{}
}

// find returns the table that a file is of: of several whose columns its first line names, the one
// with most of them. A table that is refused is found first.
func (d *dataset) find(look *look) (found *schema) {
	largest := -1
	for _, s := range d.tables {
		if !look.is(s) {
			continue
		}
		if s.refuse != "" && found == nil {
			return s
		}
		if n := look.columns(s); n > largest && s.refuse == "" {
			found, largest = s, n
		}
	}
	return found
}

// tableOf returns the table that a file is of; nil if it is none that is read.
func (d *dataset) tableOf(h *trace.Head) *schema {
	if s := d.find(lookAt(h)); s != nil && s.refuse == "" {
		return s
	}
	if d.with != nil && d.with.whole.is(h) {
		return d.with
	}
	return nil
}
