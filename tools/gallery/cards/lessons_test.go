package cards

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

var rewrite = flag.Bool("rewrite", false, "write the texts of lessons into their scenarios")

// lesson is what the notes of a scenario say, with placeholders as in the findings of
// questions. {before.…} is the report at the note above, {against.…} that of the rival
// at the same moment.
type lesson struct {
	Notes   []string `json:"notes"`
	Against *Rival   `json:"against,omitempty"`
}

// TestLessons plays every scenario that has notes and compares their texts with
// testdata/lessons.json, whose numbers are read from the run at the note's moment.
func TestLessons(t *testing.T) {
	text, err := os.ReadFile("testdata/lessons.json")
	if err != nil {
		t.Fatal(err)
	}
	var lessons map[string]lesson
	if err := strict.Decode(text, &lessons); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "assets", "scenarios", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	systems := map[string]bool{}
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
		if l := lessons[id]; len(s.Notes) != len(l.Notes) {
			t.Errorf("%s has %d notes, and %d templates", id, len(s.Notes), len(l.Notes))
		} else if len(s.Notes) > 0 {
			systems[s.System] = true
			t.Run(id, func(t *testing.T) { playLesson(t, file, document, s, l) })
		}
		delete(lessons, id)
	}
	for id := range lessons {
		t.Errorf("there is no scenario %s, which testdata/lessons.json has notes for", id)
	}
	if len(systems) < 8 {
		t.Errorf("there are lessons on %v alone: eight systems have one", slices.Sorted(maps.Keys(systems)))
	}
}

// playLesson plays a scenario from note to note and compares what they say.
func playLesson(t *testing.T, file string, document []byte, s *scenario.Scenario, l lesson) {
	if n := len(s.Notes); n < 5 || n > 8 {
		t.Errorf("it has %d notes: a lesson has five to eight", n)
	}
	open := func(s *scenario.Scenario) *run.Run {
		t.Helper()
		r, err := run.Open(s, nil, run.KeepIncidents())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open(s)
	if testing.Short() && r.View().Nodes() > many {
		t.Skip("-short: cells that take seconds are left out")
	}
	var rival *run.Run
	if l.Against != nil {
		other := *s
		other.SetSystem(l.Against.System)
		other.Settings = l.Against.Settings
		rival = open(&other)
	}
	at := func(r *run.Run, at scenario.Duration) map[string]any {
		t.Helper()
		if err := r.Advance(unit.Time(at)); err != nil {
			t.Fatal(err)
		}
		told, err := figures(r)
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	var before map[string]any
	for i, note := range s.Notes {
		told := at(r, note.At)
		this := maps.Clone(told)
		told["before"], before = before, this
		if rival != nil && strings.Contains(l.Notes[i], "{against.") {
			told["against"] = at(rival, note.At)
		}
		want, err := fill(l.Notes[i], told)
		if err != nil {
			t.Fatalf("note %d: %v", i+1, err)
		}
		if *rewrite {
			document = bytes.Replace(document, quoted(t, note.Text), quoted(t, want), 1)
		} else if note.Text != want {
			t.Errorf("note %d is false: %q, the run has %q; go test ./tools/gallery/cards -run Lessons -rewrite writes it", i+1, note.Text, want)
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, document, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// quoted returns a text as the scenarios write it.
func quoted(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
