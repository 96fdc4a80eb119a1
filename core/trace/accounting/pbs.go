package accounting

import (
	"strings"
)

// isPBS recognises 03/02/2026 10:50:00;E;41.srv;user=ann …, perhaps behind the name of a file
// that grep wrote.
func isPBS(head []byte) bool {
	_, kind, _, _, ok := pbsRecord(string(firstRecord(head)))
	return ok && len(kind) == 1
}

// pbsRecord divides a record into its four parts.
func pbsRecord(line string) (when, kind, id, rest string, ok bool) {
	if name, after, is := strings.Cut(line, ":"); is && len(name) == 8 && digits(name) {
		line = after
	}
	const form = "00/00/0000 00:00:00"
	when, line, _ = strings.Cut(line, ";")
	kind, line, ok = strings.Cut(line, ";")
	if !ok || len(when) != len(form) {
		return "", "", "", "", false
	}
	for i, at := range []byte(when) {
		if c := form[i]; c == '0' && (at < '0' || at > '9') || c != '0' && at != c {
			return "", "", "", "", false
		}
	}
	id, rest, _ = strings.Cut(line, ";")
	return when, kind, id, rest, true
}

// pbs reads the records of PBS, Torque and OpenPBS. E ends a job and R a run of one that is
// run again; all others are about other events.
type pbs struct {
	row     []byte
	depends map[string]string // by id, of Q records: not every release repeats it at the end
}

// maxDepends limits the dependencies that are kept until their jobs end.
const maxDepends = 1 << 20

func (*pbs) last() []byte { return nil }

// line returns the row of a record; nil for a blank line or a remark. Only E and R records are runs. The dependency
// of a Q record is kept for the end of its job.
func (p *pbs) line(line []byte) []byte {
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	_, kind, id, rest, ok := pbsRecord(string(line))
	var r row
	switch {
	case !ok:
		return append(p.row[:0], line...) // too few columns: the table says so
	case kind == "Q" && len(p.depends) < maxDepends && strings.Contains(rest, "depend="):
		if p.depends == nil {
			p.depends = map[string]string{}
		}
		r = row{id: pbsID(id), state: NotARun}
		p.depends[r.id] = attributes(rest)["depend"]
	case kind != "E" && kind != "R" || strings.Contains(id, "[]"): // the array itself has no run
		r = row{id: pbsID(id), state: NotARun}
	default:
		r = pbsRun(kind, id, attributes(rest))
		if kept, is := p.depends[r.id]; is && r.dependency == "" {
			r.dependency = kept
		}
		if kind == "E" {
			delete(p.depends, r.id)
		}
	}
	p.row = r.append(p.row[:0])
	return p.row
}

// pbsID returns the id of 41.srv, 41[7].srv and 41-7.
func pbsID(id string) string {
	id, _, _ = strings.Cut(id, ".")
	whole, part, is := strings.Cut(strings.TrimSuffix(id, "]"), "[")
	if !is {
		whole, part, is = strings.Cut(id, "-")
	}
	if is && digits(whole) && digits(part) {
		return whole + "_" + part
	}
	return whole
}

// pbsRun is the run of an E or R record.
func pbsRun(kind, id string, of map[string]string) row {
	r := row{
		id: pbsID(id), start: of["start"], end: of["end"], processors: count(pbsProcessors(of)),
		requested: of["Resource_List.walltime"],
		user:      of["user"], group: of["group"], queue: of["queue"], state: "COMPLETED",
		memory:     of["Resource_List.mem"],
		dependency: of["depend"], throttle: of["max_run_subjobs"], exclusive: of["Resource_List.place"],
	}
	for _, gpus := range []int64{
		number(of["Resource_List.ngpus"]), inChunks(of["exec_vnode"], "ngpus="),
		inChunks(of["Resource_List.select"], "ngpus="), inChunks(of["Resource_List.nodes"], "gpus="),
	} {
		if gpus > 0 && r.tres == "" {
			r.tres = "gres/gpu=" + count(gpus)
		}
	}
	for _, name := range []string{"exec_vnode", "Resource_List.select"} {
		if r.memory == "" {
			r.memory = count(inChunks(of[name], "mem="))
		}
	}
	for _, name := range []string{"ctime", "qtime", "etime"} { // created, queued, eligible
		if r.submit == "" {
			r.submit = of[name]
		}
	}
	switch exit := of["Exit_status"]; {
	case r.start == "" || r.start == "0":
		r.state = "CANCELLED"
	case kind == "R":
		r.state = "REQUEUED"
	case exit == "271": // 256 and the signal TERM
		r.state = "KILLED"
	case exit != "0" && exit != "":
		r.state = "FAILED"
	}
	return r
}

