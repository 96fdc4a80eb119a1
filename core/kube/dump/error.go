package dump

import (
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/words"
)

// Error describes a fault of a dump, its place and a remedy, in one sentence.
type Error struct {
	File   string
	Line   int64  // on which the object begins, counted from 1; 0 if the file as a whole is meant
	Object string // "Pod default/web-1"; "" if the error is about the file
	Field  string // "spec.containers[0].resources.requests.cpu"
	Value  string // the field's value, shortened; "" if the error is about the object
	Reason string // continues the sentence
	Hint   string
}

// Error returns the error as one line: place, object, field, value, fault and remedy, as far as they are
// set.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(e.File)
	if e.Line > 0 {
		s.WriteString(", line " + strconv.FormatInt(e.Line, 10))
	}
	if e.Object != "" {
		s.WriteString(", " + printable(e.Object))
	}
	if e.Line > 0 || e.Object != "" || e.Field != "" {
		s.WriteString(":")
	}
	if e.Field != "" {
		s.WriteString(" " + printable(e.Field))
	}
	if e.Value != "" {
		s.WriteString(" " + strconv.Quote(e.Value))
	}
	s.WriteString(" " + e.Reason)
	if e.Hint != "" {
		s.WriteString("; " + e.Hint)
	}
	return s.String()
}

// shown shortens a value for a message.
func shown(value string) string { return words.Printable(value, 60) }

// printable replaces characters that could control a terminal.
func printable(text string) string { return words.Printable(text, len(text)) }

// Remedies for files that break off or are not dumps.
const (
	hintAgain = "fetch the dump again"
	hintDump  = "give what kubectl get nodes,pods,… -A -o json prints"
	hintNodes = "open it together with the file that has the nodes, or fetch both: kubectl get nodes,pods -A -o json"
)

const reasonNodes = "has no nodes, so there is nothing to run pods on"

// NoNodes returns the error of a dump of pods alone.
func NoNodes(file string) *Error {
	return &Error{File: file, Reason: reasonNodes, Hint: hintNodes}
}

// asError returns an error of a file's reading with the sentences of this package.
func asError(err error, file string) error {
	if damage, is := err.(*trace.Error); is {
		return &Error{File: file, Reason: damage.Reason, Hint: damage.Hint}
	}
	return err
}
