package field

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/trace"
	"parley/core/trace/simgrid"
	"parley/core/unit"
	"parley/core/workload"
)

// batsim is Batsim's workload: rigid jobs with profiles of their work.
var batsim = &dataset{
	name: "batsim", title: "Batsim's workloads", shape: workload.ShapeJobs,
	lacks:  "open a workload with jobs whose profiles are delays, or the platform beside it",
	assume: machineKind{cpu: 1_000},
	end:    (*collection).endGWF,
	with:   batsimPlatform,
	tables: []*schema{
		table("workload", "jobs! profiles! nb_res!", takeBatsim).lines(),
		// its profiles stand far behind
		table("workload", "jobs! profiles nb_res jobs.0.subtime! jobs.0.profile!", takeBatsim).lines(),
	},
}

// takeBatsim reads a whole workload: its profiles, resources and jobs. A platform read before it decides on the
// number of resources. The document is one row, so the jobs are counted as rows here.
func takeBatsim(c *collection, r *row) error {
	doc := gjson.ParseBytes(r.object)
	jobs, profiles := doc.Get("jobs"), doc.Get("profiles")
	resources := doc.Get("nb_res").Int()
	if !jobs.IsArray() || !profiles.IsObject() {
		return r.bad(-1, `is no workload of Batsim: it has no list "jobs" or no "profiles"`)
	}
	if resources < 1 || resources > maxNodes {
		return r.bad(2, "is no number of resources from 1 to 100000")
	}
	known := map[string]*profile{}
	profiles.ForEach(func(name, p gjson.Result) bool {
		known[name.String()] = &profile{doc: p}
		c.count("profiles", 1)
		return len(known) < c.options.MaxTasks
	})
	if p := c.platform; p != nil && p.hosts != resources {
		c.stated = append(c.stated,
			fmt.Sprintf("the workload was made for %d resources, and the platform has %d, which are taken", resources,
				p.hosts))
		resources = p.hosts
	}
	for i := range resources {
		c.hold(fmt.Sprintf("resource %d", i), machine{cpu: 1000, rack: -1})
	}
	var err error
	n, last := int64(0), unit.Time(0)
	jobs.ForEach(func(_, j gjson.Result) bool {
		n++
		var at unit.Time
		if at, err = c.batsimJob(r, j, known, resources, n); at < last {
			c.count("submitted_before_the_job_above", 1)
		}
		if at < unit.Forever { // else it is not played
			last = at
		}
		return err == nil
	})
	c.count("jobs", n)
	c.count("resources", resources)
	c.report.Rows += n - 1
	if n == 0 {
		c.report.Rows++
		c.leave("no_jobs", "workloads without jobs")
	}
	return err
}

