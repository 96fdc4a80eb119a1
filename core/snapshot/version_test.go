package snapshot_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

// proven are the versions of Go with which all tests of this package and of what it
// copies have passed. Snapshots read how Go lays out maps, closures and interfaces,
// which another version may change.
var proven = []string{"go1.26"}

func TestGoVersionIsProven(t *testing.T) {
	version := runtime.Version()
	if parts := strings.SplitN(version, ".", 3); len(parts) > 1 {
		version = parts[0] + "." + parts[1]
	}
	if !slices.Contains(proven, version) {
		t.Errorf("core/snapshot was not proven with %s, only with %s: run go test ./core/snapshot ./core/run ./core/play, natively and as WebAssembly, and add the version here", version, strings.Join(proven, ", "))
	}
}
