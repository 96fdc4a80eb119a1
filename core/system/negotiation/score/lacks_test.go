package score_test

import (
	"testing"

	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// A node without a resource is rated by those that it has, and a task that needs
// some of it has no score there. Here it has 50 shares of CPU, or of memory.
func TestNodesThatLackAResource(t *testing.T) {
	s := sras.Scorer(limit)
	for r := range 2 {
		whole := unit.Vec{}
		whole[r] = 50
		per := percent(score.Lacks, score.Lacks, score.Lacks)
		per[r] = 2
		used, need := unit.Vec{}, unit.Vec{}
		used[r], need[r] = 20, 15
		want := sras.Score(load(70, 70), limit)
		for name, got := range map[string]float64{
			"With": s.With(&used, &need, &per), "WithAny": s.WithAny(&used, &need, &per),
			"Of": s.Score(score.Of(used.Add(need), whole)),
		} {
			if got != want {
				t.Errorf("resource %d alone, %s: %v, want %v", r, name, got, want)
			}
		}
		need[1-r] = 1
		if with, of := max(0, s.With(&used, &need, &per)), s.Score(score.Of(used.Add(need), whole)); with != 0 || of != 0 {
			t.Errorf("a task that needs what the node lacks scores %v and %v", with, of)
		}
	}
}

// A load just at the limit has its score, one share more has none.
func TestWithAtTheLimit(t *testing.T) {
	s, per := sras.Scorer(limit), percent(score.Lacks, 1, 1)
	for _, at := range []unit.Vec{{90, 80}, {80, 90}, {90, 90}} {
		used, need := unit.Vec{40, 40}, at.Sub(unit.Vec{40, 40})
		if got, want := s.With(&used, &need, &per), sras.Score(load(float64(at[0]), float64(at[1])), limit); got != want || want <= 0 {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
	for _, over := range []unit.Vec{{91, 80}, {80, 91}} {
		used := unit.Vec{}
		if got := s.With(&used, &over, &per); got > 0 {
			t.Errorf("%v scores %v", over, got)
		}
	}
}

func TestPercentOfANode(t *testing.T) {
	whole := unit.Vec{50, 400}
	if got, want := score.Of(unit.Vec{20, 100}, whole), load(40, 25); got != want {
		t.Errorf("load %v, want %v", got, want)
	}
	if got, want := score.Need(unit.Vec{20, 100}, whole), percent(0, 40, 25); got != want {
		t.Errorf("need %v, want %v", got, want)
	}
	without := unit.Vec{0, 1}
	if got, want := score.Of(unit.Vec{0, 1}, without), load(score.Absent, 100); got != want {
		t.Errorf("load without CPU %v, want %v", got, want)
	}
	if got, want := score.Of(unit.Vec{3, 1}, without), load(score.Lacks, 100); got != want {
		t.Errorf("load of CPU that is not there %v, want %v", got, want)
	}
	if got, want := score.Need(unit.Vec{3, 1}, without), percent(0, 0, 100); got != want {
		t.Errorf("need of CPU that is not there %v, want %v", got, want)
	}
	per := percent(score.Lacks, 2, score.Lacks)
	if got, want := score.Load(&unit.Vec{20, 0}, &per), load(40, score.Absent); got != want {
		t.Errorf("load without memory %v, want %v", got, want)
	}
	if got := score.Load(&unit.Vec{20, 1}, &per); got[1] < score.Lacks {
		t.Errorf("load of memory that is not there %v", got)
	}
	if mean, lowest := load(40, score.Absent).Mean(), load(40, score.Absent).Min(); mean != 40 || lowest != 40 {
		t.Errorf("mean %v, least %v of what is there", mean, lowest)
	}
}
