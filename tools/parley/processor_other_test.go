//go:build !unix

package main_test

import "time"

// processor reports that the processor time of this program is unknown.
func processor() (time.Duration, bool) { return 0, false }
