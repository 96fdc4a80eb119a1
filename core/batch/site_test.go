package batch_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/unit"
)

// TestReturn: jobs that lost their processors stand where they stood, and others are
// withdrawn from anywhere; who starts is who came first of those that are left.
func TestReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		site := batch.NewSite(batch.FCFS, 1)
		var waiting []int // in order of arrival
		handles := map[int]batch.Handle{}
		came, runs := 0, -1
		for range 300 {
			subject := rapid.IntRange(0, 9).Draw(t, "what")
			switch {
			case subject < 6:
				handles[came] = site.Submit(0, batch.Job{Processors: 1, Estimate: unit.Hour})
				waiting = append(waiting, came)
				came++
			case subject == 6 && runs >= 0:
				site.Return(0, handles[runs])
				waiting = append(waiting, runs)
				slices.Sort(waiting)
				runs = -1
			case subject == 7 && runs >= 0:
				site.End(0, handles[runs])
				runs = -1
			case subject == 8 && len(waiting) > 0:
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "withdrawn")
				site.End(0, handles[waiting[i]])
				waiting = slices.Delete(waiting, i, i+1)
			}
			if subject%2 == 0 {
				continue // several things between two passes
			}
			started := site.Pass(0)
			if runs < 0 && len(waiting) > 0 {
				runs, waiting = waiting[0], waiting[1:]
				if len(started) != 1 || started[0] != handles[runs] {
					t.Fatalf("%v start, not job %d, which has %v", started, runs, handles[runs])
				}
			} else if len(started) > 0 {
				t.Fatalf("%v start", started)
			}
			if site.Waiting() != len(waiting) {
				t.Fatalf("%d wait, of %d", site.Waiting(), len(waiting))
			}
		}
	})
}

// TestRemembers: what a site keeps from pass to pass, to look at a new job only,
// never changes an answer. A second site is told to forget it before each pass.
func TestRemembers(t *testing.T) {
	check := func(t *rapid.T) {
		policy := rapid.SampledFrom([]batch.Policy{batch.EASY, batch.EASYSJBF}).Draw(t, "policy")
		size := rapid.IntRange(1, 8).Draw(t, "site")
		one, two := batch.NewSite(policy, size), batch.NewSite(policy, size)
		var known []batch.Handle
		now := unit.Time(0)
		for range 150 {
			which := func() batch.Handle { return known[rapid.IntRange(0, len(known)-1).Draw(t, "job")] }
			subject := rapid.IntRange(0, 9).Draw(t, "what")
			switch {
			case subject < 4:
				j := batch.Job{Processors: rapid.IntRange(1, 8).Draw(t, "procs"), Estimate: seconds(rapid.IntRange(1, 9).Draw(t, "estimate"))}
				h := one.Submit(now, j)
				two.Submit(now, j)
				if !slices.Contains(known, h) {
					known = append(known, h)
				}
			case subject < 6 && len(known) > 0:
				h := which()
				one.End(now, h)
				two.End(now, h)
			case subject == 6 && len(known) > 0:
				h := which()
				one.Return(now, h)
				two.Return(now, h)
			case subject == 7:
				size = rapid.IntRange(1, 8).Draw(t, "size")
				one.Resize(size)
			default:
				now += seconds(rapid.IntRange(0, 3).Draw(t, "later"))
			}
			if rapid.Bool().Draw(t, "pass") {
				two.Resize(size)
				got, want := slices.Clone(one.Pass(now)), two.Pass(now)
				if !slices.Equal(got, want) {
					t.Fatalf("%v start, and on a site that remembers nothing %v", got, want)
				}
			}
		}
	}
	for range 10 {
		rapid.Check(t, check)
	}
}

// TestReturnAmongMany: a job that ran before its turn stands again among those that
// came with it, and starts when its turn comes.
func TestReturnAmongMany(t *testing.T) {
	site := batch.NewSite(batch.EASY, 2)
	submit := func(now unit.Time, processors int) batch.Handle {
		return site.Submit(now, batch.Job{Processors: processors, Estimate: unit.Hour})
	}
	first := submit(0, 1)
	site.Pass(0)
	var order []batch.Handle
	for i := range 80 {
		processors := 2
		if i == 40 {
			processors = 1 // ends when the head may start
		}
		order = append(order, submit(0, processors))
		if started := site.Pass(0); len(started) > 0 != (i == 40) {
			t.Fatalf("%v start when job %d comes", started, i)
		}
	}
	site.Return(unit.Minute, order[40])
	if started := site.Pass(unit.Minute); len(started) > 0 {
		t.Fatalf("%v start before the head", started)
	}
	runs := first
	for i, h := range order {
		site.End(unit.Hour, runs)
		if started := site.Pass(unit.Hour); len(started) != 1 || started[0] != h {
			t.Fatalf("%v start, not job %d, which is %v", started, i, h)
		}
		runs = h
	}
}

// TestHeadWithdrawn: whoever stood behind a head that was withdrawn is looked at, even
// if another job has come.
func TestHeadWithdrawn(t *testing.T) {
	site := batch.NewSite(batch.EASY, 2)
	submit := func(processors int, estimate unit.Time) batch.Handle {
		h := site.Submit(0, batch.Job{Processors: processors, Estimate: estimate})
		return h
	}
	submit(1, unit.Hour)
	site.Pass(0)
	head := submit(2, unit.Hour)
	second := submit(1, 2*unit.Hour) // would delay the head
	site.Pass(0)
	site.End(0, head)
	submit(2, unit.Hour)
	if started := site.Pass(0); len(started) != 1 || started[0] != second {
		t.Fatalf("%v start, not %v", started, second)
	}
}
