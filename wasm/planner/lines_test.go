//go:build !js

package main_test

import (
	"bytes"
	"os"
	"testing"
)

// TestFewLinesNeedABrowser: what is answered is written and tested in the core; here
// only the worker's thread and post are added.
func TestFewLinesNeedABrowser(t *testing.T) {
	const most = 40
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > most {
		t.Errorf("main.go has %d lines, at most %d may need a browser: move what decides to the core", lines, most)
	}
}
