package gang

import (
	"parley/core/batch"
	"parley/core/des"
	"parley/core/unit"
)

// Played is the outcome of a job of a log.
type Played struct {
	Outcome
	Start, End unit.Time // the first start and the end; -1: never
	Parts      []Part    // held at its end
}

// Pass describes one pass over a played log.
type Pass struct {
	At      unit.Time
	Blocked []Waiter
}

// Waiter is a job of a log, by its index, that waits, and why.
type Waiter struct {
	Job   int
	Cause Cause
}

// Play runs a log, sorted by submission, through a site that has its nodes. All events of one
// moment are known before the pass of that moment. Watch, unless nil, receives each pass.
func Play(s *Site, log []batch.Logged, watch func(Pass)) []Played {
	p := &player{site: s, clock: des.New(), log: log, watch: watch, done: make([]Played, len(log))}
	for i := range log {
		p.done[i].Start, p.done[i].End = -1, -1
		p.clock.At(log[i].Submit, p, uint64(i)<<argBits+submits)
	}
	for p.clock.Step(unit.Forever) {
	}
	return p.done
}

// The low bits of an event's argument are its kind.
const (
	submits = iota
	ends
	wakes // there is nothing to do but a pass
	passes
	argBits = 2
)

type player struct {
	site  *Site
	clock *des.Kernel
	log   []batch.Logged
	done  []Played
	watch func(Pass)
	jobs  []playing // by Handle
	due   bool
	wake  des.Ticket
}

// playing is a job of the log while it is with the site.
type playing struct {
	index  int
	end    des.Ticket
	handle Handle
}

// Fire handles an event: the submission of job i of the log, the end of the job with handle i, or a pass. After a
// submission or an end it requests a pass; there is one pass a moment, behind all events scheduled for it.
func (p *player) Fire(now unit.Time, arg uint64) {
	switch i := arg >> argBits; arg & (1<<argBits - 1) {
	case submits:
		h := p.site.Submit(now, p.log[i].Job)
		for int(h) >= len(p.jobs) {
			p.jobs = append(p.jobs, playing{})
		}
		p.jobs[h] = playing{index: int(i), handle: h}
	case ends:
		j := &p.jobs[i]
		d := &p.done[j.index]
		d.Parts = append(d.Parts, p.site.Parts(j.handle)...)
		d.Outcome, d.End = p.site.End(now, j.handle), now
	case passes:
		p.due = false
		p.pass(now)
		return
	}
	if !p.due {
		p.due = true
		p.clock.At(now, p, passes)
	}
}

// pass lets the site decide, schedules the ends of the jobs that started and cancels those of the jobs
// that stopped, calls watch, and schedules the site's next wake-up in place of the old one. A job ends
// after its start-up cost and the rest of its run, stretched by the pace of its placement; a run is cut
// at the estimate.
func (p *player) pass(now unit.Time) {
	d := p.site.Pass(now)
	for _, h := range d.Stopped {
		p.clock.Cancel(p.jobs[h].end)
	}
	for _, h := range d.Started {
		j, e := &p.jobs[h], &p.site.jobs[h]
		if d := &p.done[j.index]; d.Start < 0 {
			d.Start = now
		}
		l := &p.log[j.index]
		j.end = p.clock.At(now+e.burn+stretched(max(0, min(l.Run, l.Estimate)-e.done), e.pace), p,
			uint64(h)<<argBits|ends)
	}
	if p.watch != nil {
		var blocked []Waiter
		for _, h := range p.site.list {
			if e := &p.site.jobs[h]; !e.running {
				blocked = append(blocked, Waiter{p.jobs[h].index, e.cause})
			}
		}
		p.watch(Pass{now, blocked})
	}
	p.clock.Cancel(p.wake)
	if at := p.site.Wake(now); at < unit.Forever {
		p.wake = p.clock.At(at, p, wakes)
	}
}
