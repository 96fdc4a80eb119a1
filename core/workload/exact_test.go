package workload_test

import (
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// TestUsesWhatItRequests: a task whose ratio is one uses its request to the last
// millionth, a request of 6 as well as one of a whole node.
func TestUsesWhatItRequests(t *testing.T) {
	var m workload.UsageModel
	for r := range m.Mean {
		m.Mean[r] = workload.Ratio(1)
	}
	rapid.Check(t, func(t *rapid.T) {
		var request unit.Vec
		for r := range request {
			request[r] = rapid.SampledFrom([]unit.Share{0, 1, 6, 7, 999_999, unit.Whole, unit.Share(rapid.Int32Range(0, 1<<30).Draw(t, "any"))}).Draw(t, "request")
		}
		if used := m.In(request, rapid.Int64Range(0, 1<<20).Draw(t, "window")); used != request {
			t.Fatalf("of %v it uses %v", request, used)
		}
	})
}
