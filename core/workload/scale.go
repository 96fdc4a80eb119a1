package workload

import (
	"fmt"
	"io"

	"parley/core/rng"
)

// Scale returns source with a random part of its tasks and jobs doubled (or tripled …), so that
// factor times as many arrive; every copy repeats the records of its original. A factor below 1
// keeps only that part of the tasks. Which tasks are copied depends on their keys alone, as in the
// negotiation paper's section 7.5.
func Scale(source Source, factor float64, seed uint64) Source {
	if factor == 1 {
		return source
	}
	return &scaled{source: source, factor: factor, seed: seed}
}

type scaled struct {
	source Source
	factor float64
	seed   uint64
	copies int
	held   Record
	left   int64
	added  int64
}

// Changed returns how many tasks, jobs and graphs did not arrive for the factor, and
// how many copies did.
func (s *scaled) Changed() (left, added int64) { return s.left, s.added }

// copyBit marks the keys of copies: the n-th copy of a job has its number
// with n above this bit.
const copyBit = 56

// Next implements Source. Each task, job and graph is passed on floor(factor) or one more times, decided by a
// hash of its key, so that later records about it are repeated alike; other records are passed on once.
func (s *scaled) Next(r *Record) error {
	for s.copies == 0 {
		if err := s.source.Next(&s.held); err != nil {
			return err
		}
		s.copies = 1
		if s.held.Kind.named() {
			chance := rng.Unit(rng.Hash(s.seed, s.held.Key.Job, uint64(s.held.Key.Index)))
			s.copies = int(s.factor + 1 - chance)
			if k := s.held.Kind; k == TaskArrives || k == JobArrives || k == GraphArrives {
				if s.copies == 0 {
					s.left++
				} else {
					s.added += int64(s.copies - 1)
				}
			}
		}
	}
	s.copies--
	*r = s.held
	if r.Kind.named() {
		r.Key.Job += uint64(s.copies) << copyBit
		if s.copies > 0 {
			r.Task.Usage.Key = rng.Mix(r.Task.Usage.Key + uint64(s.copies))
		}
	}
	return nil
}

// Keep returns source without a random part of its machines: each stays with probability share, depending on its
// number alone (cell compaction, Verma et al. 2015). If tasks arrive and no machine stayed, Next returns an
// error.
func Keep(source Source, share float64, seed uint64) Source {
	if share == 1 {
		return source
	}
	return &kept{source: source, share: share, seed: seed}
}

type kept struct {
	source  Source
	share   float64
	seed    uint64
	left    bool // a machine stays
	without int  // machines that joined in vain
}

// Next implements Source. It leaves out all records of the machines that do not stay.
func (k *kept) Next(r *Record) error {
	for {
		if err := k.source.Next(r); err != nil {
			return err
		}
		if r.Kind >= TaskArrives {
			if !k.left && k.without > 0 && r.Kind != TaskRecorded {
				return fmt.Errorf(
					"cluster.keep is %v and leaves none of %d machines: choose a larger share, or leave it out",
					k.share, k.without,
				)
			}
			return nil
		}
		if rng.Unit(rng.Hash(k.seed, r.Machine, 0x6b656570)) >= k.share {
			if r.Kind == NodeJoins {
				k.without++
			}
			continue
		}
		k.left = true
		return nil
	}
}

// Then returns the records of a and after them those of b; b must not begin
// before a ends.
func Then(a, b Source) Source { return &chain{a, b} }

type chain struct{ now, later Source }

// Next implements Source. An error of the first source other than io.EOF ends both.
func (c *chain) Next(r *Record) error {
	err := c.now.Next(r)
	if err == io.EOF && c.later != nil {
		c.now, c.later = c.later, nil
		return c.now.Next(r)
	}
	return err
}
