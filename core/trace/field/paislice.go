package field

import (
	"cmp"
	"slices"

	"parley/core/unit"
)

// A task of PAI is submitted with its job, which is in another table, and an instance with its task. So a slice of
// the tables needs two readings before that of its work: the first finds the first submission, and the second
// marks the work that begins within the slice, whenever it was submitted. No reading keeps more than the slice.

// maxEarly is the number of jobs with the earliest submissions that the first reading keeps. More than one is
// needed because some may have no task.
const maxEarly = 1024

// paiSurvey is the result of the first readings.
type paiSurvey struct {
	jobs  []earlyJob     // the earliest, by the moment of submission
	index map[string]int // of these by name; nil until the table of jobs has been read
	marks bool           // it is the second reading
	named map[string]struct{}
	tasks map[[2]string]struct{}
}

// earlyJob is one of the first jobs.
type earlyJob struct {
	name string
	at   unit.Time
	has  bool // work that begins no earlier
}

// early keeps a job if it is among the first ones.
func (p *paiSurvey) early(name string, at unit.Time) {
	n := len(p.jobs)
	if p.marks || at == unknown || n == maxEarly && at >= p.jobs[n-1].at {
		return
	}
	k, _ := slices.BinarySearchFunc(p.jobs, at, func(j earlyJob, at unit.Time) int { return cmp.Compare(j.at, at) })
	p.jobs = slices.Insert(p.jobs, k, earlyJob{name, at, false})
	p.jobs = p.jobs[:min(len(p.jobs), maxEarly)]
}

// sees takes a row of work, of an instance if it names a task, and reports whether that is all that is done with it.
func (p *paiSurvey) sees(c *collection, r *row, task string, from unit.Time) bool {
	job := r.text(0)
	switch {
	case p == nil: // the row alone decides
		return false
	case !c.samples(job) || task == "" && c.has("pai_instance_table") && !p.marks:
		return true
	case p.marks:
		if c.holds(from) {
			p.named[job] = struct{}{}
			if task != "" {
				p.tasks[[2]string{job, task}] = struct{}{}
			}
		}
		return true
	}
	if p.index == nil {
		p.index = map[string]int{}
		for i := range p.jobs {
			p.index[p.jobs[i].name] = i
		}
	}
	if i, is := p.index[job]; is && p.jobs[i].at <= from {
		p.jobs[i].has = true
	}
	if task == "" {
		return false
	}
	return c.outside(&item{submit: from, start: from, end: unknown, count: 1})
}

// firstOf returns the first submission: that of a job with work, or the begin of work if none is earlier.
func (p *paiSurvey) firstOf(begin unit.Time) unit.Time {
	for _, j := range p.jobs {
		if j.has && (begin == unknown || j.at < begin) {
			return j.at
		}
	}
	return begin
}

// wantsPAIJob reports whether work of a job may be within the slice.
func (c *collection) wantsPAIJob(name string, at unit.Time, user uint32) bool {
	if c.wanted != nil && !c.wanted[user] {
		return false
	}
	if c.seen == nil || at != unknown && c.holds(at) {
		return true
	}
	_, begins := c.seen.pai.named[name]
	return begins
}

// wantsPAITask reports whether instances of a task may be within the slice.
func (c *collection) wantsPAITask(key [2]string, it *item) bool {
	if c.wanted != nil && !c.wanted[it.user] {
		return false
	}
	if c.seen == nil || c.has("pai_job_table") && c.holds(it.submit) {
		return true
	}
	_, begins := c.seen.pai.tasks[key]
	return begins
}
