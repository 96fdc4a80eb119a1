package batch_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/batch"
	"parley/core/rng"
	"parley/core/unit"
)

// site is a site whose jobs have names, one letter each.
type site struct {
	*batch.Site
	handles map[string]batch.Handle
}

func newSite(p batch.Policy, processors int) *site {
	return &site{batch.NewSite(p, processors), map[string]batch.Handle{}}
}

func (s *site) submit(now unit.Time, name string, processors int, estimate unit.Time) {
	s.handles[name] = s.Submit(now, batch.Job{Processors: processors, Estimate: estimate})
}

// pass returns the names of those that start.
func (s *site) pass(now unit.Time) (started string) {
	for _, h := range s.Pass(now) {
		for name, other := range s.handles {
			if h == other {
				started += name
			}
		}
	}
	return started
}

func (s *site) expect(t *testing.T, now unit.Time, want string) {
	t.Helper()
	if got := s.pass(now); got != want {
		t.Errorf("%d: %q start, want %q", now, got, want)
	}
}

var every = []batch.Policy{batch.FCFS, batch.EASY, batch.EASYSJBF, batch.Conservative, batch.ConservativeCompress}

// A job that loses its processors stands where it stood: before all that came
// after it. (Where reservations only move forward, the others keep theirs.)
func TestReturnKeepsThePlace(t *testing.T) {
	for _, p := range every[:4] {
		s := newSite(p, 10)
		s.submit(0, "a", 5, 100)
		s.submit(0, "b", 5, 100)
		s.submit(1, "c", 5, 50)
		s.submit(2, "d", 5, 50)
		s.expect(t, 2, "ab")
		s.Return(10, s.handles["b"])
		if s.Busy() != 5 || s.Waiting() != 3 {
			t.Errorf("%v: %d busy, %d wait", p, s.Busy(), s.Waiting())
		}
		s.Return(10, s.handles["c"]) // it waits: nothing happens
		s.expect(t, 10, "b")
		s.End(20, s.handles["a"])
		s.expect(t, 20, "c")
	}
}

// A job that is withdrawn leaves the others in their order.
func TestWithdraw(t *testing.T) {
	for _, p := range every {
		s := newSite(p, 10)
		s.submit(0, "a", 10, 100)
		s.expect(t, 0, "a")
		for i, name := range []string{"b", "c", "d", "e"} {
			s.submit(unit.Time(i+1), name, 10, 100)
		}
		s.expect(t, 5, "")
		s.End(6, s.handles["c"])
		delete(s.handles, "c")
		s.expect(t, 6, "")
		if p == batch.Conservative || p == batch.ConservativeCompress {
			for name, at := range map[string]unit.Time{"b": 100, "d": 200, "e": 300} {
				if got := s.Reserved(s.handles[name]); got != at {
					t.Errorf("%v: %s is promised %d, want %d", p, name, got, at)
				}
			}
		}
		started := ""
		for now := unit.Time(100); now <= 400; now += 100 {
			if n := len(started); n > 0 {
				s.End(now, s.handles[started[n-1:]])
			} else {
				s.End(now, s.handles["a"])
			}
			started += s.pass(now)
		}
		if started != "bde" {
			t.Errorf("%v: %s start in turn", p, started)
		}
	}
}

// A job that ends just when the head may begin leaves the head's spare processors
// to others.
func TestEndingAtTheShadowTakesNoSpareProcessors(t *testing.T) {
	s := newSite(batch.EASY, 10)
	s.submit(0, "a", 6, 100)
	s.expect(t, 0, "a")
	s.submit(2, "h", 8, 100)
	s.submit(2, "b", 2, 98)
	s.submit(2, "c", 2, 500)
	s.expect(t, 2, "bc")
}

// What ran and ended leaves no trace: a job that is too large for the site
// waits for ever, and those behind it run.
func TestTooLargeAfterAllEnded(t *testing.T) {
	s := newSite(batch.EASY, 10)
	s.submit(0, "a", 5, 10)
	s.expect(t, 0, "a")
	s.End(10, s.handles["a"])
	delete(s.handles, "a")
	s.submit(20, "h", 50, 10)
	s.submit(21, "b", 5, 10)
	s.expect(t, 21, "b")
}

