package batch

import (
	"cmp"
	"slices"

	"parley/core/unit"
)

// fill starts jobs under FCFS and EASY where no block is reserved: what is free
// only grows then, so that one time and one number tell where a job fits.
func (s *Site) fill(now unit.Time) {
	free := s.available(now)
	for s.queue.len() > 0 && int(s.queue.at(0).processors) <= free {
		head := *s.queue.at(0)
		free -= int(head.processors)
		s.queue.remove(0)
		s.start(now, head.handle)
	}
	if s.policy == FCFS || s.queue.len() < 2 || free <= 0 {
		return
	}
	need := int(s.queue.at(0).processors)
	shadow, then := s.running.when(now, free, need)
	s.backfill(now, free, shadow, then-need)
}

// backfill starts jobs from behind the head that fit in what is free now and
// either end before the shadow time, at which the head can start, or need no more
// than the extra processors that it leaves then.
func (s *Site) backfill(now unit.Time, free int, shadow unit.Time, extra int) {
	window := unit.Forever // estimates up to it end in time
	if shadow < unit.Forever {
		window = shadow - now
	}
	s.places = s.places[:0]
	try := func(place int32, w *waitingJob) (more bool) {
		p := int(w.processors)
		if p > free || w.estimate > window && p > extra {
			return true
		}
		if w.estimate > window {
			extra -= p
		}
		free -= p
		s.start(now, w.handle)
		s.places = append(s.places, place)
		return free > 0
	}
	all := s.queue.all()
	if s.policy == EASYSJBF {
		for _, place := range s.bySize(1) {
			if !try(place, &all[place]) {
				break
			}
		}
		slices.Sort(s.places)
	} else {
		for i := 1; i < len(all); i++ {
			if !try(int32(i), &all[i]) {
				break
			}
		}
	}
	s.queue.removeAll(s.places)
}

// bySize returns the places of the queue from one on, shortest estimates first and
// equal ones in the order of their arrival.
func (s *Site) bySize(from int) []int32 {
	s.order = s.order[:0]
	for i := from; i < s.queue.len(); i++ {
		s.order = append(s.order, int32(i))
	}
	all := s.queue.all()
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(all[a].estimate, all[b].estimate), cmp.Compare(a, b))
	})
	return s.order
}

// fitAround is fill where blocks are reserved: what is free rises and falls.
func (s *Site) fitAround(now unit.Time) {
	s.outline(now)
	p := &s.profile
	for s.queue.len() > 0 {
		head := *s.queue.at(0)
		if !p.Fits(now, head.estimate, int(head.processors)) {
			break
		}
		p.Add(now, after(now, head.estimate), -int(head.processors))
		s.queue.remove(0)
		s.start(now, head.handle)
	}
	if s.policy == FCFS || s.queue.len() < 2 {
		return
	}
	head := s.queue.at(0)
	if at := p.Earliest(now, head.estimate, int(head.processors)); at < unit.Forever {
		p.Add(at, after(at, head.estimate), -int(head.processors))
	}
	order := s.bySize(1)
	if s.policy == EASY {
		slices.Sort(order)
	}
	s.places = s.places[:0]
	for _, place := range order {
		w := *s.queue.at(int(place))
		if p.Fits(now, w.estimate, int(w.processors)) {
			p.Add(now, after(now, w.estimate), -int(w.processors))
			s.start(now, w.handle)
			s.places = append(s.places, place)
		}
	}
	slices.Sort(s.places)
	s.queue.removeAll(s.places)
}

// outline makes the profile that of the running jobs and the blocks. Jobs that
// outlived their estimate are hoped to end in a moment.
func (s *Site) outline(now unit.Time) {
	p := &s.profile
	p.Reset(now, s.size)
	s.running.each(func(e ending) {
		if e.at < now {
			e.at = now + 1
		}
		p.Add(now, e.at, -int(e.processors))
	})
	for _, b := range s.blocks {
		p.Add(b.Start, b.End, -b.Processors)
	}
}
