package scenario

import (
	"slices"
	"testing"
)

// TestLinkKeysAreDescribed compares the keys that are read with those that are described.
func TestLinkKeysAreDescribed(t *testing.T) {
	var described []string
	for _, k := range LinkKeys() {
		described = append(described, k.Path)
	}
	slices.Sort(described)
	if read := slices.Sorted(slices.Values(linkKeys)); !slices.Equal(read, described) {
		t.Errorf("the keys %s are read, %s are described", read, described)
	}
}
