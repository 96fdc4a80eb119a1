package batch_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/unit"
)

// TestOutlook: how many processors are free over time is what a list of moments says, one
// a microsecond: running jobs leave at their estimated ends, those that outlived theirs in
// a moment, blocks come and go, and waiting jobs are planned at their earliest, as many
// as are wanted. The first of them is the head.
func TestOutlook(t *testing.T) {
	rapid.Check(t, outlook)
}

// held is what holds processors of the list, or waits for them.
type held struct {
	handle          batch.Handle
	from, end, need int
	estimate        unit.Time
}

func outlook(t *rapid.T) {
	const last, largest = 20, 200
	policy := rapid.SampledFrom([]batch.Policy{batch.FCFS, batch.EASY, batch.Conservative}).Draw(t, "policy")
	size := rapid.IntRange(1, 8).Draw(t, "size")
	site := batch.NewSite(policy, size)
	var waiting, running, blocks []held
	now := 0
	for ; now < last; now++ {
		for range rapid.IntRange(0, 1).Draw(t, "jobs") {
			j := held{need: rapid.IntRange(1, size).Draw(t, "processors"), estimate: unit.Time(rapid.IntRange(1, 12).Draw(t, "estimate"))}
			if rapid.IntRange(0, 9).Draw(t, "endless") == 0 {
				j.estimate = unit.Forever
			}
			if rapid.IntRange(0, 19).Draw(t, "too large") == 0 {
				j.need = size + 1
			}
			j.handle = site.Submit(unit.Time(now), batch.Job{Processors: j.need, Estimate: j.estimate})
			waiting = append(waiting, j)
		}
		if rapid.IntRange(0, 4).Draw(t, "block") == 0 {
			b := held{from: now + rapid.IntRange(0, 9).Draw(t, "ahead"), need: rapid.IntRange(1, size).Draw(t, "of")}
			b.end = b.from + rapid.IntRange(1, 9).Draw(t, "length")
			if site.Reserve(unit.Time(now), batch.Block{Start: unit.Time(b.from), End: unit.Time(b.end), Processors: b.need}) {
				blocks = append(blocks, b)
			}
		}
		for _, h := range site.Pass(unit.Time(now)) {
			i := slices.IndexFunc(waiting, func(j held) bool { return j.handle == h })
			j := waiting[i]
			j.end = largest
			if j.estimate < unit.Forever {
				j.end = now + int(j.estimate)
			}
			running, waiting = append(running, j), slices.Delete(waiting, i, i+1)
		}
		if len(running) > 0 && rapid.IntRange(0, 9).Draw(t, "end") == 0 {
			i := rapid.IntRange(0, len(running)-1).Draw(t, "which")
			site.End(unit.Time(now), running[i].handle)
			running = slices.Delete(running, i, i+1)
		}
	}
	now = last - rapid.IntRange(0, 1).Draw(t, "at the last pass")

	free := make([]int, largest)
	for at := range free {
		free[at] = size
	}
	for _, j := range running {
		end := j.end
		if end < now {
			end = now + 1
		}
		change(free, now, end, -j.need)
	}
	for _, b := range blocks {
		change(free, b.from, b.end, -b.need)
	}
	planned := rapid.IntRange(0, 4).Draw(t, "planned")
	head := unit.Forever
	for i, j := range waiting[:min(planned, len(waiting))] {
		long := largest
		if j.estimate < unit.Forever {
			long = int(j.estimate)
		}
		for at := now; at < largest/2; at++ {
			if until := min(at+long, largest); slices.Min(free[at:until]) >= j.need {
				change(free, at, until, -j.need)
				if i == 0 {
					head = unit.Time(at)
				}
				break
			}
		}
	}

	var p batch.Profile
	if got := site.Outlook(unit.Time(now), &p, planned); got != head {
		t.Fatalf("at %d the head is planned for %v, not %v", now, got, head)
	}
	for at := now; at < largest/2; at++ {
		if got := p.Free(unit.Time(at)); got != free[at] {
			t.Fatalf("at %d, of %d: %d are free, not %d", at, now, got, free[at])
		}
	}
	for after := now; after < largest/2; after++ {
		count := 0
		for _, b := range blocks {
			if b.end > after {
				count++
			}
		}
		if got := site.Blocks(unit.Time(after)); got != count {
			t.Fatalf("%d blocks end after %d, not %d", got, after, count)
		}
	}
	if h, any := site.Head(); any != (len(waiting) > 0) || any && h != waiting[0].handle {
		t.Fatalf("the head is %v (%v), of %d that wait", h, any, len(waiting))
	}
}
