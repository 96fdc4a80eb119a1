//go:build unix

package main_test

import (
	"syscall"
	"time"
)

// processor returns the processor time that this program has taken, on all cores, and true.
func processor() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
