//go:build !linux

// Package memory measures the resident memory of this process.
package memory

import (
	"runtime"
	"runtime/debug"
)

// ForgetPeak returns unused memory to the system.
func ForgetPeak() { debug.FreeOSMemory() }

// PeakMB returns the memory, in MB, that the Go runtime took from the system.
func PeakMB() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / 1e6
}
