package trace

import (
	"strconv"
	"strings"

	"parley/core/words"
)

// ErrorKind is a kind of trouble with a file; the page has one dialog for each.
type ErrorKind string

// The kinds of Error.
const (
	Unknown    ErrorKind = "unknown"     // not a file that anything here reads
	WrongTable ErrorKind = "wrong-table" // data, but not of a trace that anything here reads, or of two traces
	Unmapped   ErrorKind = "columns"     // a table of which more must be said before it can be read
	Empty      ErrorKind = "empty"       // no rows
	BadLine    ErrorKind = "bad-line"    // one row breaks the format; the others may be good
	Damaged    ErrorKind = "damaged"     // cut off, or its compression is broken
	Unreadable ErrorKind = "unreadable"  // the disk or the browser does not give it: a folder, removed, forbidden
	TooLarge   ErrorKind = "too-large"   // more than this reader holds in memory
	NoTasks    ErrorKind = "no-tasks"    // good files that leave nothing to run
)

// Error describes an error in a file: its place, its reason and the remedy.
type Error struct {
	Kind   ErrorKind `json:"class"`
	File   string    `json:"file"`
	Line   int64     `json:"line,omitempty"`   // counted from 1; 0: the file as a whole
	Column string    `json:"column,omitempty"` // the column's name in the format; "": the row as a whole
	Value  string    `json:"value,omitempty"`  // the value there, shortened; the row if Column is ""
	Reason string    `json:"why"`              // continues the sentence after the place and the value
	Hint   string    `json:"hint"`             // the remedy
}

// Error returns one sentence.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(e.File)
	if e.Line > 0 {
		s.WriteString(", line " + strconv.FormatInt(e.Line, 10))
	}
	if e.Column != "" {
		s.WriteString(", column " + strconv.Quote(e.Column))
	}
	switch e.Kind {
	case Unknown, WrongTable, Unmapped, Empty, Unreadable, NoTasks: // the file is the sentence's subject
	default:
		s.WriteString(":")
	}
	switch {
	case e.Column != "":
		s.WriteString(" " + strconv.Quote(e.Value))
	case e.Value != "":
		s.WriteString(" the row " + strconv.Quote(e.Value))
	}
	s.WriteString(" " + e.Reason)
	if e.Hint != "" {
		s.WriteString("; " + e.Hint)
	}
	return s.String()
}

// Remedies for the common errors.
const (
	hintBadLine = "correct the row or let bad rows be skipped"
	hintDamaged = "download it again"
	hintUnread  = "choose it again, or another file"
)

// Shorten shortens a message of another program, which may repeat much of the input.
func Shorten(text string) string {
	return strings.ToValidUTF8(words.Cut(text, 120), "")
}

// shown shortens a value for a message and replaces characters that cannot be printed.
func shown(value []byte) string { return words.Printable(string(value), 40) }
