package batch

import "parley/core/unit"

// Backfill are the parameters of the policy Slurm, by the names of Slurm's SchedulerParameters.
type Backfill struct {
	Interval   unit.Time // between two backfill passes (bf_interval)
	Window     unit.Time // no reservation begins later than this from now (bf_window)
	Resolution unit.Time // reservations begin and end at multiples of it, rounded down (bf_resolution)
	Jobs       int       // waiting jobs that a pass tries at most (bf_max_job_test); 0: all
	UserJobs   int       // of one user (bf_max_job_user); 0: all
	QueueJobs  int       // of one queue (bf_max_job_part); 0: all
}

// DefaultBackfill returns the parameters that Slurm has by default.
func DefaultBackfill() Backfill {
	return Backfill{Interval: 30 * unit.Second, Window: unit.Day, Resolution: unit.Minute, Jobs: 500}
}

// SetBackfill sets the parameters of the policy Slurm. Call it before the first Submit.
func (s *Site) SetBackfill(b Backfill) { s.slurm.Backfill = b }

// slurm is the state of the policy Slurm.
type slurm struct {
	Backfill
	next unit.Time // backfill pass; unit.Forever if none is due
	seen uint64    // happened at the latest backfill pass
}

// twoLoops schedules as Slurm does. The main loop starts jobs in the order of the queue and stops
// at the first job of each queue that does not fit. The backfill pass, at multiples of its
// interval while jobs wait, tries the jobs in the same order; each that does not fit now gets a
// reservation, if it begins within the window.
func (s *Site) twoLoops(now unit.Time) (again bool) {
	on, stopped := s.around(), s.undone
	on.begin(now)
	rest, full := s.ordered(now), map[int32]bool{}
	for i := range rest {
		w := &rest[i]
		if q := s.jobs[w.handle].Queue; !full[q] && !s.held(w.handle) {
			if full[q] = !s.startOn(on, now, w); s.undone > stopped {
				return true
			}
		}
	}
	every, begun, over := s.slurm.Interval, len(s.started), unit.Time(-1)
	if now%every == 0 {
		s.backfillPass(on, now)
		s.slurm.seen, over = s.happened, now
	}
	// If no event happens, a job that did not fit around the reservations does not fit later
	// either, unless the order changes with time, limits change with jobs that started, or a wait
	// for few switches ends.
	s.slurm.next = now - now%every + every
	calm := s.slurm.seen == s.happened && len(s.started) == begun && s.queueBy == Arrival && !s.limited
	if calm = s.patient(over) == unit.Forever && calm; calm || s.queue.len() == 0 {
		s.slurm.next = unit.Forever
	}
	return s.undone > stopped
}

// backfillPass is one backfill pass: jobs in the order of the queue start if they fit, and others get a
// reservation that later ones must not delay, if it begins within the window. Limits bound the jobs
// tried, by user, by queue and in all. The start and the end of a reservation are rounded down to the
// resolution, the start not below now. The pass ends as soon as a job was stopped for another one.
func (s *Site) backfillPass(on space, now unit.Time) {
	b := &s.slurm
	users, queues := map[uint32]int{}, map[int32]int{}
	tried, stopped := 0, s.undone
	for _, w := range s.ordered(now) {
		e := &s.jobs[w.handle]
		if reached(b.UserJobs, users[e.User]) || reached(b.QueueJobs, queues[e.Queue]) || s.held(w.handle) {
			continue
		}
		if reached(b.Jobs, tried) {
			break
		}
		users[e.User]++
		queues[e.Queue]++
		if tried++; s.startOn(on, now, &w) {
			if s.undone > stopped {
				break
			}
			continue
		}
		at := on.earliest(now, w.handle)
		if at > after(now, b.Window) || at == unit.Forever {
			continue
		}
		from, until := at, after(at, e.Estimate)
		if r := b.Resolution; r > 0 && until < unit.Forever {
			from, until = max(now, from-from%r), until-until%r
		}
		s.book(on, w.handle, from, until)
	}
	s.unplan(on)
}

// reached reports whether a number reaches its limit; 0 is none.
func reached(limit, n int) bool { return limit > 0 && n >= limit }
