package evidence_test

import (
	"math"
	"testing"

	"parley/core/study/evidence"
)

// What stands behind ± is the standard deviation of the seeds, not half their range.
func TestSpreadIsTheStandardDeviation(t *testing.T) {
	mean, deviation := evidence.Spread([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	if mean != 5 || math.Abs(deviation-math.Sqrt(32.0/7)) > 1e-12 {
		t.Errorf("%v ± %v, want 5 ± %v", mean, deviation, math.Sqrt(32.0/7))
	}
	if _, alone := evidence.Spread([]float64{3}); alone != 0 {
		t.Errorf("one value spreads by %v", alone)
	}
}
