// Package batch schedules rigid jobs on a site of interchangeable processors: a
// job asks for a number of them at once, for at most a time, and runs from its
// start to its end without a break.
//
// A Site holds the queue, the running jobs, and the blocks that are reserved in advance. It
// receives the events (Submit, End, Reserve) and answers Pass with the jobs that start now. It
// counts processors without listing them, so that a site of 163,840 of them costs as much as a site
// of a hundred.
//
// The policies are those of the field, with the rules of their papers:
//
//   - FCFS: only the head of the queue may start.
//   - EASY (Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001): while the head
//     does not fit, it has a reservation, recomputed at every pass. Others may
//     start in the order of their arrival if they end before it begins or need
//     only processors that it leaves.
//   - EASY-SJBF (Tsafrir, Etsion and Feitelson, TPDS 2007): EASY whose candidates
//     are tried shortest estimate first.
//   - Slack, after Talby and Feitelson (IPPS 1999): every job has a latest start, its
//     reservation on arrival and a slack. A job may start if all others can still start
//     in time.
//   - Conservative (Feitelson and Weil, IPPS 1998): every job has a reservation
//     from its arrival. When a job ends before its estimate, either all waiting
//     jobs are planned anew in the order of their arrival, or each in that order
//     moves to the earliest time that delays no other.
//   - Slurm: jobs start in order when something happens, and every so often each waiting job
//     gets a reservation around which others start.
//
// A job whose estimate ends at this very moment counts as gone in a pass, whether
// its end was reported already or not: so jobs that run for as long as they may end
// together, in whatever order their ends are reported.
//
//	s := batch.NewSite(batch.EASY, 100)
//	h := s.Submit(now, batch.Job{Processors: 70, Estimate: unit.Hour})
//	for _, h := range s.Pass(now) { … it starts … }
//	s.End(later, h)
package batch

import (
	"fmt"
	"slices"

	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// Policy defines which waiting jobs start.
type Policy uint8

// The policies.
const (
	FCFS Policy = iota
	EASY
	EASYSJBF
	Slack                // a job may start if no other one starts later than its promise and a slack
	Conservative         // plans anew when a job ends early
	ConservativeCompress // moves reservations forward when a job ends early
	Slurm                // the main loop and the backfill passes of Slurm
	policies
)

var policyNames = [policies]string{"fcfs", "easy", "easy-sjbf", "slack", "conservative", "conservative-compress", "slurm"}

// String returns the policy as settings and reports spell it.
func (p Policy) String() string { return policyNames[p] }

// PolicyNames lists the policies as settings spell them.
func PolicyNames() []string { return slices.Clone(policyNames[:]) }

// ParsePolicy returns the policy of a name.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("the policy is %q: choose one of %v", name, policyNames)
}

// conservative reports whether every waiting job has a reservation.
func (p Policy) conservative() bool { return p == Conservative || p == ConservativeCompress }

// Job is a site's description of a job.
type Job struct {
	Processors  int       // at least 1
	Estimate    unit.Time // how long it may run, at least 1 µs; unit.Forever if unknown
	User, Group uint32    // who submitted it, for shares and limits
	Queue       int32     // index of its queue among those of SetQueues; 0 without queues
	workload.Need
	Components []workload.Component // of a heterogeneous job; see workload.Job
	Limits     []*Limit             // of the groups that it belongs to
}

// Handle names a job of a site from its submission to its end. Later jobs use
// it again.
type Handle int32

