package study

import "parley/core/estimate"

// chains returns the number of chains: parts of a sweep whose runs depend on one another. A
// chain is one run if nothing is decided on the way, a cell with a seed of a search, a cell
// of a sweep that stops by confidence, or one with all that are compared with it. Chains are
// independent, so machines share them out.
func (s *Study) chains() int {
	switch {
	case s.Stop != nil && s.Stop.Difference:
		return s.Cells() / s.groups[s.compared()].size
	case s.Stop != nil:
		return s.Cells()
	}
	return s.Cells() * len(s.Seeds)
}

// missing returns the runs that a chain needs next, none when it is finished.
func (s *Study) missing(chain int, e *expander, have *Results) ([]Run, error) {
	switch {
	case s.Stop != nil && s.Stop.Difference:
		return s.undecided(chain, e, have)
	case s.Stop != nil:
		_, runs, err := s.narrowed(chain, e, have)
		return runs, err
	case s.Search != nil:
		_, _, runs, err := s.searched(chain/len(s.Seeds), s.Seeds[chain%len(s.Seeds)], e, have)
		return runs, err
	}
	r, err := e.run(chain/len(s.Seeds), s.Seeds[chain%len(s.Seeds)], -1)
	if err != nil || have.Get(r.ID) != nil {
		return nil, err
	}
	return []Run{r}, nil
}

// Shard is one machine's share of a sweep: the chains whose number is Number modulo Of.
type Shard struct{ Number, Of int }

// Queue hands out the missing runs of a shard, in an order that does not depend on who
// plays how fast. It is not safe for concurrent use.
type Queue struct {
	sweep    *Study
	have     *Results
	expander *expander
	shard    Shard
	next     int // chain
	ready    []Run
	chains   map[string][]int // that wait for a run that is handed out
	waiting  map[int]int      // runs that a chain waits for
	failed   map[int]bool     // chains that are given up
}

// NewQueue returns a queue of the runs whose results are not in have. The caller adds their results to it.
func NewQueue(s *Study, have *Results, shard Shard) *Queue {
	return &Queue{
		sweep: s, have: have, expander: newExpander(s, have.Engine), shard: shard, next: shard.Number,
		chains: map[string][]int{}, waiting: map[int]int{}, failed: map[int]bool{},
	}
}

// Take returns a run to play now. It returns false if all runs are finished or in
// progress; those in progress may require more.
func (q *Queue) Take() (Run, bool, error) {
	for len(q.ready) == 0 && q.next < q.sweep.chains() {
		chain := q.next
		q.next += q.shard.Of
		if err := q.fill(chain); err != nil {
			return Run{}, false, err
		}
	}
	if len(q.ready) == 0 {
		return Run{}, false, nil
	}
	r := q.ready[0]
	q.ready = q.ready[1:]
	return r, true, nil
}

// takeAll returns all runs that are to be played now.
func (q *Queue) takeAll() (all []Run, err error) {
	for {
		r, more, err := q.Take()
		if err != nil || !more {
			return all, err
		}
		all = append(all, r)
	}
}

func (q *Queue) fill(chain int) error {
	runs, err := q.sweep.missing(chain, q.expander, q.have)
	if err != nil {
		return err
	}
	for _, r := range runs {
		q.waiting[chain]++
		if q.chains[r.ID] = append(q.chains[r.ID], chain); len(q.chains[r.ID]) == 1 {
			q.ready = append(q.ready, r)
		}
	}
	return nil
}

// Done records that a run which was taken has its result, or failed:
// then the runs that depend on it are given up.
func (q *Queue) Done(r Run, failed bool) error {
	chains := q.chains[r.ID]
	delete(q.chains, r.ID)
	for _, chain := range chains {
		q.waiting[chain]--
		q.failed[chain] = q.failed[chain] || failed
		if q.waiting[chain] > 0 {
			continue
		}
		delete(q.waiting, chain)
		if q.failed[chain] {
			continue
		}
		if err := q.fill(chain); err != nil {
			return err
		}
	}
	return nil
}

// searched returns the limit of a cell with a seed as a place of the searched axis, -1
// if nothing fits, the outcomes that decide it, and the runs that are missing.
func (s *Study) searched(cell int, seed uint64, e *expander, have *Results) (limit int, played []*Outcome,
	missing []Run, err error,
) {
	limit, ask := estimate.Limit(s.Search.begin, s.Search.last, func(place int) (fits, known bool) {
		r, wrong := e.run(cell, seed, place)
		if wrong != nil {
			err = wrong
			return false, false
		}
		o := have.Get(r.ID)
		if o == nil {
			missing = []Run{r}
			return false, false
		}
		fits, lacks := s.Search.fits(o)
		if lacks != "" {
			err = s.noFigure("search.fits", lacks, o)
			return false, false
		}
		played = append(played, o)
		return fits, true
	})
	if ask < 0 {
		missing = nil
	}
	return limit, played, missing, err
}
