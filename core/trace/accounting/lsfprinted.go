package accounting

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// isLSFPrinted recognises the output of bacct -l and bhist -l.
func isLSFPrinted(head []byte) bool {
	return jobHeader.Match(head) && bytes.Contains(head, []byte(": Submitted from ")) &&
		(bytes.Contains(head, []byte("Accounting information about this job")) ||
			bytes.Contains(head, []byte("Summary of time in seconds spent in")) ||
			bytes.Contains(head, []byte("Dispatched ")))
}

var (
	jobHeader = regexp.MustCompile(`(?m)^( *)Job <(\d+)(?:\[(\d+)\])?>,`)
	eventLine = regexp.MustCompile(
		`^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d)(?: (\d{4}))?: (?:\[(\d+)\] )?(.*)`,
	)
	slotsOf   = regexp.MustCompile(`(?:Allocated|Dispatched) (\d+) (?:Slot|Task|Processor)`)
	hostOf    = regexp.MustCompile(`<(?:(\d+)\*)?[^<>]+>`)
	minutesOf = regexp.MustCompile(`^\s*([\d.]+) min\b`)
)

// lsfPrinted reads bacct -l and bhist -l, whose lines are wrapped after 80 characters, within words too: a
// continuation begins with 21 blanks. Pasted into a page, all lines may have more blanks before them, and
// continuations a few fewer or more.
type lsfPrinted struct {
	lines [][]byte // of the present job, unwrapped
	inset int      // blanks before all lines of it
	years years
	row   []byte
	size  int
}

// wrapBlanks begin a continued line; fewest and most are those of pages into which it was pasted.
const wrapBlanks, fewestBlanks, maxBlanks = 21, 17, 22

// line takes a line, which begins a job, continues the line before or is the job's next one, and returns the row of
// the job before if it begins another one; nil otherwise.
func (l *lsfPrinted) line(line []byte) (out []byte) {
	if of := jobHeader.FindSubmatch(line); of != nil {
		out = l.last()
		l.inset = len(of[1])
		l.lines = append(l.lines, bytes.Clone(line[l.inset:]))
		return out
	}
	if len(l.lines) == 0 || l.size+len(line) > longestLine {
		return nil
	}
	l.size += len(line)
	text := bytes.TrimLeft(line, " ")
	blanks := len(line) - len(text)
	line = line[min(blanks, l.inset):]
	blanks = max(0, blanks-l.inset)
	if last := len(l.lines) - 1; blanks >= fewestBlanks && len(text) > 0 {
		if wrapBlanks <= blanks && blanks <= maxBlanks { // a blank of the text may be among them
			text = line[wrapBlanks:]
		}
		l.lines[last] = append(l.lines[last], text...)
		return nil
	}
	l.lines = append(l.lines, bytes.Clone(line))
	return nil
}

func (l *lsfPrinted) last() []byte {
	if len(l.lines) == 0 {
		return nil
	}
	l.row = l.job(l.row[:0])
	l.lines, l.size = l.lines[:0], 0
	return l.row
}

// job appends the rows of the present job: one for each of its runs.
func (l *lsfPrinted) job(out []byte) []byte {
	head := string(l.lines[0])
	of := jobHeader.FindStringSubmatch(head)
	r := row{
		id: of[2], user: within(head, "User <"), group: within(head, "Project <"), queue: within(head, "Queue <"),
		state: "PENDING",
	}
	if of[3] != "" {
		r.id += "_" + of[3]
	}
	for i, line := range l.lines[1:] {
		text := string(line)
		if strings.TrimSpace(text) == "RUNLIMIT" && i+2 < len(l.lines) {
			if m := minutesOf.FindStringSubmatch(string(l.lines[i+2])); m != nil {
				if minutes, err := strconv.ParseFloat(m[1], 64); err == nil && minutes < 1e7 {
					r.requested = strconv.FormatInt(int64(minutes*60), 10)
				}
			}
		}
		of := eventLine.FindStringSubmatch(text)
		if of == nil {
			continue
		}
		at := l.years.date(of[1], of[2], of[3], of[5]) + "T" + of[4]
		if of[6] != "" && !strings.Contains(r.id, "_") {
			r.id += "_" + of[6]
		}
		switch event := of[7]; {
		case strings.HasPrefix(event, "Submitted from"):
			if r.submit = at; r.queue == "" {
				r.queue = within(event, "Queue <")
			}
		case strings.HasPrefix(event, "Dispatched"), strings.HasPrefix(event, "Started on"):
			r.start, r.end, r.state, r.processors = at, "", "RUNNING", slots(event)
		case strings.HasPrefix(event, "Completed <done>"), strings.HasPrefix(event, "Done successfully"):
			r.end, r.state = at, "COMPLETED"
		case strings.HasPrefix(event, "Completed <"), strings.HasPrefix(event, "Exited"):
			if r.end, r.state = at, "FAILED"; r.start == "" {
				r.state = "CANCELLED"
			}
		case (strings.HasPrefix(event, "Requeued") || strings.HasPrefix(event, "Pending:")) && r.start != "":
			if r.state == "RUNNING" {
				r.end = at
			}
			r.state = "REQUEUED"
			out = append(r.append(out), '\n')
			r.start, r.end, r.state = "", "", "PENDING"
		}
	}
	return r.append(out)
}

// slots counts the slots of a dispatch: as it says, else the hosts that it names, one for each or 4*host.
func slots(event string) string {
	largest := int64(0)
	for _, m := range slotsOf.FindAllStringSubmatch(event, -1) {
		largest = max(largest, number(m[1]))
	}
	if largest > 0 {
		return count(largest)
	}
	hosts, _, _ := strings.Cut(event, "Effective RES_REQ")
	for _, m := range hostOf.FindAllStringSubmatch(hosts, -1) {
		if m[1] == "" || !addNumber(&largest, m[1]) {
			largest++
		}
	}
	return count(max(largest, 1))
}

// within returns the text between a name and the next >.
func within(text, name string) string {
	_, after, is := strings.Cut(text, name)
	if !is {
		return ""
	}
	value, _, _ := strings.Cut(after, ">")
	return value
}
