package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTargets: every fuzz test of the checkout is found.
func TestTargets(t *testing.T) {
	all, err := targetsIn(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"core/strict.FuzzDecode", "core/scenario.FuzzAddress", "core/kube/dump.FuzzRead", "tools/links.FuzzKeep"} {
		if !slices.ContainsFunc(all, func(one target) bool { return strings.HasSuffix(filepath.ToSlash(one.dir)+"."+one.name, want) }) {
			t.Errorf("%s is not found among %v", want, all)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d targets", len(all))
	}
}

// TestKeep: the shortest inputs are kept, none twice, none that is long, and up to a number.
func TestKeep(t *testing.T) {
	cache, corpus := t.TempDir(), filepath.Join(t.TempDir(), "fuzz", "FuzzX")
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(cache, fmt.Sprint(i)), []byte(strings.Repeat("x", 100-i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(cache, "long"), make([]byte, maxBytes+1), 0o600)
	if added, kept, err := keep(cache, corpus); added != maxKept || kept != maxKept || err != nil {
		t.Errorf("%d, %d, %v", added, kept, err)
	}
	if _, err := os.Stat(filepath.Join(corpus, "99")); err != nil {
		t.Error(err)
	}
	if added, kept, err := keep(cache, corpus); added != 0 || kept != maxKept || err != nil {
		t.Errorf("a second time: %d, %d, %v", added, kept, err)
	}
	if added, kept, err := keep(filepath.Join(cache, "none"), filepath.Join(corpus, "none")); added+kept != 0 || err != nil {
		t.Errorf("of nothing: %d, %d, %v", added, kept, err)
	}
}
