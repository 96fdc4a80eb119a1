// Package acts reads recorded.jsonl, the acts of a scheduler outside Parley that parley run
// --scheduler wrote. The file is opened together with those of a workload, or with a scenario
// that generates one.
package acts

import (
	"bytes"
	"errors"
	"io"

	"parley/core/protocol"
	"parley/core/trace"
	"parley/core/workload"
)

// Name is the format's name in reports and scenarios.
const Name = "acts"

// Format returns recorded acts as a format for a list of formats.
func Format() trace.Format {
	return trace.Format{
		Name: Name, Title: "recorded acts", Beside: true, Detect: match, Open: open,
		Summarise: summarise,
	}
}

func match(h *trace.Head) trace.Match {
	if bytes.HasPrefix(h.Bytes, []byte(protocol.LogHead)) {
		return trace.Match{Table: "answers"}
	}
	return trace.Match{}
}

// Summary summarises the acts.
type Summary struct {
	Scheduler string `json:"scheduler"` // as it named itself
	Requests  int64  `json:"requests"`  // how often
	Acts      int64  `json:"acts"`
}

// Source is a workload without records, which holds the acts.
type Source struct {
	log    *protocol.Log
	report trace.Report
	names  workload.Names
}

// Acts returns the recorded acts. The log is never changed.
func (s *Source) Acts() *protocol.Log { return s.log }

func open(files []trace.File, o trace.Options) (trace.Source, error) {
	s, err := read(files, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	s, err := read(files, o)
	return s.report, err
}

// read reads the one file. With an error it returns the part read before it.
func read(files []trace.File, o trace.Options) (*Source, error) {
	s := &Source{report: trace.Report{Files: []trace.FileReport{}}}
	if len(files) > 1 {
		return s, &trace.Error{
			Kind: trace.WrongTable, File: files[1].Name,
			Reason: "holds recorded acts, as " + files[0].Name + " does", Hint: "give the acts of one run",
		}
	}
	f := files[0]
	in, err := trace.Unpack(f, trace.NewMeter(files, o.Progress))
	if err != nil {
		return s, err
	}
	s.log, err = protocol.ReadLog(in)
	err = errors.Join(err, in.Close())
	var bad *protocol.LineError
	if errors.As(err, &bad) {
		return s, &trace.Error{
			Kind: trace.BadLine, File: f.Name, Line: bad.Line, Reason: bad.Reason.Error(),
			Hint: "give the file as parley run --scheduler wrote it",
		}
	}
	if err != nil {
		return s, err
	}
	sum := s.log.Sum()
	s.report.Files = append(s.report.Files, trace.FileReport{
		File: f.Name, Format: Name + "/answers", Rows: sum.Answers,
		Bad: []trace.BadRow{},
	})
	s.report.Summary = Summary{Scheduler: s.log.Welcome.Name, Requests: sum.Requests, Acts: sum.Acts}
	return s, nil
}

// Next implements workload.Source: there are no records.
func (s *Source) Next(*workload.Record) error { return io.EOF }

// Header returns that acts bring no machines.
func (s *Source) Header() workload.Header { return workload.Header{Machineless: true} }

// HoldsTasks is false: acts are about the tasks of others.
func (s *Source) HoldsTasks() bool { return false }

// Names translates nothing.
func (s *Source) Names() *workload.Names { return &s.names }

// Report returns the report on the file.
func (s *Source) Report() trace.Report { return s.report }

// Tally returns the counts of the answers: all are played.
func (s *Source) Tally() trace.Tally { return trace.NewTally("answers", s.report.Files) }

// Close does nothing: the file is read.
func (s *Source) Close() error { return nil }
