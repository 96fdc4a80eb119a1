package yield_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/unit"
)

// TestNotesNumberAdaptations: the page names a group of notes by the description's
// word and their number, as the notes themselves do.
func TestNotesNumberAdaptations(t *testing.T) {
	s := newStage(t, 2, yield.Default())
	for job := range 3 {
		s.submit(job, 2, unit.Vec{300_000, 200_000})
		s.pass(10 * unit.Minute)
	}
	told := 0
	for _, n := range s.notes {
		text := s.s.(system.NoteFormatter).FormatNote(n)
		if !strings.Contains(text, "every job now gets") {
			continue
		}
		told++
		if name := fmt.Sprintf("%s %d:", yield.Entry().Group, n.Ref); !strings.HasPrefix(strings.ToLower(text), name) {
			t.Errorf("the page calls %q, which says %q", name, text)
		}
	}
	if told < 3 {
		t.Errorf("%d adaptations are told, want one for each job", told)
	}
}

// TestStepsAreBounded: a step of branch and bound takes up to a microsecond and a full
// cell adapts every few minutes, so that more steps than these would never end.
func TestStepsAreBounded(t *testing.T) {
	for _, s := range yield.Entry().Settings {
		if s.ID == "step_limit" && s.Range.Max > 1e7 {
			t.Errorf("step_limit may be %v", s.Range.Max)
		}
	}
}
