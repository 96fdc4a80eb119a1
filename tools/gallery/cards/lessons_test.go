package cards

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestLessons plays every scenario that has notes and compares their texts with
// testdata/lessons.json, whose numbers are read from the run at the note's moment.
func TestLessons(t *testing.T) {
	text, err := os.ReadFile("testdata/lessons.json")
	if err != nil {
		t.Fatal(err)
	}
	var templates map[string][]string
	if err := json.Unmarshal(text, &templates); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../assets/scenarios/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenario.Parse(document)
		if err != nil {
			t.Fatal(id, err)
		}
		if len(s.Notes) != len(templates[id]) {
			t.Errorf("%s has %d notes, and %d templates", id, len(s.Notes), len(templates[id]))
			continue
		}
		if len(s.Notes) == 0 {
			continue
		}
		r, err := run.Open(s, nil, run.KeepIncidents())
		if err != nil {
			t.Fatal(id, err)
		}
		for i, note := range s.Notes {
			if err := r.Advance(unit.Time(note.At)); err != nil {
				t.Fatal(id, err)
			}
			told, err := figures(r)
			if err != nil {
				t.Fatal(id, err)
			}
			if want, err := fill(templates[id][i], told); err != nil || note.Text != want {
				t.Errorf("%s, note %d is false: %q, the run has %q (%v)", id, i, note.Text, want, err)
			}
		}
	}
}
