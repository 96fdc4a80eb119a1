//go:build !js

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLibrary: another module plays a scheduler of its own by registry.Open, offline. Its
// go.mod is a text here, so that the go command does not take the folder for a module of ours.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for from, to := range map[string]string{"testdata/library/main.go": "main.go", "testdata/library/go.mod.txt": "go.mod", "../../go.sum": "go.sum"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), []byte(strings.ReplaceAll(string(text), "../../../..", root)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(`^[1-9]\d* placements, digest [0-9a-f]{16}\n$`).Match(out) {
		t.Errorf("%v: %s", err, out)
	}
}
