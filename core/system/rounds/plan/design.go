package plan

import (
	"math"
	"slices"
)

// design is a plan as local search sees it: who, in which order, divided how,
// in how many rounds. Its last round is always levelled.
type design struct {
	division string // one of divisions
	ordering ordering
	order    []int
	rounds   int

	algorithm, policy string // where the search started
	workers, started  int    // how many workers and rounds it had there
}

// divisions are the ways to divide rounds; umr-strict and one-round divide as
// umr and mi do.
var divisions = []string{"umr", "umr2", "mi", "lp"}

// designOf returns the design from which local search improves a plan r: its division, order and rounds.
// Of lp it takes all workers, because the division itself decides which of them take part.
func designOf(p Platform, r Result) design {
	d := design{
		division: r.Algorithm, ordering: ordering{key: linkSlowness}, order: r.Order, rounds: r.Rounds,
		algorithm: r.Algorithm, policy: r.Policy, workers: len(r.Order), started: r.Rounds,
	}
	switch r.Algorithm {
	case "umr", "umr2":
		d.ordering.key = Worker.load
	case "umr-strict":
		d.division, d.ordering.key = "umr", Worker.load
	case "one-round":
		d.division = "mi"
	case "lp": // the period decides who takes part
		d.order = everyone(p, linkSlowness)
	}
	return d
}

// ordering is a sending order local search may try; without a name it is the
// one the algorithm chose.
type ordering struct {
	name string
	key  func(Worker) float64
}

var orderings = []ordering{
	{"sent by S/B", Worker.load},
	{"sent by bandwidth", linkSlowness},
	{"sent fastest first", fastest},
	{"sent slowest first", speed},
	{"sent by latency", Worker.latency},
}

// fastestFirst is where the orders by speed begin in orderings: of two workers they are
// both orders.
const fastestFirst = 2

// levelCost is the approximate cost of levelling the last round, in rounds.
const levelCost = 16

// stage plays designs, reusing its memory.
type stage struct {
	sim   Simulator
	row   []float64
	sizes []float64
}

// play runs a design through the simulator and calls show, if it is not nil, with each row, which the
// next one overwrites. It returns false if the design has a negative chunk; the state of the simulator
// is undefined then.
func (s *stage) play(pl planner, d design, show func(row []float64)) bool {
	s.sim.lanes = s.sim.lanes[:0]
	for _, i := range d.order {
		s.sim.lanes = append(s.sim.lanes, newLane(pl.p.Workers[i]))
	}
	s.sim.restart()
	s.row = slices.Grow(s.row[:0], len(d.order))[:len(d.order)]
	step := func(row []float64) {
		s.sim.round(row)
		if show != nil {
			show(row)
		}
	}
	switch d.division {
	case "mi":
		rows, _ := installments(pl.p, pl.load, d.order, d.rounds)
		for _, row := range rows[:d.rounds-1] {
			step(row)
		}
		copy(s.row, rows[d.rounds-1])
	case "lp":
		periodOf(pl.p, d.order, pl.load/float64(d.rounds), s.row)
		for range d.rounds - 1 {
			step(s.row)
		}
	default:
		share := umrSharing
		if d.division == "umr2" {
			share = umr2Sharing
		}
		sh := share(pl.p, pl.load, d.order)
		if _, ok := sh.series.exactly(d.rounds); !ok {
			return false
		}
		s.sizes = slices.Grow(s.sizes[:0], d.rounds)[:d.rounds]
		sh.series.sizes(s.sizes)
		for _, size := range s.sizes[:d.rounds-1] {
			sh.fill(s.row, size)
			step(s.row)
		}
		sh.fill(s.row, s.sizes[d.rounds-1])
	}
	s.level()
	step(s.row)
	return true
}

// level levels the last round, in s.row, if that helps: its own finish is the deadline to keep.
func (s *stage) level() {
	rest := 0.0
	for _, x := range s.row {
		rest += x
	}
	plain := s.sim.ifRound(s.row)
	if !(rest > 0) || math.IsInf(plain, 0) {
		return
	}
	last := slices.Clone(s.row)
	if !s.sim.level(s.row, rest, plain) {
		copy(s.row, last)
	}
}
