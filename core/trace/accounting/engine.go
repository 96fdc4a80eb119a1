package accounting

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The fields of Grid Engine's accounting, counted from 0 (man 5 accounting).
const (
	geQueue, geGroup, geOwner, geJob   = 0, 2, 3, 5
	geSubmit, geStart, geEnd, geFailed = 8, 9, 10, 11
	geExit, geSlots, geTask            = 12, 34, 35
	geCategory, geSlave                = 39, 41
	geFields                           = 43 // of version 6.0; later ones have more
)

// isGridEngine recognises a record by its number of fields and by those that are numbers.
func isGridEngine(head []byte) bool {
	record := firstRecord(head)
	if _, reports := reported(record); reports {
		for line := range bytes.Lines(head) {
			if acct, _ := reported(line); acct != nil {
				record = bytes.TrimSpace(acct)
				break
			}
		}
	}
	of := gridFields(record)
	return len(of) >= geFields && isNumber(of[geJob]) && isNumber(of[geSubmit]) && isNumber(of[geStart]) &&
		isNumber(of[geEnd])
}

// gridFields divides a record at its colons. A job's name may hold some: then the fields behind it are found
// by those that are numbers.
func gridFields(record []byte) []string {
	of := strings.Split(string(record), ":")
	const name = 4
	numbers := func(by int) bool {
		for _, i := range []int{geJob, geJob + 2, geSubmit, geStart, geEnd} {
			if i+by >= len(of) || !isNumber(strings.TrimPrefix(of[i+by], "-")) {
				return false
			}
		}
		return true
	}
	if numbers(0) {
		return of
	}
	for by := 1; by < 20 && len(of)-by >= geFields; by++ {
		if numbers(by) {
			return slices.Concat(of[:name], []string{strings.Join(of[name:name+by+1], ":")}, of[name+by+1:])
		}
	}
	return of
}

// reported returns the record of accounting in a line of Grid Engine's file reporting, which is behind a time and
// the word acct. reports is true if the line is of that file; another kind of line in it has no record (nil).
func reported(line []byte) (record []byte, reports bool) {
	at, rest, _ := bytes.Cut(line, []byte{':'})
	kind, record, is := bytes.Cut(rest, []byte{':'})
	if !is || len(at) < 9 || !digits(string(at)) {
		return nil, false
	}
	switch string(kind) {
	case "acct":
		return record, true
	case "new_job", "job_log", "queue", "queue_consumable", "host", "host_consumable", "sharelog", "new_ar",
		"ar_log", "ar_attr", "ar_acct":
		return nil, true
	}
	return nil, false
}

// gridEngine reads the accounting of Grid Engine and Univa's, in which times are milliseconds.
type gridEngine struct{ row []byte }

func (*gridEngine) last() []byte { return nil }

// line returns the row of a line; nil for a line without a record. The slaves of a parallel job are marked as
// NotARun.
func (g *gridEngine) line(line []byte) []byte {
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	if record, reports := reported(line); reports {
		if line = record; record == nil {
			return nil
		}
	}
	of := gridFields(line)
	if len(of) < geFields {
		// too few columns: the table says so
		return append(g.row[:0], bytes.ReplaceAll(line, []byte("|"), []byte(" "))...)
	}
	r := row{
		id: of[geJob], submit: seconds(of[geSubmit]), start: seconds(of[geStart]), end: seconds(of[geEnd]),
		processors: of[geSlots],
		user:       of[geOwner], group: of[geGroup], queue: of[geQueue], requested: limitOf(of[geCategory:]),
	}
	if of[geTask] != "0" && digits(of[geTask]) {
		r.id += "_" + of[geTask]
	}
	r.state = geState(of[geFailed], of[geExit], r.start)
	if of[geSlave] != "NONE" && of[geSlave] != "" && r.submit == "0" { // a slave of a parallel job
		r = row{id: r.id, state: NotARun}
	}
	g.row = r.append(g.row[:0])
	return g.row
}

// geState returns how a run ended, by the fields failed and exit_status. Codes 24 to 26 of failed are those of a job
// that was put back into the queue.
func geState(failed, exit, start string) string {
	switch {
	case start == "" || start == "0":
		return "CANCELLED"
	case failed == "24" || failed == "25" || failed == "26":
		return "REQUEUED"
	case failed == "0" && exit == "0":
		return "COMPLETED"
	}
	return "FAILED"
}

// seconds returns a time since 1970 in seconds: more than 1e11 are milliseconds.
func seconds(text string) string {
	if len(text) > 11 && digits(text) {
		whole, part := text[:len(text)-3], strings.TrimRight(text[len(text)-3:], "0")
		if part == "" {
			return whole
		}
		return whole + "." + part
	}
	return text
}

// limits are the forms of a limit, followed by more of the category or of the next field.
var limits = regexp.MustCompile(`^(\d+:\d\d?:\d\d?|\d+)(?:[^\d.]|$)`)

// limitOf finds h_rt or s_rt in the category of a job, whose own colons divided it into
// several fields: -l h_rt=3600 -pe mpi 8, or h_rt=01:00:00. The next field may follow at once.
func limitOf(category []string) string {
	text := strings.Join(category, ":")
	for _, name := range []string{"h_rt=", "s_rt="} {
		if _, after, is := strings.Cut(text, name); is {
			if limit := limits.FindStringSubmatch(after); limit != nil {
				return limit[1]
			}
		}
	}
	return ""
}

// isQacct recognises the output of qacct -j.
func isQacct(head []byte) bool {
	return bytes.Contains(head, []byte("\nqname ")) && bytes.Contains(head, []byte("qsub_time ")) ||
		bytes.HasPrefix(head, []byte("qname "))
}

// qacct is the run of a block of qacct.
func qacct(of map[string]string) row {
	r := row{
		id: of["jobnumber"], submit: dated(of["qsub_time"]), start: dated(of["start_time"]), end: dated(of["end_time"]),
		processors: of["slots"],
		user:       of["owner"], group: of["group"], queue: of["qname"], requested: limitOf([]string{of["category"]}),
	}
	if r.processors == "" {
		r.processors = "1"
	}
	if task := of["taskid"]; digits(task) {
		r.id += "_" + task
	}
	// sums, a slave of a parallel job
	if r.id == "" || of["pe_taskid"] != "" && of["pe_taskid"] != "NONE" && r.submit == "" {
		return row{id: r.id, state: NotARun}
	}
	failed, _, _ := strings.Cut(of["failed"], " ")
	exit, _, _ := strings.Cut(of["exit_status"], " ")
	r.state = geState(failed, exit, r.start)
	return r
}

var months = map[string]string{
	"Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06",
	"Jul": "07", "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}

// dated writes Mon Mar  2 10:00:00 2026 and 03/02/2026 10:00:00.123 as ISO dates. Other texts
// stay as they are, and -/- becomes nothing.
func dated(text string) string {
	words := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "-/-"):
		return ""
	case len(words) >= 5 && months[words[1]] != "" && len(words[2]) <= 2 && digits(words[2]):
		day, err := strconv.Atoi(words[2])
		if err != nil {
			return text
		}
		return words[len(words)-1] + "-" + months[words[1]] + "-" + strconv.Itoa(100 + day)[1:] + "T" + words[3]
	case len(words) == 2 && len(words[0]) == 10 && words[0][2] == '/' && words[0][5] == '/':
		return words[0][6:] + "-" + words[0][:2] + "-" + words[0][3:5] + "T" + words[1]
	}
	return text
}
