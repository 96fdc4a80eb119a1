package field

import (
	"github.com/tidwall/gjson"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// philly is Microsoft's trace of 2017: jobs that hold GPUs of one or several machines at once,
// with each attempt. Times are those of clocks in the Pacific zone.
var philly = &dataset{
	name: "philly2017", title: "Microsoft's Philly trace of 2017", shape: workload.ShapeJobs,
	lacks:      "open cluster_job_log as well",
	sinceFirst: true,
	assume:     machineKind{cpu: 8_000, about: "each has 8 GPUs"},
	end:        (*collection).endPhilly,
	tables: []*schema{
		table("cluster_machine_list", "machineId! number~of~GPUs! single~GPU~mem|single~GPU~memory!",
			takePhillyMachine),
		table("cluster_job_log", "jobid! attempts! submitted_time! status user vc", takePhillyJob).lines(),
		table("cluster_gpu_util", "time! machineId! gpu0_util!", nil),
		table("cluster_cpu_util", "time! machine_id! cpu_util!", nil),
		table("cluster_mem_util", "time! machine_id! mem_total! mem_free!", nil),
	},
}

func takePhillyMachine(c *collection, r *row) error {
	const ( // columns of the table
		colMachineID    = 0
		colGPUs         = 1
		colSingleGPUMem = 2
	)
	gpus, err := r.count(colGPUs, 1000)
	if err != nil {
		return err
	}
	if gpus < 1 {
		return r.bad(colGPUs, "is no number of GPUs")
	}
	c.hold(r.text(colMachineID), machine{cpu: gpus * 1000, gpu: gpus, model: "GPUs of " + r.text(colSingleGPUMem), rack: -1})
	return nil
}

// pacific parses a time of a clock that was put back by an hour on 5 November 2017.
func pacific(text string) (t unit.Time, known, ok bool) {
	t, known, ok = clock(text)
	if known && text >= "2017-11-05 02:00:00" && text < "2018-03-11 02:00:00" {
		t += unit.Hour
	}
	return t, known, ok
}

// clock parses a time such as 2017-10-07 01:12:09, as a time since 1970 by the same clock.
func clock(text string) (t unit.Time, known, ok bool) {
	if isNone([]byte(text)) {
		return unknown, false, true
	}
	var n [6]int64
	if len(text) < 19 {
		return 0, false, false
	}
	for i, from := range [6]int{0, 5, 8, 11, 14, 17} {
		width := 2
		if i == 0 {
			width = 4
		}
		v, reason := trace.Whole([]byte(text[from:from+width]), 9999)
		if reason != "" {
			return 0, false, false
		}
		n[i] = int64(v)
	}
	if n[0] < 1970 || n[0] > 2200 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 24 || n[4] > 59 ||
		n[5] > 60 {
		return 0, false, false
	}
	y, m := n[0], n[1]
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + n[2] - 1 - 719468
	t = unit.Time(days)*unit.Day + unit.Time(n[3])*unit.Hour + unit.Time(n[4])*unit.Minute + unit.Time(n[5])*unit.Second
	return t, true, true
}

// attempts of a job, and the machines that they saw.
type attempts struct {
	gpus, machines int64
	run            unit.Time
	first          unit.Time // start of the first
	placed         int64
	open           bool // the last had not ended
	gaps           int64
}

// takePhillyJob reads a job with its attempts. It becomes one run, from the start of the first attempt, of the
// sum of their durations, with the most GPUs that an attempt had. Jobs that had not ended are left out.
func takePhillyJob(c *collection, r *row) error {
	const ( // columns of the table
		colJobID         = 0
		colAttempts      = 1
		colSubmittedTime = 2
		colStatus        = 3
		colUser          = 4
	)
	submitted, known, ok := pacific(r.text(colSubmittedTime))
	if !ok {
		return r.bad(colSubmittedTime, "is no time such as 2017-10-07 01:12:09")
	}
	list := gjson.ParseBytes(r.cells[1])
	if !list.IsArray() {
		return r.bad(colAttempts, "is no list of attempts")
	}
	a := attempts{first: unknown}
	var reason string
	list.ForEach(func(_, attempt gjson.Result) bool {
		reason = a.add(c, attempt)
		return reason == ""
	})
	if reason != "" {
		return r.bad(colAttempts, reason)
	}
	if !known && a.placed > 0 {
		submitted = a.first
		c.repair("no_submission", "jobs without a time of submission, which arrive when their first attempt started", 1)
	}
	c.span(submitted)
	c.state(r.text(colStatus))
	c.count("submissions", 1)
	c.count("attempts", a.placed)
	c.count("jobs_on_several_machines", map[bool]int64{true: 1}[a.machines > 1])
	c.repair("gaps_in_attempts", "attempts without a start or an end in the log, which add nothing to a run", a.gaps)
	switch {
	case a.placed == 0:
		c.leave("never_placed", "jobs that were submitted and never placed: no attempt, or none with a start")
		return nil
	case a.gpus == 0:
		c.leave("no_gpu", "jobs whose attempts name no GPU")
		return nil
	case a.run <= 0 && !a.open:
		c.leave("never_ran", "jobs whose attempts all ended as they began, or whose ends are not in the log")
		return nil
	case a.open:
		c.leave("not_ended", "jobs that had not ended when the log was taken: how long they run is not known")
		return nil
	}
	if a.placed > 1 {
		c.count("jobs_with_several_attempts", 1)
	}
	return c.add(r, item{
		job: c.jobOf(r.text(colJobID)), count: 1, cpu: a.gpus * 1000, gpu: int32(a.gpus * 1000), machine: -1,
		user: c.userOf(r.text(colUser)), submit: submitted, start: max(submitted, a.first),
		end: max(submitted, a.first) + a.run,
	})
}

// add adds an attempt of the log and returns why it is invalid, or "". An attempt without a start or an end adds no
// run time. It notes the most GPUs held in a machine.
func (a *attempts) add(c *collection, attempt gjson.Result) (reason string) {
	start, began, ok := pacific(attempt.Get("start_time").String())
	end, ended, fine := pacific(attempt.Get("end_time").String())
	if !ok || !fine {
		return "has an attempt whose start or end is no time such as 2017-10-07 01:12:09"
	}
	if a.open { // only the last attempt can go on
		a.open = false
		a.gaps++
	}
	gpus, machines := int64(0), int64(0)
	attempt.Get("detail").ForEach(func(_, on gjson.Result) bool {
		n := int64(0)
		on.Get("gpus").ForEach(func(_, _ gjson.Result) bool { n++; return true })
		if ip := on.Get("ip").String(); ip != "" && n > 0 && n <= 1000 {
			m := &c.machines[c.machineOf(ip)]
			m.held = max(m.held, n)
		}
		gpus += n
		machines++
		return true
	})
	if gpus > 1<<20 {
		return "has an attempt with more than a million GPUs"
	}
	if !began {
		if gpus > 0 {
			a.gaps++
		}
		return ""
	}
	a.placed++
	a.gpus, a.machines = max(a.gpus, gpus), max(a.machines, machines)
	if a.first == unknown {
		a.first = start
	}
	switch {
	case !ended:
		a.open = true
		return ""
	case end < start && end+unit.Hour >= start:
		end += unit.Hour // within the hour that was there twice
	case end < start:
		return "has an attempt that ends before it starts"
	}
	a.open = false
	a.run += end - start
	return ""
}

// endPhilly gives machines at least the GPUs that jobs held in them.
func (c *collection) endPhilly() error {
	repaired, example := int64(0), ""
	for i := range c.machines {
		m := &c.machines[i]
		switch {
		case m.used:
			m.gpu = max(m.held, 1)
		case m.held > m.gpu:
			m.gpu = m.held
			if repaired++; example == "" {
				example = m.name
			}
		}
		m.cpu, m.memory = m.gpu*1000, 0
	}
	if repaired > 0 {
		c.repair("machines_repaired", "machines that are listed with fewer GPUs than a job held in them, such as "+
			example+", which have as many as were held", repaired)
	}
	if len(c.items) > 0 {
		c.stated = append(c.stated,
			"processors are GPUs: a job holds all of its GPUs at once, where gang.place puts them, for the sum of its attempts; neither CPU nor memory is recorded",
			"times are those of a clock in the Pacific zone; the hour that it was put back on 5 November 2017 is added")
	}
	return nil
}
