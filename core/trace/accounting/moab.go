package accounting

import (
	"bytes"
	"strings"
)

// The fields of Moab's events of jobs, counted from 0 (administrator's guide, workload event format).
const (
	moabTime, moabKind, moabID, moabEvent = 1, 2, 3, 4
	moabNodes, moabTasks                  = 5, 6
	moabUser, moabGroup, moabLimit        = 7, 8, 9
	moabClass                             = 11
	moabSubmit, moabStart, moabEnd        = 12, 14, 15
	moabFields                            = 16
)

// isMoab recognises Moab's file of events.
func isMoab(head []byte) bool {
	for line := range bytes.Lines(head) {
		of := strings.Fields(string(line))
		if len(of) >= moabFields && of[moabKind] == "job" && strings.HasPrefix(strings.ToUpper(of[moabEvent]), "JOB") &&
			digits(of[moabSubmit]) {
			return true
		}
	}
	return false
}

// moab reads the events of jobs: those that end a run become runs.
type moab struct{ row []byte }

func (*moab) last() []byte { return nil }

// line returns the row of an event; nil for a blank line or a remark. Events of other things than jobs are not runs.
func (m *moab) line(line []byte) []byte {
	of := strings.Fields(string(line))
	if len(of) == 0 || of[0][0] == '#' {
		return nil
	}
	r := row{state: NotARun}
	if len(of) > moabEvent && of[moabKind] == "job" {
		if len(of) < moabFields {
			// too few columns: the table says so
			return append(m.row[:0], bytes.ReplaceAll(line, []byte("|"), []byte(" "))...)
		}
		r = moabRun(of)
	}
	m.row = r.append(m.row[:0])
	return m.row
}

// moabRun returns the run that an event of a job ends; other events are marked as NotARun. of has at least
// moabFields fields. A job that never started is cancelled.
func moabRun(of []string) row {
	event := strings.ToUpper(of[moabEvent])
	ended := map[string]string{
		"JOBEND": "COMPLETED", "JOBCANCEL": "CANCELLED", "JOBFAILURE": "FAILED",
		"JOBPREEMPT": "REQUEUED",
	}[event]
	r := row{
		id: of[moabID], submit: of[moabSubmit], start: of[moabStart], end: of[moabEnd],
		processors: count(max(number(of[moabNodes]), number(of[moabTasks]))),
		user:       of[moabUser], group: of[moabGroup], requested: of[moabLimit],
		queue: strings.Trim(of[moabClass], "[]"),
		state: ended,
	}
	if ended == "" {
		return row{id: r.id, state: NotARun}
	}
	r.queue, _, _ = strings.Cut(r.queue, ":")
	if r.end == "0" {
		r.end, _, _ = strings.Cut(of[moabTime], ":")
	}
	if r.start == "0" {
		r.start, r.state = "", "CANCELLED"
	}
	return r
}
