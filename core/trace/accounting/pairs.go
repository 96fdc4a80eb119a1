package accounting

import (
	"bytes"
	"strings"
)

// maxPairs limits the names of one record that are kept.
const maxPairs = 2000

// pairs reads records of several lines, each with a name and a value: those of qacct stand
// under a line of equals signs, HTCondor's ads end with a line of stars or a blank one.
type pairs struct {
	of    func(map[string]string) row
	names map[string]string
	row   []byte
}

// line takes a line, and returns the row of a record that it ends; nil if it ends none. The attributes on a line of
// stars belong to the record above it.
func (p *pairs) line(line []byte) []byte {
	text := strings.TrimSpace(string(line))
	if text == "" || strings.HasPrefix(text, "====") || strings.HasPrefix(text, "***") {
		if cluster := attributes(strings.TrimLeft(text, "* ")); len(cluster) > 0 { // *** Offset = 0 ClusterId = 9 …
			for name, value := range cluster {
				p.add(name, value)
			}
		}
		return p.last()
	}
	name, value, is := strings.Cut(text, " = ")
	if !is {
		if name, value, is = strings.Cut(text, "="); !is || strings.ContainsAny(name, " \t") {
			name, value, _ = strings.Cut(text, " ")
		}
	}
	p.add(strings.TrimSpace(name), value)
	return nil
}

func (p *pairs) add(name, value string) {
	if p.names == nil {
		p.names = map[string]string{}
	}
	if len(p.names) < maxPairs {
		p.names[name] = strings.Trim(strings.TrimSpace(value), `"`)
	}
}

func (p *pairs) last() []byte {
	if len(p.names) == 0 {
		return nil
	}
	r := p.of(p.names)
	clear(p.names)
	p.row = r.append(p.row[:0])
	return p.row
}

// isAds recognises the output of condor_history -l, and the history file itself.
func isAds(head []byte) bool {
	return bytes.Contains(head, []byte("QDate = ")) && bytes.Contains(head, []byte("ClusterId = "))
}

// condor returns the last run of an ad of a job, which has only the durations of earlier runs. A job without an end
// was cancelled when it entered its present status.
func condor(of map[string]string) row {
	if of["QDate"] == "" {
		return row{state: NotARun}
	}
	r := row{
		id: of["ClusterId"], submit: of["QDate"], start: of["JobCurrentStartDate"], end: of["CompletionDate"],
		processors: of["RequestCpus"],
		user:       of["Owner"], group: of["AcctGroup"], state: "COMPLETED",
	}
	if r.start == "" {
		r.start = of["JobStartDate"]
	}
	if process := of["ProcId"]; process != "" && process != "0" {
		r.id += "_" + process
	}
	if r.processors == "" || strings.Trim(r.processors, "0123456789") != "" { // an expression: use the provisioned number
		r.processors = of["CpusProvisioned"]
	}
	if r.processors == "" {
		r.processors = "1"
	}
	if m := of["RequestMemory"]; digits(m) {
		r.memory = m + "M"
	}
	switch status := of["JobStatus"]; {
	case status == "1" || status == "5":
		r.state = "PENDING"
	case status == "2" || status == "6" || status == "7":
		r.state = "RUNNING"
	case r.end == "0" || r.end == "" || r.end == "undefined":
		r.state, r.end = "CANCELLED", of["EnteredCurrentStatus"]
	case of["ExitCode"] != "" && of["ExitCode"] != "0" || of["ExitBySignal"] == "true":
		r.state = "FAILED"
	}
	return r
}

// isJobcomp recognises Slurm's jobcomp.log and the output of scontrol show job.
func isJobcomp(head []byte) bool {
	return bytes.HasPrefix(firstRecord(head), []byte("JobId=")) &&
		(bytes.Contains(head, []byte("SubmitTime=")) || bytes.Contains(head, []byte(" StartTime=")))
}

// jobcomp reads records that begin with JobId=, on one line or on several.
type jobcomp struct {
	text []byte
	row  []byte
}

