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
	var bits uint64
	for r := range use {
		if r%2 == 0 { // one hash feeds two resources
			bits = rng.Hash(m.Key, uint64(window), uint64(r))
		}
		mean := int64(request[r]) * int64(m.Mean[r]) >> 16
		noise := int64(bits&0xffff) + int64(bits>>16&0xffff) - 0xffff // (-65536, 65536)
		bits >>= 32
		use[r] = unit.Share(mean + mean*(noise*int64(m.Swing[r])>>16)>>16)
	}
	return use
}

// Average returns the mean use of a task that requests request.
func (m *UsageModel) Average(request unit.Vec) unit.Vec {
	var use unit.Vec
	for r := range use {
		use[r] = unit.Share(int64(request[r]) * int64(m.Mean[r]) >> 16)
	}
	return use
}
