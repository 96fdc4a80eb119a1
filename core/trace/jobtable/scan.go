package jobtable

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"parley/core/trace"
	"parley/core/unit"
)

// scan reads all rows once.
func (s *Source) scan() error {
	if err := s.begin(); err != nil {
		return err
	}
	m := &s.summary
	m.States = map[string]int64{}
	var j job
	var held load
	var report trace.FileReport
	unwaited := false
	first, before, latest := unit.Time(math.MaxInt64), unit.Time(0), unit.Time(0)
	err := s.read(&j, &report)
	for ; err == nil; err = s.read(&j, &report) {
		m.count(&j)
		if j.reason != played {
			continue
		}
		if j.submit < before {
			m.OutOfOrder++
		}
		before, latest = j.submit, max(latest, j.submit)
		first = min(first, j.submit)
		m.Jobs++
		if j.component {
			m.part(&j)
		}
		m.LargestJob = max(m.LargestJob, j.processors)
		if s.plan.gpus {
			m.GPUHours += float64(float64(j.processors)*j.run.Seconds()) / 3600
		}
		switch {
		case j.start >= 0:
			held.add(j.start, j.processors)
			held.add(j.start+j.run, -j.processors)
		case s.plan.gpus && s.plan.at[start] < 0: // no table of its kind has a machine or a wait
			unwaited = true
			held.add(j.submit, j.processors)
			held.add(j.submit+j.run, -j.processors)
		}
	}
	m.joinParts()
	m.name(s.reader.people())
	err = errors.Join(ending(err), s.reader.Close())
	s.report.Rows, s.report.Bad, s.report.BadRows = report.Rows, append(s.report.Bad, report.Bad...), report.BadRows
	if err != nil {
		return err
	}
	if m.Jobs == 0 {
		hint := "export jobs that have ended"
		if m.NoSubmission > 0 {
			hint = "say what stands for the submission, as in --map submit=start"
		}
		return &trace.Error{Kind: trace.NoTasks, File: s.file.Name, Reason: s.empty(report), Hint: hint}
	}
	if m.OutOfOrder > 0 && m.Jobs > int64(s.options.MaxTasks) {
		return &trace.Error{Kind: trace.TooLarge, File: s.file.Name, Reason: fmt.Sprintf(
			"has %d rows that are not in the order of submission, and sorting holds at most %d jobs", m.Jobs,
			s.options.MaxTasks,
		), Hint: "sort the file by submission, or allow more with --max-tasks"}
	}
	s.report.FirstS, s.report.LastS = first.Seconds(), latest.Seconds()
	if first > longest {
		s.summary.origin = first
	}
	s.assume(held.peak(), unwaited)
	return nil
}

// empty returns why a table has no job that ran, as the end of a sentence about the file.
func (s *Source) empty(report trace.FileReport) string {
	switch {
	case report.Rows+report.BadRows == 0:
		return "has no row with a job"
	case report.Rows == 0:
		return "has no good row: all " + strconv.FormatInt(report.BadRows, 10) + " break the table"
	}
	return "holds no job that ran; rows left out: " + s.summary.leftOut()
}

// ending returns nil for io.EOF and any other error unchanged.
func ending(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
