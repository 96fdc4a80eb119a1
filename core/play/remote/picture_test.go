package remote

import (
	"testing"
	"time"
)

// Pictures take a quarter of the worker's time beside a run that is too slow for its speed, three
// quarters of what a run leaves that is not, and are never closer than 50 ms.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		took              time.Duration
		reached, possible float64
		want              time.Duration
	}{
		{30 * time.Millisecond, 0, 0, 120 * time.Millisecond}, // nothing was measured yet
		{30 * time.Millisecond, 60, 60, 120 * time.Millisecond},
		{30 * time.Millisecond, 60, 80, 120 * time.Millisecond},
		{30 * time.Millisecond, 60, 180, 60 * time.Millisecond},
		{30 * time.Millisecond, 0, 10_000, 50 * time.Millisecond},
		{90 * time.Millisecond, 0, 10_000, 120 * time.Millisecond},
		{time.Millisecond, 60, 60, 50 * time.Millisecond},
	} {
		if got := interval(c.took, c.reached, c.possible); got != c.want {
			t.Errorf("of %v, %v of %v reached: every %v, want %v", c.took, c.reached, c.possible, got, c.want)
		}
	}
}
