package accounting

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// eventHead is the first line of an event: its number, job, time and text.
var eventHead = regexp.MustCompile(
	`^(\d{3}) \((\d+)\.(\d+)\.\d+\) (?:(\d{4})-(\d\d)-(\d\d)|(\d\d)/(\d\d)(?:/(\d\d(?:\d\d)?))?)[ T](\d\d:\d\d:\d\d)\S* (.*)`,
)

// isEvents recognises the log of events that HTCondor writes for a user.
func isEvents(head []byte) bool { return eventHead.Match(firstRecord(head)) }

// event is an event of a job.
type event struct {
	number, id, at, cpus string
	fails                bool
}

// events makes runs of events. A job is kept until it ends.
type events struct {
	jobs map[string]*row
	ids  []string
}

// maxAlive limits the jobs kept at once.
const maxAlive = 1 << 20

// take returns the run that ends with an event; false: none does.
func (e *events) take(ev event) (r row, is bool) {
	j := e.jobs[ev.id]
	if j == nil {
		if len(e.jobs) >= maxAlive {
			return row{id: ev.id, state: NotARun}, true
		}
		if e.jobs == nil {
			e.jobs = map[string]*row{}
		}
		j = &row{id: ev.id, processors: "1", state: "PENDING"}
		e.jobs[ev.id] = j
		if e.ids = append(e.ids, ev.id); len(e.ids) > 2*len(e.jobs)+1000 {
			e.ids = slices.DeleteFunc(e.ids, func(id string) bool { return e.jobs[id] == nil })
		}
	}
	if ev.cpus != "" {
		j.processors = ev.cpus
	}
	end := func(state string) (row, bool) {
		r := *j
		r.end, r.state = ev.at, state
		if r.start == "" {
			r.state = "CANCELLED"
		}
		return r, true
	}
	switch ev.number {
	case "000":
		j.submit = ev.at
	case "001":
		if j.start == "" {
			j.start, j.state = ev.at, "RUNNING"
		}
	case "004", "007", "022", "024": // evicted, or the machine was lost: it runs again
		if j.start == "" {
			return r, false
		}
		r, is = end("REQUEUED")
		j.start, j.state = "", "PENDING"
		return r, is
	case "012": // held
		if j.start == "" {
			return r, false
		}
		r, is = end("REQUEUED")
		j.start, j.state = "", "PENDING"
		return r, is
	case "005", "009":
		delete(e.jobs, ev.id)
		state := "COMPLETED"
		switch {
		case ev.number == "009":
			state = "CANCELLED"
		case ev.fails:
			state = "FAILED"
		}
		return end(state)
	}
	return r, false
}

// rest appends to out the rows of the jobs that have not ended, a line each, and forgets the jobs.
func (e *events) rest(out []byte) []byte {
	for _, id := range e.ids {
		if j := e.jobs[id]; j != nil {
			if len(out) > 0 {
				out = append(out, '\n')
			}
			out = j.append(out)
			delete(e.jobs, id)
		}
	}
	return out
}

// eventLog reads the log as text: an event is a line with its number, lines that begin with a tab, and a line
// of three points.
type eventLog struct {
	of    events
	years years
	now   event
	held  bool // now is an event whose end was not read yet
	row   []byte
}

var terminated = regexp.MustCompile(`^\s+\(\d\) (Normal|Abnormal) termination \([a-z ]*(-?\d+)\)`)

var allotted = regexp.MustCompile(`^\s+Cpus\s*(?:=\s*(\d+)|:\s+\S+\s+\d+\s+(\d+))`)

// line takes a line and returns the row of the event that it ends, if that makes one; nil otherwise. The row is
// valid until the next call.
func (l *eventLog) line(line []byte) (out []byte) {
	if of := eventHead.FindSubmatch(line); of != nil {
		text := func(i int) string { return string(of[i]) }
		out = l.end()
		day := text(4) + "-" + text(5) + "-" + text(6)
		if text(4) == "" {
			year := text(9)
			if len(year) == 2 {
				year = "20" + year
			}
			day = l.years.date("", text(7), text(8), year)
		}
		l.now, l.held = event{number: text(1), id: strings.TrimLeft(text(2), "0"), at: day + "T" + text(10)}, true
		if process := strings.TrimLeft(text(3), "0"); process != "" {
			l.now.id += "_" + process
		}
		return out
	}
	if m := terminated.FindSubmatch(line); m != nil && l.held {
		l.now.fails = m[1][0] == 'A' || string(m[2]) != "0"
	}
	if m := allotted.FindSubmatch(line); m != nil && l.held {
		l.now.cpus = string(m[1]) + string(m[2])
	}
	if bytes.HasPrefix(line, []byte("...")) {
		return l.end()
	}
	return nil
}

// end passes the present event on and returns the row that it completes; nil if there is none.
func (l *eventLog) end() []byte {
	if !l.held {
		return nil
	}
	l.held = false
	r, is := l.of.take(l.now)
	if !is {
		return nil
	}
	l.row = r.append(l.row[:0])
	return l.row
}

func (l *eventLog) last() []byte {
	return l.of.rest(bytes.Clone(l.end()))
}

// adEvent returns the event of an ad, with a number of three digits as in the text; "" if its number is longer.
func adEvent(of map[string]string) event {
	ev := event{
		number: ("000" + of["EventTypeNumber"])[len(of["EventTypeNumber"]):],
		id:     first(of, "Cluster", "ClusterId"), at: of["EventTime"], cpus: of["Cpus"],
	}
	returned := of["ReturnValue"]
	ev.fails = strings.EqualFold(of["TerminatedNormally"], "false") || returned != "" && returned != "0"
	if len(of["EventTypeNumber"]) > 3 {
		ev.number = ""
	}
	if process := first(of, "Proc", "ProcId"); process != "" && process != "0" {
		ev.id += "_" + process
	}
	return ev
}
