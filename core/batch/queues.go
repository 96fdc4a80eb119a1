package batch

import (
	"cmp"
	"slices"

	"parley/core/unit"
)

// Queue has the limits of one of a site's queues.
type Queue struct {
	Tier     int32 // jobs of a higher tier come first
	Preempts bool  // its first job may stop jobs of lower tiers in order to start
}

// SetQueues divides the waiting jobs into queues, by Job.Queue. Tiers come before the order of
// the site. Call it before the first Submit.
func (s *Site) SetQueues(queues []Queue) { s.queues = queues }

// tier returns the tier of a job.
func (s *Site) tier(e *entry) int32 {
	if s.queues == nil {
		return 0
	}
	return s.queues[e.Queue].Tier
}

// preempts reports whether a job may stop jobs of lower tiers.
func (s *Site) preempts(h Handle) bool { return s.queues != nil && s.queues[s.jobs[h].Queue].Preempts }

// makeRoom stops running jobs of lower tiers so that a job can start now, and reports
// whether it can. Of the lowest tier the latest start goes first; one without which there
// is room as well stays. If there is no room without all of them, none is stopped.
func (s *Site) makeRoom(on space, now unit.Time, w *waitingJob) bool {
	if !s.preempts(w.handle) {
		return false
	}
	tier := s.tier(&s.jobs[w.handle])
	var victims []ending
	s.running.each(func(r ending) {
		if r.at != now && s.tier(&s.jobs[r.handle]) < tier { // one that ends now counts as gone
			victims = append(victims, r)
		}
	})
	slices.SortFunc(victims, func(a, b ending) int {
		x, y := &s.jobs[a.handle], &s.jobs[b.handle]
		return cmp.Or(cmp.Compare(s.tier(x), s.tier(y)), cmp.Compare(y.since, x.since),
			cmp.Compare(y.arrival, x.arrival))
	})
	give := func(r ending, sign int) { on.shift(r.handle, now, max(r.at, now+1), sign) }
	taken := 0
	for ; taken < len(victims) && !on.fits(now, w.handle); taken++ {
		give(victims[taken], 1)
	}
	if !on.fits(now, w.handle) {
		for _, r := range victims {
			give(r, -1)
		}
		return false
	}
	for i := taken - 1; i >= 0; i-- {
		if give(victims[i], -1); on.fits(now, w.handle) {
			continue // it stays
		}
		if s.machine == nil && !(s.policy.conservative() && victims[i].at > now) { // else putBack gives the place back
			give(victims[i], 1)
		}
		s.putBack(now, victims[i].handle)
	}
	return true
}

// Preemption describes how a preempted job continues.
type Preemption uint8

// The kinds of preemption, by Slurm's names. A suspended job gives its processors away and runs for the
// rest of its time later.
const (
	Requeue Preemption = iota
	Suspend
	Cancel
	preemptions
)

var preemptionNames = [preemptions]string{"requeue", "suspend", "cancel"}

// String returns the kind as settings spell it.
func (p Preemption) String() string { return preemptionNames[p] }

// PreemptionNames lists the kinds of preemption as settings spell them.
func PreemptionNames() []string { return slices.Clone(preemptionNames[:]) }

// SetPreemption sets the handling of stopped jobs. Call it before the first Submit.
func (s *Site) SetPreemption(name string) {
	s.modes = Preemption(max(0, slices.Index(preemptionNames[:], name)))
}

// putBack stops a running job for another one: it waits again where it was in the queue, or is gone.
func (s *Site) putBack(now unit.Time, h Handle) {
	s.undone++
	i := slices.Index(s.started, h)
	switch e := &s.jobs[h]; {
	case i >= 0: // it has not begun for anybody else
		s.started = slices.Delete(s.started, i, i+1)
		s.Return(now, h)
		return
	case s.modes == Cancel:
		s.End(now, h)
	case s.modes == Suspend:
		if e.Estimate < unit.Forever {
			e.Estimate = max(1, e.Estimate-max(0, now-e.since)) // nothing of it if it has not booted
		}
		s.Return(now, h)
	default:
		s.Return(now, h)
	}
	s.stopped = append(s.stopped, h)
}

// Stopped returns the jobs that the latest Pass stopped for others; they wait again, but under Cancel are gone. The
// slice is valid until the next Pass.
func (s *Site) Stopped() []Handle { return s.stopped }
