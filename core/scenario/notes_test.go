package scenario_test

import (
	"strings"
	"testing"

	"parley/core/scenario"
)

// TestNotes reads a lesson, and refuses notes that no reader can follow in a sentence
// that says which and why.
func TestNotes(t *testing.T) {
	of := func(notes string) string {
		return `{"v":1,"system":"rounds","until":"10m","notes":[` + notes + `]}`
	}
	s, err := scenario.Parse([]byte(of(`{"at":"1m","text":"One."},{"at":"2m","text":"Two.","focus":"node.12","show":"gantt","pause":true}`)))
	if err != nil || len(s.Notes) != 2 || !s.Notes[1].Pause || s.Notes[1].Focus != "node.12" {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := scenario.Parse([]byte(of(`{"at":"11m","text":"After the end."}`))); err != nil {
		t.Errorf("a run that is cut short keeps its notes: %v", err)
	}
	for notes, want := range map[string]string{
		`{"at":"3651d","text":"Late."}`:                                                 "notes[0].at is 3651d",
		`{"at":"2m","text":"Two."},{"at":"1m","text":"One."}`:                           "notes[1].at is 1m, before the note above it",
		`{"at":"1m","text":" "}`:                                                        "notes[0].text has 1 bytes",
		`{"at":"1m","text":"` + strings.Repeat("x", 601) + `"}`:                         "notes[0].text has 601 bytes",
		`{"at":"1m","text":"One.","focus":"node.-1"}`:                                   `notes[0].focus is "node.-1"`,
		`{"at":"1m","text":"One.","focus":"user.3"}`:                                    `notes[0].focus is "user.3"`,
		`{"at":"1m","text":"One.","show":"a b"}`:                                        `notes[0].show is "a b"`,
		`{"at":"1m","text":"One.","word":"x"}`:                                          "word",
		strings.Repeat(`{"at":"1m","text":"One."},`, 100) + `{"at":"1m","text":"One."}`: "notes has 101 entries",
	} {
		if _, err := scenario.Parse([]byte(of(notes))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", notes, err, want)
		}
	}
}