// line takes a line and returns the row of a record that is complete; nil if none is. A record ends at the next
// JobId=, or at ExitCode= if it is all on one line.
func (j *jobcomp) line(line []byte) []byte {
	begins := bytes.HasPrefix(line, []byte("JobId="))
	var out []byte
	if begins {
		out = j.last()
	}
	if len(j.text)+len(line) < longestLine && (begins || len(j.text) > 0) {
		j.text = append(append(j.text, line...), ' ')
	}
	if bytes.Contains(line, []byte(" ExitCode=")) && begins && len(out) == 0 { // on one line
		return j.last()
	}
	return out
}

func (j *jobcomp) last() []byte {
	if len(j.text) == 0 {
		return nil
	}
	of := attributes(string(j.text))
	j.text = j.text[:0]
	j.row = slurmJob(of).append(j.row[:0])
	return j.row
}

// slurmJob returns the row of a record of Slurm. A time limit that is only digits is in minutes. The processors are
// those of the allocation if it is given, else ProcCnt or NumCPUs.
func slurmJob(of map[string]string) *row {
	r := &row{
		id: of["JobId"], submit: of["SubmitTime"], start: of["StartTime"], end: of["EndTime"], queue: of["Partition"],
		group: of["Account"], state: of["JobState"], processors: of["ProcCnt"], requested: of["TimeLimit"],
		qos: of["QOS"], dependency: of["Dependency"], throttle: of["ArrayTaskThrottle"], command: of["SubmitLine"],
		name:     of["JobName"],
		switches: of["Switches"], tres: first(of, "AllocTRES", "Tres", "TRES", "ReqTRES"),
	}
	r.user, _, _ = strings.Cut(of["UserId"], "(")
	if digits(r.requested) { // minutes
		r.requested = count(60 * number(r.requested))
	}
	if r.group == "" {
		r.group, _, _ = strings.Cut(of["GroupId"], "(")
	}
	if r.processors == "" {
		r.processors, _, _ = strings.Cut(of["NumCPUs"], "-")
	}
	for _, name := range []string{"Tres", "TRES", "AllocTRES"} {
		if _, after, is := strings.Cut(of[name], "cpu="); is {
			r.processors, _, _ = strings.Cut(after, ",")
		}
	}
	if task := of["ArrayTaskId"]; digits(task) && digits(of["ArrayJobId"]) {
		r.id = of["ArrayJobId"] + "_" + task
	}
	if offset := of["HetJobOffset"]; digits(offset) && digits(of["HetJobId"]) {
		r.id = of["HetJobId"] + "+" + offset
	}
	switch of["OverSubscribe"] {
	case "NO":
		r.exclusive = "yes"
	case "USER", "MCS":
		r.exclusive = "user"
	}
	if r.name == "" {
		r.name = of["Name"]
	}
	if r.state == "RESIZING" {
		r.state = NotARun
	}
	return r
}

// isMaui recognises the 44 fields of a workload trace of Maui (administrator's guide, 16.3).
func isMaui(head []byte) bool {
	for line := range bytes.Lines(head) {
		if of := strings.Fields(string(line)); len(of) >= 40 && mauiStates[of[6]] != "" && digits(of[8]) {
			return true
		}
	}
	return false
}

var mauiStates = map[string]string{
	"Completed": "COMPLETED", "Removed": "CANCELLED", "NotRun": "CANCELLED",
	"Cancelled": "CANCELLED",
}

// maui reads the traces of Maui and Moab.
type maui struct{ row []byte }

func (*maui) last() []byte { return nil }

// line returns the row of a line, which is of fields between blanks; nil for a remark or the line of the version.
func (m *maui) line(line []byte) []byte {
	of := strings.Fields(string(line))
	if len(of) == 0 || of[0][0] == '#' || of[0] == "VERSION" {
		return nil
	}
	if len(of) < 40 {
		// too few columns: the table says so
		return append(m.row[:0], bytes.ReplaceAll(line, []byte("|"), []byte(" "))...)
	}
	r := row{
		id: of[0], processors: count(max(number(of[1]), number(of[2]))), user: of[3], group: of[4], requested: of[5],
		state: mauiStates[of[6]],
		queue: strings.Trim(of[7], "[]"), submit: of[8], start: of[10], end: of[11],
	}
	r.queue, _, _ = strings.Cut(r.queue, ":")
	m.row = r.append(m.row[:0])
	return m.row
}
