package batch

import (
	"cmp"
	"slices"

	"parley/core/unit"
)

// Queue holds the limits of one of a site's queues. A job beyond a limit is held:
// it waits and delays no other job until jobs of its queue or user end.
type Queue struct {
	Tier           int32 // jobs of a higher tier come first
	Preempts       bool  // its first job may stop jobs of lower tiers in order to start
	Processors     int   // that its jobs hold together at most; 0: any number
	UserProcessors int   // that its jobs of one user hold at most; 0: any number
	UserJobs       int   // jobs of one user that run at a time at most; 0: any number
}

// SetQueues divides the waiting jobs into queues, by Job.Queue. Tiers come before the
// order of the site. The conservative policies, which plan all starts in advance, have no
// queues. Call it before the first Submit.
func (s *Site) SetQueues(queues []Queue) {
	s.queues, s.holds, s.users = queues, make([]held, len(queues)), map[userOf]held{}
}

// held is what running jobs hold of a limit.
type held struct{ processors, jobs int }

// userOf is a user in a queue.
type userOf struct {
	queue int32
	user  uint32
}

// tier returns the tier of a job.
func (s *Site) tier(e *entry) int32 {
	if s.queues == nil {
		return 0
	}
	return s.queues[e.Queue].Tier
}

// count adds a job to what running jobs hold, or takes it off.
func (s *Site) count(e *entry, sign int) {
	if s.queues == nil {
		return
	}
	q, u := &s.holds[e.Queue], userOf{e.Queue, e.User}
	q.processors += sign * e.Processors
	of := s.users[u]
	of.processors, of.jobs = of.processors+sign*e.Processors, of.jobs+sign
	if of.jobs == 0 {
		delete(s.users, u)
	} else {
		s.users[u] = of
	}
}

// held reports whether the limits of its queue keep a job from starting.
func (s *Site) held(h Handle) bool {
	if s.queues == nil {
		return false
	}
	e := &s.jobs[h]
	q, of := &s.queues[e.Queue], s.users[userOf{e.Queue, e.User}]
	return beyond(q.Processors, s.holds[e.Queue].processors+e.Processors) ||
		beyond(q.UserProcessors, of.processors+e.Processors) || beyond(q.UserJobs, of.jobs+1)
}

func beyond(limit, n int) bool { return limit > 0 && n > limit }

// makeRoom stops running jobs of lower tiers so that a job can start now, and reports
// whether it can. Of the lowest tier the latest start goes first; one without which there
// is room as well stays. If there is no room without all of them, none is stopped.
func (s *Site) makeRoom(now unit.Time, w *waitingJob) bool {
	if s.queues == nil || !s.queues[s.jobs[w.handle].Queue].Preempts {
		return false
	}
	tier, p := s.tier(&s.jobs[w.handle]), &s.profile
	var victims []ending
	s.running.each(func(r ending) {
		if r.at != now && s.tier(&s.jobs[r.handle]) < tier { // one that ends now counts as gone
			victims = append(victims, r)
		}
	})
	slices.SortFunc(victims, func(a, b ending) int {
		x, y := &s.jobs[a.handle], &s.jobs[b.handle]
		return cmp.Or(cmp.Compare(s.tier(x), s.tier(y)), cmp.Compare(y.since, x.since), cmp.Compare(y.arrival, x.arrival))
	})
	fits := func() bool { return p.Fits(now, w.estimate, int(w.processors)) }
	give := func(r ending, sign int) { p.Add(now, max(r.at, now+1), sign*int(r.processors)) }
	taken := 0
	for ; taken < len(victims) && !fits(); taken++ {
		give(victims[taken], 1)
	}
	if !fits() {
		for _, r := range victims {
			give(r, -1)
		}
		return false
	}
	for i := taken - 1; i >= 0; i-- {
		if give(victims[i], -1); fits() {
			continue // it stays
		}
		give(victims[i], 1)
		s.putBack(now, victims[i].handle)
	}
	return true
}

// putBack stops a running job for another one: it waits again where it was in the queue.
func (s *Site) putBack(now unit.Time, h Handle) {
	s.Return(now, h)
	if i := slices.Index(s.started, h); i >= 0 { // it has not begun for anybody else
		s.started = slices.Delete(s.started, i, i+1)
		return
	}
	s.stopped = append(s.stopped, h)
}

// Stopped returns the jobs that the latest Pass stopped for others; they wait again. The
// slice is valid until the next Pass.
func (s *Site) Stopped() []Handle { return s.stopped }
