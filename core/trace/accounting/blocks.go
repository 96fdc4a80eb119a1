package accounting

import (
	"bytes"
	"strconv"
	"strings"
)

// isQstatFull recognises the output of qstat -f of PBS and Torque.
func isQstatFull(head []byte) bool {
	return bytes.HasPrefix(firstRecord(head), []byte("Job Id: ")) && bytes.Contains(head, []byte(" = "))
}

// isOarstatFull recognises the output of oarstat -f.
func isOarstatFull(head []byte) bool {
	first := firstRecord(head)
	return (bytes.HasPrefix(first, []byte("Job_Id:")) || bytes.HasPrefix(first, []byte("Job_Id :"))) &&
		bytes.Contains(head, []byte(" = "))
}

// blocks reads records of several lines: the first has the id of a job, the others a name and a value each.
// A line that begins with a tab continues the one before.
type blocks struct {
	of    func(id string, of map[string]string) row
	id    string
	names map[string]string
	name  string // of the present line
	row   []byte
}

// line takes a line and returns the row of the record before it if the line begins another one; nil otherwise.
func (b *blocks) line(line []byte) (out []byte) {
	text := string(line)
	if id, is := blockID(text); is {
		out = b.last()
		b.id, b.name, b.names = id, "", map[string]string{}
		return out
	}
	if b.names == nil {
		return nil
	}
	if strings.HasPrefix(text, "\t") && b.name != "" {
		if len(b.names[b.name])+len(text) < longestLine {
			b.names[b.name] += text[1:]
		}
		return nil
	}
	name, value, is := strings.Cut(strings.TrimSpace(text), " =")
	if !is || len(b.names) >= maxPairs {
		return nil
	}
	b.name = strings.TrimSpace(name)
	b.names[b.name] = strings.TrimPrefix(value, " ")
	return nil
}

func blockID(line string) (id string, is bool) {
	for _, name := range []string{"Job Id:", "Job_Id:", "Job_Id :"} {
		if after, is := strings.CutPrefix(line, name); is {
			return strings.TrimSpace(after), true
		}
	}
	return "", false
}

func (b *blocks) last() []byte {
	if b.names == nil {
		return nil
	}
	r := b.of(b.id, b.names)
	b.names = nil
	b.row = r.append(b.row[:0])
	return b.row
}

// qstatJob is a job of qstat -f, whose attributes PBS and Torque spell a little differently.
func qstatJob(id string, of map[string]string) row {
	if strings.Contains(id, "[]") {
		return row{id: pbsID(id), state: NotARun} // the array itself
	}
	r := row{
		id: pbsID(id), submit: dated(first(of, "ctime", "qtime", "etime")),
		start: dated(first(of, "stime", "start_time")), end: dated(first(of, "comp_time", "obittime")),
		processors: count(pbsProcessors(of)), requested: of["Resource_List.walltime"], memory: of["Resource_List.mem"],
		user: first(of, "euser", "Job_Owner"), group: first(of, "egroup", "group_list"), queue: of["queue"],
	}
	r.user, _, _ = strings.Cut(r.user, "@")
	if r.end == "" { // OpenPBS before 2020 keeps no end: it is when the job was last changed
		r.end = dated(of["mtime"])
	}
	exit := first(of, "Exit_status", "exit_status")
	switch state := of["job_state"]; {
	case state == "M":
		r = row{id: r.id, state: NotARun}
	case state != "F" && state != "C" && state != "X" && state != "E":
		if r.state, r.end = "PENDING", ""; state == "R" || state == "S" || state == "U" {
			r.state = "RUNNING"
		}
	case r.start == "":
		r.state = "CANCELLED"
	case exit == "271":
		r.state = "KILLED"
	case exit != "0" && exit != "":
		r.state = "FAILED"
	default:
		r.state = "COMPLETED"
	}
	return r
}

// first returns the first value that is not empty.
func first(of map[string]string, names ...string) string {
	for _, name := range names {
		if of[name] != "" {
			return of[name]
		}
	}
	return ""
}

// oarStates are those of a job that has not ended.
var oarStates = map[string]string{
	"Running": "RUNNING", "Finishing": "RUNNING", "Suspended": "SUSPENDED", "Resuming": "RUNNING",
	"Waiting": "PENDING", "Hold": "PENDING", "toLaunch": "PENDING", "toAckReservation": "PENDING",
	"Launching": "PENDING",
}

// oarJob is a job of oarstat. It has as many processors as resources, which are cores on most clusters.
func oarJob(id string, of map[string]string) row {
	r := row{
		id: first(of, "Job_Id", "id"), submit: first(of, "submissionTime", "submission_time"),
		start: first(of, "startTime", "start_time"), end: first(of, "stopTime", "stop_time"), requested: of["walltime"],
		user: first(of, "owner", "job_user", "user"), group: of["project"], queue: first(of, "queue", "queue_name"),
	}
	if r.id == "" {
		r.id = id
	}
	if used := strings.FieldsFunc(of["assigned_resources"],
		func(c rune) bool { return c == '+' || c == ',' || c == ' ' }); len(used) > 0 {
		r.processors = strconv.Itoa(len(used))
	} else if _, after, is := strings.Cut(of["message"], "R="); is { // R=4,W=2:0:0
		r.processors, _, _ = strings.Cut(after, ",")
	}
	switch state := of["state"]; {
	case oarStates[state] != "":
		r.state, r.end = oarStates[state], ""
	case r.start == "" || r.start == "0":
		r.state, r.start = "CANCELLED", ""
	case state == "Terminated":
		r.state = "COMPLETED"
	default:
		r.state = "FAILED"
	}
	return r
}
