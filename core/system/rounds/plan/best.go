package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// best returns the plan of smallest simulated makespan among all algorithms and the results of
// local search from them: another set of workers, another order, more or fewer rounds, and a last
// round that lets all finish together. It only ever accepts a smaller simulated makespan, so it is
// never worse than any of them, nor than one worker alone.
func (pl planner) best() (Result, error) {
	pl.options.Rounds, pl.options.Order, pl.options.Policy = 0, nil, ""
	var best Result
	var failure error
	var starts []design
	for _, name := range algorithms[:len(algorithms)-1] {
		r, err := Plan(pl.p, pl.load, name, pl.options)
		if err != nil {
			failure = err
			continue
		}
		if best.Rounds == 0 || r.Makespan < best.Makespan {
			best = r
		}
		starts = append(starts, designOf(pl.p, r))
	}
	if r, err := pl.alone(); err != nil {
		failure = err
	} else if best.Rounds == 0 || r.Makespan < best.Makespan {
		best = r
	}
	if best.Rounds == 0 {
		return Result{}, failure
	}
	s := search{pl: pl, effort: pl.options.Effort, makespan: math.Inf(1)}
	for _, d := range starts {
		s.join(d, pl.options.Effort/(2*len(starts)))
	}
	s.grow(pl.options.Effort / 4)
	s.climb()
	if s.makespan < best.Makespan {
		if r, err := s.result(); err == nil && r.Makespan < best.Makespan {
			return r, nil
		}
	}
	return best, nil
}

// search climbs from design to design while the simulated makespan falls.
type search struct {
	pl       planner
	effort   int // simulated chunks left to spend
	stage    stage
	current  design
	makespan float64 // of current; infinite before the first
}

// join spends at most effort on finding the best number of rounds for d
// before comparing it with the current design.
func (s *search) join(d design, effort int) {
	own := search{pl: s.pl, effort: effort, makespan: math.Inf(1)}
	for own.try(d); own.current.order != nil && own.tryRounds(); {
	}
	s.effort -= effort - own.effort
	s.joined(own)
}

// few is up to how many workers are few.
const few = 8

// grow spends at most effort on plans of few workers, which are the shortest if latencies are long. It
// starts with the fastest worker alone in one round and adds, one by one, the worker that shortens the
// round most, until none does. Each of these plans is tried in more rounds and other orders too. It
// spends nothing if few workers, even without latencies, would take longer than the current design.
func (s *search) grow(effort int) {
	if s.pl.load >= float64(s.makespan*topSpeed(s.pl.p, few)) {
		return
	}
	own := search{pl: s.pl, effort: effort, makespan: math.Inf(1)}
	from := design{division: "mi", rounds: 1, algorithm: "one-round", started: 1}
	for {
		before := own.makespan
		for i := range s.pl.p.Workers {
			if slices.Contains(from.order, i) {
				continue
			}
			for _, o := range orderings[fastestFirst:][:2] {
				d := from
				d.ordering, d.order = o, append(slices.Clone(from.order), i)
				d.workers = len(d.order)
				sortBy(s.pl.p, d.order, o.key)
				own.try(d)
			}
		}
		if !(own.makespan < before) {
			break
		}
		from = own.current
		more := own
		for more.tryRounds() || more.tryOrders() {
		}
		own.effort = more.effort
		s.joined(more)
	}
	s.effort -= effort - own.effort
}

// joined makes the current design of another search that of s if it is better.
func (s *search) joined(other search) {
	if other.makespan < s.makespan {
		s.current, s.makespan = other.current, other.makespan
	}
}

// try simulates d and makes it the current design if its makespan is smaller; it reports whether it is.
// It spends effort: the simulated chunks, or one for each worker if the rest of the effort does not
// suffice.
func (s *search) try(d design) bool {
	cost := len(d.order) * (d.rounds + levelCost)
	if s.effort < cost || len(d.order)*d.rounds > MaxChunks {
		s.effort -= min(s.effort, len(d.order)) // so that a search of hopeless designs ends too
		return false
	}
	s.effort -= cost
	if !s.stage.play(s.pl, d, nil) {
		return false
	}
	makespan := s.stage.sim.outcome().Makespan
	if !(makespan < s.makespan) {
		return false
	}
	s.current, s.makespan = d, makespan
	return true
}

// climb tries changes of the current design, first rounds, then order and
// division, then workers, and starts over after each that helps.
func (s *search) climb() {
	for s.current.order != nil && s.effort > 0 && (s.tryRounds() || s.tryOrders() || s.tryWorkers()) {
	}
}

