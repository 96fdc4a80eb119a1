//go:build !js

package host_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// most is how many lines only a browser may reach of the programs that simulate and
// plan: what they do is written and tested in core/play, core/planner and the packages remote.
const most = 435

// maxOfProgram is the same of one program without what it shares with others.
const maxOfProgram = 76

// TestFewLinesNeedABrowser counts the lines that no native test can run.
func TestFewLinesNeedABrowser(t *testing.T) {
	sum := 0
	for _, dir := range []string{"worker", "whole", "program", "questions", "host", "file", "bridge"} {
		sources, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
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
		if lines == 0 {
			t.Errorf("wasm/%s has no source for the browser", dir)
		}
		if library := dir == "host" || dir == "file" || dir == "bridge"; !library && lines > maxOfProgram {
			t.Errorf("wasm/%s has %d lines, at most %d of a program may need a browser: move what decides to the core", dir, lines, maxOfProgram)
		}
		t.Logf("wasm/%s: %d lines", dir, lines)
		sum += lines
	}
	if sum > most {
		t.Errorf("%d lines need a browser, at most %d may: move what decides to the core", sum, most)
	}
}
