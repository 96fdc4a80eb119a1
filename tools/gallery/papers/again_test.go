package papers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/tools/gallery/papers"
)

// TestRecordedVerdictsAreOfTheRule judges all recordings anew: each verdict is what the rule and
// the claims of today say of the recorded figures, so that none of an earlier rule is left.
func TestRecordedVerdictsAreOfTheRule(t *testing.T) {
	recorded, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	again, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		missing, err := again[i].Again()
		if err != nil {
			t.Fatal(err)
		}
		if len(missing) > 0 {
			t.Errorf("%s was not recorded with %q: go run ./tools/gallery papers %[1]s", again[i].ID, missing)
		}
		if diff := cmp.Diff(lines(t, recorded[i].Result), lines(t, again[i].Result)); diff != "" {
			t.Errorf("%s (-recorded +judged again): go run ./tools/gallery papers judge\n%s", again[i].ID, diff)
		}
	}
}

// TestClaimsThatAreDecided: what a verdict needs, in all recordings. One seed decides nothing but a
// claim about the very instance, and seeds that do not differ decide nothing but a share of
// known trials, unless 36 agree.
func TestClaimsThatAreDecided(t *testing.T) {
	recorded, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	decided := 0
	for _, r := range recorded {
		for _, row := range r.Result.Rows {
			instance, every := strings.Contains(row.Rule, "itself, where nothing is drawn"), strings.Contains(row.Rule, "a run that differs refutes it")
			if row.Holds == nil || instance {
				continue
			}
			decided++
			switch {
			case row.Seeds < 2:
				t.Errorf("%s: %q is decided by one seed", r.ID, row.Name)
			case every && *row.Holds:
				t.Errorf("%s: %q is about every run, and holds", r.ID, row.Name)
			case !every && row.Spread == 0 && row.Trials == 0 && row.Seeds < 36:
				t.Errorf("%s: %q is decided by %d seeds that do not differ", r.ID, row.Name, row.Seeds)
			}
		}
	}
	if decided < 200 {
		t.Errorf("%d claims are decided: this test sees too few", decided)
	}
}
