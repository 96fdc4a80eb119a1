// Package memory measures the resident memory of this process.
package memory

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// ForgetPeak returns unused memory to the system and resets the peak of PeakMB.
func ForgetPeak() {
	debug.FreeOSMemory()
	// If the kernel refuses, the peak is that of the whole process.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// PeakMB returns the most memory, in MB, that this process had resident since
// ForgetPeak, or 0 if unknown.
func PeakMB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib float64
	if _, err := fmt.Sscan(string(after[:min(len(after), 32)]), &kib); err != nil {
		return 0
	}
	return kib * 1024 / 1e6
}