// tryRounds tries other numbers of rounds, larger steps first, and reports whether one was better; it
// stops at the first.
func (s *search) tryRounds() bool {
	m := s.current.rounds
	limit := s.pl.options.limit(len(s.current.order))
	for _, next := range [...]int{m * 3 / 4, m * 4 / 3, m - 1, m + 1, m - 2, m + 2, m / 2, 2 * m} {
		if next < 1 || next > limit || next == m {
			continue
		}
		d := s.current
		d.rounds = next
		if s.try(d) {
			return true
		}
	}
	return false
}

// tryOrders tries the other sending orders and then the other divisions, and reports whether one was
// better; it stops at the first.
func (s *search) tryOrders() bool {
	for _, o := range orderings {
		d := s.current
		d.ordering = o
		d.order = slices.Clone(d.order)
		sortBy(s.pl.p, d.order, o.key)
		if !slices.Equal(d.order, s.current.order) && s.try(d) {
			return true
		}
	}
	for _, division := range divisions {
		d := s.current
		d.division = division
		if d.division != s.current.division && s.try(d) {
			return true
		}
	}
	return false
}

// tryWorkers tries other sets of workers and reports whether one was better; it stops at the first. It
// drops and adds blocks of workers, large ones first, then single ones, and at last exchanges one for
// another. In between, it stops if the effort is spent.
func (s *search) tryWorkers() bool {
	in := make([]bool, len(s.pl.p.Workers))
	for _, i := range s.current.order {
		in[i] = true
	}
	out := slices.DeleteFunc(everyone(s.pl.p, s.current.ordering.key), func(i int) bool { return in[i] })
	for step := max(1, len(in)/4); ; step = max(1, step/4) {
		for at := len(s.current.order) - step; at >= 0 && step < len(s.current.order); at -= step {
			d := s.current
			d.order = slices.Concat(d.order[:at], d.order[at+step:])
			if s.effort == 0 {
				return false
			}
			if s.try(d) {
				return true
			}
		}
		for at := 0; at+step <= len(out); at += step {
			d := s.current
			d.order = slices.Concat(d.order, out[at:at+step])
			sortBy(s.pl.p, d.order, d.ordering.key)
			if s.effort == 0 {
				return false
			}
			if s.try(d) {
				return true
			}
		}
		if step == 1 {
			return s.tryOthers(out)
		}
	}
}

// tryOthers tries each of the workers out in the place of each that takes part, and reports whether one
// was better; it stops at the first.
func (s *search) tryOthers(out []int) bool {
	for at := range s.current.order {
		for _, i := range out {
			if s.effort == 0 {
				return false
			}
			d := s.current
			d.order = slices.Clone(d.order)
			d.order[at] = i
			sortBy(s.pl.p, d.order, d.ordering.key)
			if s.try(d) {
				return true
			}
		}
	}
	return false
}

// result simulates the current design once more and returns it as a plan; Policy lists the differences
// to the design from which the search started.
func (s *search) result() (Result, error) {
	d := s.current
	rows := make([][]float64, 0, d.rounds)
	s.stage.play(s.pl, d, func(row []float64) { rows = append(rows, slices.Clone(row)) })
	d.order, rows = withoutIdle(d.order, rows)
	changes := []string{"last round levelled"}
	if d.policy != "" {
		changes = []string{d.policy, "last round levelled"}
	}
	if d.division != d.algorithm {
		changes = append(changes, "divided as "+d.division)
	}
	if n := len(d.order); n != d.workers {
		changes = append(changes, fmt.Sprintf("%d workers instead of %d", n, d.workers))
	}
	if d.rounds != d.started {
		changes = append(changes, fmt.Sprintf("%d rounds instead of %d", d.rounds, d.started))
	}
	if d.ordering.name != "" {
		changes = append(changes, d.ordering.name)
	}
	return s.pl.seal(d.algorithm, strings.Join(changes, ", "), d.order, rows, s.makespan)
}

// withoutIdle drops the workers that get nothing in any round. It returns a new order; the rows are
// changed in place.
func withoutIdle(order []int, rows [][]float64) ([]int, [][]float64) {
	idle := func(k int) bool {
		return !slices.ContainsFunc(rows, func(row []float64) bool { return row[k] > 0 })
	}
	kept := slices.Clone(order[:0])
	for k, i := range order {
		if idle(k) {
			continue
		}
		for _, row := range rows {
			row[len(kept)] = row[k]
		}
		kept = append(kept, i)
	}
	for j := range rows {
		rows[j] = rows[j][:len(kept)]
	}
	return kept, rows
}
