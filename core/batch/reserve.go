package batch

import (
	"slices"

	"parley/core/unit"
)

// Block is an advance reservation: processors from one time until
// another, even if jobs wait.
type Block struct {
	Start, End unit.Time
	Processors int
}

// Reserve admits a block if its processors are free all the time, beside the estimated ends of
// running jobs, the other blocks and, under the conservative policies, the reservations of waiting
// jobs. The processors of a running job with an unknown end cannot be reserved.
func (s *Site) Reserve(now unit.Time, b Block) bool {
	if b.Start < now || b.Start >= b.End || b.Processors < 1 {
		return false
	}
	s.happened++
	if s.machine != nil {
		if s.machine.begin(now); !s.machine.reserve(b) {
			return false
		}
		s.blocks = append(s.blocks, b)
		return true
	}
	if !s.policy.conservative() || s.divided() {
		s.outline(now)
	} else if s.stale {
		s.outline(now)
		s.rebuild(now)
		s.stale, s.early = false, false
	}
	if !s.profile.Fits(b.Start, b.End-b.Start, b.Processors) {
		return false
	}
	if s.policy.conservative() && !s.divided() {
		s.profile.Add(b.Start, b.End, -b.Processors)
	}
	s.blocks = append(s.blocks, b)
	return true
}

// Release gives up the rest of a block. It reports whether there was one.
func (s *Site) Release(b Block) bool {
	i := slices.Index(s.blocks, b)
	if i < 0 {
		return false
	}
	s.drop(i)
	s.stale = true
	return true
}

// Wake returns when a pass is due even if nothing happens until then: a block
// begins or ends, a reservation begins that no end of a job allows, or a wait for few switches ends. unit.Forever:
// never.
func (s *Site) Wake(now unit.Time) unit.Time {
	next := unit.Forever
	if s.soonest > now {
		next = s.soonest
	}
	if s.policy != Slurm {
		next = min(next, s.patient(now))
	} else if s.slurm.next > now {
		next = min(next, s.slurm.next)
	}
	for _, b := range s.blocks {
		if b.Start > now {
			next = min(next, b.Start)
		}
		if b.End > now {
			next = min(next, b.End)
		}
	}
	return next
}

// expire forgets the blocks that are over.
func (s *Site) expire(now unit.Time) {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if s.blocks[i].End <= now {
			s.drop(i)
		}
	}
}

// drop forgets a block.
func (s *Site) drop(i int) {
	s.blocks = slices.Delete(s.blocks, i, i+1)
	s.happened++
	if m := s.machine; m != nil {
		m.holds, m.stale = slices.Delete(m.holds, i, i+1), true
	}
}
