package solve_test

import (
	"math"
	"slices"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/solve"
)

// everyPlacement calls visit with each way to put the tasks on the hosts.
func everyPlacement(tasks, hosts int, visit func(host []int)) {
	host := make([]int, tasks)
	for {
		visit(host)
		k := 0
		for ; k < tasks; k++ {
			if host[k]++; host[k] < hosts {
				break
			}
			host[k] = 0
		}
		if k == tasks {
			return
		}
	}
}

// bruteForce tries all placements: constraints (22) to (31) as they stand.
func bruteForce(a solve.Adaptation) (yield float64) {
	list, current := tasksOf(a.Instance), flat(a.Current)
	everyPlacement(len(list), a.Instance.Hosts, func(host []int) {
		load, used := make([]float64, a.Instance.Hosts), make([]float64, a.Instance.Hosts)
		moved, worst := 0.0, 1.0
		for i, h := range host {
			load[h] += list[i].cpu
			used[h] += list[i].mem
			worst = max(worst, load[h])
			if used[h] > fullHost {
				return
			}
			if current[i] != solve.New && current[i] != h {
				moved += price(a, list[i], i)
			}
		}
		if moved <= a.Budget+1e-9 {
			yield = max(yield, 1/worst)
		}
	})
	return yield
}

// price is what migrating task i of the flat list takes of the budget.
func price(a solve.Adaptation, it *task, i int) float64 {
	switch {
	case a.Cost != nil:
		return slices.Concat(a.Cost...)[i]
	case a.CountMoves:
		return 1
	}
	return it.mem
}

// randomAdaptation lets half the tasks run somewhere, memory permitting or not:
// needs may have grown since they were placed.
func randomAdaptation(random *rng.Stream, maxTasks, maxHosts int) solve.Adaptation {
	a := solve.Adaptation{Instance: randomInstance(random, maxTasks, maxHosts), CountMoves: random.Intn(4) == 0, ExactTasks: 1000}
	a.Budget = []float64{0, .2, .5, 1, 2, math.Inf(1)}[random.Intn(6)]
	priced := random.Intn(4) == 0
	for _, j := range a.Instance.Jobs {
		hosts := make([]int, j.Tasks)
		for k := range hosts {
			hosts[k] = solve.New
			if random.Intn(3) > 0 {
				hosts[k] = random.Intn(a.Instance.Hosts)
			}
		}
		a.Current = append(a.Current, hosts)
		if priced { // bytes to send, which have nothing to do with the memory held
			costs := make([]float64, j.Tasks)
			for k := range costs {
				costs[k] = float64(1+random.Intn(20)) / 10
			}
			a.Cost = append(a.Cost, costs)
		}
	}
	return a
}

// similarTasks has few different needs, so that hosts and tasks are often equal
// but for where the tasks run.
func similarTasks(random *rng.Stream) solve.Adaptation {
	a := solve.Adaptation{Instance: solve.Instance{Hosts: 3 + random.Intn(2)}, ExactTasks: 1000, Budget: float64(random.Intn(6)) / 5}
	for range 5 + random.Intn(3) {
		a.Instance.Jobs = append(a.Instance.Jobs, solve.Job{
			CPU: float64(3+random.Intn(3)*2) / 10, Mem: float64(1+random.Intn(2)) / 5, Tasks: 1,
		})
		a.Current = append(a.Current, []int{random.Intn(a.Instance.Hosts+1) - 1})
	}
	return a
}

// checkAdapted checks the plan and the account of what moved.
func checkAdapted(t *testing.T, a solve.Adaptation, r solve.Adapted) {
	t.Helper()
	if err := check(a.Instance, r.Result); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	moved, moves, cost := 0.0, 0, 0.0
	list, current := tasksOf(a.Instance), flat(a.Current)
	for i, h := range flat(r.Place) {
		if current[i] != solve.New && current[i] != h {
			moved += list[i].mem
			moves++
			cost += price(a, list[i], i)
		}
	}
	if math.Abs(moved-r.Moved) > 1e-9 || moves != r.Moves {
		t.Fatalf("%+v: moved %v in %d, reported %v in %d", a, moved, moves, r.Moved, r.Moves)
	}
	if cost > a.Budget+2e-9 {
		t.Fatalf("%+v: %v migrated", a, cost)
	}
	if i := needless(a, r); i >= 0 {
		t.Fatalf("%+v: %v sends task %d away, which could stay at home for nothing", a, r.Place, i)
	}
}

