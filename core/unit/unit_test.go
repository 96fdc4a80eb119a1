package unit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

func TestGrouped(t *testing.T) {
	for number, want := range map[string]string{"0": "0", "999": "999", "1000": "1,000", "-123456": "-123,456", "1234567.8901": "1,234,567.8901"} {
		if got := unit.Grouped(number); got != want {
			t.Errorf("%s is %s, want %s", number, got, want)
		}
	}
}

func TestTimeInWords(t *testing.T) {
	for _, c := range []struct {
		t    unit.Time
		want string
	}{
		{0, "0s"},
		{1, "1µs"},
		{1500 * unit.Microsecond, "1.5ms"},
		{90 * unit.Second, "1m30s"},
		{6*unit.Hour + 12*unit.Minute + 40*unit.Second, "6h12m40s"},
		{29 * unit.Day, "29d0s"},
		{unit.Day + unit.Minute, "1d1m0s"},
		{unit.Day, "1d0s"},
		{-unit.Day, "-1d0s"},
		{unit.Forever, "forever"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("%d µs are %q, want %q", int64(c.t), got, c.want)
		}
	}
	if s := (90 * unit.Second).Seconds(); s != 90 {
		t.Errorf("90 s are %v seconds", s)
	}
}

// TestShares: every share survives the way to a fraction and back.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := unit.Share(rapid.Int32().Draw(t, "share"))
		if s == math.MinInt32 {
			s++ // has no opposite
		}
		if got := unit.ShareOf(s.Float()); got != s {
			t.Fatalf("%d is %v, which is %d", s, s.Float(), got)
		}
	})
	for x, want := range map[float64]unit.Share{0.0000005: 1, 0.0000004: 0, -0.0000005: -1, 0.2493: 249_300, 1: unit.Whole} {
		if got := unit.ShareOf(x); got != want {
			t.Errorf("%v of a machine is %d, want %d", x, got, want)
		}
	}
}

// TestWork: every amount that a float64 holds survives the way to work units and
// back, and what no amount can be is the largest.
func TestWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := unit.Work(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "work"))
		if got := unit.WorkOf(w.Float()); got != w {
			t.Fatalf("%d is %v, which is %d", w, w.Float(), got)
		}
	})
	for x, want := range map[float64]unit.Work{0.0000005: 1, 0.0000004: 0, -2.5: -2_500_000, 1e13: unit.MaxWork, math.Inf(-1): -unit.MaxWork} {
		if got := unit.WorkOf(x); got != want {
			t.Errorf("%v work units are %d, want %d", x, got, want)
		}
	}
}

func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (v unit.Vec) {
			for r := range v {
				v[r] = unit.Share(rapid.Int32Range(-3, 3).Draw(t, name))
			}
			return v
		}
		v, w := draw("v"), draw("w")
		if v.Add(w).Sub(w) != v || v.Add(w) != w.Add(v) {
			t.Fatalf("%v and %v do not add up", v, w)
		}
		within := true
		for r := range v {
			within = within && v[r] <= w[r]
		}
		if v.Within(w) != within {
			t.Fatalf("%v within %v: %v", v, w, v.Within(w))
		}
	})
}

// TestTaskIDs: slot and use come back, and only NoTask is use 0 of slot 0.
func TestTaskIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slot, use := rapid.Uint32().Draw(t, "slot"), rapid.Uint32Min(1).Draw(t, "use")
		id := unit.NewTaskID(slot, use)
		if id.Slot() != slot || id.Use() != use || id == unit.NoTask {
			t.Fatalf("slot %d in use %d is %x: slot %d, use %d", slot, use, id, id.Slot(), id.Use())
		}
	})
}

// A resource has a name, and no name is used twice: scenarios and reports spell
// resources by it.
func TestResourceNames(t *testing.T) {
	seen := map[string]bool{}
	for r := range unit.Resources {
		if name := r.String(); name == "" || seen[name] {
			t.Errorf("resource %d is called %q", r, name)
		} else {
			seen[name] = true
		}
	}
}
