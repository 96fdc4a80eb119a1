package negotiation_test

import (
	"testing"

	"parley/core/system/negotiation"
	"parley/core/unit"
)

// TestThePapersNumbers: what a scenario leaves out is what the paper says (sections
// 5 and 6; papers/negotiation.md, section 5).
func TestThePapersNumbers(t *testing.T) {
	s := negotiation.Default()
	for name, c := range map[string]struct{ got, want any }{
		"candidates":            {s.Candidates, 15},
		"scan for a new task":   {s.ScanInitial, 200},
		"scan for a move":       {s.ScanReallocation, 2000},
		"restarts":              {s.Restarts, 25},
		"steps":                 {s.Depth, 5},
		"steps without a gain":  {s.Patience, 6},
		"headroom":              {s.Headroom, 0.1},
		"wait for answers":      {s.ReplyTimeout, 30 * unit.Second},
		"recommendation expiry": {s.Expiry, 3 * unit.Minute},
		"silence":               {s.Silence, 5 * unit.Minute},
		"score of new tasks":    {s.InitialScore, "sias"},
		"score of moves":        {s.MoveScore, "sras"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, the paper says %v", name, c.got, c.want)
		}
	}
}

// TestTargetsAreDrawnByScore: of candidates that accepted, step 4 draws each in
// proportion to its score (section 5.4).
func TestTargetsAreDrawnByScore(t *testing.T) {
	const n = 20_000
	// On whole nodes, with a task of 10 %: SRAS at 50/50, 70/70 and 90/90 is 7.33,
	// 8.67 and 10 (papers/negotiation.md, section 2: 10·(1 − .6·(90 − mean)/90)).
	counts := negotiation.DrawTargets([]float64{0.4, 0.6, 0.8}, 0.1, n)
	scores := []float64{10 * (1 - .6*40/90), 10 * (1 - .6*20/90), 10}
	sum, chi := scores[0]+scores[1]+scores[2], 0.0
	for i, score := range scores {
		expected := n * score / sum
		chi += (float64(counts[i]) - expected) * (float64(counts[i]) - expected) / expected
	}
	if chi > 13.8 {
		t.Errorf("targets were drawn %v times by scores %.2f: chi-square %.1f at two degrees of freedom, 99.9 %% lie below 13.8", counts, scores, chi)
	}
}
