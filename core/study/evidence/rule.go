package evidence

import (
	"fmt"

	"parley/core/rng"
)

// Simulated is how often the rule gives each verdict on a single claim, in percent.
type Simulated struct {
	Off     float64 `json:"off"` // the true value from the paper's, in points
	Seeds   int     `json:"seeds"`
	Holds   float64 `json:"holds"`
	DoesNot float64 `json:"does_not"`
	Open    float64 `json:"open"`
}

// What Simulate plays: a figure that scatters over the seeds as the share of proportional
// nodes does in the benchmark, held to whole percents.
const (
	SimulatedSpread    = 1.5
	SimulatedTolerance = 1.0
	SimulatedStudies   = 4000
)

// Simulate draws studies of a figure whose truth is known and judges each by Near: so it
// shows what the rule is worth with few seeds and with many. It draws the same each time.
func Simulate() (all []Simulated) {
	for _, off := range []float64{0, 1, 2, 5} {
		for _, seeds := range []int{2, 3, 5, 10, 20, 40} {
			random := rng.New(1, fmt.Sprintf("evidence/rule/%v/%d", off, seeds))
			one := Simulated{Off: off, Seeds: seeds}
			for range SimulatedStudies {
				values := make([]float64, seeds)
				for i := range values {
					values[i] = off + float64(SimulatedSpread*normal(random))
				}
				r := New("", "points", values)
				r.Near(0, SimulatedTolerance, "")
				switch {
				case r.Holds == nil:
					one.Open += 100.0 / SimulatedStudies
				case *r.Holds:
					one.Holds += 100.0 / SimulatedStudies
				default:
					one.DoesNot += 100.0 / SimulatedStudies
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
