package solve_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// Sharing out a placement that Solve found gives what Solve gave; evenly, every
// job gets the smallest yield and no more.
func TestAllotIsWhatSolveGives(t *testing.T) {
	random := rng.New(5, "yield/allot")
	opt := solve.Default()
	opt.RaiseMinimum = true
	for n := range 60 {
		in := instance.Spec{Hosts: 3 + n%5, Tasks: 20, Slack: .4, MemSpread: .25, CPUSpread: .75, Parallel: n%3 == 0}.Draw(random)
		r, err := solve.Solve(in, "mcb8", opt)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Feasible {
			continue
		}
		shared, err := solve.Allot(in, r.Place, 1, false, 1_000_000)
		if err != nil || !reflect.DeepEqual(shared.CPU, r.CPU) || shared.MinYield != r.MinYield || shared.AvgYield != r.AvgYield {
			t.Fatalf("%+v: shares %v, Solve gives %v (%v)", in, shared.CPU, r.CPU, err)
		}
		even, err := solve.Allot(in, r.Place, .1, true, 1_000_000)
		if base := min(.1, r.MinYield); err != nil || even.MinYield != base || math.Abs(even.AvgYield-base) > 1e-12 {
			t.Fatalf("evenly at %v: smallest %v, average %v (%v)", base, even.MinYield, even.AvgYield, err)
		}
		greedy, err := solve.Allot(in, r.Place, 1, false, 1)
		if err != nil || greedy.MinYield < shared.MinYield-1e-12 || greedy.AvgYield > shared.AvgYield+1e-9 {
			t.Fatalf("greedily: %v and %v, by the linear program %v and %v (%v)", greedy.MinYield, greedy.AvgYield, shared.MinYield, shared.AvgYield, err)
		}
	}
}

// A cost of 1 for each task is a bound on the number of moves, and the memory as
// cost is the paper's bound.
func TestCosts(t *testing.T) {
	random := rng.New(6, "yield/costs")
	for range 60 {
		a := solve.Adaptation{Instance: instance.Spec{Hosts: 4, Tasks: 10, Slack: .5, MemSpread: .25, CPUSpread: .75}.Draw(random), ExactTasks: 10}
		before, err := solve.Solve(a.Instance, "sg", solve.Default())
		if err != nil || !before.Feasible {
			continue
		}
		a.Current = before.Place
		for i := range a.Instance.Jobs {
			a.Instance.Jobs[i].CPU = instance.Need(random, .75)
		}
		ones, memory := make([][]float64, len(a.Current)), make([][]float64, len(a.Current))
		for i, j := range a.Instance.Jobs {
			ones[i], memory[i] = []float64{1}, []float64{j.Mem}
		}
		for _, c := range []struct {
			budget float64
			count  bool
			cost   [][]float64
		}{{2, true, ones}, {.3, false, memory}} {
			a.Budget, a.CountMoves, a.Cost = c.budget, c.count, nil
			want, err := solve.Adapt(a, solve.Default())
			if err != nil {
				t.Fatal(err)
			}
			a.CountMoves, a.Cost = false, c.cost
			if got, err := solve.Adapt(a, solve.Default()); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("by cost %+v (%v), want %+v", got, err, want)
			}
			a.Even = true
			if got, err := solve.Adapt(a, solve.Default()); err != nil || got.MinYield != want.MinYield || math.Abs(got.AvgYield-want.MinYield) > 1e-12 {
				t.Fatalf("evenly %v and %v (%v), want %v twice", got.MinYield, got.AvgYield, err, want.MinYield)
			}
			a.Even = false
		}
	}
}

func TestAllotAndCostsRefuseNonsense(t *testing.T) {
	in := solve.Instance{Hosts: 2, Jobs: []solve.Job{{CPU: .5, Mem: .5, Tasks: 2}}}
	place := [][]int{{0, 1}}
	adapt := func(cost [][]float64) error {
		_, err := solve.Adapt(solve.Adaptation{Instance: in, Current: place, Cost: cost}, solve.Default())
		return err
	}
	allot := func(place [][]int) error {
		_, err := solve.Allot(in, place, 1, false, 1)
		return err
	}
	for want, err := range map[string]error{
		"cost has 2 jobs, the instance 1":                   adapt([][]float64{{1, 1}, {1}}),
		"job 0: cost is [1]; give a number above 0":         adapt([][]float64{{1}}),
		"job 0: cost is [1 0]; give a number above 0":       adapt([][]float64{{1, 0}}),
		"job 0: cost is [1 NaN]; give a number above 0":     adapt([][]float64{{1, math.NaN()}}),
		"job 0 has a task without a host; give 0 to 1":      allot([][]int{{0, solve.New}}),
		"job 0: task 1 runs on host 2; give 0 to 1":         allot([][]int{{0, 2}}),
		"current has 0 jobs, the instance 1; give one list": allot(nil),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