// The shadow counts all that end together, however many they are: the head, which
// needs 350 of 400, leaves 50 beside it.
func TestShadowOfManyThatEndTogether(t *testing.T) {
	for _, many := range []int{1, 127, 128, 129, 256, 300} {
		s := newSite(batch.EASY, 400)
		for range many {
			s.Submit(0, batch.Job{Processors: 1, Estimate: 100})
		}
		s.Submit(0, batch.Job{Processors: 300 - many + 1, Estimate: 100})
		s.Submit(0, batch.Job{Processors: 1, Estimate: 500})
		if n := len(s.Pass(0)); n != many+2 {
			t.Fatalf("%d start", n)
		}
		s.submit(1, "h", 350, 10)
		s.submit(1, "b", 50, 1000)
		s.expect(t, 1, "")
		s.submit(1, "c", 49, 1000)
		s.expect(t, 1, "c")
	}
}

// Blocks: what is not one, when a pass is due, and how one is given up.
func TestBlocks(t *testing.T) {
	for _, p := range every {
		s := newSite(p, 10)
		b := func(start, end unit.Time) batch.Block { return batch.Block{Start: start, End: end, Processors: 6} }
		for _, none := range []batch.Block{b(30, 30), b(40, 30), b(4, 30), {Start: 30, End: 40}, {Start: 30, End: 40, Processors: 11}} {
			if s.Reserve(5, none) {
				t.Errorf("%v: %+v is reserved", p, none)
			}
		}
		for _, block := range []batch.Block{b(100, 200), b(300, 400), b(500, 600)} {
			if !s.Reserve(5, block) || s.Reserve(5, block) {
				t.Errorf("%v: %+v is not reserved, or twice", p, block)
			}
		}
		for _, c := range []struct{ now, due unit.Time }{{5, 100}, {99, 100}, {100, 200}, {200, 300}, {599, 600}, {600, unit.Forever}} {
			if got := s.Wake(c.now); got != c.due {
				t.Errorf("%v: at %d a pass is due at %d, want %d", p, c.now, got, c.due)
			}
		}
		if !s.Release(b(300, 400)) || s.Release(b(300, 400)) {
			t.Errorf("%v: a block is not released, or twice", p)
		}
		s.submit(5, "a", 10, 500)
		s.submit(5, "b", 10, 95)
		s.submit(5, "c", 10, 300)
		if p == batch.FCFS {
			s.expect(t, 5, "")
		} else {
			s.expect(t, 5, "b")
			s.End(100, s.handles["b"])
		}
		s.pass(100)
		s.expect(t, 199, "")
		if p.String() != "fcfs" {
			s.expect(t, 200, "c")
		}
		if s.pass(200); s.Release(b(100, 200)) {
			t.Errorf("%v: a block that is over is released", p)
		}
		if !s.Release(b(500, 600)) {
			t.Errorf("%v: the last block is gone", p)
		}
	}
}

// A pass that is due now is the caller's to make: Wake tells of later ones.
func TestWakeIsLater(t *testing.T) {
	s := newSite(batch.Conservative, 10)
	s.submit(7, "a", 10, 5)
	if got := s.Wake(7); got != unit.Forever {
		t.Errorf("due at %d", got)
	}
	s.expect(t, 7, "a")
	s.submit(8, "b", 10, 5)
	s.expect(t, 8, "")
	if got := s.Wake(8); got != 12 {
		t.Errorf("due at %d, want 12", got)
	}
}

