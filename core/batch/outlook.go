package batch

import "parley/core/unit"

// Outlook fills p with the number of free processors over time, as known now: beside the estimated
// ends of running jobs, the blocks, and up to waiting of the waiting jobs, each planned at its
// earliest in the order of arrival. It returns the planned start of the first waiting job, which
// under EASY is its promise; unit.Forever if none waits or it never can start.
func (s *Site) Outlook(now unit.Time, p *Profile, waiting int) (head unit.Time) {
	s.outlineInto(p, now)
	head = unit.Forever
	i := 0
	s.queue.each(func(w *waitingJob) {
		if i >= waiting {
			return
		}
		at := p.Earliest(now, w.estimate, int(w.processors))
		if i == 0 {
			head = at
		}
		if at < unit.Forever {
			p.Add(at, after(at, w.estimate), -int(w.processors))
		}
		i++
	})
	return head
}

// Head returns the first waiting job; false if none waits.
func (s *Site) Head() (Handle, bool) {
	if s.queue.len() == 0 {
		return 0, false
	}
	return s.queue.head().handle, true
}

// outlineInto makes p the profile of the running jobs and the blocks. Jobs that
// exceeded their estimate are assumed to end at any moment.
func (s *Site) outlineInto(p *Profile, now unit.Time) {
	free, outlived := s.size-s.busy, 0
	p.Reset(now, free)
	s.running.each(func(e ending) { // by their ends: the staircase rises step by step
		switch {
		case e.at == now:
			p.steps[0].free += int(e.processors)
		case e.at < now:
			outlived += int(e.processors)
		default:
			if outlived > 0 {
				p.rise(now+1, outlived)
				outlived = 0
			}
			p.rise(e.at, int(e.processors))
		}
	})
	if outlived > 0 {
		p.rise(now+1, outlived)
	}
	for _, b := range s.blocks {
		p.Add(b.Start, b.End, -b.Processors)
	}
}

// rise makes n more processors free from a time on that is not before the
// last step.
func (p *Profile) rise(at unit.Time, processors int) {
	last := p.steps[len(p.steps)-1]
	if at == unit.Forever {
		return
	}
	if at > last.at {
		p.steps = append(p.steps, step{at, last.free})
	}
	p.steps[len(p.steps)-1].free += processors
}

// Blocks returns how many blocks end after a time.
func (s *Site) Blocks(after unit.Time) (n int) {
	for _, b := range s.blocks {
		if b.End > after {
			n++
		}
	}
	return n
}

// Book is Reserve for a block of which its caller knows, from an Outlook that holds
// now, that it fits. It costs nothing to speak of.
func (s *Site) Book(now unit.Time, b Block) bool {
	if s.policy.conservative() {
		return s.Reserve(now, b)
	}
	s.blocks = append(s.blocks, b)
	return true
}