// needless returns a task that migrates though, all others if the plan has
// them, its home has the memory and no yield would fall below the smallest; -1
// if there is none.
func needless(a solve.Adaptation, r solve.Adapted) int {
	list, current, host := tasksOf(a.Instance), flat(a.Current), flat(r.Place)
	for i, h := range host {
		home := current[i]
		if home == solve.New || home == h {
			continue
		}
		load, used := list[i].cpu, list[i].mem
		for k, other := range host {
			if other == home {
				load += list[k].cpu
				used += list[k].mem
			}
		}
		if used <= 1 && load*r.MinYield <= 1-1e-9 {
			return i
		}
	}
	return -1
}

func TestAdaptEqualsBruteForce(t *testing.T) {
	random := rng.New(7, "yield/adapt")
	feasible := 0
	for n := range 4000 {
		a := randomAdaptation(random, 6, 3)
		if n%2 == 0 {
			a = similarTasks(random)
		}
		r, err := solve.Adapt(a, solve.Default())
		if err != nil {
			t.Fatal(err)
		}
		checkAdapted(t, a, r)
		if want := bruteForce(a); math.Abs(want-r.MinYield) > 1e-9 || !r.Proven {
			t.Fatalf("%+v: %v (proven %v), brute force %v", a, r.MinYield, r.Proven, want)
		}
		if r.Feasible {
			feasible++
		}
	}
	if feasible < 500 || feasible > 3900 {
		t.Errorf("%d of 4000 feasible: the set no longer tests both sides", feasible)
	}
}

// The local search alone keeps the rules, never beats the optimum, and reaches
// nearly all of it.
func TestLocalSearchAgainstExact(t *testing.T) {
	random := rng.New(8, "yield/local")
	solved, missed, share := 0, 0, 0.0
	for range 1500 {
		a := randomAdaptation(random, 14, 4)
		opt := solve.Default()
		exact, err := solve.Adapt(a, opt)
		if err != nil {
			t.Fatal(err)
		}
		a.ExactTasks = 0
		local, err := solve.Adapt(a, opt)
		if err != nil {
			t.Fatal(err)
		}
		checkAdapted(t, a, local)
		switch {
		case local.MinYield > exact.MinYield+1e-9:
			t.Fatalf("%+v: local search %v, exact %v", a, local.MinYield, exact.MinYield)
		case local.Feasible:
			solved++
			share += local.MinYield / exact.MinYield
		case exact.Feasible:
			missed++
		}
	}
	t.Logf("local search: %.2f %% of the optimum on %d, none found on %d that have one", 100*share/float64(solved), solved, missed)
	if share/float64(solved) < .99 || missed > solved/20 {
		t.Errorf("local search reaches %v of the optimum on %d, misses %d", share/float64(solved), solved, missed)
	}
}

// With nothing running, or with all free to move, adapting is solving.
func TestAdaptWithoutLimitsIsExact(t *testing.T) {
	random := rng.New(9, "yield/unlimited")
	for range 300 {
		a := randomAdaptation(random, 10, 3)
		a.Budget, a.CountMoves = math.Inf(1), false
		r, err := solve.Adapt(a, solve.Default())
		if err != nil {
			t.Fatal(err)
		}
		want, err := solve.Solve(a.Instance, "exact", solve.Default())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.MinYield-want.MinYield) > 1e-9 {
			t.Fatalf("%+v: adapted %v, solved %v", a, r.MinYield, want.MinYield)
		}
	}
}

func TestAdaptRefusesBadInput(t *testing.T) {
	in := solve.Instance{Hosts: 2, Jobs: []solve.Job{{CPU: .5, Mem: .5, Tasks: 1}}}
	for want, a := range map[string]solve.Adaptation{
		"budget is NaN; give 0 or more":                                    {Instance: in, Current: [][]int{{0}}, Budget: math.NaN()},
		"budget is -1; give 0 or more":                                     {Instance: in, Current: [][]int{{0}}, Budget: -1},
		"current has 0 jobs, the instance 1; give one list of hosts a job": {Instance: in},
		"job 0: current has 2 tasks, the instance 1; give one host a task": {Instance: in, Current: [][]int{{0, 1}}},
		"job 0: task 0 runs on host 2; give 0 to 1, or -1 for a new task":  {Instance: in, Current: [][]int{{2}}},
		"hosts is 0; give at least 1":                                      {},
	} {
		if _, err := solve.Adapt(a, solve.Default()); err == nil || err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}
