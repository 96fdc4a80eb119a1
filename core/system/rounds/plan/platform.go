package plan

import (
	"fmt"
	"math"
)

// Worker is one machine as the master sees it: a chunk of x work units takes
// CommLatency + x/Bandwidth seconds of the master's port and then
// CompLatency + x/Speed seconds of the worker.
type Worker struct {
	Speed       float64 `json:"speed"`        // work units a second
	Bandwidth   float64 `json:"bandwidth"`    // work units a second
	CompLatency float64 `json:"comp_latency"` // seconds before a computation starts (cLat)
	CommLatency float64 `json:"comm_latency"` // seconds the port is held before data flows (nLat)
}

// Platform holds the workers that a one-port master can reach. A worker's index in Workers
// is its name in every order and result.
type Platform struct {
	Workers []Worker `json:"workers"`
}

// The ranges outside of which the formulas lose more digits than a float64 has; any real machine is
// far inside.
const (
	minRate    = 1e-15
	maxRate    = 1e24
	maxLatency = 1e12
	// MaxWorkers is the largest platform the planner accepts.
	MaxWorkers = 1 << 20
)

// Validate returns an error if the platform or the load is invalid, in one sentence
// that names the worker, the field and the value.
func (p Platform) Validate(load float64) error {
	if len(p.Workers) == 0 {
		return fmt.Errorf("the platform has no workers: list at least one under \"workers\"")
	}
	if len(p.Workers) > MaxWorkers {
		return fmt.Errorf("the platform has %d workers: %d is the most that can be planned for", len(p.Workers),
			MaxWorkers)
	}
	if !(load >= minRate && load <= maxRate) {
		return fmt.Errorf("load is %v: it must be a positive number of work units (%v to %v)", load, minRate, maxRate)
	}
	for i, w := range p.Workers {
		if err := w.validate(); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return nil
}

// validate returns an error that names the first field out of range, nil if there is none.
func (w Worker) validate() error {
	for _, rate := range [...]struct {
		field string
		value float64
	}{{"speed", w.Speed}, {"bandwidth", w.Bandwidth}} {
		if !(rate.value >= minRate && rate.value <= maxRate) {
			return fmt.Errorf("%s is %v: it must be a positive number of work units a second (%v to %v)",
				rate.field, rate.value, minRate, maxRate)
		}
	}
	for _, latency := range [...]struct {
		field string
		value float64
	}{{"comp_latency", w.CompLatency}, {"comm_latency", w.CommLatency}} {
		if math.IsNaN(latency.value) || latency.value < 0 || latency.value > maxLatency {
			return fmt.Errorf("%s is %v: it must be a number of seconds from 0 to %v",
				latency.field, latency.value, maxLatency)
		}
	}
	return nil
}

// topSpeed returns the speed that the n fastest workers have together.
func topSpeed(p Platform, n int) (sum float64) {
	for _, i := range everyone(p, fastest)[:min(n, len(p.Workers))] {
		sum += p.Workers[i].Speed
	}
	return sum
}
