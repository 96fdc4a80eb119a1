package swf

import (
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
)

// TestPlayed holds the counts to those of a map, for numbers that rise, fall, repeat and jump.
func TestPlayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p played
		want := map[uint64]uint32{}
		number := uint64(0)
		for range rapid.IntRange(0, 300).Draw(t, "rows") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				number = rapid.Uint64().Draw(t, "number")
			case 1:
				number = rapid.Uint64Range(0, 5*slack).Draw(t, "near")
			case 2: // again
			default:
				number++
			}
			if got := p.of(number); got != want[number] {
				t.Fatalf("%d jobs have number %d, not %d", got, number, want[number])
			}
			p.add(number)
			want[number]++
		}
		for number, n := range want {
			if got := p.of(number); got != n {
				t.Fatalf("at the end %d jobs have number %d, not %d", got, number, n)
			}
		}
	})
}
