package inspect

import (
	"parley/core/fifo"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// Notes keeps the latest notes of a system, the oldest forgotten first. Minor
// ones that belong to no group, such as the placements of new tasks, are limited to the latest
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

// How many messages a frame shows, and how many notes are looked at for them.
const (
	maxRequested = 60
	maxLooked    = 600
)

// draw adds the latest messages between two nodes, told since a moment, to a frame:
// evenly sampled if there are many.
func (n *Notes) draw(f *frame.Frame, since unit.Time) {
	if n == nil {
		return
	}
	var fresh []frame.Arc
	looked := 0
	for note := range n.Latest {
		if looked++; note.At <= since || looked > maxLooked {
			break
		}
		if note.Node >= 0 && note.Other >= 0 && note.Node != note.Other && int(max(note.Node, note.Other)) < f.Cells {
			fresh = append(fresh, frame.Arc{From: note.Node, To: note.Other, Kind: frame.Messaged})
		}
	}
	for i, count := 0, min(len(fresh), maxRequested); i < count; i++ {
		f.Arcs = append(f.Arcs, fresh[i*len(fresh)/count])
	}
}

// full reports whether the next note pushes out an older one, beside those that are
// minor and alone.
func (n *Notes) full() bool { return n.rings[0].Leaving() != nil }

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
