package run_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/system"
)

// TestSettingsKeepTheirRanges: of every system every number is taken at the ends of
// the range that its description has, and refused just outside, in one sentence with
// its name, its value and what to choose.
func TestSettingsKeepTheirRanges(t *testing.T) {
	for _, e := range run.Systems() {
		for _, s := range e.Settings {
			for _, wrong := range strays(s, opens(t, e.ID, s)) {
				t.Errorf("%s: %s", e.ID, wrong)
			}
		}
	}
}

// TestStraysAreFound: the check above finds a setting that is not held to its range.
func TestStraysAreFound(t *testing.T) {
	s := system.Setting{ID: "later.quota", Value: 4, Whole: true, Range: system.ZeroOr(2, 9)}
	refuse := func(minimum, limit float64, words string) func(string) error {
		return func(value string) error {
			if x, _ := strconv.ParseFloat(value, 64); x != 0 && (x < minimum || x > limit) {
				return fmt.Errorf(words, value)
			}
			return nil
		}
	}
	const words = "settings: later.quota is %s: choose 0, or 2 to 9"
	for _, c := range []struct {
		name string
		open func(string) error
		want int
	}{
		{"held", refuse(2, 9, words), 0},
		{"one below is taken", refuse(1, 9, words), 1},
		{"one above is taken", refuse(2, 10, words), 1},
		{"the least is refused", refuse(3, 9, words), 1},
		{"the most is refused", refuse(2, 8, words), 1},
		{"anything is taken", func(string) error { return nil }, 3},
		{"the sentence does not say what to do", refuse(2, 9, "settings: later.quota is %s"), 3},
		{"the sentence does not say the name", refuse(2, 9, "a setting is %s: choose 0, or 2 to 9"), 3},
	} {
		if wrong := strays(s, c.open); len(wrong) != c.want {
			t.Errorf("%s: %d found, want %d: %q", c.name, len(wrong), c.want, wrong)
		}
	}
	if wrong := strays(system.Setting{ID: "free", Value: 1.5}, func(string) error { return nil }); len(wrong) != 1 {
		t.Errorf("a number without a range: %q", wrong)
	}
}

// opens returns what opens a run of a system with one setting at a value.
func opens(t *testing.T, id string, s system.Setting) func(value string) error {
	return func(value string) error {
		path := strings.Split(s.ID, ".")
		for i := len(path) - 1; i >= 0; i-- {
			value = fmt.Sprintf("{%q:%s}", path[i], value)
		}
		_, err := run.Open(parse(t, fmt.Sprintf(`{"v":1,"system":%q,"cluster":{"nodes":10},"settings":%s}`, id, value)), nil)
		return err
	}
}

// strays returns sentences about the values at the ends of a number's range and next to
// them that open takes or refuses against the description.
func strays(s system.Setting, open func(value string) error) (wrong []string) {
	format := func(x float64) string { return system.Decimal(x) }
	if s.Range == nil {
		if _, err := strconv.ParseFloat(system.Decimal(s.Value), 64); err == nil {
			return []string{s.ID + " is a number without a range"}
		}
		return nil
	}
	next := func(x, towards float64) float64 {
		y := math.Nextafter(x, towards)
		if s.Whole { // the next whole number that a float64 tells apart
			if y = math.Floor(y); towards > x {
				y = math.Max(x+1, math.Ceil(math.Nextafter(x, towards)))
			}
		}
		return y
	}
	ends := map[string]bool{ // by value: whether it is taken
		format(s.Range.Min): !s.Range.Above, format(s.Range.Max): !s.Range.Below,
		format(next(s.Range.Min, math.Inf(-1))): false, format(next(s.Range.Max, math.Inf(1))): false,
	}
	if s.Range.Zero {
		ends["0"], ends[format(next(0, math.Inf(-1)))] = true, false
	}
	for value, taken := range ends {
		err := open(value)
		switch {
		case taken && err != nil:
			wrong = append(wrong, fmt.Sprintf("%s does not take %s, an end of its range: %v", s.ID, value, err))
		case !taken && err == nil:
			wrong = append(wrong, fmt.Sprintf("%s takes %s, outside of %s", s.ID, value, s.Range))
		case !taken && !strings.Contains(err.Error(), fmt.Sprintf("%s is %s: choose %s", s.ID, value, s.Range)):
			wrong = append(wrong, fmt.Sprintf("%s refuses %s with %q, which lacks its name, its value or %q", s.ID, value, err, "choose "+s.Range.String()))
		}
	}
	return wrong
}
