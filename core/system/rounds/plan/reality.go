package plan

import (
	"fmt"
	"math"

	"parley/core/workload"
)

// Reality describes how the platform differs from the planner's input. The zero value is no
// difference.
type Reality struct {
	Seed      uint64
	Speed     Error
	Bandwidth Error
	Failures  []Failure // of one worker in order of time, not overlapping
}

// Error is how far a rate strays.
type Error = workload.RateError

// Failure takes a worker away: work that it has received, receives or computes is lost and has to
// be sent again. Return is when it is back, empty; 0 means never. The master learns of both at
// once.
type Failure struct {
	Worker     int
	At, Return float64 // seconds
}

// validate returns an error for the first rate error outside of [0, 1), or the first failure that is out
// of range or begins before the failure of the same worker before it ends; nil if there is none.
func (r Reality) validate(workers int) error {
	for _, e := range [...]struct {
		name  string
		value float64
	}{
		{"speed error of workers", r.Speed.Worker},
		{"speed error of chunks", r.Speed.Chunk},
		{"bandwidth error of workers", r.Bandwidth.Worker},
		{"bandwidth error of chunks", r.Bandwidth.Chunk},
	} {
		if !(e.value >= 0 && e.value < 1) {
			return fmt.Errorf("the %s is %v: it must be at least 0 and below 1", e.name, e.value)
		}
	}
	back := make(map[int]float64)
	for n, f := range r.Failures {
		if f.Worker < 0 || f.Worker >= workers {
			return fmt.Errorf("failure %d names worker %d: there are workers 0 to %d", n, f.Worker, workers-1)
		}
		if !(f.At >= back[f.Worker]) || math.IsInf(f.At, 0) {
			return fmt.Errorf(
				"failure %d of worker %d is at %v s: it must not be before 0 or before the worker is back", n, f.Worker,
				f.At,
			)
		}
		if f.Return != 0 && !(f.Return > f.At) {
			return fmt.Errorf("failure %d of worker %d ends at %v s: that must be after %v s, or 0 for never",
				n, f.Worker, f.Return, f.At)
		}
		back[f.Worker] = f.Return
		if f.Return == 0 {
			back[f.Worker] = math.Inf(1)
		}
	}
	return nil
}

func (r Reality) rateErrors() workload.RateErrors {
	return workload.RateErrors{Seed: r.Seed, Speed: r.Speed, Bandwidth: r.Bandwidth}
}
