package jobtable_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKinds: every kind of log that README lists has the test that it names.
func TestKinds(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Kinds of logs")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		for _, of := range regexp.MustCompile("`([^`]+)`: ([^;|]+)").FindAllStringSubmatch(cells[1], -1) {
			path := of[1]
			if strings.HasPrefix(path, "core/") || strings.HasPrefix(path, "tools/") {
				path = filepath.Join("../../..", path)
			}
			if held, err := os.ReadFile(path); err != nil || !strings.Contains(string(held), strings.TrimSpace(of[2])) {
				t.Errorf("%s: %s has no %q (%v)", strings.TrimLeft(cells[0], "| "), of[1], strings.TrimSpace(of[2]), err)
			}
		}
	}
	if rows < 25 {
		t.Errorf("%d kinds", rows)
	}
}
