package system

import (
	"strings"

	"parley/core/unit"
)

// NoteKind describes the notes of one kind for the event log and its manual.
type NoteKind struct {
	ID     string   // in the event log: "offer"
	About  string   // the meaning of the kind
	Fields []string // that such a note can have beside its text, as "name: meaning"
}

// NoteDescriber is a System that describes its notes. Programs that write no event log
// are linked without the words.
type NoteDescriber interface {
	// NoteKinds returns them by Note.Kind; a kind without an ID does not exist.
	NoteKinds() []NoteKind
}

// Has reports whether notes of the kind can have a field. A Note's own fields are
// node, other, task (job, if Task is one), ref, value and subtasks.
func (k *NoteKind) Has(field string) bool {
	for _, f := range k.Fields {
		if name, _, _ := strings.Cut(f, ":"); name == field {
			return true
		}
	}
	return false
}

// Detail is a further field of a Note: a number, a text or, if Is is true, a flag.
type Detail struct {
	Name   string
	Number float64
	Text   string
	Is     bool
}

// Number returns a detail that is a number.
func Number(name string, n float64) Detail { return Detail{Name: name, Number: n} }

// Moment returns a detail that is a time in microseconds.
func Moment(name string, t unit.Time) Detail { return Detail{Name: name, Number: float64(t)} }

// Text returns a detail that is a text.
func Text(name, text string) Detail { return Detail{Name: name, Text: text} }

// Flag returns a detail that is true.
func Flag(name string) Detail { return Detail{Name: name, Is: true} }
