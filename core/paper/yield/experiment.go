// Package yield repeats the experiments of the virtual-cluster paper on
// drawn instances and sets what comes out beside what the paper says.
//
// Source: arXiv 1006.5376, sections 4.2 (tables 1 and 7, figures 11 to 18), 5.2
// (figures 19 to 22), 2.3 and 6.1 (migration). The figures themselves are lost
// in the text we have; what the text reads out of them is compared.
//
// Averages of yields are over the instances an algorithm solved, as the paper
// has them. The yield of a bin packing algorithm is the one its search settled
// on. An instance in which a scaled memory need exceeds one host counts as
// infeasible.
//
//	rows := yield.Table7(yield.Effort{Seeds: 5, PerFamily: 20}) // 10,800 instances
package yield

import (
	"fmt"
	"math"
	"time"

	"parley/core/rng"
	"parley/core/study/evidence"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// Row is one compared quantity.
type Row = evidence.Row

// Effort says how much to compute.
type Effort struct {
	Seeds     int // independent repetitions, at least 1; seed numbers count from 1
	PerFamily int // instances of each family and repetition; the paper has 10 small, 100 large ones
	// Clock measures run times; nil leaves them out, for core code knows no clock.
	Clock func() time.Duration
}

// measure computes the quantities of an experiment for one seed, by name.
type measure func(seed uint64, e Effort) map[string]float64

// repeat fills Measured and Spread of the rows that at least one seed gives a
// value for, drops the others, and judges each.
func (e Effort) repeat(m measure, claims []claim) []Row {
	values := make([]map[string]float64, max(1, e.Seeds))
	for s := range values {
		values[s] = m(uint64(s+1), e)
	}
	var rows []Row
	for _, c := range claims {
		var xs []float64
		for _, v := range values {
			if x, ok := v[c.name]; ok && !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		if len(xs) == 0 {
			continue
		}
		row := evidence.New(c.name, c.unit, xs)
		row.Paper = c.paper
		if c.holds == nil {
			row.Note = c.note
		} else {
			c.holds(&row)
			row.Why(c.note)
		}
		rows = append(rows, row)
	}
	return rows
}

// claim is a row before it is measured. The note explains a claim that does not
// hold, or a row that cannot be judged.
type claim struct {
	name  string
	unit  string
	paper *float64
	holds func(*Row)
	note  string
}

func said(x float64) *float64 { return &x }

// within judges by distance from what the paper says, which reads it off a figure or
// counts in one set: reason says how far that is to be trusted.
func within(paper, distance float64, reason string) func(*Row) {
	return func(r *Row) { r.Near(paper, distance, reason) }
}

func atLeast(least float64) func(*Row) { return func(r *Row) { r.AtLeast(least) } }

func atMost(most float64) func(*Row) { return func(r *Row) { r.AtMost(most) } }

// exactly judges a figure that is computed and not drawn, to what the paper prints.
func exactly(paper, rounding float64) func(*Row) {
	return func(r *Row) {
		r.Says(paper)
		r.Judge(math.Abs(r.Measured-paper) <= rounding, fmt.Sprintf("the paper's digits: within %v of %v", rounding, paper))
	}
}

// solution is what an algorithm made of one instance.
type solution struct {
	solved   bool
	minYield float64
	avgYield float64
	time     time.Duration
}

// run solves one instance; an invalid one, see the package comment, is unsolved.
func (e Effort) run(d drawn, algorithm string) solution {
	opt := solve.Default()
	opt.Seed = d.seed
	start := e.now()
	r, err := solve.Solve(d.instance, algorithm, opt)
	took := e.now() - start
	if err != nil {
		return solution{time: took}
	}
	return solution{solved: r.Feasible, minYield: r.Searched, avgYield: r.AvgYield, time: took}
}

func (e Effort) now() time.Duration {
	if e.Clock == nil {
		return 0
	}
	return e.Clock()
}

// each draws the instances of a set of families, the same for every algorithm.
func (e Effort) each(set []instance.Spec, stream string, seed uint64, visit func(d drawn)) {
	random := rng.New(seed, stream)
	for _, spec := range set {
		for range e.PerFamily {
			d := drawn{spec: spec, instance: spec.Draw(random)}
			d.seed = random.Uint64()
			visit(d)
		}
	}
}

// drawn is one instance with the seed of the algorithms that need one.
type drawn struct {
	spec     instance.Spec
	instance solve.Instance
	seed     uint64
}

// mean collects values of which only the mean is wanted.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum += float64(x); m.n++ } // rounded: x may be a product

// value is NaN when nothing was added.
func (m mean) value() float64 { return m.sum / float64(m.n) }
