// Package trace reads recorded workloads. Each public format has a subpackage, which turns
// files into a workload.Source and a Report.
//
// This package has the parts that formats share. The caller, a command line or a browser, opens a
// File, which is read as a stream, plain or gzip; the memory needed does not grow with the
// file. Formats are detected by content; file names only break ties. Errors are of type
// *Error and name the file, line, column and value.
//
//	source, err := trace.Open(files, []trace.Format{google2011.Format()}, trace.Options{})
//	var r workload.Record
//	for err == nil {
//		err = source.Next(&r)
//	}
package trace

import (
	"slices"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// Format is one public trace format.
type Format struct {
	Name      string // as reports and scenarios spell it
	Title     string // as people call it; "": its files are only recognised, and never read
	Family    string // a name in lists for it and related formats together; "": its title
	Detect    func(*Head) Match
	Open      func([]File, Options) (Source, error)
	Summarise func([]File, Options) (Report, error)
	// Beside means that files of the format may be given with those of another one: they describe
	// events, such as faults, and not the work.
	Beside bool
	// With reports whether a file of another format may be given with those of this one: Open and
	// Summarise take it too. nil: there are no such files.
	With func(*Head) bool
	// Archives means that the format reads archives itself: their files are not tables.
	Archives bool
	// Parts are the fields of Options.Slice that Summarise supports; it refuses the others.
	Parts Parts
	// Mapped returns the format with a mapping from columns to meanings; nil: its columns are
	// fixed.
	Mapped func(mapping string) (Format, error)
}

// Using returns the formats that files can be of, if a mapping says which column holds what:
// then they are tables of the formats that take one. An empty mapping changes nothing.
func Using(known []Format, mapping string) ([]Format, error) {
	if mapping == "" {
		return known, nil
	}
	var list []Format
	for _, f := range known {
		if f.Mapped == nil {
			continue
		}
		mapped, err := f.Mapped(mapping)
		if err != nil {
			return nil, err
		}
		list = append(list, mapped)
	}
	return list, nil
}

// Match is a format's judgement of a file's beginning.
type Match struct {
	Table     string // which of the format's tables it is; "" if none
	Resembles string // if Table is "": the table it resembles and the difference
	// Ask is set if Table is "" and the file is of the format, but needs an option before it
	// can be read. It continues a sentence that begins with the file; Hint is the remedy.
	Ask, Hint string
}

// Source is a workload in files.
type Source interface {
	workload.Source
	// Header describes the work as a whole.
	Header() workload.Header
	// HoldsTasks reports whether the files have any task; without one there
	// is nothing to run.
	HoldsTasks() bool
	// Report returns the report on the rows read so far, and the repairs.
	Report() Report
	// Tally returns the counts of rows read, left out and repaired so far.
	Tally() Tally
	// Names translates the numbers of attribute names and values.
	Names() *workload.Names
	// Close ends the reading early; after io.EOF or an error there is no need.
	Close() error
}

// Options are the options of every format's reader. Its zero value is usable.
type Options struct {
	// Progress receives how far the reading is, see NewMeter; an error from it
	// ends the reading.
	Progress func(Progress) error
	// SkipBadRows passes over rows that break the format and reports them,
	// instead of ending with the first one.
	SkipBadRows bool
	// ListBad is the number of bad rows a file's report lists; 0 means 20.
	ListBad int
	// EveryJob lets Open keep one of this many jobs, chosen by a hash of the job;
	// 0 and 1 keep all. Summarise counts all of them.
	EveryJob uint64
	// Slice is the part of a trace of tasks that is kept. Logs of rigid jobs ignore it: package feed
	// chooses their jobs.
	Slice Slice
	// MaxTasks is the largest number of tasks that may be alive at once, and of different
	// names may be met, before the reading ends with class TooLarge; 0 means
	// four million, about half a gigabyte.
	MaxTasks int
	// Usage sets the use of a task before its first measurement; nil: exactly its
	// request.
	Usage func(key workload.Key, class workload.PriorityClass, request unit.Vec) workload.UsageModel
	// Image sets how large a task's memory image is; nil: workload.ImageOf.
	Image func(request unit.Vec) unit.Bytes
}

// WithDefaults returns o with a value in every field.
func (o Options) WithDefaults() Options {
	if o.ListBad == 0 {
		o.ListBad = 20
	}
	if o.EveryJob == 0 {
		o.EveryJob = 1
	}
	if o.MaxTasks == 0 {
		o.MaxTasks = 4_000_000
	}
	if o.Usage == nil {
		o.Usage = usesItsRequest
	}
	if o.Image == nil {
		o.Image = workload.ImageOf
	}
	return o
}

// OfTasks returns o for a trace of tasks: a slice of every n-th job is kept like EveryJob.
func (o Options) OfTasks() Options {
	o.EveryJob *= max(1, o.Slice.Every)
	return o
}

// OfJobs returns o for a log of rigid jobs.
func (o Options) OfJobs() Options {
	o.Slice = Slice{}
	return o
}

func usesItsRequest(workload.Key, workload.PriorityClass, unit.Vec) workload.UsageModel {
	var m workload.UsageModel
	for r := range m.Mean {
		m.Mean[r] = workload.Ratio(1)
	}
	return m
}

// Open returns the workload that files of one of the formats hold.
func Open(files []File, formats []Format, o Options) (Source, error) {
	work, beside, err := Divide(files, formats)
	if err != nil {
		return nil, err
	}
	if len(work) == 0 {
		work = beside
	}
	f, err := detect(work, formats)
	if err != nil {
		return nil, err
	}
	return f.Open(work, o)
}

// Divide returns the files that bring work, and those of a format that stands beside others.
// Open reads the latter only if there are no former.
func Divide(files []File, formats []Format) (work, beside []File, err error) {
	for _, f := range files {
		h, err := ReadHead(f)
		if err != nil {
			return nil, nil, err
		}
		format, _, err := Identify(h, formats)
		if err == nil && format.Beside { // detect reports the error of the others
			beside = append(beside, f)
		} else {
			work = append(work, f)
		}
	}
	return work, beside, nil
}

// Summarise reads all rows of files of one of the formats and returns their summary, files with work
// first. With an error it returns the part read before it.
func Summarise(files []File, formats []Format, o Options) (Report, error) {
	work, beside, err := Divide(files, formats)
	if err != nil {
		return Report{}, err
	}
	var all Report
	for _, part := range [][]File{work, beside} {
		if len(part) == 0 && len(files) > 0 {
			continue
		}
		f, err := detect(part, formats)
		if err != nil {
			return all, err
		}
		if err := f.Parts.reads(o.Slice, f.Name); err != nil {
			return all, err
		}
		r, err := f.Summarise(part, o)
		for i := range r.Files {
			for _, of := range part {
				if of.Name == r.Files[i].File {
					r.Files[i].Notes = append(r.Files[i].Notes, of.Passed...)
				}
			}
		}
		all.Files = append(all.Files, r.Files...)
		if all.Summary == nil {
			all.Summary = r.Summary
		}
		if err != nil || len(files) == 0 {
			return all, err
		}
	}
	return all, nil
}

// detect returns the format that all files are of. Errors are those of
// Identify; files of two formats are one of class WrongTable.
func detect(files []File, formats []Format) (Format, error) {
	var found Format
	var first *Head // the last file of the format that was found
	for i, f := range files {
		h, err := ReadHead(f)
		if err != nil {
			return found, err
		}
		format, _, err := Identify(h, formats)
		if err != nil {
			return found, err
		}
		switch {
		case i > 0 && format.Name == found.Name:
		case i > 0 && found.With != nil && found.With(h):
			continue
		case i > 0 && format.With != nil && format.With(first):
			// the files before are given with this one
		case i > 0:
			return found, &Error{
				Kind: WrongTable, File: f.Name,
				Reason: "is a file of " + format.Title + ", while " + files[0].Name + " is of " + found.Title,
				Hint:   "open the files of one trace at a time",
			}
		}
		found, first = format, h
	}
	if len(files) == 0 {
		return found, &Error{Kind: Empty, File: "no file", Reason: "was given", Hint: "choose the files of one trace"}
	}
	return found, nil
}

// Identify returns the format of a file, and which of its tables it is. A file of
// none of them is an *Error of class Unknown, or WrongTable where it seems to
// be data of another kind.
func Identify(h *Head, formats []Format) (Format, string, error) {
	var titles, families, similar []string
	for _, f := range formats {
		m := f.Detect(h)
		if m.Table != "" {
			return f, m.Table, nil
		}
		if m.Ask != "" && looksLike(h).kind != otherTrace {
			return Format{}, "", &Error{Kind: Unmapped, File: h.File.Name, Reason: m.Ask, Hint: m.Hint}
		}
		switch {
		case f.Family == "" && f.Title != "":
			titles = append(titles, f.Title)
		case f.Family != "" && !slices.Contains(families, f.Family):
			families = append(families, f.Family)
		}
		if m.Resembles != "" {
			similar = append(similar, m.Resembles)
		}
	}
	l := looksLike(h)
	e := &Error{
		Kind: Unknown, File: h.File.Name,
		Reason: "looks like " + l.name,
		Hint:   "Parley reads " + strings.Join(append(titles, families...), ", "),
	}
	if l.kind != noData {
		e.Kind = WrongTable
	}
	if name, remedy, has := strings.Cut(l.name, ": "); has && l.kind == otherTrace {
		e.Reason, e.Hint = "looks like "+name, remedy
	}
	if len(similar) > 0 && l.kind != otherTrace {
		e.Hint = "nearest is " + strings.Join(similar, ", or ")
	}
	return Format{}, "", e
}
