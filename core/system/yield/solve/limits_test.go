package solve_test

import (
	"math"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// The largest sizes that pass validation end, and soon.
func TestLargestInstances(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the largest instances are left out")
	}
	opt := solve.Default()
	opt.StepLimit = 1_000_000
	fast := []string{"mcb8", "rrnz", "lp"} // greedy takes seconds to keep 20,000 hosts sorted
	each := []string{"mcb8", "sgb", "rrnd", "exact"}
	for _, c := range []struct {
		name       string
		in         solve.Instance
		algorithms []string
		fits       bool
	}{
		{"one host, one job", solve.Instance{Hosts: 1, Jobs: []solve.Job{{CPU: .5, Mem: 1e-6, Tasks: solve.MaxTasks}}}, each, true},
		{"one host, too much", solve.Instance{Hosts: 1, Jobs: []solve.Job{{CPU: .5, Mem: .5, Tasks: solve.MaxTasks}}}, solve.Algorithms(), false},
		{"most hosts, one job", solve.Instance{Hosts: solve.MaxHosts, Jobs: []solve.Job{{CPU: .5, Mem: .03, Tasks: solve.MaxTasks}}}, fast, true},
		{"most hosts, no job", solve.Instance{Hosts: solve.MaxHosts}, solve.Algorithms(), true},
	} {
		for _, algorithm := range c.algorithms {
			r, err := solve.Solve(c.in, algorithm, opt)
			if err != nil || r.Feasible != c.fits {
				t.Errorf("%s, %s: feasible %v, %v", c.name, algorithm, r.Feasible, err)
			}
		}
	}
}

// So many coupled jobs are raised greedily, not by the linear program; the plan
// keeps all the rules.
func TestLargeParallelPlanPassesTheChecker(t *testing.T) {
	in := instance.Spec{Hosts: 10_000, Tasks: 100_000, Slack: .3, MemSpread: .25, CPUSpread: .75, Parallel: true}.Draw(rng.New(1, "yield/parallel"))
	for _, algorithm := range []string{"mcb8", "sg"} {
		r, err := solve.Solve(in, algorithm, solve.Default())
		if err != nil || !r.Feasible {
			t.Fatalf("%s: %v, feasible %v", algorithm, err, r.Feasible)
		}
		if err := check(in, r); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// A host that has become far too small is emptied task by task and still in time.
func TestAdaptManyTasksOfOneHost(t *testing.T) {
	in := solve.Instance{Hosts: 1000, Jobs: []solve.Job{{CPU: .1, Mem: .1, Tasks: 10_000}}}
	a := solve.Adaptation{Instance: in, Current: [][]int{make([]int, 10_000)}, Budget: math.Inf(1)}
	r, err := solve.Adapt(a, solve.Default())
	if err != nil {
		t.Fatal(err)
	}
	checkAdapted(t, a, r)
	if !r.Feasible || r.MinYield < 1-1e-9 || r.Moves != 9990 {
		t.Errorf("feasible %v, yield %v, %d moved; want 1 and all but ten", r.Feasible, r.MinYield, r.Moves)
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	in := solve.Instance{Hosts: 1, Jobs: []solve.Job{{CPU: 1, Mem: 1, Tasks: 1}}}
	for want, change := range map[string]func(*solve.Options){
		"placement_limit is 0; give at least 1":                               func(o *solve.Options) { o.PlacementLimit = 0 },
		"step_limit is 500000001; give at most 500000000, about five seconds": func(o *solve.Options) { o.StepLimit = 500_000_001 },
		"step_limit is -1; give at least 1":                                   func(o *solve.Options) { o.StepLimit = -1 },
		"tolerance is NaN; give a number from 1e-12 to below 1":               func(o *solve.Options) { o.Tolerance = math.NaN() },
		"tolerance is 0; give a number from 1e-12 to below 1":                 func(o *solve.Options) { o.Tolerance = 0 },
		"rounding_weight is 2; give a number above 0 and at most 1":           func(o *solve.Options) { o.RoundingWeight = 2 },
		"rounding_weight is NaN; give a number above 0 and at most 1":         func(o *solve.Options) { o.RoundingWeight = math.NaN() },
	} {
		opt := solve.Default()
		change(&opt)
		if _, err := solve.Solve(in, "mcb8", opt); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := solve.Solve(in, "mcb9", solve.Default()); err == nil || !strings.Contains(err.Error(), `"mcb9" is unknown; choose one of mcb1, `) {
		t.Errorf("unknown algorithm: %v", err)
	}
}

// Plans are links' companions: the same instance and seed must give the same
// bits on every platform and in every version. The number is this program's own,
// first taken on linux/amd64.
func TestPinnedPlans(t *testing.T) {
	const want = 0x942f57f676720f4c
	digest := uint64(0)
	random := rng.New(11, "yield/pinned")
	for _, spec := range append(instance.Small(), instance.Parallel(false)[40]) {
		in := spec.Draw(random)
		for _, algorithm := range solve.Algorithms() {
			r, err := solve.Solve(in, algorithm, solve.Default())
			if err != nil {
				continue
			}
			digest = rng.Hash(digest, math.Float64bits(r.MinYield), math.Float64bits(r.AvgYield))
			for _, h := range flat(r.Place) {
				digest = rng.Hash(digest, uint64(h), 0)
			}
		}
	}
	if digest != want {
		t.Errorf("plans have changed: digest %#x, want %#x", digest, uint64(want))
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"hosts":4,"jobs":[{"cpu":0.5,"mem":0.25,"tasks":3}]}`, `{"hosts":1e3}`, `[]`, `{"jobs":[{}]}`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := solve.Decode(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		if err := in.Validate(); err != nil {
			t.Errorf("accepted what is invalid: %v", err)
		}
	})
}