// Site is a number of processors with a queue before them. Use NewSite.
type Site struct {
	policy    Policy
	size      int
	busy      int // processors of running jobs
	running   endings
	queue     queue
	jobs      []entry // by Handle
	free      []Handle
	arrived   uint64 // jobs so far
	blocks    []Block
	profile   Profile   // of the conservative policies kept, of the others scratch
	stale     bool      // the site changed: the profile is of before
	early     bool      // a job ended early: its processors are in the profile, others may use them
	unplanned []Handle  // jobs that came since the latest pass and have no reservation yet
	soonest   unit.Time // the first reservation of a waiting job
	hole      hole      // left by the latest pass: where a job may still start
	fresh     int       // jobs that came since then
	started   []Handle  // scratch, as is the following
	order     []waitingJob
	keys      []keyed

	queueBy, backfillBy Order
	ranking             ranking
	ranker              Ranker
	candidate           []Candidate // scratch

	queues   []Queue  // nil: one queue
	limited  bool     // jobs have limits
	machine  *machine // nil: the processors are all alike
	stopped  []Handle
	planned  []span // scratch
	slack    slack
	slurm    slurm
	modes    Preemption
	patience []patience
	undone   int    // jobs that were stopped for others so far, those that had not begun too
	happened uint64 // count of events that may let jobs start
}

// entry is a job in a site's books.
type entry struct {
	Job
	arrival   uint64
	submitted unit.Time
	since     unit.Time // its start; of a waiting job under Slack the start in the present plan
	ends      unit.Time // estimated; of a waiting job its planned start, if it has one
	state     state
	parts     []Part    // of a site with nodes
	looked    unit.Time // when its place on nodes was first sought; -1: not yet
}

type state uint8

const (
	absent state = iota
	waiting
	running
)

// NewSite returns an empty site with the given number of processors. Its queue is in the
// order of arrival.
func NewSite(p Policy, processors int) *Site {
	s := &Site{policy: p, size: processors, soonest: unit.Forever}
	if p == EASYSJBF {
		s.backfillBy = Shortest
	}
	s.slack.factor = 1
	s.slurm = slurm{Backfill: DefaultBackfill(), next: unit.Forever}
	s.profile.Reset(0, processors)
	return s
}

// Sort gives the queue an order: its first job that does not fit is the head, and under
// the conservative policies plans are made anew in it. EASY tries the jobs behind the
// head by another order, or the same. Call it before the first Submit.
func (s *Site) Sort(queue, backfill Order) { s.queueBy, s.backfillBy = queue, backfill }

// Processors returns how many processors the site has.
func (s *Site) Processors() int { return s.size }

// Busy returns how many processors running jobs hold.
func (s *Site) Busy() int { return s.busy }

// Waiting returns how many jobs wait.
func (s *Site) Waiting() int { return s.queue.len() }

// Submit adds a waiting job and returns its handle; the job starts in a later Pass. A job that needs
// more than the site has waits for ever, and under FCFS all that come after it.
func (s *Site) Submit(now unit.Time, j Job) Handle {
	if len(j.Limits) > 0 && !s.limited {
		s.limited = true
		s.queue.each(func(w *waitingJob) { s.giveBack(&s.jobs[w.handle]) }) // plans are made anew from now on
	}
	if s.machine != nil {
		s.machine.spread(&j)
	}
	h := slab.Take(&s.free, &s.jobs)
	s.arrived++
	s.happened++
	s.jobs[h] = entry{Job: j, arrival: s.arrived, submitted: now, state: waiting, ends: unit.Forever, looked: -1}
	s.queue.push(waitingJob{h, int32(j.Processors), j.Estimate, s.arrived})
	s.fresh++
	if s.policy.conservative() && !s.divided() {
		s.unplanned = append(s.unplanned, h)
	}
	return h
}

// End reports that a running job is gone, or that a waiting one was withdrawn. The handle is free from
// then on. A handle without a job is ignored.
func (s *Site) End(now unit.Time, h Handle) {
	e := &s.jobs[h]
	s.hole.known = false
	s.happened++
	switch e.state {
	case running:
		s.stop(now, h)
	case waiting:
		s.queue.remove(e.arrival)
		s.giveBack(e)
		s.early = true
	default:
		return
	}
	e.state = absent
	s.free = append(s.free, h)
}

