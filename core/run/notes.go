package run

import (
	"parley/core/fifo"
	"parley/core/system"
)

// Notes keeps the latest notes of a system, the oldest forgotten first. Minor
// ones that belong to no group, such as the placements of new tasks, are so many
// that they are kept apart: they push out one another and nothing else.
type Notes struct {
	rings [2]*fifo.Ring[system.Note]
	seen  int64
}

// NewNotes keeps up to n notes, n > 0, and a quarter as many that are minor and
// alone.
func NewNotes(n int) *Notes {
	return &Notes{rings: [2]*fifo.Ring[system.Note]{fifo.NewRing[system.Note](n), fifo.NewRing[system.Note](n/4 + 1)}}
}

// Add keeps one more note.
func (n *Notes) Add(note system.Note) {
	n.seen++
	if note.Minor && note.Ref == 0 {
		n.rings[1].Add(note)
	} else {
		n.rings[0].Add(note)
	}
}

// Seen returns how many notes were ever added.
func (n *Notes) Seen() int64 { return n.seen }

// Latest calls yield for the kept notes, newest first, until it returns false.
// Of one moment those that are minor and alone come last.
func (n *Notes) Latest(yield func(system.Note) bool) {
	main, alone := n.rings[0], n.rings[1]
	for i, j := 0, 0; i < main.Len() || j < alone.Len(); {
		var note system.Note
		if j == alone.Len() || i < main.Len() && main.Latest(i).At >= alone.Latest(j).At {
			note = *main.Latest(i)
			i++
		} else {
			note = *alone.Latest(j)
			j++
		}
		if !yield(note) {
			return
		}
	}
}
