// Package studytest plays the documents of experiments in tests.
//
//	rows := studytest.ByName(t, studytest.Judge(t, "series.json", 3, board.Functions()))
package studytest

import (
	"os"
	"testing"

	"parley/core/study"
	"parley/core/study/evidence"
)

// Judge plays the study in a file with a number of seeds and with functions, which may
// have planted results, and returns its rows in their order.
func Judge(t *testing.T, file string, seeds int, functions study.Functions) []evidence.Row {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Parse(text, nil)
	if err == nil {
		s, err = s.With(seeds, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	have := study.NewResults("test")
	if err := (study.Player{Functions: functions}).Play(s, have); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Judge(have)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// ByName returns rows by their names. A name that two rows have fails the test.
func ByName(t *testing.T, rows []evidence.Row) map[string]evidence.Row {
	t.Helper()
	named := map[string]evidence.Row{}
	for _, r := range rows {
		if _, twice := named[r.Name]; twice {
			t.Errorf("two rows %q", r.Name)
		}
		named[r.Name] = r
	}
	return named
}
