package accounting

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/trace"
)

// object makes the rows of a log in JSON out of its objects.
type object interface {
	// take returns the row of an object; false: it ends none.
	take(name string, o gjson.Result) (row, bool)
	// rest appends the remaining rows at the end.
	rest(out []byte) []byte
}

// each makes a row of every object.
type each func(name string, o gjson.Result) row

func (e each) take(name string, o gjson.Result) (row, bool) { return e(name, o), true }
func (each) rest(out []byte) []byte                         { return out }

// documents are the logs in JSON, by the members that their first object has.
var documents = []struct {
	name, title string
	has         []string
	columns     []string
	objects     func() object
}{
	{"sacct-json", "what sacct --json prints", []string{"job_id", "time.submission"}, timed, of(sacctJob)},
	{
		"squeue-json", "what squeue --json prints",
		[]string{"job_id", "submit_time", "job_state"},
		columns, of(squeueJob),
	},
	{"flux", "what flux jobs --json prints", []string{"t_submit", "id"}, columns, of(fluxJob)},
	{"oarstat-json", "what oarstat -J prints", []string{"submissionTime", "state"}, columns, of(oarObject)},
	{
		"oarstat-json", "what oarstat -J prints",
		[]string{"submission_time", "assigned_resources"},
		columns, of(oarObject),
	},
	{
		"qstat-json", "what qstat -f -F json prints",
		[]string{"Job_Name", "job_state", "ctime"},
		columns,
		of(qstatObject),
	},
	{
		"htcondor-events", "HTCondor's log of events",
		[]string{"EventTypeNumber", "EventTime"},
		columns,
		func() object { return &jsonEvents{} },
	},
	{"htcondor-json", "HTCondor's ads in JSON", []string{"ClusterId", "QDate"}, columns, of(condorObject)},
}

// of makes a row of every object.
func of(job func(name string, o gjson.Result) row) func() object {
	return func() object { return each(job) }
}

// isDocument recognises a log in JSON.
func isDocument(head []byte) bool { return document(head) != nil }

// document returns the format of a log in JSON, by the members of its first object or of the first one of a list in
// it; nil if it is none.
func document(head []byte) *Log {
	text := bytes.TrimSpace(head)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	for _, list := range append([]trace.List{{}}, trace.Lists(text)...) {
		object := trace.FirstOf(text, list)
		if object == nil {
			continue
		}
		o := gjson.ParseBytes(object)
		for _, d := range documents {
			if has(o, d.has) {
				return &Log{
					Name: d.name, Title: d.title, Columns: d.columns, Note: notes[d.name], list: list,
					objects: d.objects,
				}
			}
		}
	}
	return nil
}

// has reports whether an object has all of these members; a name may be a path.
func has(o gjson.Result, names []string) bool {
	for _, name := range names {
		if !o.Get(name).Exists() {
			return false
		}
	}
	return true
}

// objectTable returns the rows of objects, each on the line on which its object begins, or on a later one if
// several begin on one.
func (l *Log) objectTable(in io.Reader) io.Reader {
	if l.yaml {
		in = &items{in: bufio.NewReaderSize(in, 64<<10)}
	}
	objects, err := trace.OpenList(trace.File{
		Name: l.File, Size: -1,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil },
	}, trace.NewMeter(nil, nil), l.list)
	return &objectRows{objects: objects, of: l.objects(), err: err, line: 1}
}

// objectRows hands out the rows of objects.
type objectRows struct {
	objects *trace.Objects
	of      object
	line    int64  // of the next row
	made    []byte // rows to be handed out
	kept    []byte
	err     error
}

// Read implements io.Reader: it returns the rows as text. Empty lines before a row keep the numbers of lines those
// of the file. Text that is not valid JSON becomes a line with too few columns, so that the table reports it.
func (r *objectRows) Read(p []byte) (int, error) {
	for len(r.made) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.kept = r.kept[:0]
		if r.err = r.objects.Next(); r.err != nil {
			if r.err == io.EOF {
				if r.kept = r.of.rest(r.kept); len(r.kept) > 0 {
					r.kept = append(r.kept, '\n')
				}
			}
			r.made = r.kept
			continue
		}
		for ; r.line < r.objects.Line(); r.line++ {
			r.kept = append(r.kept, '\n')
		}
		text := r.objects.Text()
		if !gjson.ValidBytes(text) {
			for _, c := range text[:min(len(text), longestPrefix)] { // too few columns: the table says so
				if c == '|' || c < ' ' {
					c = ' '
				}
				r.kept = append(r.kept, c)
			}
			r.kept = append(r.kept, '\n')
			r.line++
		} else if row, is := r.of.take(r.objects.Name(), gjson.ParseBytes(text)); is {
			r.kept = append(row.append(r.kept), '\n')
			r.line++
		}
		r.made = r.kept
	}
	n := copy(p, r.made)
	r.made = r.made[n:]
	return n, nil
}

