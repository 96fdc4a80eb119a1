package run_test

import (
	"fmt"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// BenchmarkNegotiation plays generated Google cells, a simulated minute at a
// time, after their first ten minutes.
func BenchmarkNegotiation(b *testing.B) {
	for _, nodes := range []int{1_250, 12_500, 50_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":%d}}`, nodes))
			if err != nil {
				b.Fatal(err)
			}
			r, err := run.Open(s, nil)
			if err != nil {
				b.Fatal(err)
			}
			at := 10 * unit.Minute
			if err := r.Advance(at); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				at += unit.Minute
				if err := r.Advance(at); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node-minute")
		})
	}
}