// TestProfile: a staircase against an array of moments, with changes that last for
// ever and a past that is forgotten.
func TestProfile(t *testing.T) {
	random := rng.New(6, "profile")
	const end = 60
	for range 500 {
		var p batch.Profile
		var free [end]int
		from := unit.Time(random.Intn(5))
		p.Reset(from, 10)
		for i := range free {
			free[i] = 10
		}
		var told []string
		for range 12 {
			a, b, n := unit.Time(random.Intn(end)), unit.Time(random.Intn(end)), random.Intn(7)-3
			if random.Intn(5) == 0 {
				b = unit.Forever
			}
			told = append(told, fmt.Sprint(a, b, n))
			p.Add(a, b, n)
			for i := a; i < min(b, end); i++ {
				free[i] += n
			}
			if random.Intn(4) == 0 && from < end/2 {
				from += unit.Time(random.Intn(10))
				p.Forget(from)
			}
			// One step for each change of height, and none of the past.
			steps := 1
			for i := from; i < end; i++ {
				if got := p.Free(i); got != free[i] {
					t.Fatalf("%v: %d free at %d, want %d", told, got, i, free[i])
				}
				if i > from && free[i] != free[i-1] {
					steps++
				}
			}
			if got := p.Steps(); got != steps {
				t.Fatalf("%v, from %d on: %d steps, want %d", told, from, got, steps)
			}
			at, length, need := from+unit.Time(random.Intn(int(end-from))), unit.Time(random.Intn(end)), random.Intn(15)
			fits := func(at unit.Time) bool {
				for i := at; i < at+max(length, 1); i++ {
					if free[min(i, end-1)] < need {
						return false
					}
				}
				return true
			}
			if got := p.Fits(at, max(length, 1), need); got != fits(at) {
				t.Fatalf("%v: %d fit at %d for %d: %v", told, need, at, length, got)
			}
			want := unit.Forever
			for i := at; i < end && want == unit.Forever; i++ {
				if fits(i) {
					want = i
				}
			}
			if got := p.Earliest(at, max(length, 1), need); got != want {
				t.Fatalf("%v: %d fit first at %d for %d, want %d", told, need, got, length, want)
			}
		}
	}
}

// A queue from which most leave at the front does not grow with those that left.
func TestQueueForgetsWhoLeft(t *testing.T) {
	for _, waiting := range []int{10, 100} {
		s := newSite(batch.FCFS, 1)
		var order []batch.Handle
		largest := 0
		for i := range 5000 {
			now := unit.Time(i)
			order = append(order, s.Submit(now, batch.Job{Processors: 1, Estimate: 1}))
			if i < waiting {
				continue
			}
			for _, h := range slices.Clone(s.Pass(now)) {
				if h != order[0] {
					t.Fatalf("job %d starts, not %d", h, order[0])
				}
				order = order[1:]
				s.End(now, h)
			}
			largest = max(largest, batch.QueueCapacity(s.Site))
		}
		if largest > 1000 {
			t.Errorf("room for %d jobs where %d wait", largest, waiting)
		}
	}
}

// A head that never fits holds nobody up, not even a job whose end nobody knows.
func TestHeadThatNeverFits(t *testing.T) {
	for _, blocks := range []bool{false, true} {
		s := newSite(batch.EASY, 10)
		if blocks && !s.Reserve(0, batch.Block{Start: 5000, End: 6000, Processors: 5}) {
			t.Fatal("not reserved")
		}
		s.submit(0, "h", 50, 10)
		s.submit(0, "b", 5, unit.Forever)
		s.submit(0, "c", 5, 70)
		s.expect(t, 1000, "bc")
	}
}

// Around blocks, candidates come in the order of the policy, each with what the
// ones before it left.
func TestCandidatesAroundBlocks(t *testing.T) {
	for p, want := range map[batch.Policy]string{batch.EASY: "b", batch.EASYSJBF: "c"} {
		s := newSite(p, 10)
		if !s.Reserve(0, batch.Block{Start: 5000, End: 6000, Processors: 1}) {
			t.Fatal("not reserved")
		}
		s.submit(0, "a", 6, 100)
		s.expect(t, 0, "a")
		s.submit(1, "h", 10, 100)
		s.submit(2, "b", 3, 90)
		s.submit(3, "c", 3, 50)
		s.expect(t, 4, want)
	}
}

