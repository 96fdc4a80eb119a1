package evidence_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/study/evidence"
)

// TestRuleSimulated: what the rule says of figures whose truth is known. One seed decides
// nothing; in each case, with any number of seeds, at most 5 % of the verdicts are wrong (and
// three deviations of that share), so also if no seed of a few differs; and what is right holds the more
// often the more seeds there are.
func TestRuleSimulated(t *testing.T) {
	all := evidence.Simulate()
	if len(all) != 13*7 || !slices.Equal(all, evidence.Simulate()) {
		t.Fatalf("%d rows, or others the second time", len(all))
	}
	last := map[string]evidence.Simulated{}
	for _, s := range all {
		if sum := s.Holds + s.Fails + s.Open; sum < 99.99 || sum > 100.01 {
			t.Errorf("%+v sums up to %v", s, sum)
		}
		key := fmt.Sprint(s.Case, s.Truth)
		before := last[key]
		last[key] = s
		switch {
		case s.Seeds == 1 && s.Open < 99.99:
			t.Errorf("%+v: one seed decides", s)
		case s.Wrong > 6.5:
			t.Errorf("%+v: too many verdicts are wrong", s)
		case s.Wrong == 0 && s.Holds < before.Holds-1:
			t.Errorf("%+v after %+v: with more seeds fewer hold", s, before)
		case s.Case == "0, and 20 in one run of ten where the truth is 2" && s.Truth == 0 && s.Seeds < 36 && s.Open < 99.99:
			t.Errorf("%+v: %d seeds that do not differ are called certain", s, s.Seeds)
		}
	}
	for key, lowest := range map[string]float64{"a mean that scatters by 1.50": 90, "a share of 20 trials a seed100": 99, "a share of 20 trials a seed97": 99, "0, and 20 in one run of ten where the truth is 20": 99} {
		if last[key].Holds < lowest {
			t.Errorf("forty seeds: %q: %+v", key, last[key])
		}
	}
}
