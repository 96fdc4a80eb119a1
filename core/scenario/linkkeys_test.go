package scenario

import (
	"os"
	"regexp"
	"slices"
	"strings"
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

// TestTabsAreThePage compares the tabs that a note may show with those of the page.
func TestTabsAreThePage(t *testing.T) {
	page, err := os.ReadFile("../../site/src/place/watch/panel/drawer.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "const TABS")
	list, _, _ = strings.Cut(list, "\n];")
	found := []string{"lesson", "story"} // by constants
	for _, m := range regexp.MustCompile(`(?m)^  (?:\[|  )"([a-z]+)",`).FindAllStringSubmatch(list, -1) {
		found = append(found, m[1])
	}
	if !slices.Equal(found, tabs) {
		t.Errorf("the page has the tabs %s, a note may show %s", found, tabs)
	}
}
