package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCountCommits(t *testing.T) {
	long := strings.Repeat("ü", 73)
	all, tooLong, bare := countCommits("core: say why\x1fBecause.\n\x1e\ncore: nothing\x1f\x1e\n" + long + "\x1f \n\x1e\n" + long[2:] + "\x1fA body.\x1e\n")
	if all != 4 || tooLong != 1 || bare != 2 {
		t.Errorf("%d commits, %d long, %d without a body", all, tooLong, bare)
	}
}

// TestCommitMessages holds the hook to what it refuses and to what passes.
func TestCommitMessages(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell runs the hook here")
	}
	hook, err := filepath.Abs("../hooks/commit-msg")
	if err != nil {
		t.Fatal(err)
	}
	for message, refused := range map[string]string{
		"core/des: fire equal times in order\n\nMeasured: 6 M events a second.\n": "",
		"Merge branch 'x'\n":                              "",
		"# a comment\n\ncore: name it\n\nWhy.\n":          "",
		"core: name it\n":                                 "below the subject",
		"core: name it\n\n# only a comment\n\n":           "below the subject",
		"core: " + strings.Repeat("x", 67) + "\n\nWhy.\n": "more than 72",
		"core: " + strings.Repeat("x", 66) + "\n\nWhy.\n": "",
	} {
		file := filepath.Join(t.TempDir(), "message")
		if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
			t.Fatal(err)
		}
		stated, err := exec.Command("sh", hook, file).CombinedOutput()
		if (err != nil) != (refused != "") || !strings.Contains(string(stated), refused) {
			t.Errorf("%q: %v, %s", message, err, stated)
		}
	}
}
