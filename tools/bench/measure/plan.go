package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/rounds/plan"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
	"parley/core/unit"
)

// Yield measures the time of MCB8 for a number of tasks on a number of hosts, with middle values of
// the paper's parameters.
func Yield(tasks, hosts int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("mcb8, %d tasks on %d hosts", tasks, hosts), Unit: "ms",
		Once: func(now func() time.Time) (float64, error) {
			spec := instance.Spec{Hosts: hosts, Tasks: tasks, Slack: 0.3, MemSpread: 0.75, CPUSpread: 0.75}
			in := spec.Draw(rng.New(1, "yield/bench"))
			return repeated(now, func() error {
				r, err := solve.Solve(in, "mcb8", solve.Default())
				if err == nil && !r.Feasible {
					err = errors.New("mcb8 found no placement where there is one")
				}
				return err
			})
		},
	}
}

// Rounds measures the time of an algorithm to plan for n workers.
func Rounds(algorithm string, workers int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("%s, %d workers", algorithm, workers), Unit: "ms",
		Once: func(now func() time.Time) (float64, error) {
			p := platform(workers)
			return repeated(now, func() error {
				_, err := plan.Plan(p, 1e6, algorithm, plan.Options{})
				return err
			})
		},
	}
}

// PlayedPlan is the plan that Chunks plays, and its platform.
func PlayedPlan() (plan.Platform, plan.Result, error) {
	p := platform(50)
	r, err := plan.Plan(p, 1e6, "umr", plan.Options{})
	return p, r, err
}

// Chunks measures the chunks per second of the simulator of plans.
func Chunks() Measurement {
	return Measurement{
		Name: "simulated plan, 50 workers", Unit: "chunks/s",
		Once: func(now func() time.Time) (float64, error) {
			p, r, err := PlayedPlan()
			if err != nil {
				return 0, err
			}
			var s plan.Simulator
			if err := s.Set(p, r.Order); err != nil {
				return 0, err
			}
			ms, err := repeated(now, func() error {
				s.Run(r.Chunks)
				return nil
			})
			return float64(r.Rounds*len(r.Order)) / ms * 1000, err
		},
	}
}

// LivePlan measures the chunks per second of the live system, for the plan that Chunks plays: an
// event for each chunk sent, arrived, begun and computed, books checked, samples taken and
// everything in the digest. Making the run and planning are not counted.
func LivePlan() Measurement {
	return Measurement{
		Name: "live plan, 50 workers", Unit: "chunks/s",
		Once: func(now func() time.Time) (float64, error) {
			p, planned, err := PlayedPlan()
			if err != nil {
				return 0, err
			}
			workers, err := json.Marshal(p.Workers)
			if err != nil {
				return 0, err
			}
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"rounds","settings":{"algorithm":"umr","adapt":"fixed"},"until":"%ds","workload":{"system":
				{"load":1e6,"workers":%s}}}`, int(planned.Makespan)+60, workers))
			if err != nil {
				return 0, err
			}
			chunks, seconds := int64(0), 0.0
			for seconds < 0.1 {
				r, err := run.Open(s, nil)
				if err != nil {
					return 0, err
				}
				spent, err := timed(now,
					func() error { return r.Advance(unit.Time(planned.Makespan*1e6) + unit.Second) })
				w := r.View().Totals().Work
				if err == nil && w.Done != w.Arrived {
					err = errors.New("live, the plan takes longer than planned")
				}
				if err != nil {
					return 0, err
				}
				seconds += spent
				chunks += w.Chunks
			}
			return float64(chunks) / seconds, nil
		},
	}
}

// LiveChunks measures the chunks per second that the live system sends, receives and computes: 2,000
// workers of table 1 with latencies of 1 ms.
func LiveChunks() Measurement {
	return Measurement{
		Name: "live rounds, 2000 workers", Unit: "chunks/s",
		Once: func(now func() time.Time) (float64, error) {
			s, err := scenario.Parse([]byte(`{"v":1,"system":"rounds","seed":1,"settings":{"algorithm":"umr2"},"until":"1h","workload":{"system":
				{"load":1e8,"random":{"workers":2000,"comp_latency":[0.001,0.001],"comm_latency":[0.001,0.001]}}}}`))
			if err != nil {
				return 0, err
			}
			r, err := run.Open(s, nil)
			if err != nil {
				return 0, err
			}
			seconds, err := timed(now, func() error { return r.Advance(r.Until()) })
			if w := r.View().Totals().Work; err == nil && w.Done != w.Arrived {
				err = errors.New("an hour is too short for the load")
			}
			return float64(r.View().Totals().Work.Chunks) / seconds, err
		},
	}
}

// platform is one by the parameters of table 1 of the rounds paper, with
// latencies of 10 ms.
func platform(workers int) plan.Platform {
	random := rng.New(1, "rounds/table1")
	p := plan.Platform{Workers: make([]plan.Worker, workers)}
	for i := range p.Workers {
		p.Workers[i] = plan.Worker{
			Speed:     50 * (1 + random.Float64()/2),
			Bandwidth: 50 * float64(workers) * (0.5 + random.Float64()), CompLatency: 0.01, CommLatency: 0.01,
		}
	}
	return p
}

// repeated returns the milliseconds that one call of f takes, over at least
// a tenth of a second of calls: clocks in browsers tick coarsely.
func repeated(now func() time.Time, f func() error) (float64, error) {
	if err := f(); err != nil { // the first call warms up
		return 0, err
	}
	for calls := 1; ; calls *= 4 {
		seconds, err := timed(now, func() error {
			for range calls {
				if err := f(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || seconds >= 0.1 {
			return seconds / float64(calls) * 1000, err
		}
	}
}
