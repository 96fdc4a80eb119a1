//go:build !js

package main_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The renderer's budget of the page, Go's glue (5 kB) apart: an empty
// Ebitengine program takes 2.93 MB of it.
const budget = 3_095_000

// TestBuilds builds the program for the browser and weighs it as it is sent.
func TestBuilds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "view.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, bytes.NewReader(program)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("view.wasm: %.2f MB, %.3f MB with gzip", float64(len(program))/1e6, float64(packed.Len())/1e6)
	if packed.Len() > budget {
		t.Errorf("view.wasm takes %d bytes with gzip, over %d", packed.Len(), budget)
	}
}
