package yield

import (
	"fmt"

	"parley/core/system/yield/solve"
)

// tally collects the results of one algorithm on some instances.
type tally struct {
	minYield, avgYield mean // over the solved ones
	failed             mean // per cent
}

func (t *tally) add(s solution) {
	t.failed.add(percentIf(!s.solved))
	if s.solved {
		t.minYield.add(s.minYield)
		t.avgYield.add(s.avgYield)
	}
}

// survey runs algorithms on a set of families and collects by algorithm and
// slack (in tenths; 0 is everything).
type survey struct {
	algorithms []string
	bySlack    map[string]*[10]tally
	pairs      map[string]*pair
}

// pair compares an algorithm with the reference on instances both solved.
type pair struct{ reference, algorithm mean }

// percentBetter is how much better the reference's mean is.
func (p pair) percentBetter() float64 {
	return 100 * (p.reference.value()/p.algorithm.value() - 1)
}

// take surveys the set.
func (c call) take() survey {
	algorithms := sets[c.Set].algorithms
	s := survey{
		algorithms: append([]string{"lp"}, algorithms...), bySlack: map[string]*[10]tally{},
		pairs: map[string]*pair{},
	}
	for _, a := range s.algorithms {
		s.bySlack[a], s.pairs[a] = new([10]tally), new(pair)
	}
	c.each(func(d drawn) {
		tenths := int(float64(10*d.spec.Slack) + .5)
		var reference solution
		for _, a := range algorithms {
			got := d.run(a)
			if a == algorithms[0] {
				reference = got
			}
			s.add(a, tenths, got, reference)
		}
		// the bound of an instance that cannot be solved counts too, as in the figures
		bound := solution{solved: true, minYield: solve.Bound(d.instance), avgYield: solve.Bound(d.instance)}
		s.add("lp", tenths, bound, reference)
	})
	return s
}

func (s survey) add(algorithm string, tenths int, got, reference solution) {
	s.bySlack[algorithm][0].add(got)
	s.bySlack[algorithm][tenths].add(got)
	if got.solved && reference.solved {
		s.pairs[algorithm].reference.add(reference.minYield)
		s.pairs[algorithm].algorithm.add(got.minYield)
	}
}

// at returns the tally of an algorithm, slack in tenths or 0 for all.
func (s survey) at(algorithm string, tenths int) *tally { return &s.bySlack[algorithm][tenths] }

// curves are the points of the figures: no value of the paper's survives.
func (s survey) curves() map[string]float64 {
	values := map[string]float64{}
	for _, a := range s.algorithms {
		for tenths := 1; tenths <= 9; tenths++ {
			t := s.at(a, tenths)
			values[curve(a, "minimum yield", tenths)] = t.minYield.value()
			values[curve(a, "average yield", tenths)] = t.avgYield.value()
			if a != "lp" {
				values[curve(a, "failures", tenths)] = t.failed.value()
			}
		}
	}
	return values
}

func curve(algorithm, quantity string, tenths int) string {
	return fmt.Sprintf("%s %s, slack 0.%d", algorithm, quantity, tenths)
}
