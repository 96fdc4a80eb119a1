package yield_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/paper/yield"
	"parley/core/study/evidence"
	"parley/core/testkit/studytest"
)

// judged plays a document of this folder and returns its rows.
func judged(t *testing.T, id string, seeds int) []evidence.Row {
	t.Helper()
	return studytest.Judge(t, id+".json", seeds, yield.Functions())
}

// long leaves a test of some seconds out of -short runs.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: experiments on large instances are left out")
	}
}

// refuted lists claims of the paper that do not hold here, with the reason in
// the row's note; see the README of core/system/yield.
var refuted = map[string]bool{
	// of table 1, by 2.1, 3.3, 5.6 and 2.6 standard errors of a set of 1,440
	"mcb8 average": true, "mcb5 average": true, "mcb6 average": true, "mcb8 more than 10 % below best": true,
	"rrnd failures over mcb8's":    true,
	"rrnd solves, slack below 0.4": true,
}

// hold checks that each row holds or is open, the refuted ones apart, and that at
// least so many were judged.
func hold(t *testing.T, rows []evidence.Row, judged int) {
	t.Helper()
	for _, r := range rows {
		if r.Rule == "" {
			continue
		}
		judged--
		if r.Holds == nil {
			continue // the runs of a test are few
		}
		if *r.Holds == refuted[r.Name] {
			t.Errorf("%s: paper %v, measured %.3f ± %.3f %s, holds %v: %s", r.Name, paper(r), r.Measured, r.Spread, r.Unit, *r.Holds, r.Note)
		}
		if !*r.Holds && r.Note == "" {
			t.Errorf("%s does not hold and says not why", r.Name)
		}
	}
	if judged > 0 {
		t.Errorf("%d rows fewer were judged than there are claims", judged)
	}
}

func paper(r evidence.Row) any {
	if r.Paper == nil {
		return "-"
	}
	return *r.Paper
}

// 28,800 instances, in the paper's order. Its one set of 1,440 has the best four
// variants closer to the best than any set that is drawn as the text says.
func TestTable1(t *testing.T) { hold(t, judged(t, "table1", 20), 11) }

// A tenth as many instances as the paper has a seed: no average contradicts the paper but
// MCB8's, which is 0.07 here for 0.09 %.
func TestTable7(t *testing.T) {
	long(t)
	for _, r := range judged(t, "table7", 3) {
		if r.Holds != nil && !*r.Holds && r.Name != "mcb8 average" {
			t.Errorf("%s: paper %v, measured %.3f ± %.3f %s: %s", r.Name, paper(r), r.Measured, r.Spread, r.Unit, r.Rule)
		}
	}
}

func TestSmall(t *testing.T) { hold(t, judged(t, "small", 20), 15) }

func TestLarge(t *testing.T) {
	long(t)
	hold(t, judged(t, "large", 5), 10)
}

func TestParallel(t *testing.T) {
	hold(t, judged(t, "parallel", 4), 4)
	// with the size model of the authors' program too
	if v := measured(t, "yield/survey", `{"set":"slip","per_family":4}`); !(v["mcb8 above sg"] > 1 && v["mcb8 below lp, slack 0.9"] <= 5) {
		t.Errorf("%v, %v", v["mcb8 above sg"], v["mcb8 below lp, slack 0.9"])
	}
}

// TestArguments: anything but a set, or too much, is refused in a sentence.
func TestArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"set":"tiny"}`:         `set is "tiny": choose small, large, parallel or slip`,
		`{"per_family":0}`:       "per_family is 0: choose 1 to 1000",
		`{"per_family":1000000}`: "per_family is 1000000: choose 1 to 1000",
		`{"family":1}`:           `unknown field "family"; remove it or correct its name`,
	} {
		for name, f := range yield.Functions() {
			if _, err := f(1, json.RawMessage(arguments)); err == nil || err.Error() != want {
				t.Errorf("%s%s: %v", name, arguments, err)
			}
		}
	}
}

// The example of section 2.3, and curves that rise with the budget, the local
// search never above the optimum.
func TestMigration(t *testing.T) {
	long(t)
	rows := judged(t, "migration", 1)
	hold(t, rows, 3)
	last := map[string]float64{}
	curves := 0
	for _, r := range rows {
		curve, budget, found := strings.Cut(r.Name, ", budget ")
		if !found {
			continue
		}
		if strings.Contains(curve, "over exact") {
			if r.Measured > 100+1e-9 || r.Measured < 99 {
				t.Errorf("%s: %v %%", r.Name, r.Measured)
			}
			continue
		}
		if r.Measured < last[curve]-1e-3 {
			t.Errorf("%s falls to %v at budget %s", curve, r.Measured, budget)
		}
		last[curve] = r.Measured
		curves++
	}
	if curves != 3*8 {
		t.Errorf("%d points of curves, want three curves of eight", curves)
	}
}
