package gang

import (
	"cmp"
	"slices"

	"parley/core/batch"
	"parley/core/unit"
)

// Cause is why a job waits after a pass.
type Cause uint8

// The causes.
const (
	None    Cause = iota
	Short         // fewer GPUs are free than it asks for
	NoPlace       // enough are free, and the placement finds none of them
	Promise       // it has a place, and the order or a promise to another one keeps it
	causes
)

var causeNames = [causes]string{"", "too few GPUs", "no place", "a promise"}

// String returns the cause in words.
func (c Cause) String() string { return causeNames[c] }

// Decisions of a pass. A job that moves is in both lists: it stops, then it starts elsewhere.
type Decisions struct {
	Stopped []Handle
	Started []Handle // Parts has where
}

// keyed is a waiting job with its place in the queue.
type keyed struct {
	key float64
	job Handle
}

// planned is a job that runs after the pass, on some of Site.parts; of a pool it has none yet.
type planned struct {
	job      Handle
	from, to int
}

// Pass decides which jobs run from now on. The result is good until the next call.
func (s *Site) Pass(now unit.Time) Decisions {
	s.account(now)
	s.decided.Stopped, s.decided.Started = s.decided.Stopped[:0], s.decided.Started[:0]
	if every := s.settings.Every; every > 0 && now%every != 0 {
		return s.decided
	}
	s.failed = s.failed[:0]
	s.figures.blocked = [causes]int64{}
	s.head = -1
	switch s.settings.Policy {
	case SRTF, SRSF:
		s.sortByLeft(now)
		s.preempt(now, s.list)
	case LAS, Gittins:
		s.levels.update(now, s)
		s.preempt(now, s.levels.order())
		s.levels.runnersFirst(s)
	default:
		s.fill(now)
	}
	return s.decided
}

// Cause returns why a job waits, as the latest pass saw it.
func (s *Site) Cause(h Handle) Cause { return s.jobs[h].cause }

// Head returns the job that the latest pass would have started first, of those that wait since; false
// if there is none.
func (s *Site) Head() (Handle, bool) {
	if s.head < 0 || !s.jobs[s.head].here || s.jobs[s.head].running {
		return -1, false
	}
	return s.head, true
}

// blocked records that a job waits, and why. The first such job of a pass becomes the head.
func (s *Site) blocked(h Handle, c Cause) {
	e := &s.jobs[h]
	if s.head < 0 {
		s.head = h
	}
	e.cause = c
	s.figures.blocked[c] += int64(e.Processors)
}

// findPlace places a gang on nodes that have free GPUs in total. If the cause is None, the parts were
// appended to s.parts and are valid until s.parts is reset. s.failed keeps the sizes that had no place,
// and these are not tried again in the pass: free GPUs only become fewer within it.
func (s *Site) findPlace(nodes []Node, free int32, e *entry) ([]Part, Cause) {
	n := int32(e.Processors)
	if n > free {
		return nil, Short
	}
	if slices.Contains(s.failed, n) {
		return nil, NoPlace
	}
	from := len(s.parts)
	if parts := s.settings.Place.Find(nodes, n, s.parts); parts != nil {
		s.parts = parts
		return parts[from:], None
	}
	s.failed = append(s.failed, n)
	return nil, NoPlace
}

// fill starts waiting jobs in the order of the queue, without preemption. FIFO stops at the first job
// that does not fit. EASY promises that job its earliest place, and later ones start only if they do not
// delay it. Other policies skip jobs that do not fit.
func (s *Site) fill(now unit.Time) {
	var head *promise
	stopped := false
	for _, h := range s.queue(now) {
		e := &s.jobs[h]
		s.parts = s.parts[:0]
		if stopped {
			cause := Promise
			if int32(e.Processors) > s.free {
				cause = Short
			}
			s.blocked(h, cause)
			continue
		}
		at, cause := s.findPlace(s.nodes, s.free, e)
		if at != nil && head != nil && !head.allows(now, s, e, at) {
			at = head.beside(s, e)
			cause = Promise
		}
		if at != nil {
			e.cause = None
			s.start(now, e, at)
			s.decided.Started = append(s.decided.Started, h)
			continue
		}
		s.blocked(h, cause)
		switch {
		case s.settings.Policy == FIFO:
			stopped = true
		case s.settings.Policy == EASY && head == nil:
			head = s.promiseTo(now, e)
		}
	}
}

