package plan

import (
	"math"
	"slices"
)

// Reach returns where f has just reached size.
func Reach(low, high, size float64, f func(float64) float64) float64 {
	return reach(low, high, size, f)
}

// FractionalBound is the bound of the knapsack: the value of items from t on that fill
// room, the last one in part.
func FractionalBound(value, weight []float64, t int, room float64) float64 {
	n := len(value)
	k := &packing{value: value, weight: weight, values: make([]float64, n+1), weights: make([]float64, n+1)}
	for i := range value {
		k.values[i+1], k.weights[i+1] = k.values[i]+value[i], k.weights[i]+weight[i]
	}
	return k.bound(t, room)
}

// PeriodOf returns the loads of the shortest period that takes a load of size.
func PeriodOf(p Platform, order []int, size float64) []float64 {
	x := make([]float64, len(order))
	periodOf(p, order, size, x)
	return x
}

// LastRound returns what each worker of order can still do by a deadline when these
// chunks have been sent before, served in that order.
func LastRound(p Platform, order []int, before [][]float64, deadline float64) []float64 {
	var s Simulator
	if err := s.Set(p, order); err != nil {
		panic(err)
	}
	s.Run(before)
	row := make([]float64, len(order))
	s.fill(row, deadline)
	return row
}

// Climbed lets local search climb from a plan with an effort that it does not use up. It
// returns the makespan where it ends, and the least of one change more: of the number of
// rounds, of the order, of the division, of one worker.
func Climbed(p Platform, load float64, r Result, options Options) (makespan, changed float64) {
	options, _ = options.complete(p)
	pl := planner{p, load, options}
	s := search{pl: pl, effort: math.MaxInt / 2, makespan: math.Inf(1)}
	if !s.try(designOf(p, r)) {
		return 0, 0
	}
	s.climb()
	changed = math.Inf(1)
	look := func(d design) {
		if len(d.order) == 0 || d.rounds < 1 || d.rounds > options.limit(len(d.order)) {
			return
		}
		var other stage
		if other.play(pl, d, nil) {
			changed = min(changed, other.sim.outcome().Makespan)
		}
	}
	m := s.current.rounds
	for _, rounds := range []int{m - 1, m + 1, m - 2, m + 2, m / 2, m * 2, m * 3 / 4, m * 4 / 3} {
		d := s.current
		d.rounds = rounds
		look(d)
	}
	for _, o := range orderings {
		d := s.current
		d.ordering, d.order = o, slices.Clone(d.order)
		sortBy(p, d.order, o.key)
		look(d)
	}
	for _, division := range divisions {
		d := s.current
		d.division = division
		look(d)
	}
	for i := range p.Workers {
		d := s.current
		if at := slices.Index(d.order, i); at >= 0 {
			d.order = slices.Delete(slices.Clone(d.order), at, at+1)
		} else {
			d.order = append(slices.Clone(d.order), i)
			sortBy(p, d.order, d.ordering.key)
		}
		look(d)
		for at := range s.current.order {
			if !slices.Contains(s.current.order, i) {
				d.order = slices.Clone(s.current.order)
				d.order[at] = i
				sortBy(p, d.order, d.ordering.key)
				look(d)
			}
		}
	}
	return s.makespan, changed
}
