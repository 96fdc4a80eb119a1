// Package instance draws the random problem instances of the virtual-cluster
// experiments.
//
// Source: arXiv 1006.5376, section 4.1 (needs), 5.2 (parallel jobs), with what
// the text leaves open taken from the authors' published generator: needs are
// normal around 0.5 and redrawn until they lie in [0.01, 1]; memory is then
// scaled as a whole so that the slack, the free share of all memory, is exact.
// Sampling memory around its final mean instead makes twice as many instances
// infeasible as the paper reports.
//
//	spec := instance.Spec{Hosts: 64, Tasks: 250, Slack: 0.3, MemSpread: 0.25, CPUSpread: 0.75}
//	in := spec.Draw(rng.New(7, "yield/large"))
package instance

import (
	"parley/core/rng"
	"parley/core/system/yield/solve"
)

// Spec is a family of instances.
type Spec struct {
	Hosts     int
	Tasks     int     // in total; each is a job of its own unless Parallel
	Slack     float64 // share of all memory that stays free
	MemSpread float64 // coefficients of variation
	CPUSpread float64
	Parallel  bool // group the tasks into jobs by the Lublin-Feitelson size model
	Slip      bool // use the size model as the authors' program has it, see JobSize
}

// Draw returns one instance. A scaled memory need may exceed 1: such an instance
// has no placement, and solve refuses it as invalid.
func (s Spec) Draw(random *rng.Stream) solve.Instance {
	in := solve.Instance{Hosts: s.Hosts}
	for left := s.Tasks; left > 0; {
		size := 1
		if s.Parallel {
			size = JobSize(random, left, s.Slip)
		}
		in.Jobs = append(in.Jobs, solve.Job{Tasks: size})
		left -= size
	}
	for i := range in.Jobs {
		in.Jobs[i].CPU = Need(random, s.CPUSpread)
	}
	sum := 0.0
	for i := range in.Jobs {
		in.Jobs[i].Mem = Need(random, s.MemSpread)
		sum += float64(in.Jobs[i].Mem * float64(in.Jobs[i].Tasks))
	}
	scale := (1 - s.Slack) * float64(s.Hosts) / sum
	for i := range in.Jobs {
		in.Jobs[i].Mem *= scale
	}
	return in
}

const (
	meanNeed = 0.5
	minNeed  = 0.01
)

// Need draws a need of the given coefficient of variation: normal around 0.5, redrawn until it is
// in [0.01, 1].
func Need(random *rng.Stream, spread float64) float64 {
	for {
		if x := meanNeed + float64(meanNeed*spread*normal(random)); x >= minNeed && x <= 1 {
			return x
		}
	}
}

// Slacks are the nine values of both sets.
var slacks = []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9}

// Small lists the 144 families of the small set: 4 hosts and 6 to 12 jobs, which
// can be solved exactly.
func Small() []Spec { return family(4, 6, 8, 10, 12) }

// Large lists the 108 families of the large set: 64 hosts and 100 to 500 jobs.
func Large() []Spec { return family(64, 100, 250, 500) }

// Parallel lists the large families with parallel jobs of 1 to 64 tasks.
func Parallel(slip bool) []Spec {
	specs := Large()
	for i := range specs {
		specs[i].Parallel, specs[i].Slip = true, slip
	}
	return specs
}

// family lists a family for each combination of slack, number of tasks, and spread of memory and CPU
// needs.
func family(hosts int, tasks ...int) []Spec {
	var specs []Spec
	for _, slack := range slacks {
		for _, n := range tasks {
			for _, mem := range []float64{.25, .75} {
				for _, cpu := range []float64{.25, .75} {
					specs = append(specs, Spec{Hosts: hosts, Tasks: n, Slack: slack, MemSpread: mem, CPUSpread: cpu})
				}
			}
		}
	}
	return specs
}
