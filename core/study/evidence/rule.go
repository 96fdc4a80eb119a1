package evidence

import (
	"fmt"

	"parley/core/rng"
)

// Simulated is how often the rule gives each verdict on a single claim, in percent.
type Simulated struct {
	Case  string  `json:"case"` // the distribution
	Claim string  `json:"claim"`
	Truth float64 `json:"truth"`
	Seeds int     `json:"seeds"`
	Holds float64 `json:"holds"`
	Fails float64 `json:"fails"`
	Open  float64 `json:"open"`
	Wrong float64 `json:"wrong"` // of the verdicts, those that the truth denies
}

// SimulatedStudies is how many studies are drawn for each line.
const SimulatedStudies = 2000

// simulation is a figure whose truth is known, and a claim about it.
type simulation struct {
	name, claim string
	truth       float64
	right       bool // the claim is
	draw        func(*rng.Stream) float64
	trials      float64 // of a seed that the figure is a share of; 0: it is none
	judge       func(*Row)
}

// The shares that are simulated: trials of a seed, and the claim.
const (
	simulatedTrials = 20
	simulatedLeast  = 90
)

// simulations are the cases: a figure that scatters as the share of proportional nodes does in
// the benchmark, held to whole percents; shares of few trials, also such whose chance is another
// with each seed; and a figure that is the same in nine of ten runs and twice as far off as
// the claim allows on average.
func simulations() (all []simulation) {
	for _, off := range []float64{0, 1, 2, 5} {
		all = append(all, simulation{
			"a mean that scatters by 1.5", "0 ± 1", off, off <= 1,
			func(r *rng.Stream) float64 { return off + float64(1.5*normal(r)) }, 0,
			func(r *Row) { r.Near(0, 1, "") },
		})
	}
	atLeast := func(r *Row) { r.AtLeast(simulatedLeast) }
	for _, chance := range []float64{1, 0.97, 0.9, 0.8} {
		all = append(all, simulation{
			"a share of 20 trials a seed", "at least 90 %", 100 * chance, chance >= 0.9,
			func(r *rng.Stream) float64 { return hits(r, chance) }, simulatedTrials, atLeast,
		})
	}
	for _, chance := range []float64{0.97, 0.9, 0.8} {
		all = append(all, simulation{
			"a share whose chance moves by 3 points with the seed", "at least 90 %", 100 * chance, chance >= 0.9,
			func(r *rng.Stream) float64 { return hits(r, chance+float64(0.06*r.Float64())-0.03) }, simulatedTrials,
			atLeast,
		})
	}
	for _, often := range []float64{0, 0.1} {
		all = append(all, simulation{
			"0, and 20 in one run of ten where the truth is 2", "0 ± 1", 20 * often, often == 0,
			func(r *rng.Stream) float64 {
				if r.Float64() < often {
					return 20
				}
				return 0
			}, 0, func(r *Row) { r.Near(0, 1, "") },
		})
	}
	return all
}

// hits draws a share, in percent.
func hits(random *rng.Stream, chance float64) (share float64) {
	for range simulatedTrials {
		if random.Float64() < chance {
			share += 100.0 / simulatedTrials
		}
	}
	return share
}

// Simulate draws studies of figures whose truth is known and judges each: so it shows what
// the rule is worth with one seed, with few and with many. It draws the same each time.
func Simulate() (all []Simulated) {
	for _, s := range simulations() {
		for _, seeds := range []int{1, 2, 3, 5, 10, 20, 40} {
			random := rng.New(1, fmt.Sprintf("evidence/rule/%s/%v/%d", s.name, s.truth, seeds))
			one := Simulated{Case: s.name, Claim: s.claim, Truth: s.truth, Seeds: seeds}
			for range SimulatedStudies {
				values, trials := make([]float64, seeds), make([]float64, seeds)
				for i := range values {
					values[i], trials[i] = s.draw(random), s.trials
				}
				r := New("", "", values)
				r.tallied(trials, 100)
				s.judge(&r)
				const each = 100.0 / SimulatedStudies
				if r.Holds == nil {
					one.Open += each
					continue
				}
				if *r.Holds {
					one.Holds += each
				} else {
					one.Fails += each
				}
				if *r.Holds != s.right {
					one.Wrong += each
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// normal draws a number with mean 0 and deviation 1, nearly normal: the sum of twelve
// uniform ones, so that its bits are the same everywhere.
func normal(random *rng.Stream) (sum float64) {
	for range 12 {
		sum += random.Float64()
	}
	return sum - 6
}
