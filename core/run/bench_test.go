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

// BenchmarkBoard plays resources that take graphs of 100 subtasks from a board, by the
// rule that is ready, under a load of 0.7, after the first graphs are under way.
func BenchmarkBoard(b *testing.B) {
	for _, one := range []struct {
		nodes int
		step  unit.Time
	}{{1_000, unit.Hour}, {100_000, 10 * unit.Second}} {
		b.Run(fmt.Sprintf("nodes=%d", one.nodes), func(b *testing.B) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"board","seed":1,"settings":{"thread_rule":"ready"},"workload":{"graphs":{
				"machines":[{"count":%d,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],
				"generate":{"shape":"mixed","vertices":100,"work":[60,600],"bytes":[1e6,1e7],"load":0.7},"deadline_factor":3}}}`, one.nodes))
			if err != nil {
				b.Fatal(err)
			}
			r, err := run.Open(s, nil)
			if err != nil {
				b.Fatal(err)
			}
			at := 20 * unit.Minute
			if err := r.Advance(at); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				at += one.step
				if err := r.Advance(at); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(one.nodes)/one.step.Seconds()*60, "ns/node-minute")
		})
	}
}

// BenchmarkKube places the 140,000 tasks of a cell's first moment as kube-scheduler scores 625 nodes for each.
func BenchmarkKube(b *testing.B) {
	for b.Loop() {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","seed":7,"cluster":{"nodes":12500},"settings":{"policy":"kube"}}`))
		if err != nil {
			b.Fatal(err)
		}
		r, err := run.Open(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Advance(1); err != nil {
			b.Fatal(err)
		}
	}
}