// Around blocks, a job that ends at this very moment is gone, and one that outlived
// its estimate still holds its processors.
func TestEndsAroundBlocks(t *testing.T) {
	for _, p := range every {
		for now, want := range map[unit.Time]string{99: "", 100: "b", 101: "", 150: ""} {
			s := newSite(p, 10)
			if !s.Reserve(0, batch.Block{Start: 5000, End: 6000, Processors: 1}) {
				t.Fatal("not reserved")
			}
			s.submit(0, "a", 10, 100)
			s.expect(t, 0, "a")
			s.submit(1, "b", 10, 50)
			s.expect(t, now, want)
			if want == "" {
				s.End(now, s.handles["a"])
				if got := s.pass(now); got == "" { // it was promised the next microsecond
					if now = s.Wake(now); now > 151 {
						t.Errorf("%v: a pass is due at %d only", p, now)
					}
					s.expect(t, now, "b")
				}
			}
		}
	}
}

// TestShadowAgainstAList: with hundreds of running jobs, some of which end at this
// very moment, EASY starts whom its definition starts on a plain list.
func TestShadowAgainstAList(t *testing.T) {
	random := rng.New(3, "shadow")
	const now = 100
	for round := range 300 {
		s := batch.NewSite(batch.EASY, 1000)
		type runner struct {
			processors int
			end        unit.Time
		}
		var runs []runner
		free := 1000
		for range 50 + random.Intn(350) {
			r := runner{1 + random.Intn(3), now + unit.Time(random.Intn(40))}
			if free -= r.processors; free < 0 {
				free += r.processors
				break
			}
			s.Submit(0, batch.Job{Processors: r.processors, Estimate: r.end})
			runs = append(runs, r)
		}
		if n := len(s.Pass(0)); n != len(runs) {
			t.Fatalf("%d of %d start", n, len(runs))
		}
		slices.SortStableFunc(runs, func(a, b runner) int { return int(a.end - b.end) })
		for _, r := range runs {
			if r.end == now {
				free += r.processors
			}
		}
		need := free + 1 + random.Intn(1000-free+1)
		head := s.Submit(now, batch.Job{Processors: need, Estimate: 1000})
		shadow, then := unit.Forever, free
		for i, r := range runs {
			if r.end > now {
				then += r.processors
			}
			if then >= need && (i+1 == len(runs) || runs[i+1].end > r.end) {
				shadow = r.end
				break
			}
		}
		extra := then - need
		var want []batch.Handle
		for range 30 {
			j := batch.Job{Processors: 1 + random.Intn(20), Estimate: unit.Time(1 + random.Intn(45))}
			h := s.Submit(now, j)
			inTime := now+j.Estimate <= shadow || shadow == unit.Forever
			if j.Processors > free || !inTime && j.Processors > extra {
				continue
			}
			free -= j.Processors
			if !inTime {
				extra -= j.Processors
			}
			want = append(want, h)
		}
		if got := s.Pass(now); !slices.Equal(got, want) {
			t.Fatalf("round %d: behind the head %d (%d processors, from %d on) start %v, want %v", round, head, need, shadow, got, want)
		}
	}
}

// TestOnceSeesAllEnds: with one pass a moment, a job that comes as another ends early has no
// promise before those that waited have moved up.
func TestOnceSeesAllEnds(t *testing.T) {
	const s = unit.Second
	log := []batch.Logged{
		{Job: batch.Job{Processors: 1, Estimate: 3 * s}, Run: 2 * s},
		{Job: batch.Job{Processors: 4, Estimate: s}, Submit: s, Run: s},
		{Job: batch.Job{Processors: 1, Estimate: s}, Submit: 2 * s, Run: s},
	}
	if got := batch.PlayOnce(batch.NewSite(batch.ConservativeCompress, 4), log); !slices.Equal(got, []unit.Time{0, 2 * s, 3 * s}) {
		t.Errorf("the jobs start at %v", got)
	}
}
