package queue_test

import (
	"testing"

	"parley/core/batch"
	"parley/core/system/market/price"
	"parley/core/system/market/queue"
	"parley/core/unit"
)

// TestReserve: of four cores two are taken from 10 to 20 s. What fits beside that is
// reserved, and counts from then on; what is empty or begins before now is not.
func TestReserve(t *testing.T) {
	at := func(seconds int) unit.Time { return unit.Time(seconds) * unit.Second }
	q := queue.New(batch.EASY, 4, queue.Waiting)
	for _, c := range []struct {
		from, until, cores int
		want               bool
	}{
		{10, 20, 2, true},
		{10, 20, 3, false}, // two are left
		{20, 30, 4, true},  // begins where the first ends
		{15, 25, 1, false}, // none is left from 20 on
		{15, 20, 1, true},
		{5, 6, 5, false}, // so many there never are
		{7, 7, 1, false}, // nothing
		{8, 7, 1, false},
		{7, 8, 0, false},
		{1, 9, 4, false}, // begins before now
		{2, 10, 4, true}, // now
	} {
		if got := q.Reserve(at(2), batch.Block{Start: at(c.from), End: at(c.until), Processors: c.cores}); got != c.want {
			t.Errorf("%d cores from %d to %d s: %v, want %v", c.cores, c.from, c.until, got, c.want)
		}
	}
	for seconds, taken := range map[int]int{0: 4, 2: 4, 10: 2, 15: 3, 20: 4, 30: 0} { // before now is now
		if got := q.Load(at(2), at(seconds)); got != (price.Load{Taken: taken, Size: 4}) {
			t.Errorf("at %d s the load is %+v, want %d of 4", seconds, got, taken)
		}
	}
	if got := q.Earliest(at(2), 0, at(5), 2); got != at(10) {
		t.Errorf("two cores are free for 5 s from %v on", got)
	}
	if !q.Release(batch.Block{Start: at(2), End: at(10), Processors: 4}) || !q.Fits(at(2), at(2), at(8), 4) || q.Fits(at(2), at(1), at(1), 1) {
		t.Error("what was given up is not free, or time before now is")
	}
}

// TestProtectNames: each protection is found by its name.
func TestProtectNames(t *testing.T) {
	for i, name := range queue.ProtectNames() {
		if p, err := queue.ParseProtect(name); err != nil || int(p) != i || p.String() != name {
			t.Errorf("%q is %v (%v)", name, p, err)
		}
	}
	if _, err := queue.ParseProtect("some"); err == nil || err.Error() != `the protection is "some": choose one of [queue head none]` {
		t.Errorf("an unknown protection gives %v", err)
	}
}

// TestProtect: all cores are taken until 10 s, and two jobs wait that take all of them
// for 10 s each. "queue" protects both at their planned starts, "head" the first one
// alone, and "none" only what runs.
func TestProtect(t *testing.T) {
	for _, c := range []struct {
		protect queue.Protect
		want    [4]bool // from 5, 10, 20 and 30 s on
	}{
		{queue.Waiting, [4]bool{false, false, false, true}},
		{queue.First, [4]bool{false, false, true, true}},
		{queue.NoJob, [4]bool{false, true, true, true}},
	} {
		for i, from := range []unit.Time{5, 10, 20, 30} {
			q := queue.New(batch.EASY, 4, c.protect)
			for range 3 {
				q.Submit(0, batch.Job{Processors: 4, Estimate: 10 * unit.Second})
			}
			if started := len(q.Pass(0)); started != 1 {
				t.Fatalf("%d jobs start", started)
			}
			q.Touch()
			b := batch.Block{Start: from * unit.Second, End: (from + 10) * unit.Second, Processors: 1}
			if got := q.Reserve(0, b); got != c.want[i] {
				t.Errorf("protecting %v a block from %v on is reserved: %v, want %v", c.protect, from, got, c.want[i])
			}
		}
	}
}

// TestMostPlanned: an outlook plans the first 2000 waiting jobs; those behind them a
// reservation may delay.
func TestMostPlanned(t *testing.T) {
	q := queue.New(batch.EASY, 1, queue.Waiting)
	for range 2003 { // one runs
		q.Submit(0, batch.Job{Processors: 1, Estimate: unit.Second})
	}
	q.Pass(0)
	q.Touch()
	if got, want := q.Earliest(0, 0, unit.Second, 1), 2001*unit.Second; got != want {
		t.Errorf("a core is free from %v on, want %v", got, want)
	}
}

// TestHolds: a block is held as long as its cores are there, whatever waits.
func TestHolds(t *testing.T) {
	q := queue.New(batch.EASY, 4, queue.Waiting)
	b := batch.Block{Start: 10 * unit.Second, End: 20 * unit.Second, Processors: 3}
	if !q.Reserve(0, b) {
		t.Fatal("it is not reserved")
	}
	q.Submit(0, batch.Job{Processors: 4, Estimate: unit.Minute})
	for _, c := range []struct {
		cores int
		now   unit.Time
		want  bool
	}{{4, 0, true}, {3, 0, true}, {2, 0, false}, {2, 15 * unit.Second, false}, {2, 20 * unit.Second, true}} {
		q.Resize(c.cores)
		q.Touch()
		if got := q.Holds(c.now, b); got != c.want {
			t.Errorf("with %d cores at %v the block is held: %v, want %v", c.cores, c.now, got, c.want)
		}
	}
}
