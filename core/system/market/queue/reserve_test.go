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
