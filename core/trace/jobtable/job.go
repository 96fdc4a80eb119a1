package jobtable

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/trace/accounting"
	"parley/core/unit"
	"parley/core/workload"
)

// longest limits a run, a request and the span of a table: ten years.
const longest = 3650 * unit.Day

// maxProcessors limits the processors of a job or a machine.
const maxProcessors = 1 << 25

// unknown is a time or number that is not known.
const unknown = -1

// job is a row as a job.
type job struct {
	number                         uint64
	index                          uint32
	submit, start, end, run, limit unit.Time
	processors                     int64
	user, group                    uint32
	queue                          int32
	memory                         unit.Bytes
	memoryPer                      byte   // 'c', of each processor, 'n', of each node; 0: in all
	nodes, gpus                    int32  // 0: unknown
	before                         uint64 // the number of the job that precedes it; 0 if there is none
	think                          unit.Time
	qos, name                      uint32
	depends                        string    // the cell's text, as waiting.parse reads it
	throttle                       int32     // elements of its array that run at once; 0: all
	alone                          bool      // its nodes have no other job
	switches                       int32     // the most leaf switches that its nodes may be under; 0: any number
	switchWait                     unit.Time // how long it waits for so few
	partly                         bool      // they have none of other users: it is not played
	fails                          bool
	component                      bool // of a heterogeneous job
	uneven                         bool // its components ran for different times
	parts                          []workload.Component
	state                          string
	reason                         reason
	later                          [3]unit.Time // how much later the clock shows submission, start and end again
	skipped                        bool         // the clock leaves one of them out
}

// reason says why a row was skipped.
type reason uint8

const (
	played       reason = iota
	step                // of a job that has a row of its own
	again               // the run of a row above, as in files that were joined
	otherRecord         // of an accounting log: about another event than the end of a run
	cached              // its result is that of an earlier run, as Nextflow writes
	notEnded            // it waits or runs
	cancelled           // before it started
	neverRan            // run time 0 or unknown
	noProcessors        // their number is 0 or unknown
	noSubmission        // its time is unknown
	reasons
)

// people numbers the users, groups or queues of a table.
type people struct {
	textual bool
	index   map[string]uint32
}

func (r *textReader) people() [4]*people { return [4]*people{&r.users, &r.groups, &r.queues, &r.qos} }

// maxPeople limits how many names are distinguished.
const maxPeople = 1 << 20

// of returns the number of a name, 0 if the name is unknown or there are more than maxPeople. In a column of
// numbers each number keeps its value; other texts in it are numbered from 2^30, other columns from 1.
func (p *people) of(name []byte) uint32 {
	if isUnknown(name) {
		return 0
	}
	if !p.textual {
		if n, why := trace.Whole(name, math.MaxInt32); why == "" {
			return uint32(n)
		}
	}
	if n, known := p.index[string(name)]; known {
		return n
	}
	if len(p.index) >= maxPeople {
		return 0
	}
	if p.index == nil {
		p.index = map[string]uint32{}
	}
	n := uint32(len(p.index) + 1)
	if !p.textual {
		n += 1 << 30
	}
	p.index[string(name)] = n
	return n
}

// states are those of a job that has not ended.
var unended = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, requeued: true, "REQUEUE_HOLD": true, "RESIZING": true,
	"REVOKED": true, "CONFIGURING": true, "COMPLETING": true, "STOPPED": true,
	"PEND": true, "RUN": true, "PSUSP": true, "SSUSP": true, "USUSP": true, // LSF
	"QUEUED": true, "SUBMITTED": true, "RUNNABLE": true, "STARTING": true, // Airflow, AWS Batch
}

// requeued is the state of a run that ended while its job went on.
const requeued = "REQUEUED"

// judge sets j.why if the job is not played; a reason that is set already stays. The times must be known.
func (j *job) judge() {
	switch {
	case j.reason != played:
	case j.state == accounting.NotARun:
		j.reason, j.state = otherRecord, ""
	case j.state == "CACHED":
		j.reason = cached
	// a run that was requeued held its machine
	case unended[j.state] && !(j.state == requeued && j.end >= 0 && j.run > 0):
		j.reason = notEnded
	case j.run <= 0 && j.state == "CANCELLED":
		j.reason = cancelled
	case j.run <= 0:
		j.reason = neverRan
	case j.processors <= 0:
		j.reason = noProcessors
	case j.submit < 0:
		j.reason = noSubmission
	}
}

