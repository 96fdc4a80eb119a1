package solve_test

import (
	"fmt"
	"math"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/solve"
)

// check is the independent checker: it knows the constraints of the paper and
// the shape of a result, and none of the solver's code.
func check(in solve.Instance, r solve.Result) error {
	const rounding = 1e-12
	if !r.Feasible {
		if len(r.Place) != 0 || len(r.CPU) != 0 || r.MinYield != 0 || r.AvgYield != 0 {
			return fmt.Errorf("not feasible, and yet a plan: %+v", r)
		}
		return nil
	}
	if len(r.Place) != len(in.Jobs) || len(r.CPU) != len(in.Jobs) {
		return fmt.Errorf("%d rows of hosts, %d of CPU for %d jobs", len(r.Place), len(r.CPU), len(in.Jobs))
	}
	cpu, mem := make([]float64, in.Hosts), make([]float64, in.Hosts)
	lowest, sum := math.Inf(1), 0.0
	for i, job := range in.Jobs {
		if len(r.Place[i]) != job.Tasks || len(r.CPU[i]) != job.Tasks {
			return fmt.Errorf("job %d: %d hosts, %d shares for %d tasks", i, len(r.Place[i]), len(r.CPU[i]), job.Tasks)
		}
		for k, h := range r.Place[i] {
			share := r.CPU[i][k]
			switch {
			case h < 0 || h >= in.Hosts:
				return fmt.Errorf("job %d task %d on host %d of %d", i, k, h, in.Hosts)
			case !(share >= 0 && share <= job.CPU):
				return fmt.Errorf("job %d task %d gets %v of %v", i, k, share, job.CPU)
			case share != r.CPU[i][0]:
				return fmt.Errorf("job %d: task %d gets %v, task 0 %v", i, k, share, r.CPU[i][0])
			}
			cpu[h] += share
			mem[h] += job.Mem
		}
		yield := r.CPU[i][0] / job.CPU
		lowest = min(lowest, yield)
		sum += yield
	}
	for h := range in.Hosts {
		if cpu[h] > 1+rounding {
			return fmt.Errorf("host %d gives %v CPU", h, cpu[h])
		}
		if mem[h] > 1+solve.Slack+rounding {
			return fmt.Errorf("host %d gives %v memory", h, mem[h])
		}
	}
	if math.Abs(lowest-r.MinYield) > rounding || math.Abs(sum/float64(len(in.Jobs))-r.AvgYield) > rounding {
		return fmt.Errorf("yields %v, %v reported, %v, %v recomputed", r.MinYield, r.AvgYield, lowest, sum/float64(len(in.Jobs)))
	}
	if r.Searched > r.MinYield+rounding || r.MinYield > r.Bound+rounding {
		return fmt.Errorf("searched %v, smallest %v, bound %v: out of order", r.Searched, r.MinYield, r.Bound)
	}
	return noneCouldHaveMore(in, r, cpu)
}

// noneCouldHaveMore checks that the average cannot be raised by one job alone:
// each has all it needs or a task on a host whose CPU is used up.
func noneCouldHaveMore(in solve.Instance, r solve.Result, cpu []float64) error {
	for i, job := range in.Jobs {
		full := false
		for _, h := range r.Place[i] {
			full = full || cpu[h] > 1-1e-9
		}
		if !full && r.CPU[i][0] < job.CPU {
			return fmt.Errorf("job %d gets %v of %v though its hosts have CPU left", i, r.CPU[i][0], job.CPU)
		}
	}
	return nil
}

// randomInstance draws from a wider range than the paper's generator: parallel
// jobs, tiny and whole-host needs, equal needs, and more memory than there is.
func randomInstance(random *rng.Stream, maxTasks, maxHosts int) solve.Instance {
	in := solve.Instance{Hosts: 1 + random.Intn(maxHosts)}
	fill := .2 + float64(random.Float64()*.9) // share of all memory
	parallel := random.Intn(2) == 0
	for left := 1 + random.Intn(maxTasks); left > 0; {
		job := solve.Job{CPU: need(random), Mem: need(random), Tasks: 1}
		if parallel {
			job.Tasks = 1 + random.Intn(min(left, 6))
		}
		in.Jobs = append(in.Jobs, job)
		left -= job.Tasks
	}
	sum := 0.0
	for _, j := range in.Jobs {
		sum += j.Mem * float64(j.Tasks)
	}
	for i := range in.Jobs {
		in.Jobs[i].Mem = max(1e-6, min(1, in.Jobs[i].Mem*fill*float64(in.Hosts)/sum))
	}
	return in
}

func need(random *rng.Stream) float64 {
	switch random.Intn(8) {
	case 0:
		return 1
	case 1:
		return float64(1+random.Intn(10)) / 10
	case 2:
		return .001 + float64(random.Float64()*.01)
	}
	return 1 - random.Float64()
}

func TestEveryAnswerPassesTheChecker(t *testing.T) {
	random := rng.New(1, "yield/checker")
	opt := solve.Default()
	opt.StepLimit, opt.PlacementLimit = 20_000, 5_000
	solved := map[string]int{}
	instances := 10_000
	if testing.Short() {
		instances = 1000
	}
	for n := range instances {
		in := randomInstance(random, 24, 6)
		opt.Seed = uint64(n)
		var exact solve.Result
		best := 0.0
		for _, algorithm := range solve.Algorithms() {
			r, err := solve.Solve(in, algorithm, opt)
			if err != nil {
				t.Fatalf("%s on %+v: %v", algorithm, in, err)
			}
			if algorithm == "lp" {
				continue // no plan to check
			}
			if err := check(in, r); err != nil {
				t.Fatalf("%s on %+v: %v", algorithm, in, err)
			}
			if r.Feasible {
				solved[algorithm]++
			}
			if algorithm == "exact" {
				exact = r
			}
			best = max(best, r.MinYield)
		}
		if exact.Proven && best > exact.MinYield+1e-9 {
			t.Fatalf("%+v: exact proves %v, another reaches %v", in, exact.MinYield, best)
		}
	}
	for _, algorithm := range solve.Algorithms() {
		if algorithm != "lp" && solved[algorithm] < instances/10 {
			t.Errorf("%s solved %d instances: too few to mean anything", algorithm, solved[algorithm])
		}
	}
}
