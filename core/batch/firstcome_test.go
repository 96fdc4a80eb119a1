package batch_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/unit"
)

// FirstCome ends a log when the last job ends that a site under FCFS starts, on a machine that grows too.
func TestFirstCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		site, quick := batch.NewSite(batch.FCFS, 0), batch.NewFirstCome()
		slow := batch.NewStream(site)
		size, now := 0, unit.Time(0)
		for range rapid.IntRange(0, 60).Draw(t, "jobs") {
			if by := rapid.IntRange(-3, 6).Draw(t, "more processors"); by > 0 {
				size += by
				site.Resize(size)
				quick.Grow(by)
			}
			now += unit.Time(rapid.IntRange(0, 4).Draw(t, "later"))
			estimate := unit.Time(rapid.IntRange(1, 12).Draw(t, "estimate"))
			l := batch.Logged{
				Job:    batch.Job{Processors: rapid.IntRange(1, 8).Draw(t, "processors"), Estimate: estimate},
				Submit: now, Run: unit.Time(rapid.IntRange(0, 14).Draw(t, "run")),
			}
			slow.Add(l)
			quick.Add(l)
		}
		if want, got := slow.End(), quick.End(); got != want {
			t.Fatalf("the log ends at %d, a site says %d", got, want)
		}
	})
}
