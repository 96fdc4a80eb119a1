package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReferenceIsGenerated compares the pages that are committed with what the code says
// today.
func TestReferenceIsGenerated(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	want, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		have, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(name)))
		if err != nil || string(have) != text {
			t.Errorf("docs/%s is not what the code says (%v): run go run ./tools/parley/reference", name, err)
		}
	}
	for _, folder := range []string{"reference", "systems"} {
		files, err := os.ReadDir(filepath.Join(root, "docs", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if _, known := want[folder+"/"+f.Name()]; !known {
				t.Errorf("docs/%s/%s is not written by the reference: remove it, or add it to pages", folder, f.Name())
			}
		}
	}
}

// TestCellsAreEscaped: a cell holds what would end it or begin emphasis.
func TestCellsAreEscaped(t *testing.T) {
	if got, want := row("a|b", "1 * 2", "`x.*`", "<i>"), "| a\\|b | 1 \\* 2 | `x.*` | &lt;i> |\n"; got != want {
		t.Errorf("row returns %q, want %q", got, want)
	}
	if !strings.Contains(metricsPage(nil), "`jobs.by_size.*.wait_s`") {
		t.Error("the page of metrics lacks a group's figure")
	}
}
