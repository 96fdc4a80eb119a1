package inspect

import (
	"parley/core/system"
	"parley/core/unit"
)

// Counted is a group of notes of one kind that followed one another closely: one line
// of the story. The older the notes, the more time may lie between two of a group.
type Counted struct {
	Kind      uint8     `json:"kind"` // of its system's Description.Story
	Count     float64   `json:"count"`
	Since     unit.Time `json:"since"`               // of the first note
	At        unit.Time `json:"at"`                  // of the last note
	Truncated bool      `json:"truncated,omitempty"` // there may have been more, which are forgotten
	Lines     []Line    `json:"lines"`               // the latest of them in words, newest first
}

// How notes are grouped, and how many of a group are put into words.
const (
	closeBy      = unit.Minute
	closeByAge   = 3 // a third of a note's age may lie between two of a group
	countedLines = 4
)

// Counted returns the groups of notes that the story counts, at most n, the newest
// first. Truncated is true for a group whose beginning may be forgotten. There are none unless
// the run keeps notes.
func (r *Inspector) Counted(limit int) []Counted {
	groups := []Counted{}
	formatter, ok := r.of.System.(system.NoteFormatter)
	if !ok || r.of.Notes == nil {
		return groups
	}
	var happenings [256]*system.Happening
	for i, h := range r.of.About.Story {
		happenings[h.Kind] = &r.of.About.Story[i]
	}
	now := r.of.Clock.Now()
	var open [256]int // 1 + the latest group of the kind
	oldest := now
	for note := range r.of.Notes.Latest {
		oldest = note.At
		h := happenings[note.Kind]
		if h == nil {
			continue
		}
		by := 1.0
		if h.Sum {
			by = note.Value
		}
		i := open[note.Kind] - 1
		if i < 0 || groups[i].Since-note.At > max(closeBy, (now-note.At)/closeByAge) {
			if len(groups) == limit {
				continue
			}
			groups = append(groups, Counted{Kind: note.Kind, At: note.At, Lines: []Line{}})
			i = len(groups) - 1
			open[note.Kind] = i + 1
		}
		g := &groups[i]
		g.Count += by
		g.Since = note.At
		if len(g.Lines) < countedLines {
			g.Lines = append(g.Lines, lineOf(formatter, note))
		}
	}
	if r.of.Notes.full() {
		for i := range groups {
			g := &groups[i]
			g.Truncated = open[g.Kind] == i+1 && g.Since-oldest <= max(closeBy, (now-oldest)/closeByAge)
		}
	}
	return groups
}
