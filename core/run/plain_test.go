package run_test

import (
	"cmp"
	"slices"
)

// The plain scheduler plays a log second by second, on nodes with processors, memory and GPUs. At
// every pass it draws what is free of each node in each second to come anew, and searches that
// from the left. It shares no code with the program.

const plainEnd = 800 // seconds, beyond every end of the logs that are drawn

type amounts [3]int // processors, memory, GPUs

type plainJob struct {
	submit, run, limit int
	need               amounts
	nodes              int // 0: any number
	alone              bool
	switches, patience int        // leaf switches, 0: any number; seconds that it waits for a place under them
	parts              []plainJob // of a heterogeneous job, which start together; need is their sum
	user, array, tier  int
	throttle           int
	after              []plainAfter
	fails              bool

	seq              int // of jobs that come at one moment, the earlier is lower
	came, start, end int // -1: not yet
	looked           int // when a pass came to it first; -1: not yet
	on               []plainHold
	starts           []int // all, those of stopped runs too
	fresh            bool  // it started in the present pass
}

type plainAfter struct {
	job   int
	kind  string // any, ok, notok, start
	think int
}

type plainHold struct {
	node, processors int
	has              amounts
}

type plainSite struct {
	policy         string
	nodes          []amounts
	jobs           []plainJob
	userJobs       int // that run of a user at most; 0: any number
	groupMemory    int // of the even users together; 0: any
	from, to, kept int // a reservation of so many processors
	free           [][]amounts
	leafSize       int // nodes under a leaf switch; 0: it is not played
	power          []plainPower
	offAfter       int // seconds without a job; 0: nodes stay on
	keep           int
	joules         []float64 // by second
	preempt        string    // what becomes of jobs that those of tier 1 stop; "": they stop none

	interval, window, resolution, tries, userTries int // of the policy slurm
}

// draw draws what is free from now on.
func (p *plainSite) draw(now int) {
	p.free = make([][]amounts, len(p.nodes))
	for n := range p.nodes {
		p.free[n] = make([]amounts, plainEnd)
		for s := range p.free[n] {
			p.free[n][s] = p.nodes[n]
		}
	}
	left := p.kept
	for n := len(p.nodes) - 1; n >= 0; n-- {
		take := min(left, p.nodes[n][0])
		p.hold([]plainHold{{n, take, amounts{take}}}, p.from, p.to, -1)
		left -= take
	}
	for _, j := range p.jobs {
		if j.start >= 0 && j.end < 0 {
			p.hold(j.on, now, j.start+j.limit, -1)
		}
	}
}

// held reports whether limits keep a job from starting.
func (p *plainSite) held(j *plainJob) bool {
	mine, elements, memory := j.jobs(), j.jobs(), j.need[1]
	for _, o := range p.jobs {
		if o.start >= 0 && o.end < 0 {
			mine += count(o.user == j.user) * o.jobs()
			elements += count(o.array == j.array) * o.jobs()
			memory += count(o.user%2 == 0) * o.need[1]
		}
	}
	return p.userJobs > 0 && mine > p.userJobs || j.throttle > 0 && elements > j.throttle ||
		p.groupMemory > 0 && j.user%2 == 0 && memory > p.groupMemory
}

// jobs is as how many jobs one counts for limits: each of its components is one, as in Slurm.
func (j *plainJob) jobs() int { return max(1, len(j.parts)) }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pass starts jobs, anew as long as some are stopped.
func (p *plainSite) pass(now int) {
	for i := range p.jobs {
		p.jobs[i].fresh = false
	}
	for p.onePass(now) {
	}
}

func (p *plainSite) onePass(now int) (stopped bool) {
	var queue []*plainJob
	for i := range p.jobs {
		if j := &p.jobs[i]; j.came >= 0 && j.start < 0 && j.end < 0 {
			queue = append(queue, j)
		}
	}
	slices.SortFunc(queue, func(a, b *plainJob) int {
		return cmp.Or(cmp.Compare(b.tier, a.tier), cmp.Compare(a.came, b.came), cmp.Compare(a.seq, b.seq))
	})
	p.draw(now)
	start := func(j *plainJob, on []plainHold) {
		j.start, j.on, j.fresh = now, on, true
		p.hold(on, now, now+j.limit, -1)
	}
	where := func(j *plainJob) []plainHold {
		if on := p.where(j, now); on != nil || !p.makeRoom(j, now) {
			return on
		}
		start(j, p.where(j, now))
		stopped = true
		return nil
	}
	if p.policy == "slurm" {
		p.twoLoops(now, queue, start, where, &stopped)
		return stopped
	}
	var head *plainJob
	at := plainEnd
	for _, j := range queue {
		if p.held(j) {
			continue
		}
		j.look(now)
		var on []plainHold
		if head == nil {
			on = where(j)
		} else {
			on = p.where(j, now)
		}
		if stopped {
			return true
		}
		if p.policy == "conservative" {
			t := now
			for ; on == nil && t+1 < plainEnd; t++ {
				on = p.where(j, t+1)
			}
			if on != nil && t == now {
				start(j, on)
			} else if on != nil {
				p.hold(on, t, t+j.limit, -1)
			}
			continue
		}
		if on != nil && head == nil {
			start(j, on)
			continue
		}
		if head == nil {
			if head = j; p.policy == "fcfs" {
				return false
			}
			for at = now; at < plainEnd && p.where(j, at) == nil; at++ {
			}
			continue
		}
		if on == nil {
			continue
		}
		if p.hold(on, now, now+j.limit, -1); at < plainEnd && p.where(head, at) == nil {
			p.hold(on, now, now+j.limit, 1)
			continue
		}
		j.start, j.on, j.fresh = now, on, true
	}
	return false
}

