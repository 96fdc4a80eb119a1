package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNote limits the text of a note, in bytes.
const maxNote = 600

// checkNotes checks the notes of a lesson.
func (s *Scenario) checkNotes() error {
	if len(s.Notes) > MaxNotes {
		return fmt.Errorf("notes has %d entries: at most %d", len(s.Notes), MaxNotes)
	}
	for i, n := range s.Notes {
		where := fmt.Sprintf("notes[%d]", i)
		switch {
		case n.At < 0 || n.At > Duration(MaxUntil): // a run that is cut short never reaches its last notes
			return fmt.Errorf("%s.at is %v: choose up to 3650d", where, n.At)
		case i > 0 && n.At < s.Notes[i-1].At:
			return fmt.Errorf("%s.at is %v, before the note above it: order notes by time", where, n.At)
		case strings.TrimSpace(n.Text) == "" || len(n.Text) > maxNote:
			return fmt.Errorf("%s.text has %d bytes: write 1 to %d", where, len(n.Text), maxNote)
		case n.Focus != "" && !isFocus(n.Focus):
			return fmt.Errorf("%s.focus is %q: write a node or a rack, such as node.12 or rack.3",
				where, shorten(n.Focus))
		case n.Show != "" && !isWord(n.Show, 32, "-", false):
			return fmt.Errorf("%s.show is %q: write the id of a tab, such as charts", where, shorten(n.Show))
		}
	}
	return nil
}

// isFocus reports whether a text names a node or a rack.
func isFocus(s string) bool {
	kind, number, _ := strings.Cut(s, ".")
	n, err := strconv.Atoi(number)
	return (kind == "node" || kind == "rack") && err == nil && n >= 0 && n < MaxNodes && strconv.Itoa(n) == number
}