// flat returns the members of an object as texts, those of an object in it by their path. The elements of a
// list have + between them.
func flat(o gjson.Result) map[string]string {
	of := map[string]string{}
	flatten(of, "", o)
	return of
}

// flatten adds the members of o to of, with path before their names; maxPairs at most.
func flatten(of map[string]string, path string, o gjson.Result) {
	o.ForEach(func(name, value gjson.Result) bool {
		switch {
		case len(of) >= maxPairs || len(path) > longestPrefix:
			return false
		case value.IsObject():
			flatten(of, path+name.Str+".", value)
		case value.IsArray():
			var parts []string
			value.ForEach(func(_, v gjson.Result) bool { parts = append(parts, plainText(v)); return true })
			of[path+name.Str] = strings.Join(parts, "+")
		default:
			of[path+name.Str] = plainText(value)
		}
		return true
	})
}

// plainText returns a value as a text; a number as it is written.
func plainText(v gjson.Result) string {
	switch v.Type {
	case gjson.Null:
		return ""
	case gjson.Number:
		return v.Raw
	}
	return v.String()
}

// set returns a number that may be written as {"set":true,"number":5}; "" if it is not set.
func set(v gjson.Result) string {
	if v.IsObject() {
		if v.Get("infinite").Bool() || v.Get("set").Exists() && !v.Get("set").Bool() {
			return ""
		}
		v = v.Get("number")
	}
	return plainText(v)
}

// moment returns a time; 0 stands for none.
func moment(v gjson.Result) string {
	if t := set(v); t != "0" {
		return t
	}
	return ""
}

// inSeconds converts minutes to seconds. No limit, 0 and Slurm's numbers for none, gives ""; a text that is not a
// number is returned as it is.
func inSeconds(minutes string) string {
	if n, err := strconv.ParseInt(minutes, 10, 64); err == nil && n > 0 && n < 1<<32-2 {
		return strconv.FormatInt(60*n, 10)
	}
	if digits(minutes) { // none, or Slurm's numbers for no limit
		return ""
	}
	return minutes
}

// stateIn returns a state that may be a list.
func stateIn(v gjson.Result) string {
	if v.IsArray() {
		return v.Get("0").String()
	}
	return v.String()
}

// slurmID returns the id of a job: 17_4 for an element of an array, 18+1 for a component of a heterogeneous job, else
// id. An array or het of "" or "0" means none.
func slurmID(id, array, element, het, offset string) string {
	switch {
	case element != "" && array != "" && array != "0":
		return array + "_" + element
	case offset != "" && het != "" && het != "0":
		return het + "+" + offset
	}
	return id
}

// cpusIn returns the processors of a list such as cpu=4,mem=8G.
func cpusIn(tres string) string {
	for part := range strings.SplitSeq(tres, ",") {
		if n, is := strings.CutPrefix(part, "cpu="); is {
			return n
		}
	}
	return ""
}

// tresIn returns the memory, nodes and GPUs of a list of resources as sacct's text spells them; memory is in MiB.
func tresIn(list gjson.Result) string {
	var parts []string
	list.ForEach(func(_, t gjson.Result) bool {
		kind, of := t.Get("type").String(), t.Get("name").String()
		switch n := set(t.Get("count")); {
		case kind == "mem" && n != "":
			parts = append(parts, "mem="+n+"M")
		case kind == "node" && n != "":
			parts = append(parts, "node="+n)
		case kind == "gres" && strings.HasPrefix(of, "gpu") && n != "":
			parts = append(parts, "gres/"+of+"="+n)
		}
		return true
	})
	return strings.Join(parts, ",")
}

// sacctJob makes a row of a job of sacct --json or of slurmdbd in slurmrestd. The run time of a job that has not
// ended is left out. The processors are the allocated ones, or the requested ones if none are.
func sacctJob(_ string, o gjson.Result) row {
	number := func(path string) string { return set(o.Get(path)) }
	r := row{
		id: slurmID(number("job_id"), number("array.job_id"), number("array.task_id"), number("het.job_id"),
			number("het.job_offset")),

		submit: moment(o.Get("time.submission")), start: moment(o.Get("time.start")), end: moment(o.Get("time.end")),
		runtime: number("time.elapsed"), timed: true, requested: inSeconds(number("time.limit")),

		user: o.Get("user").String(), group: o.Get("account").String(), queue: o.Get("partition").String(),
		state: stateIn(o.Get("state.current")),

		qos: o.Get("qos").String(), command: o.Get("submit_line").String(), name: o.Get("name").String(),
		tres:     tresIn(o.Get("tres.allocated")),
		throttle: number("array.limits.max.running.tasks"),
	}
	if !strings.Contains(r.tres, "mem=") { // MiB of a processor or of a node
		if n := moment(o.Get("required.memory_per_cpu")); n != "" {
			r.memory = n + "Mc"
		} else if n := moment(o.Get("required.memory_per_node")); n != "" {
			r.memory = n + "Mn"
		}
	}
	if r.user == "" {
		r.user = o.Get("association.user").String()
	}
	o.Get("tres.allocated").ForEach(func(_, t gjson.Result) bool {
		if t.Get("type").String() == "cpu" {
			r.processors = set(t.Get("count"))
		}
		return r.processors == ""
	})
	if r.processors == "" || r.processors == "0" {
		r.processors = set(o.Get("required.CPUs"))
	}
	if r.state == "RUNNING" || r.state == "PENDING" {
		r.runtime = ""
	}
	return r
}

