package metric_test

import (
	"testing"

	"parley/core/metric"
	"parley/core/unit"
)

// TestMoreResourcesSpike: a rise by more than a tenth of what a node has is a spike,
// of whichever resource; a rise by just a tenth and a fall are none.
func TestMoreResourcesSpike(t *testing.T) {
	for r := range unit.Resources {
		var before, now, capacity unit.Vec
		for i := range capacity {
			capacity[i], before[i], now[i] = 500_000, 200_000, 200_000
		}
		for rise, want := range map[unit.Share]bool{50_001: true, 50_000: false, 0: false, -100_000: false} {
			now[r] = before[r] + rise
			if got := metric.Spiked(before, now, capacity); got != want {
				t.Errorf("%v rises by %d of %d: a spike %v, want %v", r, rise, capacity[r], got, want)
			}
		}
	}
}
