// Package yield holds the functions of the virtual-cluster paper's experiments, on random
// instances. The documents beside it define the arguments, the rows and the paper's claims.
//
// Source: arXiv 1006.5376, sections 4.2 (tables 1 and 7, figures 11 to 18), 5.2 (figures 19 to
// 22), 2.3 and 6.1 (migration). The figures are lost in the text we have; we compare with what
// the text says about them.
//
// As in the paper, averages of yields are over the instances that an algorithm solved. The
// yield of a bin-packing algorithm is the one at which its search ended. An instance in which
// a scaled memory need exceeds one host counts as infeasible.
package yield

import (
	"encoding/json"
	"fmt"

	"parley/core/rng"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// Functions returns those that the documents name.
func Functions() study.Functions {
	return study.Functions{
		"yield/degradation": with(call.degradation),
		"yield/survey":      with(call.survey),
		"yield/migration":   with(call.migration),
	}
}

// call is one call of a function.
type call struct {
	seed      uint64
	Set       string `json:"set"`        // small, large, parallel or, as the authors' program has it, slip
	PerFamily int    `json:"per_family"` // instances of each family; the paper has 10 small, 100 large ones
}

// maxPerFamily limits the instances of one call.
const maxPerFamily = 1000

// with is a function that decodes its arguments and calls f.
func with(f func(call) map[string]float64) study.Function {
	return func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
		c := call{seed: seed, Set: small, PerFamily: 1}
		if err := strict.Part(arguments, &c); err != nil {
			return nil, err
		}
		if _, known := sets[c.Set]; !known {
			return nil, fmt.Errorf("set is %q: choose small, large, parallel or slip", c.Set)
		}
		if c.PerFamily < 1 || c.PerFamily > maxPerFamily {
			return nil, fmt.Errorf("per_family is %d: choose 1 to %d", c.PerFamily, maxPerFamily)
		}
		return f(c), nil
	}
}

// The sets of families.
const (
	small    = "small"
	large    = "large"
	parallel = "parallel"
	slip     = "slip" // parallel, with the size model as the authors' program has it
)

// sets are the families of each set, the stream that they are drawn from, and the algorithms
// that a survey of them tries: the first is the reference of the pairs.
var sets = map[string]struct {
	families   func() []instance.Spec
	stream     string
	algorithms []string
}{
	small:    {instance.Small, "yield/small", []string{"exact", "mcb8", "gr", "sg", "gb", "sgb", "rrnd", "rrnz"}},
	large:    {instance.Large, "yield/large", []string{"mcb8", "gr", "sg", "gb", "sgb", "rrnd", "rrnz"}},
	parallel: {func() []instance.Spec { return instance.Parallel(false) }, "yield/parallel", []string{"mcb8", "sg"}},
	slip:     {func() []instance.Spec { return instance.Parallel(true) }, "yield/parallel", []string{"mcb8", "sg"}},
}

// solution is the result of an algorithm on one instance.
type solution struct {
	solved   bool
	minYield float64
	avgYield float64
}

// run solves one instance; an invalid one, see the package comment, is unsolved.
func (d drawn) run(algorithm string) solution {
	opt := solve.Default()
	opt.Seed = d.seed
	r, err := solve.Solve(d.instance, algorithm, opt)
	if err != nil {
		return solution{}
	}
	return solution{solved: r.Feasible, minYield: r.Searched, avgYield: r.AvgYield}
}

// each draws the instances of the set's families, the same for every algorithm.
func (c call) each(visit func(d drawn)) {
	set := sets[c.Set]
	random := rng.New(c.seed, set.stream)
	for _, spec := range set.families() {
		for range c.PerFamily {
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
