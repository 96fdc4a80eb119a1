package batch

import "parley/core/unit"

// space finds where jobs fit over time, beside running jobs, blocks and the plans of a pass: in the
// processors of a Profile, or on the nodes of a machine.
type space interface {
	// begin is called at the beginning of a pass.
	begin(now unit.Time)
	// fits reports whether a waiting job fits from a time on, and remembers where.
	fits(at unit.Time, h Handle) bool
	// earliest returns the first time not before another one at which a waiting job fits, and
	// remembers where; unit.Forever if there is none.
	earliest(from unit.Time, h Handle) unit.Time
	// keep lets a job have the place that was found last from one time until another.
	keep(h Handle, from, until unit.Time)
	// shift frees the processors of a job from one time until another, or with sign -1 takes them
	// again.
	shift(h Handle, from, until unit.Time, sign int)
}

// around returns the space of the policies that look at more than one time and number.
func (s *Site) around() space {
	if s.machine != nil {
		return s.machine
	}
	return (*plain)(s)
}

// plain is the space of a site whose processors are all alike.
type plain Site

func (p *plain) begin(now unit.Time) { (*Site)(p).outline(now) }

func (p *plain) fits(at unit.Time, h Handle) bool {
	j := &p.jobs[h].Job
	return p.profile.Fits(at, j.Estimate, j.Processors)
}

func (p *plain) earliest(from unit.Time, h Handle) unit.Time {
	j := &p.jobs[h].Job
	return p.profile.Earliest(from, j.Estimate, j.Processors)
}

func (p *plain) keep(h Handle, from, until unit.Time) { p.shift(h, from, until, -1) }

func (p *plain) shift(h Handle, from, until unit.Time, sign int) {
	p.profile.Add(from, until, sign*p.jobs[h].Processors)
}

// fillAround starts jobs under FCFS and EASY on a space. It ends as soon as it stopped jobs, and reports it:
// they wait again where they were in the queue, and another pass is due. The promise of EASY's head
// is a time: others may take its place if it has another one then.
func (s *Site) fillAround(now unit.Time) (again bool) {
	on, stopped := s.around(), s.undone
	on.begin(now)
	rest := s.ordered(now)
	for len(rest) > 0 && (s.held(rest[0].handle) || s.startOn(on, now, &rest[0])) {
		if rest = rest[1:]; s.undone > stopped {
			return true
		}
	}
	if s.policy == FCFS || len(rest) < 2 {
		return false
	}
	head := rest[0].handle
	at := on.earliest(now, head)
	rest = rest[1:]
	if s.backfillBy != s.queueBy {
		s.sortBy(s.backfillBy, now, rest)
	}
	for i := range rest {
		w := &rest[i]
		if s.held(w.handle) {
			continue
		}
		if s.look(now, w.handle); !on.fits(now, w.handle) {
			continue
		}
		ends := after(now, w.estimate)
		if on.keep(w.handle, now, ends); at < unit.Forever && ends > at && !on.fits(at, head) {
			on.shift(w.handle, now, ends, 1)
			continue
		}
		s.queue.remove(w.arrival)
		s.start(now, w.handle)
	}
	return false
}

// startOn starts a job if it fits now, or would without jobs that it may stop.
func (s *Site) startOn(on space, now unit.Time, w *waitingJob) bool {
	if s.look(now, w.handle); !on.fits(now, w.handle) && !(s.makeRoom(on, now, w) && on.fits(now, w.handle)) {
		return false
	}
	on.keep(w.handle, now, after(now, w.estimate))
	s.queue.remove(w.arrival)
	s.start(now, w.handle)
	return true
}

// planAround starts the jobs whose earliest time is now where every job gets a reservation, anew
// at each pass in the order of the queue. Jobs behind the last one that fits now are not planned, except those of
// which less room may let other parts fit, or whose wait for few switches begins.
func (s *Site) planAround(now unit.Time) (again bool) {
	on, stopped := s.around(), s.undone
	on.begin(now)
	rest := s.ordered(now)
	for n := len(rest); n > 0; n-- {
		if h := rest[n-1].handle; s.inTurn(h) || !s.held(h) && on.fits(now, h) {
			break
		}
		rest = rest[:n-1]
	}
	s.planned = s.planned[:0]
	for i := range rest {
		if s.undone > stopped {
			break
		}
		if w := &rest[i]; !s.held(w.handle) && !s.startOn(on, now, w) {
			if at := on.earliest(now, w.handle); at < unit.Forever {
				s.book(on, w.handle, at, after(at, w.estimate))
			}
		}
	}
	s.unplan(on)
	return s.undone > stopped
}

// inTurn reports whether a pass has to come to a job in its turn.
func (s *Site) inTurn(h Handle) bool {
	j := &s.jobs[h].Job
	return s.preempts(h) || j.Switches > 0 || s.machine != nil && len(j.Components) > 0
}

// span is a reservation that a pass makes for a waiting job and takes back at its end.
type span struct {
	handle      Handle
	from, until unit.Time
}

// book reserves the place that was found last.
func (s *Site) book(on space, h Handle, from, until unit.Time) {
	on.keep(h, from, until)
	s.planned = append(s.planned, span{h, from, until})
}

// unplan takes all reservations of a pass back.
func (s *Site) unplan(on space) {
	for _, p := range s.planned {
		on.shift(p.handle, p.from, p.until, 1)
	}
	s.planned = s.planned[:0]
}
