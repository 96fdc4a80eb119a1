package price_test

import (
	"testing"

	"parley/core/rfql"
	"parley/core/system/market/price"
)

const credit = rfql.Credit

// TestPaper computes offers by hand: S = 65, M = 25, a quarter of the cores taken,
// n = 3 gives d = 40 · 0.75 / 3 = 10.
func TestPaper(t *testing.T) {
	r := price.Range{Start: 65 * credit, Min: 25 * credit}
	l := price.Load{Taken: 40_960, Size: 163_840}
	if d := price.Decrement(r, l, 3); d != 10*credit {
		t.Errorf("d is %v, and not 10", d)
	}
	for _, c := range []struct {
		requested, offer rfql.Price
		willing          bool
	}{{70 * credit, 60 * credit, true}, {30 * credit, 25 * credit, true}, {25 * credit, 25 * credit, true}, {25*credit - 1, 25 * credit, false}} {
		if offer, willing := price.Paper.Offer(r, c.requested, l, 3); offer != c.offer || willing != c.willing {
			t.Errorf("asked for %v it offers %v (%v), and not %v (%v)", c.requested, offer, willing, c.offer, c.willing)
		}
	}
	if d := price.Decrement(r, price.Load{Taken: 10, Size: 10}, 3); d != 0 {
		t.Errorf("a full resource comes down by %v", d)
	}
}

// TestOthers: fixed never moves, utilisation goes from the minimum to the start.
func TestOthers(t *testing.T) {
	r := price.Range{Start: 65 * credit, Min: 25 * credit}
	for taken, want := range map[int]rfql.Price{0: 25 * credit, 50: 45 * credit, 100: 65 * credit} {
		l := price.Load{Taken: taken, Size: 100}
		if p, willing := price.Utilisation.Offer(r, 45*credit, l, 3); p != want || willing != (want <= 45*credit) {
			t.Errorf("with %d %% taken it offers %v (%v)", taken, p, willing)
		}
		if p, willing := price.Fixed.Offer(r, 65*credit, l, 3); p != 65*credit || !willing {
			t.Errorf("fixed offers %v (%v)", p, willing)
		}
		if _, willing := price.Fixed.Offer(r, 65*credit-1, l, 3); willing {
			t.Error("fixed goes below its price")
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range price.Names() {
		if s, err := price.Parse(name); err != nil || s.String() != name {
			t.Errorf("%s is %v (%v)", name, s, err)
		}
	}
	if _, err := price.Parse("cheap"); err == nil {
		t.Error("a pricing that is none was taken")
	}
}
