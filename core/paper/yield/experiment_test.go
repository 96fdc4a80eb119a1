package yield_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"parley/core/paper/yield"
)

// full asks for the whole sets of the paper: minutes.
var full = os.Getenv("PARLEY_YIELD_FULL") != ""

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
func hold(t *testing.T, rows []yield.Row, judged int) {
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

func paper(r yield.Row) any {
	if r.Paper == nil {
		return "-"
	}
	return *r.Paper
}

// 28,800 instances, in the paper's order. Its one set of 1,440 has the best four
// variants closer to the best than any set that is drawn as the text says.
func TestTable1(t *testing.T) {
	hold(t, yield.Table1(yield.Effort{Seeds: 20, PerFamily: 10}), 11)
}

// As many instances as the paper has, or a fifth of them: no average contradicts the
// paper but MCB8's, which is 0.07 here for 0.09 %.
func TestTable7(t *testing.T) {
	long(t)
	e := yield.Effort{Seeds: 5, PerFamily: 4}
	if full {
		e.PerFamily = 20
	}
	for _, r := range yield.Table7(e) {
		if r.Holds != nil && !*r.Holds && r.Name != "mcb8 average" {
			t.Errorf("%s: paper %v, measured %.3f ± %.3f %s: %s", r.Name, paper(r), r.Measured, r.Spread, r.Unit, r.Rule)
		}
	}
}

func TestSmall(t *testing.T) {
	hold(t, yield.Small(yield.Effort{Seeds: 2, PerFamily: 10}), 15)
}

func TestLarge(t *testing.T) {
	long(t)
	effort := yield.Effort{Seeds: 1, PerFamily: 4}
	if full {
		effort = yield.Effort{Seeds: 5, PerFamily: 20}
	}
	hold(t, yield.Large(effort), 10)
}

func TestParallel(t *testing.T) {
	effort := yield.Effort{Seeds: 1, PerFamily: 4}
	if full {
		effort = yield.Effort{Seeds: 5, PerFamily: 20}
	}
	hold(t, yield.Parallel(effort), 4)
	hold(t, yield.ParallelSlip(effort), 4)
}

// The example of section 2.3, and curves that rise with the budget, the local
// search never above the optimum.
func TestMigration(t *testing.T) {
	long(t)
	rows := yield.Migration(yield.Effort{Seeds: 1, PerFamily: 1})
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

// Run times appear only where a clock is given.
func TestClock(t *testing.T) {
	timed := func(clock func() time.Duration) bool {
		for _, r := range yield.Parallel(yield.Effort{Seeds: 1, PerFamily: 1, Clock: clock}) {
			if strings.Contains(r.Name, "run time") {
				return true
			}
		}
		return false
	}
	var ticks time.Duration
	if timed(nil) || !timed(func() time.Duration { ticks += time.Millisecond; return ticks }) {
		t.Error("run times without a clock, or none with one")
	}
}
