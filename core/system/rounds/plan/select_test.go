package plan_test

import (
	"math"
	"slices"
	"testing"

	"parley/core/system/rounds/plan"
)

func rate(w plan.Worker) float64   { return w.Bandwidth * w.Speed / (w.Bandwidth + w.Speed) }
func weight(w plan.Worker) float64 { return w.Speed / (w.Bandwidth + w.Speed) }

// smallestRoom is W_n, the worker of the smallest B/(B+S).
func smallestRoom(p plan.Platform) int {
	last := 0
	for i, w := range p.Workers {
		if 1-weight(w) < 1-weight(p.Workers[last]) {
			last = i
		}
	}
	return last
}

// TestPolicyAbove compares branch and bound with all subsets (2.16).
func TestPolicyAbove(t *testing.T) {
	tried := 0
	for seed := uint64(0); tried < 60; seed++ {
		p := table1(seed, 3+int(seed%10), 0.01)
		last := smallestRoom(p)
		best := 0.0
		for set := range 1 << len(p.Workers) {
			rates, weights := 0.0, 0.0
			for i, w := range p.Workers {
				if set>>i&1 == 1 {
					rates, weights = rates+rate(w), weights+weight(w)
				}
			}
			if set>>last&1 == 1 && weights < 1-weight(p.Workers[last]) {
				best = max(best, rates)
			}
		}
		if best == 0 {
			continue
		}
		tried++
		r, err := plan.Plan(p, 1e6, "umr2", plan.Options{Policy: plan.Above})
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, i := range r.Order {
			got += rate(p.Workers[i])
		}
		if !near(got, best, 1e-12) || r.Order[len(r.Order)-1] != last {
			t.Errorf("seed %d: Σ A = %v with W_n %d, all subsets give %v with %d", seed, got, r.Order[len(r.Order)-1], best, last)
		}
	}
}

// TestPolicyBelowAndEqual walks the greedy path (2.17) by the book.
func TestPolicyBelowAndEqual(t *testing.T) {
	for seed := range uint64(100) {
		p := table1(seed, 2+int(seed%30), 0.001)
		last := smallestRoom(p)
		fastest := last
		for i, w := range p.Workers {
			if w.Bandwidth > p.Workers[fastest].Bandwidth {
				fastest = i
			}
		}
		theta := func(set []int) float64 {
			sum := 0.0
			for _, i := range set {
				sum += weight(p.Workers[i])
			}
			return (1 - weight(p.Workers[last])) / sum
		}
		m2 := func(set []int) float64 {
			rates, weights := 0.0, 0.0
			for _, i := range set {
				rates, weights = rates+rate(p.Workers[i]), weights+weight(p.Workers[i])
			}
			return weights / rates
		}
		set := []int{last}
		nearest, distance := slices.Clone(set), math.Abs(theta(set)-1)
		for theta(set) >= 1 && len(set) < len(p.Workers) {
			add, lowest := -1, math.Inf(1)
			for i := range p.Workers {
				if !slices.Contains(set, i) {
					if value := m2(append(slices.Clone(set), i)); value < lowest {
						add, lowest = i, value
					}
				}
			}
			if len(set) == 1 && fastest != last {
				add = fastest
			}
			set = append(set, add)
			if d := math.Abs(theta(set) - 1); d < distance {
				nearest, distance = slices.Clone(set), d
			}
		}
		below, err := plan.Plan(p, 1e6, "umr2", plan.Options{Policy: plan.Below})
		if theta(set) >= 1 {
			if err == nil {
				t.Errorf("seed %d: policy II is not to be had, yet %v", seed, below.Order)
			}
		} else if err != nil || !sameSet(below.Order, set) {
			t.Errorf("seed %d: policy II selects %v (%v), by the book %v", seed, below.Order, err, set)
		}
		equal, err := plan.Plan(p, 1e6, "umr2", plan.Options{Policy: plan.Equal})
		if err != nil || !sameSet(equal.Order, nearest) {
			t.Errorf("seed %d: policy III selects %v (%v), by the book %v", seed, equal.Order, err, nearest)
		}
	}
}

func sameSet(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestSelectionOfUMR: Σ S/B < 1 is kept and cannot be extended; (2.7) is kept
// by n workers and not by n+1.
func TestSelectionOfUMR(t *testing.T) {
	for seed := range uint64(100) {
		p := table1(seed, 20, 0)
		ratio := func(i int) float64 { return p.Workers[i].Speed / p.Workers[i].Bandwidth }
		all := make([]int, 20)
		for i := range all {
			all[i] = i
		}
		slices.SortFunc(all, func(a, b int) int {
			if ratio(a) < ratio(b) {
				return -1
			}
			return 1
		})
		loose, err := plan.Plan(p, 1e6, "umr", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, sum := len(loose.Order), 0.0
		for _, i := range all[:n] {
			sum += ratio(i)
		}
		if !slices.Equal(loose.Order, all[:n]) || sum >= 1 || n < 20 && sum+ratio(all[n]) < 1 {
			t.Errorf("seed %d: umr takes %d workers, Σ S/B = %v", seed, n, sum)
		}
		strict, err := plan.Plan(p, 1e6, "umr-strict", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n = len(strict.Order)
		if !slices.Equal(strict.Order, all[:n]) || ratio(all[n-1]) >= 1/float64(n) || n < 20 && ratio(all[n]) < 1/float64(n+1) {
			t.Errorf("seed %d: umr-strict takes %d workers", seed, n)
		}
	}
}