// Return puts a running job back to its place in the queue: it lost its processors.
func (s *Site) Return(now unit.Time, h Handle) {
	e := &s.jobs[h]
	if e.state != running {
		return
	}
	s.hole.known = false
	s.happened++
	s.stop(now, h)
	e.state, e.ends = waiting, unit.Forever
	s.queue.insert(waitingJob{h, int32(e.Processors), e.Estimate, e.arrival})
}

// Delay moves the start and the estimated end of a running job by a time, because its nodes have to
// boot. Call it at the moment at which the job was started.
func (s *Site) Delay(now unit.Time, h Handle, by unit.Time) {
	e := &s.jobs[h]
	s.running.remove(ending{e.ends, int32(e.Processors), h})
	from := e.ends
	e.since, e.ends = e.since+by, after(e.ends, by)
	s.running.insert(ending{e.ends, int32(e.Processors), h})
	if s.machine != nil {
		s.machine.shift(h, from, e.ends, -1)
	}
	s.stale, s.hole.known = true, false
	s.happened++
	if s.policy == Slurm && s.queue.len() > 0 {
		s.slurm.next = now - now%s.slurm.Interval + s.slurm.Interval
	}
}

// stop takes a job off the running ones and frees its processors. The caller sets its new state.
func (s *Site) stop(now unit.Time, h Handle) {
	e := &s.jobs[h]
	s.running.remove(ending{e.ends, int32(e.Processors), h})
	s.busy -= e.Processors
	s.count(e, -1)
	if s.ranker != nil {
		s.ranker.Ended(now, h)
	}
	switch {
	case s.machine != nil:
		s.machine.shift(h, now, e.ends, 1)
		e.parts = e.parts[:0]
	case e.ends > now && s.policy.conservative():
		s.profile.Add(now, e.ends, e.Processors)
		s.early = true
	}
}

// Resize sets the number of processors that the site has now. Those of running jobs stay counted:
// Return or End names the jobs that lost processors.
func (s *Site) Resize(processors int) {
	s.size, s.stale = processors, true
	s.hole.known = false
	s.happened++
}

// Pass decides which waiting jobs start now and returns them in their order; they run from then on.
// Stopped has the jobs that it stopped for them. The slice is good until the next call.
func (s *Site) Pass(now unit.Time) []Handle {
	s.started, s.stopped = s.started[:0], s.stopped[:0]
	s.expire(now)
	switch {
	case s.policy.conservative() && s.divided():
		for s.planAround(now) {
		}
	case s.policy.conservative():
		s.keepPromises(now)
	case s.policy == Slack:
		s.fitWithin(now)
	case s.policy == Slurm:
		for s.twoLoops(now) {
		}
	case len(s.blocks) > 0 || s.divided():
		s.hole.known = false
		for s.fillAround(now) {
		}
	case s.queueBy != Arrival:
		s.fillOrdered(now)
	default:
		s.fill(now)
	}
	s.fresh = 0
	return s.started
}

// divided reports whether a pass looks at queues, limits or nodes.
func (s *Site) divided() bool { return s.queues != nil || s.limited || s.machine != nil }

// start lets a waiting job run from now on. The caller takes it off the queue.
func (s *Site) start(now unit.Time, h Handle) {
	e := &s.jobs[h]
	e.state, e.since, e.ends = running, now, after(now, e.Estimate)
	s.busy += e.Processors
	s.count(e, 1)
	if s.ranker != nil {
		s.ranker.Began(now, h, &e.Job)
	}
	s.running.insert(ending{e.ends, int32(e.Processors), h})
	s.started = append(s.started, h)
}

// available returns how many processors no job holds beyond this moment.
func (s *Site) available(now unit.Time) int {
	return s.size - s.busy + s.running.endingAt(now)
}

// after returns t + d, or for ever.
func after(t, d unit.Time) unit.Time {
	if d >= unit.Forever-t {
		return unit.Forever
	}
	return t + d
}
