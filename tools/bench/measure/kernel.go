package measure

import (
	"time"

	"parley/core/des"
	"parley/core/rng"
	"parley/core/unit"
)

// Kernel measures the events per second of the queue with n always waiting: each event schedules
// another one at a random later time (the hold model).
func Kernel(name string, waiting int) Measurement {
	return Measurement{
		Name: name, Unit: "events/s",
		Once: func(now func() time.Time) (float64, error) {
			const events = 2_000_000
			k := des.New()
			h := &holder{kernel: k, random: rng.New(1, "bench/kernel")}
			for range waiting {
				h.Fire(0, 0)
			}
			before := k.Fired()
			seconds, err := timed(now, func() error {
				for k.Fired() < before+events {
					k.Step(unit.Forever)
				}
				return nil
			})
			return events / seconds, err
		},
	}
}

type holder struct {
	kernel *des.Kernel
	random *rng.Stream
}

// Fire implements des.Handler.
func (h *holder) Fire(now unit.Time, _ uint64) {
	h.kernel.At(now+1+unit.Time(h.random.Intn(int(unit.Minute))), h, 0)
}
