package accounting

import (
	"bytes"
	"strings"
)

func isLSF(head []byte) bool {
	first := firstRecord(head)
	if events := bytes.Contains(head, []byte(`"JOB_NEW" "`)) || bytes.Contains(head, []byte(`"JOB_START" "`)); events &&
		!bytes.Contains(head, []byte(`"JOB_FINISH" "`)) {
		return false // lsb.events
	}
	return bytes.HasPrefix(first, []byte(`"JOB_`)) || bytes.HasPrefix(first, []byte(`"EVENT_`))
}

// lsf reads lsb.acct. Its fields are numbered as IBM's documentation lists them, from the
// record's type; behind the hosts all positions move.
type lsf struct {
	row   []byte
	cells []string
}

func (*lsf) last() []byte { return nil }

// line returns the row of a record; nil for a blank line or a comment. Records of other events than JOB_FINISH
// become rows that are no run, and a record with too few columns is passed on for the table to refuse.
func (l *lsf) line(line []byte) []byte {
	if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
		return nil
	}
	l.cells = quotedFields(string(line), l.cells[:0])
	r := row{state: NotARun}
	if l.cells[0] == "JOB_FINISH" {
		var ok bool
		if r, ok = lsfRun(l.cells); !ok {
			// too few columns: the table says so
			return append(l.row[:0], bytes.ReplaceAll(line, []byte("|"), []byte(" "))...)
		}
	}
	l.row = r.append(l.row[:0])
	return l.row
}

// lsfRun is the run of a JOB_FINISH record; false: it is cut off.
func lsfRun(of []string) (r row, ok bool) {
	const askedHosts = 22 // the number of hosts that were asked for
	if len(of) <= askedHosts {
		return r, false
	}
	used := askedHosts + 1 + int(min(number(of[askedHosts]), int64(len(of))))
	if used >= len(of) || !digits(of[used]) {
		return r, false
	}
	hosts := int(min(number(of[used]), int64(len(of))))
	status := used + 1 + hosts
	if status >= len(of) {
		return r, false
	}
	held := int64(0)
	for _, host := range of[used+1 : status] {
		times, _, many := strings.Cut(host, "*")
		if !many || !addNumber(&held, times) {
			held++
		}
	}
	r = row{
		id: of[3], end: of[2], submit: of[7], start: of[10], user: of[11], queue: of[12],
		processors: count(max(held, number(of[6]))),
	}
	const depend = 14
	r.dependency = lsfDependency(of[depend])
	const index = 29 // of an array's element, counted from the status
	if at := status + index; at < len(of) && number(of[at]) > 0 {
		r.id += "_" + of[at]
	}
	const project = 24
	if at := status + project; at < len(of) {
		r.group = of[at]
	}
	r.requested = lsfLimit(of[min(len(of), status+40):])
	switch {
	case r.start == "0":
		r.start, r.state = "", "CANCELLED"
	case of[status] == "64":
		r.state = "COMPLETED"
	default:
		r.state = "FAILED"
	}
	return r, true
}

// lsfLimit finds the run limit in a long record: before the effective requirement, which
// begins with select, stand the limit in seconds, a 0 and a number.
func lsfLimit(of []string) string {
	for i := 3; i < len(of); i++ {
		if strings.HasPrefix(of[i], "select[") && digits(of[i-1]) && digits(of[i-2]) && digits(of[i-3]) &&
			number(of[i-3]) > 0 {
			return of[i-3]
		}
	}
	return ""
}

// quotedFields splits a record at its blanks. A text stands in quotation marks, doubled within.
func quotedFields(line string, fields []string) []string {
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t':
			i++
		case '"':
			var b strings.Builder
			for i++; i < len(line); i++ {
				if line[i] == '"' {
					if i+1 >= len(line) || line[i+1] != '"' {
						i++
						break
					}
					i++
				}
				b.WriteByte(line[i])
			}
			fields = append(fields, b.String())
		default:
			end := strings.IndexByte(line[i:], ' ')
			if end < 0 {
				end = len(line) - i
			}
			fields = append(fields, line[i:i+end])
			i += end
		}
	}
	return fields
}

// lsfKinds are LSF's conditions on one job by Slurm's names.
var lsfKinds = map[string]string{
	"done": "afterok", "ended": "afterany", "exit": "afternotok", "started": "after",
	"post_done": "afterok",
}

// lsfDependency returns done(12) && ended(13) as afterok:12,afterany:13. A condition with || becomes one with ?, and a
// part of another form, such as a job's name, is kept as it is: neither is played.
func lsfDependency(text string) string {
	if strings.Contains(text, "||") {
		return "any?"
	}
	var parts []string
	for part := range strings.SplitSeq(text, "&&") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		word, job, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
		job = strings.TrimSpace(job)
		if digits(word) { // done is meant
			word, job = "done", word
		}
		if kind := lsfKinds[word]; kind != "" && digits(strings.NewReplacer("[", "", "]", "", "*", "").Replace(job)) {
			parts = append(parts, kind+":"+job)
		} else {
			parts = append(parts, "condition:"+strings.NewReplacer(",", " ", "?", " ").Replace(part))
		}
	}
	return strings.Join(parts, ",")
}
