package study_test

import (
	"testing"

	"parley/core/study"
)

// A stored sweep whose base says no end is played as long as it was: the end that its base has by then is a guess.
func TestStoredSweepsStayEndless(t *testing.T) {
	for text, endless := range map[string]bool{
		`{"v":1,"base":{"v":1,"system":"central"},"seeds":[1]}`:                                        true,
		`{"v":1,"base":{"v":1,"system":"central","until":"10m"},"seeds":[1]}`:                          false,
		`{"v":1,"base":{"v":1,"system":"central"},"axes":{"until":["5m","10m"]},"seeds":[1]}`:          false,
		`{"v":1,"base":{"v":1,"system":"central","until":"10m"},"endless":true,"seeds":[1]}`:           true,
		`{"v":1,"base":{"v":1,"system":"central"},"endless":true,"axes":{"until":["5m"]},"seeds":[1]}`: false,
	} {
		s, err := study.Parse([]byte(text), nil)
		if err != nil {
			t.Fatal(text, err)
		}
		again, err := study.Parse(s.Encode(), nil)
		if err != nil || s.Endless != endless || again.Endless != endless {
			t.Errorf("%s: endless %v, stored %v; want %v (%v)", text, s.Endless, again.Endless, endless, err)
		}
	}
}