// makeRoom stops jobs of tier 0 for one of tier 1: the latest start first, and only those without which there
// is no room.
func (p *plainSite) makeRoom(j *plainJob, now int) bool {
	var victims []*plainJob
	for i := range p.jobs {
		if o := &p.jobs[i]; p.preempt != "" && o.start >= 0 && o.end < 0 && o.tier < j.tier && o.start+o.limit != now {
			victims = append(victims, o)
		}
	}
	slices.SortFunc(victims, func(a, b *plainJob) int {
		return cmp.Or(cmp.Compare(b.start, a.start), cmp.Compare(b.came, a.came), cmp.Compare(b.seq, a.seq))
	})
	give := func(o *plainJob, sign int) { p.hold(o.on, now, o.start+o.limit, sign) }
	n := 0
	for ; n < len(victims) && p.where(j, now) == nil; n++ {
		give(victims[n], 1)
	}
	if p.where(j, now) == nil {
		n = 0
	}
	for i := len(victims) - 1; i >= 0; i-- {
		switch o := victims[i]; {
		case n == 0:
			give(o, -1)
		case i >= n:
		default:
			if give(o, -1); p.where(j, now) == nil {
				give(o, 1)
				p.stop(o, now)
			}
		}
	}
	return n > 0
}

// stop stops a job for another one.
func (p *plainSite) stop(o *plainJob, now int) {
	ran := now - o.start
	o.start = -1
	switch {
	case o.fresh:
		o.fresh = false
	case p.preempt == "cancel":
		o.end, o.fails = now, true
	case p.preempt == "suspend":
		o.run, o.limit = o.run-ran, o.limit-ran
	}
}

// twoLoops starts the first jobs of each tier that fit and, at multiples of the interval, all others
// that fit beside the reservations of those before them.
func (p *plainSite) twoLoops(now int, queue []*plainJob, start func(*plainJob, []plainHold), where func(*plainJob) []plainHold, stopped *bool) {
	var full [2]bool
	for _, j := range queue {
		if !full[j.tier] && !p.held(j) {
			j.look(now)
			on := where(j)
			if *stopped {
				return
			}
			if on != nil {
				start(j, on)
			} else {
				full[j.tier] = true
			}
		}
	}
	if now%p.interval > 0 {
		return
	}
	tried, ofUser := 0, [3]int{}
	for _, j := range queue {
		if j.start >= 0 || p.held(j) || p.userTries > 0 && ofUser[j.user] == p.userTries {
			continue
		}
		if tried++; p.tries > 0 && tried > p.tries {
			break
		}
		ofUser[j.user]++
		at := now
		j.look(now)
		on := where(j)
		if *stopped {
			return
		}
		for ; on == nil && at+1 < plainEnd; on = p.where(j, at) {
			at++
		}
		from, to := at, at+j.limit
		if at == now {
			start(j, on)
			continue
		}
		if p.resolution > 0 {
			from, to = max(now, from/p.resolution*p.resolution), to/p.resolution*p.resolution
		}
		if at <= now+p.window {
			p.hold(on, from, to, -1)
		}
	}
}

// comes reports whether a job comes now.
func (p *plainSite) comes(j *plainJob, now int) bool {
	for _, a := range j.after {
		o := &p.jobs[a.job]
		if a.kind == "start" {
			if len(o.starts) == 0 || now < o.starts[0]+a.think {
				return false
			}
		} else if o.end < 0 || now < o.end+a.think || a.kind == "ok" && o.bad() || a.kind == "notok" && !o.bad() {
			return false
		}
	}
	return j.submit <= now
}

func (j *plainJob) bad() bool { return j.fails || j.run > j.limit }

// play plays the log: where something happens, ends first and then what comes, with one pass.
func (p *plainSite) play() {
	for now := range plainEnd / 2 {
		p.switches(now)
		happens := p.kept > 0 && (now == p.from || now == p.to)
		if p.policy == "slurm" && now%p.interval == 0 {
			happens = slices.ContainsFunc(p.jobs, func(j plainJob) bool { return j.came >= 0 && j.start < 0 })
		}
		for i := range p.jobs {
			if j := &p.jobs[i]; j.start >= 0 && j.end < 0 && j.start+min(j.run, j.limit) == now {
				j.end, happens = now, true
			}
			happens = happens || p.policy != "slurm" && p.leafSize > 0 && p.jobs[i].patienceEnds(now)
		}
		for {
			for i := range p.jobs {
				if j := &p.jobs[i]; j.came < 0 && p.comes(j, now) {
					j.came, happens = now, true
				}
			}
			if !happens {
				break
			}
			p.pass(now)
			p.boot(now)
			for i := range p.jobs {
				if j := &p.jobs[i]; j.fresh {
					j.starts = append(j.starts, j.start)
				}
			}
			happens = false // starts may let other jobs come
		}
		p.switchOff(now)
	}
}