// queue returns the waiting jobs, sorted by the order of the settings. The slice is good until the next
// call.
func (s *Site) queue(now unit.Time) []Handle {
	s.order = s.order[:0]
	if s.settings.Order == batch.Arrival {
		for _, h := range s.list {
			if !s.jobs[h].running {
				s.order = append(s.order, h)
			}
		}
		return s.order
	}
	s.keys = s.keys[:0]
	for _, h := range s.list {
		if e := &s.jobs[h]; !e.running {
			s.keys = append(s.keys, keyed{s.settings.Order.Key(e.Job, e.submitted, now), h})
		}
	}
	slices.SortStableFunc(s.keys, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for _, k := range s.keys {
		s.order = append(s.order, k.job)
	}
	return s.order
}

// promise is when the head of the queue gets which nodes, if running jobs end as estimated.
type promise struct {
	at    unit.Time
	parts []Part
}

// promiseTo returns the place that a job gets if running jobs end as estimated and no other job starts:
// the first end after which the placement finds one. It returns nil if even the last end gives it none.
// It uses s.empty as scratch.
func (s *Site) promiseTo(now unit.Time, head *entry) *promise {
	s.empty = append(s.empty[:0], s.nodes...)
	running := slices.DeleteFunc(slices.Clone(s.list), func(h Handle) bool { return !s.jobs[h].running })
	slices.SortStableFunc(running, func(a, b Handle) int {
		x, y := &s.jobs[a], &s.jobs[b]
		return cmp.Or(cmp.Compare(x.ends(now), y.ends(now)), cmp.Compare(x.since, y.since))
	})
	for _, h := range running {
		e := &s.jobs[h]
		for _, p := range e.parts {
			s.empty[p.Node].Free += p.GPUs
		}
		if parts := s.settings.Place.Find(s.empty, int32(head.Processors), nil); parts != nil {
			return &promise{e.ends(now), parts}
		}
	}
	return nil
}

// on reports whether a node is promised.
func (p *promise) on(node int32) bool {
	return slices.ContainsFunc(p.parts, func(q Part) bool { return q.Node == node })
}

// allows reports whether a job may start on parts without delaying the promised one: it ends by the
// promised time at the pace of these parts, or it uses none of the promised nodes.
func (p *promise) allows(now unit.Time, s *Site, e *entry, at []Part) bool {
	left := e.left(now)
	return left <= p.at-now && stretched(left, s.pace(at)) <= p.at-now ||
		!slices.ContainsFunc(at, func(q Part) bool { return p.on(q.Node) })
}

// beside returns a place for a job on nodes that are not promised; nil if there is none.
func (p *promise) beside(s *Site, e *entry) []Part {
	s.empty = append(s.empty[:0], s.nodes...)
	for i := range s.empty {
		if p.on(int32(i)) {
			s.empty[i].Free = 0
		}
	}
	return s.settings.Place.Find(s.empty, int32(e.Processors), s.parts[:0])
}

// sortByLeft sorts s.list, all jobs that wait or run, by their remaining time, for SRSF times their
// GPUs. Equal ones keep their order.
func (s *Site) sortByLeft(now unit.Time) {
	s.keys = s.keys[:0]
	for _, h := range s.list {
		e := &s.jobs[h]
		left := float64(e.left(now))
		if s.settings.Policy == SRSF {
			left = float64(left * float64(e.Processors))
		}
		s.keys = append(s.keys, keyed{left, h})
	}
	slices.SortStableFunc(s.keys, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i, k := range s.keys {
		s.list[i] = k.job
	}
}

// preempt places all jobs, running or waiting, on empty nodes in the given order, and runs those that
// have a place. Running jobs without one are suspended. Those whose place differs are suspended and
// started elsewhere, unless KeepNodes leaves them on nodes that are still free. With Pool only the
// number of GPUs counts, so a running job keeps its GPUs.
func (s *Site) preempt(now unit.Time, order []Handle) {
	s.empty = append(s.empty[:0], s.nodes...)
	for i := range s.empty {
		s.empty[i].Free = s.empty[i].Total
	}
	s.parts, s.plan = s.parts[:0], s.plan[:0]
	free, pool := s.total, s.settings.Place == Pool
	for _, h := range order {
		e := &s.jobs[h]
		n, from := int32(e.Processors), len(s.parts)
		cause := None
		switch {
		case pool && n > free:
			cause = Short
		case pool:
		case s.settings.KeepNodes && e.running && within(e.parts, s.empty):
			s.parts = append(s.parts, e.parts...)
		default:
			_, cause = s.findPlace(s.empty, free, e)
		}
		if cause != None {
			s.blocked(h, cause)
			if e.running {
				s.suspend(now, h)
				s.figures.Preemptions++
			}
			continue
		}
		for _, p := range s.parts[from:] {
			s.empty[p.Node].Free -= p.GPUs
		}
		free -= n
		e.cause = None
		s.plan = append(s.plan, planned{h, from, len(s.parts)})
	}
	for _, p := range s.plan {
		if e := &s.jobs[p.job]; e.running && !pool && !samePlace(e.parts, s.parts[p.from:p.to]) {
			s.suspend(now, p.job)
			s.figures.Moves++
		}
	}
	for _, p := range s.plan {
		e := &s.jobs[p.job]
		if e.running {
			continue
		}
		at := s.parts[p.from:p.to]
		if pool {
			at = fill(s.nodes, int32(e.Processors), s.parts[:0])
		}
		s.start(now, e, at)
		s.decided.Started = append(s.decided.Started, p.job)
	}
}

// suspend stops a running job, which keeps its progress.
func (s *Site) suspend(now unit.Time, h Handle) {
	e := &s.jobs[h]
	s.stop(now, e)
	e.cost = s.settings.Restart
	e.stops++
	s.decided.Stopped = append(s.decided.Stopped, h)
}

// within reports whether parts are free on nodes.
func within(parts []Part, nodes []Node) bool {
	return !slices.ContainsFunc(parts, func(p Part) bool { return nodes[p.Node].Free < p.GPUs })
}

// samePlace reports whether parts are the same GPUs, in whatever order.
func samePlace(a, b []Part) bool {
	if len(a) != len(b) {
		return false
	}
	for _, p := range a {
		if !slices.Contains(b, p) {
			return false
		}
	}
	return true
}

// Wake returns when the next pass is due although nothing happens; unit.Forever: never.
func (s *Site) Wake(now unit.Time) unit.Time {
	if every := s.settings.Every; every > 0 {
		if len(s.list) == 0 {
			return unit.Forever
		}
		return now - now%every + every
	}
	if s.settings.Policy.Queues() {
		return s.levels.wake(now, s)
	}
	return unit.Forever
}
