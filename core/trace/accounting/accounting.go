// Package accounting turns the accounting of batch systems into tables of jobs: the logs of
// PBS, Torque and OpenPBS, Grid Engine's accounting and the output of qacct, LSF's lsb.acct,
// HTCondor's ads and events, Slurm's jobcomp.log, the output of scontrol and of sacct without bars, the traces of
// Maui and Moab, the output of qstat, oarstat, bacct and bhist, and the JSON of sacct, squeue, qstat, oarstat and
// flux. Each has its own record; each record becomes a row with the columns that package jobtable
// reads.
//
//	log := accounting.Find(head)
//	rows := log.Table(file) // cells with bars between them, without a line of names
//
// The table has as many lines as the file, so that an error names the right line: a line that
// ends no record becomes a blank one.
package accounting

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
)

// Log is a format of accounting.
type Log struct {
	Name    string // as reports spell it
	Title   string // as people call it
	Columns []string
	File    string // the name of the file that Table reads, for errors
	Note    string // an assumption of the reader, for the user; "" if there is none
	// Free are the columns of free text, in which the records may hold bars.
	Free bool
	rows func() records

	list    trace.List    // where the objects are, of a log in JSON
	objects func() object // makes rows of them; nil if the log has lines
	yaml    bool          // the document is in YAML
}

// records makes the rows of a file out of its lines.
type records interface {
	// line takes a line and returns the row of the record that ends with it, or nothing. The
	// row is good until the next call.
	line([]byte) []byte
	// last returns the row of a record that the end of the file ends, or nothing.
	last() []byte
}

// NotARun is the state of a record that is about another event than the end of a run, such as
// a job that was queued.
const NotARun = "NOT_A_RUN"

// columns are those of every log whose records are read here.
var columns = []string{
	"id", "submit", "start", "end", "processors", "limit", "user", "group", "queue", "state", "memory", "qos",
	"dependency",
	"throttle", "exclusive", "switches", "submitline", "jobname", "tres",
}

// timed are the columns of logs that say how long a job ran beside when.
var timed = append(slices.Clone(columns), "runtime")

// row is the cells of a record.
type row struct {
	id, submit, start, end, processors, requested, user, group, queue, state, memory string

	qos, dependency, throttle, exclusive, switches, command, name, tres string // as package jobtable reads them

	runtime string // only in logs with that column
	timed   bool   // the log has it
}

// append adds the row to out, with bars between the cells.
func (r *row) append(out []byte) []byte {
	cells := [...]string{
		r.id, r.submit, r.start, r.end, r.processors, r.requested, r.user, r.group, r.queue, r.state, r.memory,
		r.qos, r.dependency, r.throttle, r.exclusive, r.switches, r.command, r.name, r.tres, r.runtime,
	}
	for i, cell := range cells[:] {
		if i == len(columns) && !r.timed {
			break
		}
		if i > 0 {
			out = append(out, '|')
		}
		for _, c := range []byte(cell) {
			if c == '|' || c == '\n' || c == '\r' {
				c = ' '
			}
			out = append(out, c)
		}
	}
	return out
}

// logs are the formats, those with certain signs first.
var logs = [...]struct {
	is   func(head []byte) bool
	find func(head []byte) *Log
}{
	{isPBS, plain("pbs", "an accounting log of PBS", func() records { return &pbs{} })},
	{isLSF, plain("lsf", "LSF's lsb.acct", func() records { return &lsf{} })},
	{isGridEngine, plain("grid-engine", "Grid Engine's accounting", func() records { return &gridEngine{} })},
	{isLSFPrinted, plain("lsf-printed", "what bacct -l or bhist -l prints", func() records { return &lsfPrinted{} })},
	{isQstatFull, plain("qstat", "what qstat -f prints", func() records { return &blocks{of: qstatJob} })},
	{isOarstatFull, plain("oarstat", "what oarstat -f prints", func() records { return &blocks{of: oarJob} })},
	{isMoab, plain("moab", "Moab's events of jobs", func() records { return &moab{} })},
	{isEvents, plain("htcondor-events", "HTCondor's log of events", func() records { return &eventLog{} })},
	{isXMLAds, plain("htcondor-xml", "HTCondor's ads in XML", adsInXML)},
	{isQstatXML, plain("qstat-xml", "what qstat -x prints in XML", jobsInXML)},
	{isDocument, document},
	{isYAML, inYAML},
	{isQacct, plain("qacct", "what qacct prints", func() records { return &pairs{of: qacct} })},
	{isAds, plain("htcondor", "HTCondor's ads of jobs", func() records { return &pairs{of: condor} })},
	{isJobcomp, plain("slurm-jobs", "Slurm's records of jobs", func() records { return &jobcomp{} })},
	{isMaui, plain("maui", "a trace of Maui or Moab", func() records { return &maui{} })},
	{isRuled, ruled},
	{isUnnamed, unnamed},
}

