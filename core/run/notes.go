package run

import "parley/core/system"

// Notes keeps the latest notes of a system, the oldest forgotten first.
type Notes struct {
	ring []system.Note
	next int
	seen int64
}

// NewNotes keeps up to n notes, n > 0.
func NewNotes(n int) *Notes { return &Notes{ring: make([]system.Note, 0, n)} }

// Add keeps one more note.
func (n *Notes) Add(note system.Note) {
	n.seen++
	if len(n.ring) < cap(n.ring) {
		n.ring = append(n.ring, note)
		return
	}
	n.ring[n.next] = note
	n.next = (n.next + 1) % len(n.ring)
}

// Seen returns how many notes were ever added.
func (n *Notes) Seen() int64 { return n.seen }

// Latest calls yield for the kept notes, newest first, until it returns false.
func (n *Notes) Latest(yield func(system.Note) bool) {
	for i := range n.ring {
		if !yield(n.ring[(n.next-1-i+2*len(n.ring))%len(n.ring)]) {
			return
		}
	}
}
