package mail_test

import (
	"slices"
	"testing"

	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/unit"
)

// A message takes the latency and one draw of the jitter; one that cannot get
// lost draws nothing else, and without jitter nothing is drawn at all.
func TestArrivalTimesAgainstTheDraws(t *testing.T) {
	for _, jitter := range []unit.Time{0, 1, 1500} {
		k, p, b := newPost(mail.Settings{Latency: 500, Jitter: jitter}, 9)
		draws := rng.New(9, "mail")
		want := map[unit.Time]int{}
		for range 200 {
			p.Send(mail.At(0, 1), mail.At(0, 2), say{})
			at := unit.Time(500)
			if jitter != 0 {
				at += unit.Time(draws.Uint64n(uint64(jitter)))
			}
			want[at]++
		}
		run(k, unit.Second)
		for _, at := range b.at {
			want[at]--
		}
		for at, n := range want {
			if n != 0 {
				t.Fatalf("jitter %d: %d messages more should come at %d", jitter, n, at)
			}
		}
	}
}

// Lost is what draws less than the probability: a draw that equals it passes.
func TestLossIsStrict(t *testing.T) {
	k, p, b := newPost(mail.Settings{Latency: 1, Loss: rng.New(4, "mail").Float64()}, 4)
	p.Send(mail.At(0, 1), mail.At(0, 2), say{})
	run(k, unit.Second)
	if len(b.got) != 1 || p.Lost() != 0 {
		t.Errorf("%d arrived, %d lost", len(b.got), p.Lost())
	}
}

// Which messages are lost is one draw each, and without jitter there is no other.
func TestLossDrawsOncePerMessage(t *testing.T) {
	k, p, b := newPost(mail.Settings{Latency: 1, Loss: 0.5}, 4)
	draws, want := rng.New(4, "mail"), []uint32{}
	for i := range uint32(100) {
		p.Send(mail.At(0, 1), mail.At(0, 2), say{ref: i})
		if draws.Float64() >= 0.5 {
			want = append(want, i)
		}
	}
	run(k, unit.Second)
	got := []uint32{}
	for _, m := range b.got {
		got = append(got, m.Payload.ref)
	}
	if !slices.Equal(got, want) {
		t.Errorf("arrived %v, want %v", got, want)
	}
}

// A queue that never runs empty does not grow with the waits that are over:
// room for 100,000 of them is not needed where a few thousand wait at any time.
func TestDeadlinesForgetWhatIsOver(t *testing.T) {
	for _, waiting := range []unit.Time{3000, 5000} {
		k := des.New()
		next := uint32(0)
		d := &mail.Deadlines{Clock: k, After: waiting, Expire: func(ref, _ uint32) {
			if ref != next {
				t.Fatalf("wait %d ran out, not %d", ref, next)
			}
			next++
		}}
		largest := 0
		for i := range 100_000 {
			d.Watch(uint32(i), 0)
			run(k, unit.Time(i+1))
			largest = max(largest, mail.QueueCapacity(d))
		}
		run(k, 200_000)
		if next != 100_000 {
			t.Errorf("%d waits ran out", next)
		}
		if largest > 40_000 {
			t.Errorf("room for %d waits where %d wait", largest, waiting)
		}
	}
}
