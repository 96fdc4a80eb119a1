package inspect

import (
	"math"
	"slices"
	"strconv"

	"parley/core/system"
	"parley/core/unit"
)

// Line is one note in words.
type Line struct {
	At    unit.Time     `json:"at"`
	Text  string        `json:"text"`
	Nodes []unit.NodeID `json:"nodes,omitempty"`
	Ref   uint32        `json:"ref,omitempty"` // of the system's Description.Group, for Story; 0: of none
}

// Lines returns the latest notes that concern node n, or all of them for
// unit.NoNode, newest first, at most n. The single steps of a group
// are left to Story, and those of tasks that come to nodes to the nodes. There
// are no lines unless the run keeps notes.
func (r *Inspector) Lines(n unit.NodeID, limit int) []Line {
	return r.lines(limit, func(note system.Note) bool {
		return !(note.Minor && (note.Ref != 0 || n == unit.NoNode)) &&
			(n == unit.NoNode || note.Node == n || note.Other == n)
	})
}

// Story is the log of one group of notes: a negotiation, say.
type Story struct {
	Ref      uint32    `json:"ref"`
	Task     string    `json:"task"`  // its id, for Explain
	Lines    []Line    `json:"lines"` // all of it that is remembered, the oldest first
	Decision *Decision `json:"decision,omitempty"`
	// Conversation is the same for pictures, if the system tells it.
	Conversation *system.Conversation `json:"conversation,omitempty"`
}

// Story returns all notes of a group, and the decision it came to where
// that is still remembered.
func (r *Inspector) Story(ref uint32) Story {
	s := Story{Ref: ref}
	var task unit.TaskID
	s.Lines = r.lines(math.MaxInt, func(note system.Note) bool {
		if note.Ref == ref && ref != 0 {
			task = note.Task
			return true
		}
		return false
	})
	slices.Reverse(s.Lines)
	s.Task = strconv.FormatUint(uint64(task), 10)
	if d, err := r.Explain(task); err == nil && d.Ref == ref && len(s.Lines) > 0 {
		s.Decision = &d
	}
	if c, ok := r.of.System.(system.ConversationSource); ok && len(s.Lines) > 0 {
		conversation := c.Conversation(ref, r.notesOf(ref))
		s.Conversation = &conversation
	}
	return s
}

// notesOf returns the notes of a group that are remembered, the oldest first.
func (r *Inspector) notesOf(ref uint32) (notes []system.Note) {
	for note := range r.of.Notes.Latest {
		if note.Ref == ref {
			notes = append(notes, note)
		}
	}
	slices.Reverse(notes)
	return notes
}

// lines puts the notes that are wanted into words, newest first.
func (r *Inspector) lines(limit int, wanted func(system.Note) bool) []Line {
	lines := []Line{}
	formatter, ok := r.of.System.(system.NoteFormatter)
	if !ok || r.of.Notes == nil {
		return lines
	}
	for note := range r.of.Notes.Latest {
		if !wanted(note) {
			continue
		}
		if lines = append(lines, lineOf(formatter, note)); len(lines) == limit {
			break
		}
	}
	return lines
}

// lineOf puts a note into words.
func lineOf(formatter system.NoteFormatter, note system.Note) Line {
	line := Line{At: note.At, Text: formatter.FormatNote(note), Ref: note.Ref}
	for _, at := range [2]unit.NodeID{note.Node, note.Other} {
		if at != unit.NoNode {
			line.Nodes = append(line.Nodes, at)
		}
	}
	return line
}
