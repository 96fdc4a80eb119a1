package solve_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"parley/core/rng"
	"parley/core/system/yield/solve"
)

// bestAverage is the largest mean job yield of a placement in which no job gets
// less than the base yield, by an independent simplex solver: maximise the sum
// of x_i with sum over tasks on a host of a_i*(base+x_i) <= 1, x_i <= 1-base.
func bestAverage(t *testing.T, in solve.Instance, place [][]int, base float64) float64 {
	t.Helper()
	jobs, rows := len(in.Jobs), in.Hosts+len(in.Jobs)
	matrix, right, cost := mat.NewDense(rows, jobs+rows, nil), make([]float64, rows), make([]float64, jobs+rows)
	for h := range in.Hosts {
		right[h] = 1
	}
	for i, job := range in.Jobs {
		for _, h := range place[i] {
			matrix.Set(h, i, matrix.At(h, i)+job.CPU)
			right[h] -= job.CPU * base
		}
		matrix.Set(in.Hosts+i, i, 1)
		right[in.Hosts+i] = 1 - base
		cost[i] = -1
	}
	for r := range rows {
		matrix.Set(r, jobs+r, 1)
		right[r] = max(0, right[r])
	}
	optimum, _, err := lp.Simplex(cost, matrix, right, 1e-10, nil)
	if err != nil {
		t.Fatalf("simplex: %v", err)
	}
	return base - optimum/float64(jobs)
}

func TestAverageYieldIsOptimalForThePlacement(t *testing.T) {
	random := rng.New(6, "yield/average")
	parallel := 0
	for range 400 {
		in := randomInstance(random, 24, 6)
		for _, algorithm := range []string{"sg", "mcb8"} {
			r, err := solve.Solve(in, algorithm, solve.Default())
			if err != nil {
				t.Fatal(err)
			}
			if !r.Feasible || r.Searched == 1 {
				continue
			}
			if want := bestAverage(t, in, r.Place, r.Searched); math.Abs(want-r.AvgYield) > 1e-8 {
				t.Fatalf("%s on %+v: average %v, simplex %v", algorithm, in, r.AvgYield, want)
			}
			if len(flat(r.Place)) > len(in.Jobs) {
				parallel++
			}
		}
	}
	if parallel < 100 {
		t.Fatalf("only %d plans with parallel jobs", parallel)
	}
}
