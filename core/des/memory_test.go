package des_test

import (
	"testing"

	"parley/core/des"
	"parley/core/unit"
)

// Events that wait far ahead share blocks of 42: a thousand of one second need
// some 24 of them, not one each.
func TestWaitingEventsShareMemory(t *testing.T) {
	r := &recorder{}
	blocks := testing.AllocsPerRun(5, func() {
		k := des.New()
		k.Reserve(1000)
		for i := range 1000 {
			k.At(unit.Hour, r, uint64(i))
		}
	})
	if blocks > 40 {
		t.Errorf("%v allocations for 1,000 events that wait", blocks)
	}
}

// Tickets of no event are ignored: the zero one, and one of a slot that was
// never used.
func TestCancelOfNothing(t *testing.T) {
	k, r := des.New(), &recorder{}
	k.Cancel(0)
	k.At(5, r, 1)
	k.Cancel(0)
	k.Cancel(1)
	k.Cancel(1 << 40)
	for k.Step(10) {
	}
	if len(r.fired) != 1 {
		t.Errorf("fired %v", r.fired)
	}
}
