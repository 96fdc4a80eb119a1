package batch

import "parley/core/unit"

// fill starts jobs under FCFS and EASY if no block is reserved: free capacity only grows then, so
// that one time and one number decide where a job fits.
func (s *Site) fill(now unit.Time) {
	free := s.available(now)
	if h := &s.hole; h.holds(s, now, free) {
		s.backfill(now, *h, s.queue.newest())
		return
	}
	for s.queue.len() > 0 && int(s.queue.head().processors) <= free {
		head := *s.queue.head()
		free -= int(head.processors)
		s.queue.remove(head.arrival)
		s.start(now, head.handle)
	}
	s.hole = hole{}
	if s.queue.len() == 0 {
		return
	}
	need := int(s.queue.head().processors)
	shadow, then := s.running.when(now, free, need)
	s.backfill(now, hole{known: true, free: free, shadow: shadow, extra: then - need}, nil)
}

// hole is the capacity for jobs behind the head: a job must fit into the processors that are free
// now, and either end before the shadow time, at which the head can start, or need no more than the
// extra processors that the head leaves then.
type hole struct {
	known  bool
	free   int
	shadow unit.Time
	extra  int
}

// holds reports whether h is still valid: since the pass that left it, one job came and nothing
// else happened, so that jobs that did not fit then do not fit now. A running job that exceeds its
// estimate moves the shadow and invalidates h.
func (h *hole) holds(s *Site, now unit.Time, free int) bool {
	return h.known && s.fresh == 1 && s.queue.len() > 1 && h.free == free && h.shadow > now && !s.running.outlived(now)
}

// fits reports whether a job may start within h.
func (h *hole) fits(now unit.Time, processors int32, estimate unit.Time) bool {
	p := int(processors)
	return p <= h.free && (p <= h.extra || h.endsBefore(now, estimate))
}

func (h *hole) endsBefore(now, estimate unit.Time) bool {
	return h.shadow == unit.Forever || estimate <= h.shadow-now
}

// backfill starts jobs from behind the head within h: only is the one that is
// asked, if any.
func (s *Site) backfill(now unit.Time, h hole, only *waitingJob) {
	start := func(w *waitingJob) bool {
		if !h.fits(now, w.processors, w.estimate) {
			return false
		}
		h.free -= int(w.processors)
		if !h.endsBefore(now, w.estimate) {
			h.extra -= int(w.processors)
		}
		s.start(now, w.handle)
		return true
	}
	switch may := func(lowest int32, shortest unit.Time) bool { return h.fits(now, lowest, shortest) }; {
	case s.policy == FCFS:
	case only != nil:
		if w := *only; start(&w) {
			s.queue.remove(w.arrival)
		}
	case s.backfillBy != Arrival:
		for _, w := range s.byOrder(now, may) {
			if start(&w) {
				s.queue.remove(w.arrival)
			}
		}
	default:
		s.queue.take(may, start)
	}
	s.hole = h
}

// byOrder returns the jobs behind the head that may start, in the order of backfilling.
func (s *Site) byOrder(now unit.Time, may func(processors int32, estimate unit.Time) bool) []waitingJob {
	s.order = s.candidates(may)
	s.sortBy(s.backfillBy, now, s.order)
	return s.order
}

// candidates returns the jobs behind the head for which may returns true, in the order of arrival. The
// slice is good until the next call.
func (s *Site) candidates(may func(processors int32, estimate unit.Time) bool) []waitingJob {
	s.order = s.order[:0]
	s.queue.take(may, func(w *waitingJob) bool {
		if may(w.processors, w.estimate) {
			s.order = append(s.order, *w)
		}
		return false
	})
	return s.order
}

// outline makes the profile that of the running jobs and the blocks.
func (s *Site) outline(now unit.Time) { s.outlineInto(&s.profile, now) }
