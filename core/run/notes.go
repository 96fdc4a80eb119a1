package run

import "parley/core/system"

// Notes keeps the latest notes of a system, the oldest forgotten first. Minor
// ones that belong to no group, such as the placements of new tasks, are so many
// that they are kept apart: they push out one another and nothing else.
type Notes struct {
	rings [2]ring
	seen  int64
}

// ring holds notes in the order of their coming, from next on.
type ring struct {
	notes []system.Note
	next  int
}

// NewNotes keeps up to n notes, n > 0, and a quarter as many that are minor and
// alone.
func NewNotes(n int) *Notes {
	return &Notes{rings: [2]ring{{notes: make([]system.Note, 0, n)}, {notes: make([]system.Note, 0, n/4+1)}}}
}

// Add keeps one more note.
func (n *Notes) Add(note system.Note) {
	n.seen++
	if note.Minor && note.Ref == 0 {
		n.rings[1].add(note)
	} else {
		n.rings[0].add(note)
	}
}

// Seen returns how many notes were ever added.
func (n *Notes) Seen() int64 { return n.seen }

// Latest calls yield for the kept notes, newest first, until it returns false.
// Of one moment those that are minor and alone come last.
func (n *Notes) Latest(yield func(system.Note) bool) {
	main, alone := &n.rings[0], &n.rings[1]
	for i, j := 0, 0; i < len(main.notes) || j < len(alone.notes); {
		var note system.Note
		if j == len(alone.notes) || i < len(main.notes) && main.latest(i).At >= alone.latest(j).At {
			note = *main.latest(i)
			i++
		} else {
			note = *alone.latest(j)
			j++
		}
		if !yield(note) {
			return
		}
	}
}

func (r *ring) add(note system.Note) {
	if len(r.notes) < cap(r.notes) {
		r.notes = append(r.notes, note)
		return
	}
	r.notes[r.next] = note
	r.next = (r.next + 1) % len(r.notes)
}

// latest returns the i-th newest note.
func (r *ring) latest(i int) *system.Note {
	return &r.notes[(r.next-1-i+2*len(r.notes))%len(r.notes)]
}
