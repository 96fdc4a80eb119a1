package play_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/play"
	"parley/core/scenario"
	"parley/core/unit"
)

// A cell that loses a rack; its tasks find other nodes within some seconds.
const losing = `{"v":1,"system":"negotiation","cluster":{"nodes":96},"until":"1h","seed":5,"faults":[{"at":"2m","kind":"rack_down","target":"rack.1"}]}`

// Time slows when a rack is lost, at the very moment, and goes on at full speed when
// its tasks run again; the run is the same.
func TestTimeSlowsWhileAFaultHeals(t *testing.T) {
	const step = 10 * time.Millisecond
	watch := func(careful bool) (slowed, jump unit.Time, real time.Duration, digest string) {
		d := sit(t, nil)
		d.open(t, losing, play.Opening{Play: true})
		d.SetSpeed(600)
		d.SetCareful(careful)
		for d.Run().Now() < 5*unit.Minute {
			before, was := d.Run().Now(), d.Slowed()
			d.clock += step
			d.Slice(time.Millisecond)
			if went := d.Run().Now() - before; was {
				slowed += went
				jump = max(jump, went)
			}
			if was {
				real += step
			}
			if before < 2*unit.Minute && d.Run().Now() > 2*unit.Minute && careful {
				t.Errorf("a slice went from %v to %v, over the fault", before, d.Run().Now())
			}
		}
		d.Pause()
		d.Seek(6 * unit.Minute)
		for d.Slice(time.Second) != play.Idle {
		}
		return slowed, jump, real, d.Run().Digest().String()
	}
	slowed, jump, real, digest := watch(true)
	t.Logf("%v of simulated time took %v", slowed, real)
	if slowed == 0 || jump > 2*unit.Time(step/time.Microsecond)+unit.Millisecond || slowed > 41*unit.Second {
		t.Errorf("slowed for %v of simulated time, by steps of up to %v", slowed, jump)
	}
	if none, _, _, other := watch(false); none != 0 || other != digest {
		t.Errorf("switched off, time slowed for %v, and the digest is %s, with it %s", none, other, digest)
	}
}

// A lost rack of a cell that plays at a speed, with care.
func lost(t *testing.T, speed float64) *desk {
	t.Helper()
	d := sit(t, nil)
	d.open(t, strings.Split(losing, `,"faults"`)[0]+"}", play.Opening{})
	d.seek(unit.Minute)
	d.clock = time.Hour
	d.SetCareful(true)
	d.SetSpeed(speed)
	d.Play()
	d.Inject(scenario.Fault{Kind: "rack_down", Target: "rack.1"})
	d.Slice(time.Second)
	return d
}

// Time slows to twice real time, where it passes faster.
func TestTimeSlowsToTwiceRealTime(t *testing.T) {
	for speed, want := range map[float64]bool{1: false, 2: false, 2.5: true, 0: false} {
		if got := lost(t, speed).Slowed(); got != want {
			t.Errorf("at a speed of %v, slowed is %v", speed, got)
		}
	}
}

// The next fault slows time when 20 s of real time have passed since one did.
func TestTimeSlowsAgain(t *testing.T) {
	d := lost(t, 600)
	for d.Slowed() {
		d.clock += 100 * time.Millisecond
		d.Slice(time.Second)
	}
	d.clock += 20*time.Second - 1 // since the slice that ended it; slices of no length let no simulated time pass
	d.Inject(scenario.Fault{Kind: "node_down", Target: "node.3"})
	if d.Slice(0); d.Slowed() {
		t.Error("time slows again a nanosecond early")
	}
	d.clock++
	if d.Slice(0); !d.Slowed() {
		t.Error("after 20 s time does not slow again")
	}
}
