package run_test

import (
	"errors"
	"testing"

	"parley/core/choices"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/runtest"
	"parley/core/unit"
)

// replayable are cells that are full enough for force, preemption, retries and refusals.
var replayable = map[string]string{
	"negotiation": `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":300},"workload":{"scale":1.15},"settings":{"brokers":3,"later":{"idle_list":20,"blacklist_us":60000000}},"faults":[{"at":"90s","kind":"rack_down","target":"rack.2"},{"at":"2m","kind":"broker_down","target":"broker.1"},{"at":"4m","kind":"rack_up","target":"rack.2"}],"until":"1d"}`,
	"gain":        `{"v":1,"system":"negotiation","seed":5,"cluster":{"nodes":200},"settings":{"initial_score":"sias_gain","later":{"spread":"rack","preempt":true}},"until":"1d"}`,
	"rescheduler": `{"v":1,"system":"central","seed":12,"cluster":{"nodes":300},"workload":{"scale":1.12},"settings":{"policy":"least-allocated","rescheduler":{"every_us":120000000}},"faults":[{"at":"90s","kind":"rack_down","target":"rack.2"}],"until":"1d"}`,
	"best-fit":    `{"v":1,"system":"central","seed":12,"cluster":{"nodes":300},"workload":{"scale":1.2},"settings":{"policy":"best-fit"},"until":"1d"}`,
	"random":      `{"v":1,"system":"central","seed":12,"cluster":{"nodes":300},"workload":{"scale":1.2},"settings":{"policy":"random"},"until":"1d"}`,
	"formula":     `{"v":1,"system":"central","seed":12,"cluster":{"nodes":300},"workload":{"scale":1.2},"settings":{"policy":"formula","formula":{"score":"cpu.free"}},"until":"1d"}`,
}

// tapeOf records a scenario, and reads what was written.
func tapeOf(t *testing.T, s *scenario.Scenario, until unit.Time) *choices.Tape {
	t.Helper()
	recorded, err := run.Systems().Record(s, until, 1)
	if err != nil {
		t.Fatal(err)
	}
	file, err := recorded.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	tape, err := choices.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

func digestAt(t *testing.T, r *run.Run, at unit.Time) string {
	t.Helper()
	runtest.Advance(t, r, at)
	return r.Digest().String()
}

// A run that replays its first moments is the run that searches, up to the end of the tape and
// after it, whatever its system.
func TestReplay(t *testing.T) {
	for name, document := range replayable {
		s := runtest.Parse(t, document)
		tape := tapeOf(t, s, 200*unit.Second)
		plain, replays := opened(t, s), opened(t, s, run.Replay(tape), run.KeepNotes(100))
		for _, at := range []unit.Time{1, 91 * unit.Second, 200 * unit.Second, 10 * unit.Minute, 40 * unit.Minute} {
			if want, got := digestAt(t, plain, at), digestAt(t, replays, at); got != want {
				t.Errorf("%s at %v: %s, and %s without the recording of %d choices", name, at, got, want, tape.Len())
			}
		}
		if tape.Len() < 1000 {
			t.Errorf("%s: only %d choices were recorded", name, tape.Len())
		}
	}
}

// A fault that the recorded run has not ends the replay when it happens, whether it is clicked,
// in the scenario, or in another course from a snapshot.
func TestReplayWithAnotherFault(t *testing.T) {
	for _, name := range []string{"negotiation", "rescheduler"} {
		s := runtest.Parse(t, replayable[name])
		tape := tapeOf(t, s, 200*unit.Second)
		fault := scenario.Fault{At: scenario.Duration(unit.Minute), Kind: "rack_down", Target: "rack.1"}
		with := *s
		with.Faults = append([]scenario.Fault{fault}, s.Faults...)
		want := digestAt(t, opened(t, &with), 10*unit.Minute)

		if got := digestAt(t, opened(t, &with, run.Replay(tape)), 10*unit.Minute); got != want {
			t.Errorf("%s: a fault in the scenario: %s, want %s", name, got, want)
		}
		r := opened(t, s, run.Replay(tape))
		runtest.Advance(t, r, 30*unit.Second)
		snapshot, err := run.NewSnapshots(r).Take()
		if err != nil {
			t.Fatal(err)
		}
		runtest.Advance(t, r, unit.Minute)
		if err := r.Inject(fault); err != nil {
			t.Fatal(err)
		}
		if got := digestAt(t, r, 10*unit.Minute); got != want {
			t.Errorf("%s: a clicked fault: %s, want %s", name, got, want)
		}
		again, _, err := snapshot.Restore(nil, append(s.Faults[:len(s.Faults):len(s.Faults)], fault))
		if err != nil {
			t.Fatal(err)
		}
		if got := digestAt(t, again, 10*unit.Minute); got != want {
			t.Errorf("%s: a fault in another course: %s, want %s", name, got, want)
		}
		unchanged, _, err := snapshot.Restore(nil, s.Faults)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := digestAt(t, unchanged, 10*unit.Minute), digestAt(t, opened(t, s), 10*unit.Minute); got != want {
			t.Errorf("%s: from a snapshot within the tape: %s, want %s", name, got, want)
		}
	}
}

// A tape of another run, or of another version, is not replayed.
func TestReplayOfAnotherRun(t *testing.T) {
	s := runtest.Parse(t, replayable["negotiation"])
	tape := tapeOf(t, s, unit.Minute)
	other := *s
	other.Seed++
	want := digestAt(t, opened(t, &other), 2*unit.Minute)
	if got := digestAt(t, opened(t, &other, run.Replay(tape)), 2*unit.Minute); got != want {
		t.Errorf("another seed: %s, want %s", got, want)
	}
	older := *tape
	older.Engine = "0.0.1"
	older.Checks = []choices.Check{{At: unit.Minute}}
	runtest.Advance(t, opened(t, s, run.Replay(&older)), 2*unit.Minute)
}

// A tape whose choices or digests are not those of the run stops it at the next check.
func TestReplayThatDiffers(t *testing.T) {
	s := runtest.Parse(t, replayable["rescheduler"])
	tape := tapeOf(t, s, unit.Minute)
	wrong := *tape
	wrong.Checks = []choices.Check{{At: unit.Minute, Digest: tape.Checks[len(tape.Checks)-1].Digest ^ 1}}
	r := opened(t, s, run.Replay(&wrong))
	if err := r.Advance(2 * unit.Minute); !errors.Is(err, run.ErrChoices) || r.Now() != unit.Minute {
		t.Errorf("at %v: %v", r.Now(), err)
	}
	r = opened(t, s, run.Replay(&wrong))
	r.StopReplay()
	runtest.Advance(t, r, 2*unit.Minute)
}

func opened(t *testing.T, s *scenario.Scenario, options ...run.Option) *run.Run {
	t.Helper()
	r, err := run.Open(s, nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
