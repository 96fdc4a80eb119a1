package play_test

import (
	"testing"
	"time"

	"parley/core/choices"
	"parley/core/play"
	"parley/core/play/files"
	"parley/core/run"
	"parley/core/testkit/runtest"
	"parley/core/unit"
)

// A player plays recorded choices, also on the way back to the start, and plays from nothing if
// they are not those of the run: the digest is the same.
func TestRecordedChoices(t *testing.T) {
	s := runtest.Parse(t, `{"v":1,"system":"central","seed":3,"cluster":{"nodes":60},"workload":{"scale":1.2},"settings":{"policy":"least-allocated"},"until":"1h"}`)
	tape, err := run.Systems().Record(s, 5*unit.Minute, 1)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[unit.Time]string{}
	for _, at := range []unit.Time{2 * unit.Minute, 10 * unit.Minute} {
		runtest.Advance(t, plain, at)
		want[at] = plain.Digest().String()
	}
	early, late := *tape, *tape
	early.Checks = []choices.Check{{At: 1, Digest: 7}, {At: 5 * unit.Minute}}
	late.Checks = []choices.Check{tape.Checks[0], {At: 5 * unit.Minute, Digest: 7}}
	for name, tape := range map[string]*choices.Tape{"the run's": tape, "another start": &early, "another end": &late} {
		var now time.Duration
		broke := 0
		p := play.New(func() time.Duration { now += 100 * time.Microsecond; return now }, run.Systems(), files.Reader{}, func(e play.Event) {
			if e.Kind == play.Broke || e.Kind == play.Refused {
				broke++
			}
		})
		p.Open(play.Opening{Scenario: s, Choices: tape, At: 10 * unit.Minute})
		for _, at := range []unit.Time{10 * unit.Minute, 2 * unit.Minute} {
			if at < 10*unit.Minute {
				play.WithoutPast(p)
				p.Seek(at)
			}
			for i := 0; p.Slice(12*time.Millisecond) != play.Idle && i < 100_000; i++ {
			}
			if r := p.Run(); r == nil || r.Now() != at || r.Digest().String() != want[at] {
				t.Fatalf("%s at %v: it is at %v with %v, want %s", name, at, r.Now(), r.Digest(), want[at])
			}
		}
		if broke > 0 {
			t.Errorf("%s: %d troubles are reported", name, broke)
		}
	}
}
