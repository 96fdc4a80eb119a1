package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpeedPageHasItsFigures: the tables of docs/speed.md are those of docs/speed.json, and each benchmark
// has figures there and a table.
func TestSpeedPageHasItsFigures(t *testing.T) {
	const root = "../.."
	page, err := os.ReadFile(filepath.Join(root, speedPage))
	if err != nil {
		t.Fatal(err)
	}
	all, err := recorded(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := filled(string(page), all)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(page) {
		t.Errorf("a table of %s is not of %s: run make bench with --record", speedPage, speedFigures)
	}
	for _, b := range benchmarks {
		if !strings.Contains(text, "make bench writes "+b.name+" -->") {
			t.Errorf("%s has no table of %s", speedPage, b.name)
		}
	}
}

func TestTable(t *testing.T) {
	b := benchmark{aims: []aim{
		{"a ratio", "one", "two", "native", 3, false},
		{"a value", "one", "", "Node", 1000, true},
		{"not measured", "three", "", "native", 1, true},
	}}
	d := benched{Name: "cell", Machine: "a machine", Notes: []string{}, Rows: []benchRow{
		{"one", "native", 123_456, "x", 3, 100_000, 150_000},
		{"one", "Node", 999, "x", 1, 999, 999},
		{"two", "native", 12.34, "ms", 3, 11.9, 13},
	}}
	d.Aims = b.aimed(d.Rows)
	const page = "Before.\n<!-- figures: make bench writes cell -->\nold\n<!-- end of figures -->\n" +
		"<!-- figures: make bench writes aims -->\n<!-- end of figures -->\nAfter.\n"
	const want = "Before.\n<!-- figures: make bench writes cell -->\nOn a machine.\n\n" +
		"| figure | unit | native | Node |\n|---|---|---|---|\n" +
		"| one | x | 123 k (100 k … 150 k) | 999 |\n| two | ms | 12.3 (11.9 … 13) | |\n<!-- end of figures -->\n" +
		"<!-- figures: make bench writes aims -->\n| aim | where | measured | limit | |\n|---|---|---|---|---|\n" +
		"| a ratio | native | 10 k | at most 3 | **missed** |\n| a value | Node | 999 | at least 1,000 | **missed** |\n" +
		"<!-- end of figures -->\nAfter.\n"
	if got, err := filled(page, []benched{d}); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := filled(page, nil); err == nil || !strings.Contains(err.Error(), `"cell"`) {
		t.Errorf("without figures of a table: %v", err)
	}
}