// squeueJob makes a row of a job of squeue --json or of slurmctld in slurmrestd. The end of a job that runs is
// its limit.
func squeueJob(_ string, o gjson.Result) row {
	number := func(path string) string { return set(o.Get(path)) }
	r := row{
		id: slurmID(number("job_id"), number("array_job_id"), number("array_task_id"), number("het_job_id"),
			number("het_job_offset")),

		submit: moment(o.Get("submit_time")), start: moment(o.Get("start_time")), end: moment(o.Get("end_time")),
		processors: cpusIn(o.Get("tres_alloc_str").String()), requested: inSeconds(number("time_limit")),

		user: plainText(o.Get("user_name")), group: o.Get("account").String(), queue: o.Get("partition").String(),
		state: stateIn(o.Get("job_state")),

		qos: o.Get("qos").String(), dependency: o.Get("dependency").String(), throttle: number("array_max_tasks"),
		exclusive: stateIn(o.Get("exclusive")), name: o.Get("name").String(), tres: o.Get("tres_alloc_str").String(),
	}
	if r.processors == "" {
		r.processors = set(o.Get("cpus"))
	}
	if r.user == "" {
		r.user = plainText(o.Get("user_id"))
	}
	if r.switches = number("required_switches"); digits(r.switches) && digits(number("maximum_switch_wait_time")) {
		r.switches += "@0:0:" + number("maximum_switch_wait_time")
	}
	return r
}

// The states and results of Flux as numbers (RFC 21).
var (
	fluxStates = map[string]string{
		"1": "PENDING", "2": "PENDING", "4": "PENDING", "8": "PENDING", "16": "RUNNING",
		"32": "RUNNING", "64": "INACTIVE",
	}
	fluxResults = map[string]string{
		"1": "COMPLETED", "2": "FAILED", "4": "CANCELLED", "8": "TIMEOUT",
		"CANCELED": "CANCELLED",
	}
)

// fluxJob makes a row of a job of flux jobs --json. The job runs until its cleanup begins; a duration of 0 means no
// limit. One that became inactive without a start counts as cancelled.
func fluxJob(_ string, o gjson.Result) row {
	of := flat(o)
	text := func(names ...string) string { return first(of, names...) }
	r := row{
		id: text("id"), submit: text("t_submit"), start: text("t_run"), end: text("t_cleanup", "t_inactive"),
		processors: text("ncores", "ntasks"), requested: text("duration"),
		user: text("username", "userid"), group: text("project"), queue: text("queue", "annotations.sched.queue"),
	}
	if amount, err := strconv.ParseFloat(r.requested, 64); err == nil && amount <= 0 {
		r.requested = ""
	}
	state, result := text("state"), text("result")
	if number := fluxStates[state]; number != "" {
		state = number
	}
	switch {
	case state == "RUN" || state == "CLEANUP" || state == "RUNNING":
		r.state = "RUNNING"
	case state != "INACTIVE":
		r.state = "PENDING"
	case r.start == "":
		r.state = "CANCELLED"
	case fluxResults[result] != "":
		r.state = fluxResults[result]
	default:
		r.state = result
	}
	return r
}

func oarObject(name string, o gjson.Result) row   { return oarJob(name, flat(o)) }
func qstatObject(name string, o gjson.Result) row { return qstatJob(name, flat(o)) }
func condorObject(_ string, o gjson.Result) row   { return condor(flat(o)) }

// jsonEvents reads HTCondor's events as JSON.
type jsonEvents struct{ events }

func (e *jsonEvents) take(_ string, o gjson.Result) (row, bool) {
	return e.events.take(adEvent(flat(o)))
}

// adsInXML returns a reader of HTCondor's ads in XML. An ad with an EventTypeNumber is an event, which makes a row
// when the run that it ends is complete; each other ad is a job.
func adsInXML() records {
	var of events
	e := &elements{begins: "<c>", ends: "</c>"}
	e.of = func(ad map[string]string) (row, bool) {
		if ad["EventTypeNumber"] != "" {
			return of.take(adEvent(ad))
		}
		return condor(ad), true
	}
	e.rest = func() []byte { return of.rest(nil) }
	return e
}

// jobsInXML reads the jobs of qstat -x, whose times are seconds since 1970.
func jobsInXML() records {
	return &elements{
		begins: "<Job>", ends: "</Job>",
		of: func(of map[string]string) (row, bool) { return qstatJob(of["Job_Id"], of), true },
	}
}
