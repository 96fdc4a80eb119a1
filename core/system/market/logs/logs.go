// Package logs generates the work that a resource has besides the auctions: the jobs of a
// log of the Parallel Workloads Archive or, if the log is not open, of a stand-in with the
// same size and load.
//
// A resource starts at some moment of its log. Start plays the log through the resource's
// queue up to that moment, and the running and waiting jobs follow from that. The start
// times in the log are not used: not every log has them, and they would not fit the state
// of the model.
package logs

import (
	"cmp"
	"slices"

	"parley/core/batch"
	"parley/core/des"
	"parley/core/unit"
)

// Job is one of a resource's own jobs.
type Job struct {
	Submit     unit.Time // since the log's beginning
	Processors int32
	Run        unit.Time
	Estimate   unit.Time
	User       uint32
}

// Log yields jobs, sorted by submission, until it returns false.
type Log interface{ Next() (Job, bool) }

// Recorded is a log that is at hand.
type Recorded struct{ Jobs []Job }

// Next implements Log.
func (r *Recorded) Next() (Job, bool) {
	if len(r.Jobs) == 0 {
		return Job{}, false
	}
	j := r.Jobs[0]
	r.Jobs = r.Jobs[1:]
	return j, true
}

// Start is the state of a resource at a moment of its log.
type Start struct {
	Running []Job // with the rest of their times, submitted at 0
	Waiting []Job // in the order of the queue, submitted at 0
	Waits   []unit.Time
	Next    Job // the first that was not submitted by then
	More    bool
}

// Play runs a log through a queue of a given number of processors and returns its state at a moment.
// Jobs that need more processors are left out. Waits are those of all jobs that started, in the order of
// starts. The log is read one job beyond the moment: Next.
func Play(policy batch.Policy, processors int, log Log, at unit.Time) Start {
	p := &player{site: batch.NewSite(policy, processors), clock: des.New()}
	next, more := log.Next()
	for ; more && next.Submit <= at; next, more = log.Next() {
		if int(next.Processors) > processors {
			continue
		}
		for p.clock.Step(next.Submit) {
		}
		h := p.site.Submit(next.Submit, batch.Job{Processors: int(next.Processors), Estimate: next.Estimate})
		for int(h) >= len(p.jobs) {
			p.jobs = append(p.jobs, played{})
		}
		p.count++
		p.jobs[h] = played{Job: next, number: p.count, started: -1}
		p.pass(next.Submit)
	}
	for p.clock.Step(at + 1) {
	}
	s := p.stand(at)
	s.Next, s.More = next, more
	return s
}

type player struct {
	site  *batch.Site
	clock *des.Kernel
	jobs  []played // by handle
	count int
	waits []unit.Time
}

// played is a job that has not ended; number 0: there is none.
type played struct {
	Job
	number  int
	started unit.Time // -1: it waits
}

// Fire ends the job whose handle is arg.
func (p *player) Fire(now unit.Time, arg uint64) {
	h := batch.Handle(arg)
	p.site.End(now, h)
	p.jobs[h].number = 0
	p.pass(now)
}

// pass starts the jobs that the site lets start, and schedules their ends at the end of their run or
// their limit.
func (p *player) pass(now unit.Time) {
	for _, h := range p.site.Pass(now) {
		j := &p.jobs[h]
		j.started = now
		p.waits = append(p.waits, now-j.Submit)
		p.clock.At(now+min(j.Run, j.Estimate), p, uint64(h))
	}
}

// stand returns the running and waiting jobs in the order of arrival, with submission 0. Those that run
// have the rest of their times at the moment.
func (p *player) stand(at unit.Time) Start {
	live := slices.DeleteFunc(slices.Clone(p.jobs), func(j played) bool { return j.number == 0 })
	slices.SortFunc(live, func(a, b played) int { return cmp.Compare(a.number, b.number) })
	s := Start{Waits: p.waits}
	for _, one := range live {
		j := one.Job
		j.Submit = 0
		if one.started < 0 {
			s.Waiting = append(s.Waiting, j)
			continue
		}
		j.Estimate -= at - one.started
		j.Run = min(j.Run-(at-one.started), j.Estimate)
		if j.Run > 0 {
			s.Running = append(s.Running, j)
		}
	}
	return s
}