// batsimJob reads the n-th job, from 1, and returns its submission; unit.Forever if that is too late to be played. A
// job that is too large, or whose profile cannot be played, is left out.
func (c *collection) batsimJob(r *row, j gjson.Result, profiles map[string]*profile, resources, n int64) (unit.Time,
	error,
) {
	bad := func(member, reason string) error {
		e := r.bad(-1, reason)
		e.Column, e.Value = fmt.Sprintf("jobs.%d.%s", n-1, member), shown([]byte(j.Get(member).Raw))
		return e
	}
	seconds := func(member string) (unit.Time, bool) {
		v := j.Get(member)
		t := unit.Time(v.Num * float64(unit.Second))
		return t, v.Type == gjson.Number && v.Num >= 0 && v.Num < maxSeconds
	}
	at, ok := seconds("subtime")
	if !ok && j.Get("subtime").Num >= maxSeconds {
		c.leave("late", reasonLate)
		return unit.Forever, nil
	}
	if !ok {
		return 0, bad("subtime", "is no time in seconds")
	}
	res := j.Get("res")
	if res.Type != gjson.Number || res.Num < 0 || res.Num != float64(res.Int()) {
		return 0, bad("res", "is no number of resources")
	}
	c.span(at)
	it := item{job: c.jobOf(j.Get("id").String()), submit: at, start: unknown}
	if j.Get("walltime").Exists() {
		if it.limit, ok = seconds("walltime"); !ok {
			if j.Get("walltime").Num >= 0 {
				return 0, bad("walltime", "is no time in seconds")
			}
			it.limit = 0 // -1: no limit
		}
	} else {
		c.count("jobs_without_walltime", 1)
	}
	var before []string // by convention: the format itself has no dependencies
	for _, member := range [...]string{"dependencies", "extra_data.dependencies"} {
		for _, id := range j.Get(member).Array() {
			before = append(before, id.String())
		}
	}
	does := profileOf(profiles, j.Get("profile").String())
	if does == nil {
		return 0, bad("profile", "is no profile of the workload")
	}
	c.count("jobs_of_"+strings.ToLower(does.kind), 1)
	if res.Int() > resources {
		c.leave("larger_than_machine", "larger than the machine")
		return at, nil
	}
	run, left := does.run(c.platform, res.Int())
	if left != nil {
		c.leave(left.name, left.text)
		return at, nil
	}
	return at, c.follow(r, 0, j.Get("id").String(), before, it, int64(run), res.Int())
}

// profile is the work of a job. It computes, if at all, on one core of each of its hosts.
type profile struct {
	doc       gjson.Result
	kind      string
	delay     unit.Time
	each      float64 // flop that each process computes
	spread    float64 // flop that all processes compute together
	processes int     // how many there are; 0: one for each resource of the job
	other     bool    // it does something else: it communicates, or replays a trace of messages
	visited   bool
}

// profileOf returns a profile; nil if there is none of that name. One that is a part of itself does
// something else.
func profileOf(profiles map[string]*profile, name string) *profile {
	p := profiles[name]
	if p == nil || p.visited {
		return p
	}
	p.visited, p.other = true, true
	switch p.kind = p.doc.Get("type").String(); p.kind {
	case "delay", "DelayProfile":
		if v := p.doc.Get("delay").Num; v >= 0 {
			p.delay, p.other = unit.Time(min(v, 2*longestRun.Seconds())*float64(unit.Second)), false
		}
	case "composed", "SequentialCompositionProfile":
		p.compose(profiles)
	case "parallel_homogeneous", "ptask_homogeneous", "msg_par_hg", "ParallelTaskHomogeneousProfile":
		p.compute(strings.Contains(folded(p.doc.Get("generation_strategy").String()), "spread"))
	case "parallel_homogeneous_total", "msg_par_hg_tot":
		p.compute(true)
	case "parallel", "msg_par", "ParallelTaskProfile":
		p.other = !only(p.doc.Get("com"), 0)
		for _, cpu := range p.doc.Get("cpu").Array() {
			p.each = max(p.each, cpu.Num)
			p.processes++
		}
	case "":
		p.kind = "no_type"
	}
	return p
}

// compute makes a profile of homogeneous processes, whose amounts are each one's or their sum.
func (p *profile) compute(spread bool) {
	cpu := p.doc.Get("cpu").Num
	if spread {
		p.spread = cpu
	} else {
		p.each = cpu
	}
	p.other = cpu < 0 || !only(p.doc.Get("com"), 0)
}

// compose makes a profile of others, one after another.
func (p *profile) compose(profiles map[string]*profile) {
	repeat := max(1, min(p.doc.Get("repeat").Int(), 1<<30))
	for _, part := range p.doc.Get("seq").Array() {
		q := profileOf(profiles, part.String())
		if q == nil || q.other || p.processes > 0 && q.processes > 0 && p.processes != q.processes {
			return
		}
		p.delay = min(p.delay+q.delay, 2*longestRun)
		p.each, p.spread = p.each+q.each, p.spread+q.spread
		p.processes = max(p.processes, q.processes)
	}
	if p.delay > 2*longestRun/unit.Time(repeat) {
		p.delay = 2 * longestRun
	} else {
		p.delay *= unit.Time(repeat)
	}
	p.each, p.spread, p.other = p.each*float64(repeat), p.spread*float64(repeat), false
}