// plain returns a function that makes the Log of a format whose columns do not depend on the head of the file.
func plain(name, title string, rows func() records) func([]byte) *Log {
	return func([]byte) *Log {
		return &Log{Name: name, Title: title, Columns: columns, Note: notes[name], rows: rows}
	}
}

// notes are assumptions of the reader of a log, by its name.
var notes = map[string]string{
	"lsf-printed":     "dates without a year get the year that fits their day of the week and the dates before them",
	"htcondor-events": "dates without a year get the year that fits the dates before them; a job whose events name no Cpus has one processor",
	"oarstat":         "a job has as many processors as resources, which are cores on most clusters",
	"oarstat-json":    "a job has as many processors as resources, which are cores on most clusters",
}

// Find returns the format of a file with this beginning, or nil if it is not a known log.
func Find(head []byte) *Log {
	for _, l := range logs {
		if l.is(head) {
			return l.find(head)
		}
	}
	return prefixed(head)
}

// Head returns the beginning of a file as a table, with the line of names that Table leaves out. The last row may be
// incomplete.
func (l *Log) Head(head []byte) []byte {
	out := append([]byte(strings.Join(l.Columns, "|")), '\n')
	rest, err := io.ReadAll(l.Table(bytes.NewReader(head)))
	if err != nil {
		return out
	}
	return append(out, rest...)
}

// Table returns a file as a table with bars between the cells, without a line of names.
func (l *Log) Table(in io.Reader) io.Reader {
	if l.objects != nil {
		return l.objectTable(in)
	}
	return &table{in: bufio.NewReaderSize(in, longestLine), records: l.rows()}
}

// longestLine is how many bytes of a line are read; the rest of it is passed over. Lines of
// accounting with the hosts of ten thousand processors have some.
const longestLine = 1 << 20

// table reads lines and hands out rows.
type table struct {
	in      *bufio.Reader
	records records
	row     []byte // the unread part of the present row
	made    []byte
	err     error
}

// Read implements io.Reader: it returns the rows that the records make of each line, one line of output for each
// line of input, so that line numbers stay those of the file.
func (t *table) Read(p []byte) (int, error) {
	for len(t.row) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		line, err := t.in.ReadSlice('\n')
		if parts, is := t.records.(inParts); is && errors.Is(err, bufio.ErrBufferFull) {
			if line = parts.part(line); len(line) > 0 {
				t.made = append(append(t.made[:0], line...), '\n')
				t.row = t.made
			}
			continue
		}
		for long := err; errors.Is(long, bufio.ErrBufferFull); { // the rest of a long line is not needed
			line = bytes.Clone(line)
			_, long = t.in.ReadSlice('\n')
			err = long
		}
		t.made = t.made[:0]
		if err == nil || len(line) > 0 {
			t.made = append(append(t.made, t.records.line(bytes.TrimRight(line, "\r\n"))...), '\n')
		}
		if t.err = err; err == io.EOF {
			if rest := t.records.last(); len(rest) > 0 {
				t.made = append(append(t.made, rest...), '\n')
			}
		}
		t.row = t.made
	}
	n := copy(p, t.row)
	t.row = t.row[n:]
	return n, nil
}

// firstRecord returns the first line of a head that is neither blank nor a comment.
func firstRecord(head []byte) []byte {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return line
		}
	}
	return nil
}

// isNumber reports whether a text is digits, with at most one point among them.
func isNumber(text string) bool {
	whole, part, _ := strings.Cut(text, ".")
	return digits(whole) && (part == "" || digits(part))
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// addNumber adds a number to n, a count of processors; if the text is not a number, it returns false and leaves n.
func addNumber(n *int64, text string) bool {
	v, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return false
	}
	*n += v
	return true
}

// count returns a count of processors as a cell; empty if it is not known.
func count(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
