package yield

import (
	"fmt"

	"parley/core/rng"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// budgets are the migration limits tried, in per cent of the memory in use.
var budgets = []float64{0, 1, 2, 5, 10, 20, 50, 100}

// migration repeats the example of section 2.3 and answers an open question of
// section 6.1: the smallest yield reached after a change of the workload as a
// function of the memory that may migrate, exactly and by the local search on
// small instances, by the local search on large ones. Each job leaves for a new
// one with probability 1/4, and else changes its CPU need with probability 1/4.
// Means are over the instances that can be adapted without any migration.
func (c call) migration() map[string]float64 {
	values := example()
	c.Set = small
	c.budgetCurve(values, true)
	c.Set = large
	c.budgetCurve(values, false)
	none, some, all := values[budget("small, exact", 0)], values[budget("small, exact", 10)],
		values[budget("small, exact", 100)]
	values["small, gain of the first 10 % over all"] = 100 * (some - none) / (all - none)
	return values
}

func budget(quantity string, percent float64) string {
	return fmt.Sprintf("%s, budget %g %%", quantity, percent)
}

// example computes section 2.3's two hosts and three tasks of need 0.6. The
// schedule alternates between two allocations: tasks 0 and 1 share a host and
// task 2 is alone, then task 0 is alone and tasks 1 and 2 share.
func example() map[string]float64 {
	const need = .6
	job := solve.Job{CPU: need, Mem: .1, Tasks: 1}
	r, err := solve.Solve(solve.Instance{Hosts: 2, Jobs: []solve.Job{job, job, job}}, "exact", solve.Default())
	if err != nil {
		return map[string]float64{} // cannot be: the instance is valid
	}
	timeShared := func(outer float64) (outside, middle float64) {
		return (outer + need) / 2 / need, (1 - outer) / need
	}
	outside, middle := timeShared(.45)
	best, _ := timeShared(7. / 15)
	return map[string]float64{
		"example without migration":                     100 * r.MinYield,
		"example time-shared, least yield":              100 * min(outside, middle),
		"example time-shared, yield of the middle task": 100 * middle,
		"example time-shared at its best":               100 * best,
	}
}

// budgetCurve adapts each instance of a set after a change, at every budget.
func (c call) budgetCurve(values map[string]float64, exactly bool) {
	exact, local, bound := make([]mean, len(budgets)), make([]mean, len(budgets)), mean{}
	c.each(func(d drawn) {
		a, ok := afterChange(d)
		if !ok {
			return
		}
		used := a.Budget
		for k, percent := range budgets {
			a.Budget = used * percent / 100
			a.ExactTasks = 0
			byLocal := adapt(a)
			if !byLocal.Feasible {
				return
			}
			local[k].add(byLocal.MinYield)
			if exactly {
				a.ExactTasks = d.spec.Tasks
				exact[k].add(adapt(a).MinYield)
			}
		}
		bound.add(solve.Bound(a.Instance))
	})
	for k, percent := range budgets {
		if exactly {
			values[budget("small, exact", percent)] = exact[k].value()
			values[budget("small, local search", percent)] = local[k].value()
			values[budget("small, local search over exact", percent)] = 100 * local[k].value() / exact[k].value()
		} else {
			values[budget("large, local search", percent)] = local[k].value()
		}
	}
	if !exactly {
		values["large, bound"] = bound.value()
	}
}

func adapt(a solve.Adaptation) solve.Adapted {
	adapted, err := solve.Adapt(a, solve.Default())
	if err != nil {
		return solve.Adapted{} // counts as infeasible
	}
	return adapted
}

// afterChange places the instance by MCB8 and then changes the workload: a quarter of the jobs is replaced by new
// ones, and a quarter of the others needs another CPU. The budget that it returns is all memory in use. It returns
// false if MCB8 finds no placement.
func afterChange(d drawn) (solve.Adaptation, bool) {
	r, err := solve.Solve(d.instance, "mcb8", solve.Default())
	if err != nil || !r.Feasible {
		return solve.Adaptation{}, false
	}
	random := rng.New(d.seed, "yield/change")
	a := solve.Adaptation{Instance: d.instance, Current: r.Place}
	for i := range a.Instance.Jobs {
		job := &a.Instance.Jobs[i]
		leaves := random.Intn(4) == 0
		if leaves || random.Intn(4) == 0 {
			job.CPU = instance.Need(random, d.spec.CPUSpread)
		}
		for k := range a.Current[i] {
			if leaves {
				a.Current[i][k] = solve.New
			}
		}
		a.Budget += float64(job.Mem * float64(job.Tasks))
	}
	return a, true
}
