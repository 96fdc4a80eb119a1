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
		d.SetSlowHealing(careful, false)
		for d.Run().Now() < 5*unit.Minute {
			before, was := d.Run().Now(), d.Slowed() > 0
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
	d.SetSlowHealing(true, false)
	d.SetSpeed(speed)
	d.Play()
	d.Inject(scenario.Fault{Kind: "rack_down", Target: "rack.1"})
	d.Slice(time.Second)
	return d
}

// Time slows to twice real time, where it passes faster.
func TestTimeSlowsToTwiceRealTime(t *testing.T) {
	for speed, want := range map[float64]bool{1: false, 2: false, 2.5: true, 0: false} {
		if got := lost(t, speed).Slowed() == 2; got != want {
			t.Errorf("at a speed of %v, slowed is %v", speed, got)
		}
	}
}

// The next fault slows time when 20 s of real time have passed since one did.
func TestTimeSlowsAgain(t *testing.T) {
	d := lost(t, 600)
	for d.Slowed() > 0 {
		d.clock += 100 * time.Millisecond
		d.Slice(time.Second)
	}
	d.clock += 20*time.Second - 1 // since the slice that ended it; slices of no length let no simulated time pass
	d.Inject(scenario.Fault{Kind: "node_down", Target: "node.3"})
	if d.Slice(0); d.Slowed() > 0 {
		t.Error("time slows again a nanosecond early")
	}
	d.clock++
	if d.Slice(0); d.Slowed() == 0 {
		t.Error("after 20 s time does not slow again")
	}
}

// A run whose first fault is stretched: it plays from a second before it.
func stretched(t *testing.T, careful, stretches bool) *desk {
	t.Helper()
	d := sit(t, nil)
	d.open(t, losing, play.Opening{})
	d.seek(2*unit.Minute - unit.Second)
	d.clock = time.Hour
	d.SetSlowHealing(careful, stretches)
	d.SetSpeed(60)
	d.Play()
	return d
}

// untilAfter plays by steps of 10 ms until so long after the fault, and returns how long that
// took after it.
func (d *desk) untilAfter(span unit.Time) (real time.Duration) {
	for d.Run().Now() < 2*unit.Minute+span {
		d.clock += 10 * time.Millisecond
		if d.Slice(time.Second); d.Run().Now() > 2*unit.Minute {
			real += 10 * time.Millisecond
		}
	}
	return real
}

// The first second after a fault takes six. Half of them are for the first hundredth
// or two, and the run is the same: stretched or not, it ends with one digest.
func TestTheFirstSecondIsStretched(t *testing.T) {
	digest := ""
	for _, c := range []struct {
		careful, stretches bool
		minimum, limit     time.Duration
	}{
		{true, true, 5900 * time.Millisecond, 6100 * time.Millisecond},
		{true, false, 400 * time.Millisecond, 600 * time.Millisecond},
		{false, true, 0, 50 * time.Millisecond},
	} {
		d := stretched(t, c.careful, c.stretches)
		if half := d.untilAfter(22 * unit.Millisecond); (half > 2900*time.Millisecond && half < 3100*time.Millisecond) != (c.minimum > time.Second) {
			t.Errorf("%+v: 22 ms took %v", c, half)
		}
		d = stretched(t, c.careful, c.stretches)
		if real := d.untilAfter(unit.Second); real < c.minimum || real > c.limit {
			t.Errorf("%+v: the first second took %v", c, real)
		}
		d.untilAfter(unit.Minute)
		d.Pause()
		d.Seek(4 * unit.Minute)
		for d.Slice(time.Second) != play.Idle {
		}
		if now := d.Run().Digest().String(); digest == "" {
			digest = now
		} else if now != digest {
			t.Errorf("%+v: the digest is %s, %s before", c, now, digest)
		}
	}
}

// Any control of time ends the stretch.
func TestAControlOfTimeEndsTheStretch(t *testing.T) {
	for name, control := range map[string]func(*desk){
		"pause": func(d *desk) { d.Pause(); d.Play() },
		"speed": func(d *desk) { d.SetSpeed(120) },
		"step":  func(d *desk) { d.Step(); d.Play() },
		"seek": func(d *desk) {
			d.Seek(d.Run().Now())
			d.Slice(0)
		},
		"none": func(*desk) {},
	} {
		d := stretched(t, true, true)
		d.untilAfter(10 * unit.Millisecond)
		if d.Slowed() == 0 || d.Slowed() >= 1 {
			t.Fatalf("%s: time is slowed to %v before", name, d.Slowed())
		}
		control(d)
		for range 3 {
			d.clock += 10 * time.Millisecond
			d.Slice(time.Second)
		}
		if is, want := d.Slowed() > 0 && d.Slowed() < 1, name == "none"; is != want {
			t.Errorf("after %s time is slowed to %v", name, d.Slowed())
		}
	}
}

// After the first fault in view only those made by hand are stretched, and none within a minute.
func TestWhichFaultsAreStretched(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		hand bool
		want bool
	}{
		"by hand, after a minute":  {61 * time.Second, true, true},
		"by hand, within a minute": {20 * time.Second, true, false},
		"of the scenario":          {61 * time.Second, false, false},
	} {
		d := sit(t, nil)
		d.open(t, strings.Replace(losing, `"rack.1"}]`, `"rack.1"},{"at":"10m","kind":"node_down","target":"node.3"}]`, 1), play.Opening{})
		d.seek(2*unit.Minute - unit.Second)
		d.clock = time.Hour
		d.SetSlowHealing(true, true)
		d.SetSpeed(60)
		d.Play()
		d.untilAfter(unit.Minute) // the first one
		d.clock += c.wait
		if c.hand {
			d.Inject(scenario.Fault{Kind: "node_down", Target: "node.3"})
		} else {
			d.Pause()
			d.seek(10*unit.Minute - unit.Millisecond)
			d.Play()
			for d.Run().Now() < 10*unit.Minute {
				d.clock += 10 * time.Millisecond
				d.Slice(time.Second)
			}
		}
		d.Slice(0)
		if d.Slowed() == 0 {
			t.Errorf("%s: time is not slowed", name)
		}
		if got := d.Slowed() < 1; got != c.want {
			t.Errorf("%s: time is slowed to %v", name, d.Slowed())
		}
	}
}