// attributes returns the values of name=value pairs. Values may hold blanks: a pair begins
// where a blank is followed by a name and an equals sign.
func attributes(text string) map[string]string {
	of := map[string]string{}
	name, from := "", 0
	for i := 0; i <= len(text); i++ {
		if i > 0 && i < len(text) && text[i-1] != ' ' {
			continue
		}
		n := i
		for n < len(text) && isNameByte(text[n]) {
			n++
		}
		begins := n > i && n < len(text) && text[n] == '='
		if !begins && i < len(text) {
			continue
		}
		if name != "" {
			if _, twice := of[name]; !twice {
				of[name] = strings.Trim(text[from:i], " \"")
			}
		}
		if begins {
			name, from = text[i:n], n+1
		}
	}
	return of
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == ':'
}

// pbsProcessors returns the processors of a job from the best source: the granted ones, then the
// requested ones. Resource_List.ncpus comes after nodes, because beside nodes=1:ppn=4 it is 1.
func pbsProcessors(of map[string]string) int64 {
	for _, n := range []int64{
		chunks(of["exec_vnode"], ""), execHosts(of["exec_host"]), number(of["total_execution_slots"]),
		chunks(of["Resource_List.select"], "ncpus"), nodes(of["Resource_List.nodes"]),
		number(of["Resource_List.ncpus"]),
		nodes(of["Resource_List.neednodes"]), number(of["Resource_List.procs"]),
	} {
		if n > 0 {
			return n
		}
	}
	return 0
}

func number(text string) (n int64) {
	addNumber(&n, text)
	return n
}

// chunks sums ncpus over (n1:ncpus=4:mem=2gb)+(n2:ncpus=8) or 2:ncpus=4+1:ncpus=8, in which a
// chunk without ncpus has one processor if each says so.
func chunks(text, each string) (n int64) {
	for chunk := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '+' || c == '(' || c == ')' }) {
		parts := strings.Split(chunk, ":")
		times, processors := int64(1), int64(0)
		if each != "" {
			processors = 1
			if digits(parts[0]) {
				times = number(parts[0])
			}
		}
		for _, part := range parts {
			if v, is := strings.CutPrefix(part, "ncpus="); is {
				processors = number(v)
			}
		}
		n += times * processors
	}
	return n
}

// inChunks sums an amount over chunks such as (n1:ncpus=4:mem=2gb)+(n2:ncpus=8) or 2:ncpus=4:mem=2gb+1:ncpus=8, or over
// nodes=2:ppn=4:gpus=1. Memory is in bytes.
func inChunks(text, name string) (n int64) {
	for chunk := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '+' || c == '(' || c == ')' }) {
		parts := strings.Split(chunk, ":")
		times := int64(1)
		if digits(parts[0]) {
			times = number(parts[0])
		}
		for _, part := range parts {
			amount, is := strings.CutPrefix(part, name)
			if !is {
				continue
			}
			end := 0
			for end < len(amount) && amount[end] >= '0' && amount[end] <= '9' {
				end++
			}
			each, known := number(amount[:end]), true
			for factor := strings.IndexByte("bkmgtp", (strings.ToLower(amount[end:]) + "b")[0]); factor != 0; factor-- {
				if known = factor > 0 && each < 1<<43; !known {
					break
				}
				each <<= 10
			}
			if known && times < 1<<20 && each < 1<<50/max(1, times) {
				n += times * each
			}
		}
	}
	return n
}

// execHosts counts n/3 as one, n/0-3,8 as five, n/0*13 as thirteen and n/0*0 as none.
func execHosts(text string) (n int64) {
	for host := range strings.SplitSeq(text, "+") {
		_, slots, is := strings.Cut(host, "/")
		if _, times, many := strings.Cut(slots, "*"); many {
			addNumber(&n, times)
			continue
		}
		for part := range strings.SplitSeq(slots, ",") {
			from, to, several := strings.Cut(part, "-")
			switch {
			case !is || !digits(from):
			case several && digits(to):
				n += max(0, number(to)-number(from)+1)
			default:
				n++
			}
		}
	}
	return n
}

// nodes counts the processors of nodes=2:ppn=4+1:ppn=8 or of nodes=n1:ppn=4+n2.
func nodes(text string) (n int64) {
	if text == "" {
		return 0
	}
	for part := range strings.SplitSeq(text, "+") {
		words := strings.Split(part, ":")
		times, each := int64(1), int64(1)
		if digits(words[0]) {
			times = number(words[0])
		}
		for _, w := range words[1:] {
			if v, is := strings.CutPrefix(w, "ppn="); is {
				each = number(v)
			}
		}
		n += times * each
	}
	return n
}
