package rfql

import (
	"bytes"
	"encoding/json"
	"io"

	"parley/core/rfql"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Name is the format's name in reports and scenarios.
const Name = "rfql"

// Format returns requests for quotation as a format for a list of formats: each file
// is one request of several units. A system that sells receives the terms by
// Document, any other of jobs that come at the beginning.
func Format() trace.Format {
	return trace.Format{Name: Name, Title: "requests for quotation", Detect: match, Open: open, Summarise: summarise}
}

// match recognises a document by its first element, also where a document type comes
// before it, which Read refuses with its line.
func match(h *trace.Head) trace.Match {
	text := h.Bytes
	if i := bytes.Index(text, []byte("<RFQ")); i >= 0 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) &&
		!bytes.Contains(text[:i], []byte("<adag")) {
		if i+4 < len(text) && bytes.IndexByte([]byte(" \t\r\n/>"), text[i+4]) >= 0 {
			return trace.Match{Table: "requests"}
		}
	}
	return trace.Match{}
}

// Summary summarises requests.
type Summary struct {
	Requests  int         `json:"requests"`
	Units     int         `json:"units"`
	Cores     int         `json:"cores"`
	Highest   float64     `json:"highest_price"`
	Lowest    float64     `json:"lowest_price"`
	Requested []rfql.Unit `json:"requested"`
	Epoch     string      `json:"epoch"` // when a run of them begins
	files     [][]rfql.Unit
}

// source is a set of requests as a workload.
type source struct {
	summary Summary
	epoch   unit.Time
	report  trace.Report
	names   workload.Names
	next    int
	job     workload.Job
}

func open(files []trace.File, o trace.Options) (trace.Source, error) {
	s, err := readAll(files, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	s, err := readAll(files, o)
	return s.report, err
}

// readAll reads the files. With an error it returns the units read before it.
func readAll(files []trace.File, o trace.Options) (*source, error) {
	s := &source{report: trace.Report{Files: []trace.FileReport{}}, epoch: unit.Forever}
	meter := trace.NewMeter(files, o.Progress)
	for _, f := range files {
		in, err := trace.Unpack(f, meter)
		if err != nil {
			return s, err
		}
		units, err := Read(f.Name, in)
		if closed := in.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return s, err
		}
		s.add(f.Name, units)
	}
	s.epoch = max(0, s.epoch-begins)
	s.summary.Epoch = rfql.FormatMoment(s.epoch)
	s.report.Summary = s.summary
	return s, nil
}

// begins is how long before the first start a run begins.
const begins = 10 * unit.Minute

// add takes over the units of a file. s.epoch becomes the earliest start of all units; a unit without one is
// taken to start its wall time, or at least an hour, before its end.
func (s *source) add(file string, units []rfql.Unit) {
	s.report.Files = append(s.report.Files,
		trace.FileReport{File: file, Format: Name + "/requests", Rows: int64(len(units)), Bad: []trace.BadRow{}})
	m := &s.summary
	m.files = append(m.files, units)
	m.Requests++
	for i := range units {
		u := &units[i]
		price := u.Price.Credits()
		if m.Units == 0 {
			m.Lowest = price
		}
		m.Units++
		m.Cores += u.Cores()
		m.Highest, m.Lowest = max(m.Highest, price), min(m.Lowest, price)
		m.Requested = append(m.Requested, *u)
		first := u.Start
		if first < 0 {
			first = u.End - max(u.Wall, unit.Hour)
		}
		s.epoch = min(s.epoch, first)
	}
}

// Document returns the requests as a scenario's document has them. They arrive one minute after the beginning, which
// is ten minutes before the first start; the users are numbered in turn, from 0 to 29.
func (s *source) Document() json.RawMessage {
	type request struct {
		At    string      `json:"at"`
		User  int         `json:"user"`
		Units []rfql.Unit `json:"units"`
	}
	d := struct {
		Epoch    string    `json:"epoch"`
		Requests []request `json:"requests"`
	}{Epoch: s.summary.Epoch}
	for i, units := range s.summary.files {
		d.Requests = append(d.Requests, request{At: "1m", User: i % 30, Units: units})
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic("rfql: " + err.Error()) // texts and numbers
	}
	return text
}

// Ends returns when the last unit must be done, from the run's beginning on.
func (s *source) Ends() (last unit.Time) {
	for i := range s.summary.Requested {
		last = max(last, s.summary.Requested[i].End-s.epoch)
	}
	return last
}

// Next implements workload.Source.
func (s *source) Next(r *workload.Record) error {
	if s.next == len(s.summary.Requested) {
		return io.EOF
	}
	u := &s.summary.Requested[s.next]
	wall := max(u.Wall, unit.Minute)
	s.job = workload.Job{Processors: int32(u.Cores()), Run: wall, Estimate: wall, Queue: -1}
	*r = workload.Record{Kind: workload.JobArrives, Key: workload.Key{Job: 1, Index: uint32(s.next)}, Job: &s.job}
	s.next++
	return nil
}

// HoldsTasks is true: a document without a request is not read.
func (s *source) HoldsTasks() bool { return true }

// Header describes jobs without machines: a request names none.
func (s *source) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeJobs, Machineless: true}
}

// Names translates nothing: requests have texts.
func (s *source) Names() *workload.Names { return &s.names }

// Report returns the report on the files.
func (s *source) Report() trace.Report { return s.report }

// Tally returns the counts of the units: all are played.
func (s *source) Tally() trace.Tally { return trace.NewTally("units", s.report.Files) }

// Close does nothing: the files are read.
func (s *source) Close() error { return nil }
