package batch

import (
	"slices"

	"parley/core/unit"
)

// Profile describes how many processors are free over time: a staircase, sorted by
// time, whose last step goes on for ever. Steps may lie below zero where a site
// lost processors. Its zero value has no step; Reset it first.
type Profile struct {
	steps []step
	edges bool // steps stay at which as many processors are freed as taken
}

// step is how many processors are free from a time on.
type step struct {
	at   unit.Time
	free int
}

// Reset makes p a site with n free processors from a time on. Its memory
// is used again.
func (p *Profile) Reset(from unit.Time, free int) {
	p.steps = append(p.steps[:0], step{from, free})
}

// Free returns how many processors are free at a time, which must not lie before
// the profile begins.
func (p *Profile) Free(at unit.Time) int { return p.steps[p.index(at)].free }

// Add adds processors, which may be negative, to the free ones in [from, until). The part before the
// beginning of the profile is ignored.
func (p *Profile) Add(from, until unit.Time, processors int) {
	from = max(from, p.steps[0].at)
	if from >= until || processors == 0 {
		return
	}
	i := p.split(from)
	j := len(p.steps)
	if until < unit.Forever {
		j = p.split(until)
	}
	for k := i; k < j; k++ {
		p.steps[k].free += processors
	}
	if !p.edges {
		p.join(j)
		p.join(i)
	}
}

// Fits reports whether a number of processors is free throughout [from, from+length).
func (p *Profile) Fits(from, length unit.Time, processors int) bool {
	until := after(from, length)
	for i := p.index(from); i < len(p.steps) && (i == 0 || p.steps[i].at < until); i++ {
		if p.steps[i].free < processors {
			return false
		}
	}
	return true
}

// Earliest returns the first time from from on at which a number of processors is free for a length of
// time; unit.Forever if there is none.
func (p *Profile) Earliest(from, length unit.Time, processors int) unit.Time {
	start, until := from, after(from, length)
	for i := p.index(from); i < len(p.steps); i++ {
		s := p.steps[i]
		if s.at >= until {
			return start
		}
		if s.free < processors {
			if i+1 == len(p.steps) {
				return unit.Forever
			}
			start = p.steps[i+1].at
			until = after(start, length)
		}
	}
	return start
}

// Forget removes the steps before a time.
func (p *Profile) Forget(before unit.Time) {
	if i := p.index(before); i > 0 {
		p.steps = slices.Delete(p.steps, 0, i)
	}
	p.steps[0].at = max(p.steps[0].at, before)
}

// index returns the index of the step that contains a time; 0 for a time before the first.
func (p *Profile) index(at unit.Time) int {
	i, found := slices.BinarySearchFunc(p.steps, at, func(s step, at unit.Time) int {
		switch {
		case s.at < at:
			return -1
		case s.at > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return max(i, 0)
}

// split makes a step begin at a time and returns its index. A time before the first step returns 0.
func (p *Profile) split(at unit.Time) int {
	i := p.index(at)
	if p.steps[i].at >= at {
		return i
	}
	p.steps = slices.Insert(p.steps, i+1, step{at, p.steps[i].free})
	return i + 1
}

// join drops a step that is as high as the one before.
func (p *Profile) join(i int) {
	if i > 0 && i < len(p.steps) && p.steps[i].free == p.steps[i-1].free {
		p.steps = slices.Delete(p.steps, i, i+1)
	}
}
