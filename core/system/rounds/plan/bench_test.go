package plan_test

import (
	"fmt"
	"testing"

	"parley/core/system/rounds/plan"
)

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{50, 1000} {
		for _, algorithm := range plan.Algorithms() {
			for _, latency := range []float64{1, 0.01} {
				p := table1(1, n, latency)
				b.Run(fmt.Sprintf("%d/%s/%v", n, algorithm, latency), func(b *testing.B) {
					for b.Loop() {
						if _, err := plan.Plan(p, 1e6, algorithm, plan.Options{}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkSimulate plays a plan of 50 workers and about 2,000 chunks, the
// other with every chunk's times.
func BenchmarkSimulate(b *testing.B) {
	p := table1(1, 50, 0.01)
	r, err := plan.Plan(p, 1e6, "umr", plan.Options{})
	if err != nil {
		b.Fatal(err)
	}
	chunks := float64(r.Rounds * len(r.Order))
	b.Run("makespan", func(b *testing.B) {
		var s plan.Simulator
		if err := s.Set(p, r.Order); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			s.Run(r.Chunks)
		}
		b.ReportMetric(chunks*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
	})
	b.Run("timeline", func(b *testing.B) {
		var timeline plan.Timeline
		for b.Loop() {
			if _, err := plan.Simulate(p, r.Order, r.Chunks, &timeline); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(chunks*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
	})
	b.Run("events", func(b *testing.B) {
		for b.Loop() {
			if _, err := plan.Play(p, 1e6, plan.Fixed(r.Order, r.Chunks), plan.Reality{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(chunks*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
	})
}