// stateOf returns the state of a job as its first word, in capitals: "CANCELLED by 1001" is CANCELLED.
// Batsim's words become Slurm's. seen caches the results by text.
func stateOf(text []byte, seen map[string]string) string {
	if s, known := seen[string(text)]; known {
		return s
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
	s := strings.ToUpper(string(bytes.TrimSuffix(first, []byte("+"))))
	if word := batsimStates[s]; word != "" {
		s = word
	}
	if len(s) > 30 {
		s = s[:30]
	}
	if len(seen) < 1000 {
		seen[string(text)] = s
	}
	return s
}

// slurmStates are the states of jobs in Slurm's database, by their numbers.
var slurmStates = [...]string{
	"PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT",
	"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
}

// batsimStates are the final states of Batsim's jobs; one that was rejected never ran.
var batsimStates = map[string]string{
	"COMPLETED_SUCCESSFULLY": "COMPLETED", "COMPLETED_FAILED": "FAILED", "COMPLETED_WALLTIME_REACHED": "TIMEOUT",
	"COMPLETED_KILLED": "KILLED",
}

// condorStates are the states of HTCondor's jobs: those that are held or transfer files have not ended.
var condorStates = map[string]string{
	"1": "PENDING", "2": "RUNNING", "3": "CANCELLED", "4": "COMPLETED", "5": "PENDING", "6": "RUNNING", "7": "RUNNING",
}

// slurmState returns the word for a number of Slurm's database. Bits above the lowest eight are flags; 1024 means
// that the job was requeued. A text that is not such a number is returned as it is.
func slurmState(state string) string {
	n, err := strconv.ParseUint(state, 10, 32)
	switch {
	case err != nil || n&255 >= uint64(len(slurmStates)):
		return state
	case n&1024 != 0:
		return requeued
	}
	return slurmStates[n&255]
}

// numbered fills a job's number from its id: 17, 17_4 of an array, 18+1 of a heterogeneous
// job, 17_[5-9%2] of the waiting elements of an array; 17.batch is a step. With an id of another form
// the job gets the number of its row.
func (j *job) numbered(text []byte, row int64) {
	j.number, j.index = uint64(row), 0
	if bytes.IndexByte(text, '.') > 0 && isDigit(text[0]) {
		j.reason = step
		return
	}
	whole, part := text, []byte(nil)
	if i := bytes.IndexAny(text, "_+"); i > 0 {
		whole, part = text[:i], text[i+1:]
	}
	n, why := trace.Whole(whole, math.MaxInt64)
	if why != "" {
		return
	}
	j.number = n
	if len(part) > 0 && part[0] == '[' {
		j.throttle = throttleIn(string(part))
	}
	if k, why := trace.Whole(part, math.MaxUint32); part != nil && why == "" {
		j.index, j.component = uint32(k), text[len(whole)] == '+'
	}
}

// textReader reads the jobs of a delimited table.
type textReader struct {
	*rowReader
	users, groups, queues people
	qos, names            people
	shares                bool // the column of exclusive is OverSubscribe
	states                map[string]string
	days                  [fields]day
	row                   int64
	job                   []byte // the id of the last row that is not a step
	need                  needs
}

// isStep reports whether an id with a point, such as 17.batch or 17.0, is that of a step of
// Slurm, and not that of a process of HTCondor's cluster 17.
func (r *textReader) isStep(id []byte) bool {
	job, part, _ := bytes.Cut(id, []byte("."))
	return r.plan.table == sacctText || !isDigits(part) && !bytes.ContainsAny(part, ".") && stepNames[string(part)] ||
		bytes.Equal(job, r.job)
}

// stepNames are the steps that Slurm names itself.
var stepNames = map[string]bool{"batch": true, "extern": true, "interactive": true}

// newTextReader opens the delimited table f, whose columns p has assigned to fields. m counts the bytes read.
func newTextReader(f trace.File, p *plan, m *trace.Meter) (*textReader, error) {
	r, err := newRowReader(f, p, m)
	if err != nil {
		return nil, err
	}
	shares := false
	if at := p.at[exclusive]; at >= 0 {
		word, _ := folded(p.header[at])
		shares = word == "oversubscribe"
	}
	return &textReader{
		rowReader: r, shares: shares, states: map[string]string{},
		users: people{textual: p.textual[user]}, groups: people{textual: p.textual[group]},
		queues: people{textual: p.textual[queue]},
		qos:    people{textual: p.textual[qos]}, names: people{textual: true},
	}, nil
}

// next reads the next row into j; fields that the table lacks are unknown. For a row that is not played it
// sets j.why and returns nil. An *Error of class BadLine is about one row: reading may go on. Otherwise
// the error is that of the file, io.EOF at its end.
func (r *textReader) next(j *job) error {
	if err := r.rowReader.next(); err != nil {
		return err
	}
	r.row++
	*j = job{
		number: uint64(r.row), submit: unknown, start: unknown, end: unknown, run: unknown, limit: unknown,
		queue: unknown, processors: r.plan.mapping.always,
	}
	p := r.plan
	if at := p.at[id]; at >= 0 {
		if j.numbered(r.cells[at], r.row); j.reason == step && r.isStep(r.cells[at]) {
			return nil
		}
		if at := p.element; at >= 0 {
			if n, why := trace.Whole(r.cells[at], math.MaxUint32); why == "" {
				j.index = uint32(n)
			}
		}
		j.reason = played
		r.job = append(r.job[:0], r.cells[at]...)
	}
	for f := submit; f < fields; f++ {
		at := p.at[f]
		if at < 0 || isUnknown(r.cells[at]) {
			continue
		}
		if why := r.take(j, f, r.cells[at]); why != "" && f != memory { // memory is not played

			return r.bad(p.header[at], r.cells[at], why)
		}
		if f <= end {
			j.later[f-submit], j.skipped = r.days[f].later, j.skipped || r.days[f].skipped
		}
	}
	r.needs(j)
	j.settle()
	return r.finish(j)
}

// clockBack returns a hint for an end before the start: "" unless the difference is at most an hour and the
// times are written without a zone, so that the clock may have been put back.
func (r *textReader) clockBack(j *job) string {
	m := &r.plan.mapping
	if _, plain := r.plan.styles[end].plain(r.cells[r.plan.at[end]]); plain || m.zoned || j.start-j.end > unit.Hour {
		return ""
	}
	return " (if the clock was put back between them, say whose it is, as in zone=Europe/Berlin)"
}

// settle chooses among the moments that the clock shows twice: those with which the job is submitted, starts and
// ends in this order and runs as long as its row says, the earlier ones first.
func (j *job) settle() {
	if j.later == ([3]unit.Time{}) {
		return
	}
	best, fewest := [3]unit.Time{}, -1
	for choice := range 8 {
		at := [3]unit.Time{j.submit, j.start, j.end}
		wrong, possible := 0, true
		for i := range at {
			if choice>>i&1 == 0 {
				continue
			}
			if possible = possible && j.later[i] > 0; at[i] >= 0 {
				at[i] += j.later[i]
			}
		}
		if at[1] >= 0 && at[0] > at[1] || at[1] >= 0 && at[2] >= 0 && at[1] > at[2] {
			wrong += 2
		}
		if j.run >= 0 && at[1] >= 0 && at[2] >= 0 && at[2]-at[1] != j.run {
			wrong++
		}
		if possible && (fewest < 0 || wrong < fewest) {
			best, fewest = at, wrong
		}
	}
	j.submit, j.start, j.end = best[0], best[1], best[2]
}

// take reads one cell into field f of j. why says why the cell is invalid; it is "" if it is valid.
func (r *textReader) take(j *job, f field, cell []byte) (why string) {
	s := &r.plan.styles[f]
	switch f {
	case submit:
		j.submit, why = s.moment(cell, &r.days[f])
	case start:
		j.start, why = since(j.submit)(s.moment(cell, &r.days[f]))
	case end:
		j.end, why = since(j.submit)(s.moment(cell, &r.days[f]))
	case runtime:
		j.run, why = s.duration(cell)
	case requested:
		if j.limit, why = s.duration(cell); isUnlimited(cell) {
			j.limit, why = unknown, ""
		}
	case processors:
		if j.processors, why = s.whole(cell); why == "" && r.plan.each >= 0 {
			j.processors, why = r.product(j.processors, r.cells[r.plan.each])
		}
	case user:
		j.user = r.users.of(cell)
	case group:
		j.group = r.groups.of(cell)
	case queue:
		j.queue = int32(r.queues.of(cell))
	case state:
		switch j.state = stateOf(cell, r.states); {
		case r.plan.slurm:
			j.state = slurmState(j.state)
		case r.plan.condor && condorStates[j.state] != "":
			j.state = condorStates[j.state]
		}
	case memory:
		j.memory, why = s.bytesOf(cell)
	case qos:
		j.qos = r.qos.of(cell)
	case dependency:
		j.depends = string(cell)
	case throttle:
		if n, why := trace.Whole(cell, math.MaxInt32); why == "" { // 0 or a text means no throttle
			j.throttle = int32(n)
		}
	case exclusive:
		j.shared(cell, r.shares)
	case switches:
		j.few(string(bytes.TrimSpace(cell)))
	case command:
		j.options(string(cell))
	case name:
		j.name = r.names.of(cell)
	case preceding:
		j.before, why = trace.Whole(cell, math.MaxInt64)
	case think:
		j.think, why = s.duration(cell)
	}
	return why
}

// product returns count times the number in a cell, unknown if the cell is. why is not "" if the cell is invalid
// or the product above maxProcessors.
func (r *textReader) product(count int64, cell []byte) (n int64, why string) {
	if isUnknown(cell) {
		return unknown, ""
	}
	each, why := r.plan.styles[processors].whole(cell)
	switch {
	case why != "":
		return 0, "is multiplied by " + strconv.Quote(shorten(string(cell))) + ", which " + why
	case each > 0 && count > maxProcessors/each:
		return 0, trace.ReasonLarge
	}
	return count * each, ""
}

// since returns a function that passes on the results of style.moment, but takes the moment 0 as unknown if the
// submission is later: Slurm's database writes 0 as the start of a job that never started.
func since(submit unit.Time) func(unit.Time, string) (unit.Time, string) {
	return func(t unit.Time, why string) (unit.Time, string) {
		if t == 0 && why == "" && submit > 0 {
			return unknown, ""
		}
		return t, why
	}
}

// isUnlimited reports whether a number stands for no limit: Slurm's INFINITE and NO_VAL, of
// 32 and of 64 bits.
func isUnlimited(cell []byte) bool {
	switch string(cell) {
	case "4294967295", "4294967294", "18446744073709551615", "18446744073709551614":
		return true
	}
	return false
}

// finish completes a job whose cells are read: it derives the run time from start and end if the row has none,
// and judges the job. A negative run time or one above ten years is an error about the row.
func (r *textReader) finish(j *job) error {
	p := r.plan
	// the start of a job that never started stands for its submission
	if j.submit == 0 && j.start == 0 && j.end > longest {
		j.submit, j.start = unknown, unknown
	}
	if j.run < 0 && j.start >= 0 && j.end >= 0 && (!unended[j.state] || j.state == requeued) {
		if j.run = j.end - j.start; j.run < 0 {
			return r.bad(p.header[p.at[end]], r.cells[p.at[end]],
				"is before the start of the job, "+string(r.cells[p.at[start]])+r.clockBack(j))
		}
	}
	if p.condor && j.start >= 0 && j.end > j.start { // wall times are of all runs, start and end of the last one
		j.run = j.end - j.start
	}
	if j.state == "TIMEOUT" && j.run == j.limit { // it was killed
		j.run++
	}
	if j.run > longest {
		at := p.at[runtime]
		if at < 0 {
			at = p.at[end]
		}
		return r.bad(p.header[at], r.cells[at],
			"makes a run of more than ten years: its unit may be another, which the mapping says as in runtime=COLUMN:ms")
	}
	j.limit = min(j.limit, longest)
	j.fails = failing[j.state]
	j.judge()
	return nil
}
