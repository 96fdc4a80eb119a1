package plane_test

import (
	"testing"
	"time"

	"parley/core/kube"
	"parley/core/kube/plane"
)

// TestHolds: a budget of a NodePool holds from each time of its schedule for its duration, in UTC.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		schedule string
		hours    int64
		at       string // 2026-11-24 is a Tuesday
		holds    bool
	}{
		{"", 0, "2026-11-24T00:00:00Z", true},
		{"0 9 * * mon-fri", 8, "2026-11-24T09:00:00Z", true},
		{"0 9 * * mon-fri", 8, "2026-11-24T16:59:59Z", true},
		{"0 9 * * mon-fri", 8, "2026-11-24T17:00:00Z", false},
		{"0 9 * * mon-fri", 8, "2026-11-24T08:59:59Z", false},
		{"0 9 * * 1-5", 8, "2026-11-22T12:00:00Z", false},
		{"0 20 * * fri", 60, "2026-11-23T07:59:00Z", true},
		{"@daily", 1, "2026-11-24T00:30:00Z", true},
		{"@daily", 1, "2026-11-24T01:30:00Z", false},
		{"*/15 0-3,22 1 * *", 1, "2026-11-01T22:50:00Z", true},
		{"*/15 0-3,22 1 * *", 1, "2026-11-02T22:50:00Z", false},
		{"0 0 24 * sun", 1, "2026-11-24T00:10:00Z", true}, // either day
		{"0 0 24 * sun", 1, "2026-11-22T00:10:00Z", true},
		{"0 0 24 * sun", 1, "2026-11-23T00:10:00Z", false},
		{"0 0 1 JAN *", 24, "2026-11-24T00:00:00Z", false},
		{"0 25 * * *", 1, "2026-11-24T12:00:00Z", true}, // not understood: it holds
		{"sometimes", 1, "2026-11-24T12:00:00Z", true},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		b := &kube.NodeBudget{Schedule: c.schedule, Duration: c.hours * 3600}
		if got := plane.Holds(b, at.Unix()); got != c.holds {
			t.Errorf("%q for %d h at %s: %v", c.schedule, c.hours, c.at, got)
		}
	}
	if plane.Holds(&kube.NodeBudget{Schedule: "* * * * *", Duration: 3600}, 0) {
		t.Error("a budget with a schedule holds at an unknown moment")
	}
}
