package solve_test

import (
	"fmt"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// BenchmarkSolve measures each algorithm at three sizes; slack and spreads are
// middle values of the paper's sets.
func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct{ tasks, hosts int }{{500, 64}, {10_000, 1_000}, {100_000, 10_000}} {
		spec := instance.Spec{Hosts: size.hosts, Tasks: size.tasks, Slack: .3, MemSpread: .75, CPUSpread: .75}
		in := spec.Draw(rng.New(1, "yield/bench"))
		for _, algorithm := range []string{"mcb8", "mcb6", "sg", "rrnz"} {
			b.Run(fmt.Sprintf("%s/%dtasks/%dhosts", algorithm, size.tasks, size.hosts), func(b *testing.B) {
				for b.Loop() {
					if r, err := solve.Solve(in, algorithm, solve.Default()); err != nil || !r.Feasible {
						b.Fatalf("%v, feasible %v", err, r.Feasible)
					}
				}
			})
		}
	}
}

// BenchmarkExact solves one instance of each small family in turn.
func BenchmarkExact(b *testing.B) {
	random := rng.New(1, "yield/bench")
	var set []solve.Instance
	for _, spec := range instance.Small() {
		if in := spec.Draw(random); in.Validate() == nil {
			set = append(set, in)
		}
	}
	for n := 0; b.Loop(); n++ {
		if r, err := solve.Solve(set[n%len(set)], "exact", solve.Default()); err != nil || !r.Proven {
			b.Fatalf("%v, proven %v", err, r.Proven)
		}
	}
}

// BenchmarkAdapt lets a tenth of the CPU needs change and a hundredth of the
// memory migrate.
func BenchmarkAdapt(b *testing.B) {
	for _, size := range []struct{ tasks, hosts int }{{500, 64}, {10_000, 1_000}} {
		spec := instance.Spec{Hosts: size.hosts, Tasks: size.tasks, Slack: .3, MemSpread: .75, CPUSpread: .75}
		random := rng.New(1, "yield/bench")
		in := spec.Draw(random)
		r, err := solve.Solve(in, "mcb8", solve.Default())
		if err != nil || !r.Feasible {
			b.Fatalf("%v, feasible %v", err, r.Feasible)
		}
		for i := range in.Jobs {
			if random.Intn(10) == 0 {
				in.Jobs[i].CPU = instance.Need(random, .75)
			}
		}
		a := solve.Adaptation{Instance: in, Current: r.Place, Budget: .01 * .7 * float64(size.hosts)}
		b.Run(fmt.Sprintf("%dtasks/%dhosts", size.tasks, size.hosts), func(b *testing.B) {
			for b.Loop() {
				if r, err := solve.Adapt(a, solve.Default()); err != nil || !r.Feasible {
					b.Fatalf("%v, feasible %v", err, r.Feasible)
				}
			}
		})
	}
}
