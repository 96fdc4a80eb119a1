package snapshot_test

import (
	"strings"
	"testing"
	"unsafe"

	"parley/core/snapshot"
)

// A program of 32 bits is refused a snapshot with a sentence and does not crash.
func TestNeeds64Bits(t *testing.T) {
	_, err := snapshot.New(nil, nil).Take(new(struct{ next any }))
	if whole := unsafe.Sizeof(uintptr(0)) == 8; whole != (err == nil) {
		t.Errorf("pointers of %d bytes: %v", unsafe.Sizeof(uintptr(0)), err)
	}
	if err != nil && !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("the error does not say what is needed: %v", err)
	}
}
