package study

import "parley/core/estimate"

// narrowed returns after how many seeds the interval of a cell's figure is narrow enough. If runs are
// missing to tell, it returns how many seeds have a value, and the missing runs.
func (s *Study) narrowed(cell int, e *expander, have *Results) (seeds int, missing []Run, err error) {
	var values []float64
	looks := s.looks()
	for _, n := range looks {
		for _, seed := range s.Seeds[len(values):n] {
			if err := s.read(&values, &missing, cell, seed, e, have); err != nil {
				return 0, nil, err
			}
		}
		if len(missing) > 0 {
			return len(values), missing, nil
		}
		if estimate.OfLooks(values, len(looks)).Half() <= s.Stop.Half {
			return n, nil, nil
		}
	}
	return len(s.Seeds), nil, nil
}

// read adds a run's value of the deciding figure to values, or the run to missing
// if it has not been played.
func (s *Study) read(values *[]float64, missing *[]Run, cell int, seed uint64, e *expander, have *Results) error {
	r, err := e.run(cell, seed, -1)
	if err != nil {
		return err
	}
	o := have.Get(r.ID)
	if o == nil {
		*missing = append(*missing, r)
		return nil
	}
	x, has := o.Figure(s.Stop.Metric)
	if !has {
		return s.noFigure("stop.metric", s.Stop.Metric, o)
	}
	*values = append(*values, x)
	return nil
}

// looks says after how many seeds the figure or the difference that decides is looked at.
func (s *Study) looks() []int { return estimate.Looks(s.Stop.MinSeeds, len(s.Seeds)) }

// decides reports whether a difference is clear of zero or its interval narrow enough.
func (q *Stop) decides(d estimate.Estimate) bool {
	switch d.Verdict() {
	case "lower", "higher":
		return true
	case "none":
		return q.Half > 0 && d.Half() <= q.Half
	}
	return false
}

// family returns a cell that others are compared with, by its number among those, and
// the others.
func (s *Study) family(number int) (base int, others []int) {
	compared := s.compared()
	at := make([]int, len(s.groups))
	for g := len(s.groups) - 1; g >= 0; g-- {
		if g != compared {
			at[g] = number % s.groups[g].size
			number /= s.groups[g].size
		}
	}
	for at[compared] = range s.groups[compared].size {
		if at[compared] == s.against() {
			base = s.number(at)
		} else {
			others = append(others, s.number(at))
		}
	}
	return base, others
}

// undecided returns the runs that a cell and those that are compared with it need next. A run of
// the cell serves them all: the queue returns it once.
func (s *Study) undecided(family int, e *expander, have *Results) (missing []Run, err error) {
	base, others := s.family(family)
	for _, cell := range others {
		_, runs, err := s.decided(cell, base, e, have)
		if err != nil {
			return nil, err
		}
		missing = append(missing, runs...)
	}
	return missing, nil
}

// decided returns after how many seeds the difference of a cell to base tells enough, or
// up to which one runs are missing to tell.
func (s *Study) decided(cell, base int, e *expander, have *Results) (seeds int, missing []Run, err error) {
	var sides [2][]float64
	looks := s.looks()
	for _, n := range looks {
		for side, at := range []int{cell, base} {
			for _, seed := range s.Seeds[len(sides[side]):n] {
				if err := s.read(&sides[side], &missing, at, seed, e, have); err != nil {
					return 0, nil, err
				}
			}
		}
		if len(missing) > 0 {
			return n, missing, nil
		}
		if s.Stop.decides(s.difference(estimate.Differences(sides[0], sides[1]))) {
			return n, nil, nil
		}
	}
	return len(s.Seeds), nil, nil
}

// seedsOf returns how many seeds of a cell count: as many as its difference needed, and
// of one that others are compared with as many as any of them.
func (s *Study) seedsOf(cell int, e *expander, have *Results) (seeds int, err error) {
	base := s.base(cell)
	if base != cell {
		seeds, _, err = s.decided(cell, base, e, have)
		return seeds, err
	}
	at := s.place(cell)
	for at[s.compared()] = range s.groups[s.compared()].size {
		if other := s.number(at); other != cell {
			n, _, err := s.decided(other, cell, e, have)
			if err != nil {
				return 0, err
			}
			seeds = max(seeds, n)
		}
	}
	return seeds, nil
}
