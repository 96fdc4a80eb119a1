package device_test

import (
	"fmt"
	"testing"

	"parley/core/batch/device"
)

// holders writes who holds each device of a node: its jobs, or a dash.
func holders(b *device.Holdings, n int) (text string) {
	for i, holds := range b.Devices(n) {
		if i > 0 {
			text += " "
		}
		if len(holds) == 0 {
			text += "-"
		}
		for k, h := range holds {
			if k > 0 {
				text += "+"
			}
			text += fmt.Sprintf("%d:%d", h.Job, h.Milli)
		}
	}
	return text
}

// TestHoldings takes and gives devices by hand.
func TestHoldings(t *testing.T) {
	var b device.Holdings
	b.SetNode(1, 4)
	is := func(n int, want string) {
		t.Helper()
		if got := holders(&b, n); got != want {
			t.Fatalf("node %d has %q, want %q", n, got, want)
		}
	}
	is(0, "")
	is(9, "")
	if !b.TakeWhole(5, 1, 2) {
		t.Fatal("two of four are not free")
	}
	b.Paint(5)
	b.Take(7, 1, 2, 250)
	b.Paint(7)
	b.Take(6, 1, 2, 500)
	b.Paint(6)
	is(1, "5:1000 5:1000 7:250+6:500 -")
	if b.Colour(5) == b.Colour(7) || b.Colour(6) == b.Colour(7) || b.Colour(5) == b.Colour(6) {
		t.Errorf("jobs of a node have the colours %d, %d, %d", b.Colour(5), b.Colour(6), b.Colour(7))
	}
	if free := b.Free(1); free != 1 {
		t.Errorf("%d devices are free", free)
	}
	if b.TakeWhole(8, 1, 2) {
		t.Error("two devices are free where there is one")
	}
	b.Paint(8)
	is(1, "5:1000 5:1000 7:250+6:500 8:1000")
	b.Give(5)
	b.Give(7)
	b.Give(7)
	is(1, "- - 6:500 8:1000")
	b.SetNode(1, 3) // the highest free one goes
	is(1, "- 6:500 8:1000")
	b.SetNode(1, 1) // then what is held
	is(1, "6:500")
	b.Give(8)
	b.SetNode(1, 2)
	is(1, "6:500 -")
}

// TestColoursStayApart: as long as a node has no more jobs than there are colours, they differ.
func TestColoursStayApart(t *testing.T) {
	var b device.Holdings
	b.SetNode(0, 12)
	for round := range 50 {
		for job := range 6 {
			if round > 0 {
				b.Give((job*5 + round) % 6)
			}
			now := (job*5 + round) % 6
			b.TakeWhole(now, 0, 2)
			b.Paint(now)
		}
		seen := map[uint8]bool{}
		for job := range 6 {
			seen[b.Colour(job)] = true
		}
		if len(seen) != 6 {
			t.Fatalf("round %d: six jobs of a node have %d colours", round, len(seen))
		}
	}
}
