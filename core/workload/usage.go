package workload

import (
	"parley/core/rng"
	"parley/core/unit"
)

// UsageWindow is how long a task's usage stays the same: the Google trace
// reports averages over five minutes.
const UsageWindow = 5 * unit.Minute

// UsageModel says what a task really uses where nobody measured it: request ×
// mean × (1 + swing × noise), with one noise in (-1, 1) a window and resource,
// of triangular distribution (its standard deviation is 0.41). The noise is a
// pure function of Key and the window, so usage is computed, never stored.
//
// Means and swings are in units of 1/65536.
type UsageModel struct {
	Key         uint64
	Mean, Swing [unit.Resources]uint16
	Measured    bool // TaskUses records tell; until the first one, Mean holds
}

// Ratio converts x in [0, 1) to the units of UsageModel.
func Ratio(x float64) uint16 { return uint16(min(max(x, 0)*65536, 65535)) }

// In returns what a task that requests request uses in the given window.
func (m *UsageModel) In(request unit.Vec, window int64) unit.Vec {
	var use unit.Vec
	for r := 0; r < len(use); r += 2 { // one hash feeds two resources
		bits := rng.Hash(m.Key, uint64(window), uint64(r))
		use[r] = noisy(request[r], m.Mean[r], m.Swing[r], bits)
		if r+1 < len(use) {
			use[r+1] = noisy(request[r+1], m.Mean[r+1], m.Swing[r+1], bits>>32)
		}
	}
	return use
}

// noisy returns the use of one resource, with the noise that the lower 32 bits
// make.
func noisy(request unit.Share, mean, swing uint16, bits uint64) unit.Share {
	average := int64(request) * int64(mean) >> 16
	noise := int64(bits&0xffff) + int64(bits>>16&0xffff) - 0xffff // (-65536, 65536)
	return unit.Share(average + average*(noise*int64(swing)>>16)>>16)
}

// Average returns the mean use of a task that requests request.
func (m *UsageModel) Average(request unit.Vec) unit.Vec {
	var use unit.Vec
	for r := range use {
		use[r] = unit.Share(int64(request[r]) * int64(m.Mean[r]) >> 16)
	}
	return use
}
