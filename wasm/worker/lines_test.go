//go:build !js

package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// most is how many lines only a browser may reach here: what a worker does is
// written and tested in core/play.
const most = 1100

// TestFewLinesNeedABrowser counts the lines that no native test can run.
func TestFewLinesNeedABrowser(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("//go:build js")) {
			lines += bytes.Count(text, []byte("\n"))
		}
	}
	t.Logf("%d lines", lines)
	if lines == 0 || lines > most {
		t.Errorf("%d lines need a browser, at most %d may: move what decides to core/play", lines, most)
	}
}
