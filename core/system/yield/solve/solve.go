// Package solve plans virtual clusters: it places jobs that share hosts so that
// the smallest yield is as large as possible (problem VCSched).
//
// A task needs a fraction a of a host's CPU and a fraction m of its memory. Memory is granted in
// full or the task cannot run; CPU may be granted in part, and the yield of a task is its share
// divided by its need. All tasks of a job need the same, run on one host each, and receive the same
// CPU.
//
// Source: M. Stillwell, D. Schanzenbach, F. Vivien, H. Casanova, "Resource
// Allocation using Virtual Clusters", arXiv 1006.5376: the problem is section
// 2.3 with constraints (3)-(11), parallel jobs (12)-(21), the algorithms section
// 3, the adaptation of a running allocation (22)-(31).
//
//	in := solve.Instance{Hosts: 2, Jobs: []solve.Job{
//		{CPU: 0.6, Mem: 0.1, Tasks: 1}, {CPU: 0.6, Mem: 0.1, Tasks: 1}, {CPU: 0.6, Mem: 0.1, Tasks: 1}}}
//	r, err := solve.Solve(in, "exact", solve.Default())
//	// r.MinYield == 0.5/0.6: two of the three jobs have to share a host.
//
// Everything is deterministic: the same instance, algorithm and options give the
// same bits on every platform; no logarithm or exponential decides anything.
package solve

import (
	"fmt"
	"strings"
)

// Options are the parameters of the algorithms. Change the fields of Default that matter.
type Options struct {
	Seed           uint64  `json:"seed"`            // stream of rrnd and rrnz
	PlacementLimit int     `json:"placement_limit"` // gb, sgb: tasks put on a host, undone ones included
	Tolerance      float64 `json:"tolerance"`       // mcb1 to mcb8: width at which the search for the yield stops
	RoundingWeight float64 `json:"rounding_weight"` // rrnz: weight of a host the relaxed solution leaves empty
	StepLimit      int     `json:"step_limit"`      // exact: hosts looked at before it gives up proving
	// mcb1 to mcb8: give the placement's own yield, not the searched one
	RaiseMinimum bool `json:"raise_minimum"`
}

// Default returns the paper's parameters (sections 3.2 to 3.4) and a step limit
// of about half a second.
func Default() Options {
	return Options{Seed: 1, PlacementLimit: 500_000, Tolerance: 0.001, RoundingWeight: 0.01, StepLimit: 50_000_000}
}

// maxSteps bounds StepLimit.
const maxSteps = 500_000_000

// Validate returns an error of one sentence if an option is out of range.
func (o Options) Validate() error {
	switch {
	case o.PlacementLimit < 1:
		return fmt.Errorf("placement_limit is %d; give at least 1", o.PlacementLimit)
	case !(o.Tolerance >= 1e-12 && o.Tolerance < 1):
		return fmt.Errorf("tolerance is %g; give a number from 1e-12 to below 1", o.Tolerance)
	case !(o.RoundingWeight > 0 && o.RoundingWeight <= 1):
		return fmt.Errorf("rounding_weight is %g; give a number above 0 and at most 1", o.RoundingWeight)
	case o.StepLimit < 1:
		return fmt.Errorf("step_limit is %d; give at least 1", o.StepLimit)
	case o.StepLimit > maxSteps:
		return fmt.Errorf("step_limit is %d; give at most %d, about five seconds", o.StepLimit, maxSteps)
	}
	return nil
}

// placer turns tasks into a placement, or reports that it found none.
type placer func(tasks, Options) outcome

// outcome is the result of an algorithm. Host is nil if it found no placement.
type outcome struct {
	host     []int32 // host of each task
	searched float64 // the yield the algorithm settled on, at most the placement's own
	bound    float64 // proven upper bound on the smallest yield; only exact improves on the relaxation
	proven   bool    // exact: the placement is optimal, or there is none
	even     bool    // give every job the smallest yield and no more
	limit    int     // entries of a linear program; 0: maxTableau
}

// algorithms are the names Solve knows, in the order of the paper.
var algorithms = [...]string{
	"mcb1", "mcb2", "mcb3", "mcb4", "mcb5", "mcb6", "mcb7", "mcb8", "gr", "sg", "gb",
	"sgb", "rrnd", "rrnz", "exact", "lp",
}

// Algorithms lists the names Solve knows, in the order of the paper.
func Algorithms() []string { return algorithms[:] }

// placerOf returns the algorithm of a name; nil for lp, which is not a placement, and for unknown names.
// It is not a table, so that a program that only adapts does not link all algorithms.
func placerOf(name string) placer {
	switch name {
	case "gr":
		return greedy(inOrder)
	case "sg":
		return greedy(byMemory)
	case "gb":
		return backtracking(inOrder)
	case "sgb":
		return backtracking(byMemory)
	case "rrnd":
		return rounding(false)
	case "rrnz":
		return rounding(true)
	case "exact":
		return exact
	}
	for variant, known := range algorithms[:8] {
		if name == known {
			return mcb(variant + 1)
		}
	}
	return nil
}

// Solve places the jobs of in with the named algorithm and then raises the
// average yield without moving anything (section 3.5). Not finding a placement
// is a result (Feasible false), not an error; an invalid instance, option or
// name is an error of one sentence.
func Solve(in Instance, algorithm string, opt Options) (Result, error) {
	if err := in.Validate(); err != nil {
		return Result{}, err
	}
	if err := opt.Validate(); err != nil {
		return Result{}, err
	}
	if algorithm == "lp" {
		return relaxed(in), nil
	}
	if place := placerOf(algorithm); place != nil {
		t := flatten(in)
		if !t.fitsInTotal() {
			return infeasible(in, algorithm, algorithm == "exact"), nil
		}
		return assemble(in, t, algorithm, place(t, opt), opt.RaiseMinimum), nil
	}
	return Result{}, fmt.Errorf("algorithm %q is unknown; choose one of %s", algorithm,
		strings.Join(Algorithms(), ", "))
}
