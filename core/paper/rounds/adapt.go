package rounds

import (
	"fmt"

	"parley/core/system/rounds/plan"
)

// strategies are what adapt sends by.
var strategies = []string{"umr", "umr2", "best", "factoring", "guided"}

// strays are the errors on speed that adapt tries.
var strays = []float64{0, 0.1, 0.3, 0.5}

// adaptLatencies are few: with large latencies methods that send small chunks
// on demand lose anyway.
var adaptLatencies = []float64{0.1, 0.001}

// Adapt lets plans meet workers that are faster or slower than stated, by a
// wrong estimate for each worker or by noise in each chunk, and workers that
// fail in the middle of the run and return, and compares them with factoring
// and guided self-scheduling, which look at nothing but who asks. The unit is
// the makespan over load/ΣS of the true speeds of all workers, which nothing
// can beat; N = 10, 12 … 50. The paper has no such experiment.
func Adapt(e Effort) []Row {
	s := newSheet()
	for _, latency := range adaptLatencies {
		for seed := range uint64(max(1, e.Seeds)) {
			for _, stray := range strays {
				wrong := plan.Reality{Seed: seed + 1, Speed: plan.Error{Worker: stray}}
				adaptOne(s, latency, fmt.Sprintf("speeds wrong by up to %v", stray), wrong, nil)
			}
			for _, stray := range strays[1:] {
				noisy := plan.Reality{Seed: seed + 1, Speed: plan.Error{Chunk: stray}}
				adaptOne(s, latency, fmt.Sprintf("speeds noisy by up to %v", stray), noisy, nil)
			}
			adaptOne(s, latency, "a fifth of the workers fails at half time and returns after a tenth of it", plan.Reality{Seed: seed + 1}, outage)
		}
	}
	return s.all()
}

// outage takes every fifth worker away from half time for a tenth of the
// makespan.
func outage(workers int, makespan float64) (failures []plan.Failure) {
	for i := 0; i < workers; i += 5 {
		failures = append(failures, plan.Failure{Worker: i, At: makespan / 2, Return: float64(makespan * 0.6)})
	}
	return failures
}

func adaptOne(s *sheet, latency float64, what string, reality plan.Reality, outage func(int, float64) []plan.Failure) {
	scores := make([]average, len(strategies))
	for _, n := range sizes() {
		p := draw(reality.Seed, n, latency)
		if outage != nil {
			reality.Failures = outage(n, must(p, "umr", plan.Options{}).Makespan)
		}
		speeds := 0.0
		for _, w := range p.Workers {
			speeds += w.Speed
		}
		for k, name := range strategies {
			played, err := plan.Play(p, load, method(p, name), reality)
			if err != nil {
				panic("experiment: " + name + " on a platform of table 1: " + err.Error())
			}
			scores[k].add(played.Makespan * speeds / load)
		}
	}
	for k, name := range strategies {
		s.row(fmt.Sprintf("latency %v, %s: %s", latency, what, name), "× load/ΣS", scores[k].value(), "not in the paper")
	}
}

func method(p plan.Platform, name string) plan.Method {
	switch name {
	case "factoring":
		return plan.Factoring()
	case "guided":
		return plan.Guided()
	}
	r := must(p, name, plan.Options{})
	return plan.Fixed(r.Order, r.Chunks)
}
