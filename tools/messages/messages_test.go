package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"parley/core/message"
)

// root is the checkout's.
const root = "../.."

// What is generated is what the sources say now.
func TestGeneratedFilesAreFresh(t *testing.T) {
	types, err := typescript(root, catalogue())
	if err != nil {
		t.Fatal(err)
	}
	lines, err := golden(catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{typesFile: types, goldenFile: lines} {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is stale: run make messages", name)
		}
	}
}

// What the programs read is what was written, and every kind that they know has an
// example.
func TestExamplesAreRead(t *testing.T) {
	for _, u := range catalogue() {
		seen := map[string]bool{}
		for _, m := range u.examples {
			if seen[m.Kind()] {
				t.Errorf("%s has two messages %q", u.name, m.Kind())
			}
			seen[m.Kind()] = true
			if u.read == nil {
				continue
			}
			text, parts, err := message.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			read, err := u.read(text, len(parts)+files(m))
			if err != nil {
				t.Errorf("%s: %v", u.name, err)
				continue
			}
			again, _, err := message.Encode(read)
			if err != nil || !bytes.Equal(again, text) {
				t.Errorf("%s became %s, %v", text, again, err)
			}
		}
	}
}
