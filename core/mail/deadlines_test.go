package mail_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/des"
	"parley/core/mail"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// TestDeadlines holds the waits to a list that is looked through: each is told
// once, when it has lasted its time, in the order they began, and one event in
// the clock's queue does for all of them.
func TestDeadlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type wait struct {
			at       unit.Time
			ref, gen uint32
		}
		k := des.New()
		after := unit.Time(rapid.IntRange(1, 50).Draw(t, "after"))
		var got, want []wait
		more := rapid.IntRange(0, 20).Draw(t, "begun by waits that ran out")
		var d mail.Deadlines
		watch := func(ref, gen uint32) {
			d.Watch(ref, gen)
			want = append(want, wait{k.Now() + after, ref, gen})
		}
		d = mail.Deadlines{Clock: k, After: after, Expire: func(ref, gen uint32) {
			got = append(got, wait{k.Now(), ref, gen})
			if more > 0 {
				more--
				watch(ref, gen+1)
			}
		}}
		for i := range rapid.IntRange(1, 60).Draw(t, "waits") {
			run(k, k.Now()+unit.Time(rapid.IntRange(0, 30).Draw(t, "pass")))
			watch(uint32(i), uint32(rapid.IntRange(0, 9).Draw(t, "gen")))
			if k.Pending() > 1 {
				t.Fatalf("%d events wait", k.Pending())
			}
		}
		run(k, k.Now()+unit.Minute)
		if !slices.Equal(got, want) {
			t.Fatalf("told %v, want %v", got, want)
		}
	})
}
