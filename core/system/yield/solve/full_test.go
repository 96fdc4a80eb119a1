package solve_test

import (
	"testing"

	"parley/core/system/yield/solve"
)

// Sums of decimal fractions may miss 1 by a rounding: solve.Slack of memory above
// a whole host still fits, twice as much does not.
func TestSlackOfMemory(t *testing.T) {
	for _, algorithm := range []string{"gr", "sg", "gb", "sgb", "mcb8", "exact"} {
		for second, fits := range map[float64]bool{.5 + solve.Slack: true, .5 + 2*solve.Slack: false} {
			in := solve.Instance{Hosts: 1, Jobs: []solve.Job{{CPU: .1, Mem: .5, Tasks: 1}, {CPU: .1, Mem: second, Tasks: 1}}}
			r, err := solve.Solve(in, algorithm, solve.Default())
			if err != nil || r.Feasible != fits {
				t.Errorf("%s: %v and %v of memory: feasible %v, %v", algorithm, .5, second, r.Feasible, err)
			}
		}
	}
}
