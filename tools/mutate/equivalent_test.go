package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every judgement is about a line that still stands in its file.
func TestJudgementsAreAboutTheCode(t *testing.T) {
	for j := range judgements() {
		source, err := os.ReadFile(filepath.Join("..", "..", j.file))
		if err != nil {
			t.Error(err)
			continue
		}
		found := false
		for line := range strings.Lines(string(source)) {
			found = found || strings.TrimSpace(line) == j.line
		}
		if !found {
			t.Errorf("%s has no line %q: judge it again or delete the judgement", j.file, j.line)
		}
	}
}
