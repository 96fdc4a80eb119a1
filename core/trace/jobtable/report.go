package jobtable

import (
	"parley/core/trace"
	"parley/core/workload"
)

// summarise returns the report of the reading that open did.
func (s *Source) summarise() (trace.Report, error) {
	if err := s.scan(); err != nil {
		return s.Report(), err
	}
	return trace.Report{Files: []trace.FileReport{s.report}, Summary: s.summary}, nil
}

// HoldsTasks is true: a table without a job that ran is not opened.
func (s *Source) HoldsTasks() bool { return true }

// Names has the names of users, groups, queues and QOS.
func (s *Source) Names() *workload.Names {
	if s.ready() == nil && !s.labelled {
		s.labelled = true
		for of, list := range s.summary.people {
			for i, name := range list.names {
				s.names.Label(workload.Numbering(of), list.numbers[i], name)
			}
		}
	}
	return &s.names
}

// Header describes the machine on which the jobs are played, which follows from the table or the
// mapping. A row may name a job that precedes its own.
func (s *Source) Header() workload.Header {
	h := workload.Header{Shape: workload.ShapeJobs, Follows: true, Remarks: s.sentences()}
	if s.ready() == nil {
		h.Assumed = s.summary.Machine.String()
	}
	return h
}

// sentences returns the notes on a run beside the counts.
func (s *Source) sentences() (sentences []string) {
	if s.plan.gpus {
		sentences = append(sentences, gpuNote)
	}
	if rest := s.plan.unread(); s.plan.at[requested] < 0 && s.plan.log == nil && rest != "" {
		sentences = append(sentences, "no column was found that holds the requested time; columns not read: "+rest)
	}
	return sentences
}

// Report returns the report on the rows read so far.
func (s *Source) Report() trace.Report {
	return trace.Report{Files: []trace.FileReport{s.report}, Summary: s.summary}
}

// Tally returns the counts of rows read, left out and repaired so far.
func (s *Source) Tally() trace.Tally {
	t := trace.Tally{Of: "rows", LeftOut: []trace.Count{}, Repaired: []trace.Count{}, Rows: s.rows, Played: s.rows}
	bad := trace.NewTally("rows", []trace.FileReport{s.report})
	t.LeftOut = append(t.LeftOut, bad.LeftOut...)
	if len(t.LeftOut) > 0 {
		t.Played -= t.LeftOut[0].Count
	}
	s.counts.tell(&t, s.plan != nil && s.plan.gpus)
	return t
}
