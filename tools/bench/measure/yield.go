package measure

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// SmallSet is one valid instance of each of the paper's 144 small families.
func SmallSet() []solve.Instance {
	random := rng.New(1, "yield/speed")
	var set []solve.Instance
	for _, spec := range instance.Small() {
		in := spec.Draw(random)
		for in.Validate() != nil {
			in = spec.Draw(random)
		}
		set = append(set, in)
	}
	return set
}

// Exact returns the milliseconds that branch and bound takes for an instance,
// over at least a hundredth of a second of calls, and its answer.
func Exact(in solve.Instance, now func() time.Time) (ms float64, r solve.Result, err error) {
	calls, seconds := 0, 0.0
	for seconds < 0.01 {
		spent, err := timed(now, func() (err error) {
			r, err = solve.Solve(in, "exact", solve.Default())
			return err
		})
		if err == nil && !r.Proven {
			err = errors.New("exact did not prove its answer")
		}
		if err != nil {
			return 0, r, err
		}
		seconds += spent
		calls++
	}
	return seconds / float64(calls) * 1000, r, nil
}

// SmallSetOf measures a quantile of the times of exact on the small set.
func SmallSetOf(name string, quantile float64) Measurement {
	return Measurement{
		Name: fmt.Sprintf("exact, the %s of 144 small instances", name), Unit: "ms",
		Once: func(now func() time.Time) (float64, error) {
			var all []float64
			for _, in := range SmallSet() {
				ms, _, err := Exact(in, now)
				if err != nil {
					return 0, err
				}
				all = append(all, ms)
			}
			slices.Sort(all)
			return all[int(quantile*float64(len(all)-1))], nil
		},
	}
}

// Adapt measures the time to adapt a plan to other needs of a fourth of its jobs while a hundredth
// of the memory may migrate.
func Adapt(tasks, hosts int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("adapt, %d tasks on %d hosts", tasks, hosts), Unit: "ms",
		Once: func(now func() time.Time) (float64, error) {
			random := rng.New(1, "yield/adapt")
			in := instance.Spec{Hosts: hosts, Tasks: tasks, Slack: 0.3, MemSpread: 0.75, CPUSpread: 0.75}.Draw(random)
			before, err := solve.Solve(in, "mcb8", solve.Default())
			if err != nil || !before.Feasible {
				return 0, errors.Join(err, errors.New("mcb8 found no placement to start from"))
			}
			for i := 0; i < len(in.Jobs); i += 4 {
				in.Jobs[i].CPU = instance.Need(random, 0.75)
			}
			a := solve.Adaptation{Instance: in, Current: before.Place, Budget: 0.007 * float64(hosts)}
			return repeated(now, func() error {
				_, err := solve.Adapt(a, solve.Default())
				return err
			})
		},
	}
}

// LiveYield measures the live system: two simulated hours of services that
// change, a fifth of the jobs parallel.
func LiveYield(tasks, hosts int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("live yield, %d tasks on %d hosts", tasks, hosts), Unit: "x real time",
		Once: func(now func() time.Time) (float64, error) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"yield","seed":7,"until":"2h","workload":{"system":{"hosts":%d,"tasks":%d,
				"cpu_load":1.2,"parallel_share":0.2,"mean_lifetime":"2d","change_every":"12h"}}}`, hosts, tasks))
			if err != nil {
				return 0, err
			}
			r, err := run.Open(s, nil)
			if err != nil {
				return 0, err
			}
			seconds, err := timed(now, func() error { return r.Advance(r.Until()) })
			return 7200 / seconds, err
		},
	}
}
