package evidence_test

import (
	"slices"
	"testing"

	"parley/core/study/evidence"
)

// TestRuleSimulated: what the rule says of a figure whose truth is known. A true value that
// is the paper's holds the more often the more seeds there are, and with two hardly ever; at
// the very end of the tolerance, and beyond, at most 5 % hold (2.5 at the one end, and three
// deviations of that share); far beyond more and more do not, and the paper's own value never
// does not more often than that.
func TestRuleSimulated(t *testing.T) {
	all := evidence.Simulate()
	if len(all) != 24 || !slices.Equal(all, evidence.Simulate()) {
		t.Fatalf("%d rows, or others the second time", len(all))
	}
	last := map[float64]evidence.Simulated{}
	for _, s := range all {
		if sum := s.Holds + s.DoesNot + s.Open; sum < 99.99 || sum > 100.01 {
			t.Errorf("%+v sums up to %v", s, sum)
		}
		before := last[s.Off]
		last[s.Off] = s
		switch {
		case s.Off == 0 && (s.Holds < before.Holds-1 || s.DoesNot > 2.5):
			t.Errorf("%+v after %+v", s, before)
		case s.Off == 1 && (s.Holds > 3.3 || s.DoesNot > 3.3):
			t.Errorf("%+v: the end of the tolerance is decided too often", s)
		case s.Off >= 2 && (s.Holds > 3.3 || s.DoesNot < before.DoesNot-1):
			t.Errorf("%+v after %+v", s, before)
		case s.Seeds == 2 && s.Off < 5 && s.Open < 85:
			t.Errorf("%+v: two seeds decide", s)
		}
	}
	if last[0].Holds < 90 || last[2].DoesNot < 90 || last[5].DoesNot < 99 {
		t.Errorf("forty seeds: %+v", last)
	}
}