// only reports whether a number, or each number of a list, is n; an absent one is 0.
func only(v gjson.Result, n float64) bool {
	if !v.IsArray() {
		return v.Num == n
	}
	for _, one := range v.Array() {
		if one.Num != n {
			return false
		}
	}
	return true
}

// leftOut is why a job is left out.
type leftOut struct{ name, text string }

var (
	needsPlatform = &leftOut{
		"needs_a_platform",
		"jobs whose run time follows from the speed of a platform, which was not given (profiles that are no delays)",
	}
	needsNetwork = &leftOut{
		"needs_a_network", "jobs that communicate or replay a trace of messages, which is not played",
	}
	needsHosts = &leftOut{
		"needs_equal_hosts",
		"jobs whose run time depends on their hosts, because the platform has hosts of several speeds",
	}
	otherProcesses = &leftOut{
		"other_processes", "jobs whose profile has another number of processes than they have resources",
	}
	tooLong = &leftOut{"too_long", "jobs of more than ten years"}
)

// run returns how long a job with a number of resources runs, or why that is not known.
func (p *profile) run(on *platform, resources int64) (unit.Time, *leftOut) {
	computes := p.each > 0 || p.spread > 0
	switch {
	case (p.other || computes) && on == nil:
		return 0, needsPlatform
	case p.other:
		return 0, needsNetwork
	case p.processes > 0 && int64(p.processes) != resources:
		return 0, otherProcesses
	case p.delay > longestRun:
		return 0, tooLong
	case !computes:
		return p.delay, nil
	case on.speed == 0:
		return 0, needsHosts
	}
	seconds := (p.each + p.spread/float64(max(1, resources))) / on.speed
	if !(seconds+p.delay.Seconds() <= longestRun.Seconds()) {
		return 0, tooLong
	}
	return p.delay + unit.Time(seconds*float64(unit.Second)), nil
}

// platform is where the jobs of Batsim run.
type platform struct {
	hosts int64
	speed float64 // flop/s of each host; 0 if they differ
}

// batsimPlatform is SimGrid's description of the hosts.
var batsimPlatform = &schema{name: "platform", whole: &wholeFile{
	is:   func(h *trace.Head) bool { return simgrid.Detect(h.Bytes) },
	take: (*collection).takePlatform,
}}

// takePlatform takes the hosts that compute: all but that of Batsim itself and those that store.
func (c *collection) takePlatform(f trace.File, report *trace.FileReport, m *trace.Meter) error {
	if c.platform != nil {
		return &trace.Error{
			Kind: trace.WrongTable, File: f.Name, Reason: "is a second platform",
			Hint: "open the workload with one of them",
		}
	}
	p, err := simgrid.ReadFile(f, m)
	if err != nil {
		return err
	}
	report.Rows, report.Notes = int64(len(p.Hosts)), append(report.Notes, p.Notes...)
	var on platform
	for _, h := range p.Hosts {
		switch {
		case h.Role == "master" || h.Role == "" && h.Name == "master_host":
			c.count("master_hosts", 1)
			continue
		case h.Role == "storage":
			c.count("storage_hosts", 1)
			continue
		}
		if on.hosts++; on.hosts == 1 {
			on.speed = h.Speed
		} else if on.speed != h.Speed {
			on.speed = 0
		}
	}
	if on.hosts == 0 || on.hosts > maxNodes {
		return &trace.Error{
			Kind: trace.Empty, File: f.Name, Reason: fmt.Sprintf("has %d hosts that compute", on.hosts),
			Hint: fmt.Sprintf("open one with 1 to %d", maxNodes),
		}
	}
	c.platform = &on
	c.count("hosts", on.hosts)
	return nil
}
