package play_test

import (
	"testing"
	"time"

	"parley/core/play"
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
