package batch

import "parley/core/unit"

// keepPromises starts the jobs whose reservation begins now, after planning anew
// where something made room or took it away.
func (s *Site) keepPromises(now unit.Time) {
	switch {
	case s.stale || s.soonest < now || s.running.outlived(now):
		s.outline(now)
		s.rebuild(now)
	case s.early && s.policy == ConservativeCompress:
		s.compress(now)
	case s.early:
		s.queue.each(func(w *waitingJob) { s.giveBack(&s.jobs[w.handle]) })
		s.rebuild(now)
	default:
		for _, h := range s.unplanned {
			if e := &s.jobs[h]; e.state == waiting && e.ends == unit.Forever {
				s.plan(now, h)
			}
		}
	}
	s.stale, s.early, s.unplanned = false, false, s.unplanned[:0]
	s.profile.Forget(now)
	if s.soonest > now {
		return
	}
	s.soonest = unit.Forever
	s.order = s.order[:0]
	s.queue.each(func(w *waitingJob) {
		if at := s.jobs[w.handle].ends; at > now {
			s.soonest = min(s.soonest, at)
		} else {
			s.order = append(s.order, *w)
		}
	})
	for _, w := range s.order {
		s.queue.remove(w.arrival)
		s.start(now, w.handle)
	}
}

// rebuild gives every waiting job a reservation in a profile that has none of
// theirs, in the order of the queue.
func (s *Site) rebuild(now unit.Time) {
	s.soonest = unit.Forever
	s.eachOrdered(now, func(w *waitingJob) { s.plan(now, w.handle) })
}

// compress moves each reservation, in the order of the queue, to the earliest time
// that delays no other.
func (s *Site) compress(now unit.Time) {
	s.soonest = unit.Forever
	s.eachOrdered(now, func(w *waitingJob) {
		s.giveBack(&s.jobs[w.handle])
		s.plan(now, w.handle)
	})
}

// plan reserves the earliest time that delays no other reservation for a waiting
// job; none if the site is too small for it.
func (s *Site) plan(now unit.Time, h Handle) {
	e := &s.jobs[h]
	e.ends = s.profile.Earliest(now, e.Estimate, e.Processors)
	if e.ends < unit.Forever {
		s.profile.Add(e.ends, after(e.ends, e.Estimate), -e.Processors)
		s.soonest = min(s.soonest, e.ends)
	}
}

// giveBack takes a waiting job's reservation out of the profile.
func (s *Site) giveBack(e *entry) {
	if s.policy.conservative() && e.ends < unit.Forever {
		s.profile.Add(e.ends, after(e.ends, e.Estimate), e.Processors)
	}
	e.ends = unit.Forever
}

// Reserved returns when a waiting job will start at the latest, under the
// conservative policies after a Pass; unit.Forever if nothing is promised.
func (s *Site) Reserved(h Handle) unit.Time {
	if e := &s.jobs[h]; e.state == waiting {
		return e.ends
	}
	return unit.Forever
}
