package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeep: what was played once is not played again; a file that is broken is, and a
// folder that cannot be is told.
func TestKeep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deep", "kept")
	played := 0
	play := func() ([]byte, error) {
		played++
		return []byte("shown\nso"), nil
	}
	once := func(name string, want int) {
		t.Helper()
		k, err := newKeeper(folder) // as a command that is begun again
		if err != nil {
			t.Fatal(err)
		}
		if text, err := k.once(name, play); err != nil || string(text) != "shown\nso" || played != want {
			t.Errorf("%q after %d runs, not %d: %v", text, played, want, err)
		}
	}
	once("a", 1)
	once("a", 1)
	once("b", 2)
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, text[:len(text)-1], 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	once("a", 3)
	once("b", 4)
	once("a", 4)
	other, err := newKeeper(folder)
	if err != nil {
		t.Fatal(err)
	}
	other.program[0]++ // another build plays anew
	if _, err := other.once("a", play); err != nil || played != 5 {
		t.Errorf("%d runs: %v", played, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newKeeper(filepath.Join(folder, "file")); err == nil || !strings.HasPrefix(err.Error(), "--keep: ") {
		t.Errorf("a file as a folder: %v", err)
	}
}
