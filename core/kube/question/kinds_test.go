package question_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKinds: the tests that the table of kinds names are there, and each kind has one.
func TestKinds(t *testing.T) {
	table, err := os.ReadFile("../kinds.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z]+)\\.(Test[A-Za-z0-9]+)(?:/([a-z]+))?`")
	kinds := 0
	for _, line := range strings.Split(string(table), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| kind ") {
			continue
		}
		kinds++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test holds %s", line)
		}
		for _, test := range tests {
			folder := filepath.Join("..", strings.TrimPrefix(test[1], "kube"))
			files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(text), "func "+test[2]+"(")
			}
			if !found {
				t.Errorf("%s has no %s", folder, test[2])
			}
			if script := filepath.Join(folder, "testdata", test[3]+".txt"); test[3] != "" {
				if _, err := os.Stat(script); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if kinds < 29 {
		t.Errorf("%d kinds", kinds)
	}
}
