package workload

import (
	"parley/core/rng"
	"parley/core/unit"
)

// UsageWindow is how long a task's usage stays the same: the Google trace
// reports averages over five minutes.
const UsageWindow = 5 * unit.Minute

// UsageModel computes a task's true usage if it was not measured, as a pure
// function of the window: usage is computed, never stored.
//
// Means and swings are in units of 1/65536, and 65535 stands for the whole.
type UsageModel struct {
	Key      uint64                 // of the task's own movement
	Mean     [unit.Resources]uint16 // mean ratio of use to request
	Swing    [unit.Resources]uint16 // of a calm task: see CalmUse
	Measured bool                   // TaskUses records have the use; until the first one, Mean holds
	Job      uint64                 // of a task that moves: key of the part that it shares with its job
	Movement *Movement              // nil: the task is calm
}

// Ratio converts x in [0, 1] to the units of UsageModel.
func Ratio(x float64) uint16 { return uint16(min(max(x, 0)*65536, 65535)) }

// whole returns a ratio of UsageModel in 0 … 65536.
func whole(ratio uint16) int64 { return int64(ratio) + (int64(ratio)+1)>>16 }

// In returns the usage in a window of a task with the given request. A caller that
// asks for many tasks of a job computes their Shared once.
func (m *UsageModel) In(request unit.Vec, window int64) unit.Vec {
	if m.Movement == nil {
		return CalmUse(m.Key, &m.Mean, &m.Swing, request, window)
	}
	shared := m.Movement.Shared(m.Job)
	shared.Enter(window)
	return shared.Use(m.Key, &m.Mean, &request)
}

// CalmUse returns the usage of a calm task in a window:
//
//	request × mean × (1 + swing × noise)
//
// with one noise in (-1, 1) a window and resource, of triangular distribution (its
// standard deviation is 0.41), that is a function of key and window.
func CalmUse(key uint64, mean, swing *[unit.Resources]uint16, request unit.Vec, window int64) unit.Vec {
	var use unit.Vec
	for r := 0; r < len(use); r += 2 { // one hash feeds two resources
		bits := rng.Hash(key, uint64(window), uint64(r))
		use[r] = noisy(request[r], mean[r], swing[r], bits)
		if r+1 < len(use) {
			use[r+1] = noisy(request[r+1], mean[r+1], swing[r+1], bits>>32)
		}
	}
	return use
}

// noisy returns the use of one resource, with the noise that the lower 32 bits
// make.
func noisy(request unit.Share, mean, swing uint16, bits uint64) unit.Share {
	average := int64(request) * whole(mean) >> 16
	noise := int64(bits&0xffff) + int64(bits>>16&0xffff) - 0xffff // (-65536, 65536)
	return unit.Share(average + average*(noise*int64(swing)>>16)>>16)
}

// Average returns the mean use of a task that requests request.
func (m *UsageModel) Average(request unit.Vec) unit.Vec {
	var use unit.Vec
	for r := range use {
		use[r] = unit.Share(int64(request[r]) * whole(m.Mean[r]) >> 16)
	}
	return use
}
