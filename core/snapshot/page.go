package snapshot

import (
	"math/bits"
	"slices"
)

// pageWords is how many words of eight bytes a page has; the last of a block has fewer.
const pageWords = 512

// page is a part of a block: a base that it shares with what stood in its place at
// other times, and what is different.
type page struct {
	base *base
	diff []uint64 // a bit for each word of the base, then the words whose bits are set; nil: nothing is different
	uses int      // blocks that hold it
}

// base is a page as it once was.
type base struct {
	words []uint64
	uses  int // pages that hold it
}

// block is a snapshot's copy of a block of memory, or of a map's entries.
type block struct {
	layout *layout
	n      int // values, or entries
	pages  []*page
	uses   int // snapshots that hold it
}

// store counts what snapshots share.
type store struct {
	bytes   int
	scratch []uint64
}

// What blocks, pages and bases need beside their words, in bytes.
const (
	blockBytes = 64
	pageBytes  = 56
	baseBytes  = 32
)

// block returns what holds the words; as much as possible of old, which may be nil.
func (s *store) block(old *block, l *layout, n int, words []uint64) *block {
	b := &block{layout: l, n: n, pages: make([]*page, 0, (len(words)+pageWords-1)/pageWords)}
	same := old != nil
	for i := 0; len(words) > 0; i++ {
		part := words[:min(pageWords, len(words))]
		words = words[len(part):]
		var before *page
		if old != nil && i < len(old.pages) {
			before = old.pages[i]
		}
		p := s.page(before, part)
		same = same && p == before
		b.pages = append(b.pages, p)
	}
	if same && len(b.pages) == len(old.pages) && n == old.n {
		old.uses++
		return old
	}
	b.uses = 1
	s.bytes += blockBytes
	for _, p := range b.pages {
		p.uses++
	}
	return b
}

// page returns what holds the words, which may be old.
func (s *store) page(old *page, words []uint64) *page {
	p := &page{}
	if old != nil && len(old.base.words) == len(words) {
		changed := s.compare(old.base.words, words)
		if slices.Equal(old.diff, s.scratch) {
			return old
		}
		if 2*changed <= len(words) {
			p.base, p.diff = old.base, slices.Clone(s.scratch)
		}
	}
	if p.base == nil {
		p.base = &base{words: slices.Clone(words)}
		s.bytes += baseBytes + 8*len(words)
	}
	p.base.uses++
	s.bytes += pageBytes + 8*len(p.diff)
	return p
}

// compare leaves in scratch how words are different from a base, and returns how
// many are.
func (s *store) compare(base, words []uint64) (changed int) {
	mask := (len(base) + 63) / 64
	s.scratch = slices.Grow(s.scratch[:0], mask+len(base))[:mask]
	clear(s.scratch)
	base = base[:len(words)]
	for i, x := range words {
		if x != base[i] {
			s.scratch[i/64] |= 1 << (i % 64)
			s.scratch = append(s.scratch, x)
		}
	}
	if changed = len(s.scratch) - mask; changed == 0 {
		s.scratch = s.scratch[:0]
	}
	return changed
}

// words appends what a block holds.
func (b *block) words(to []uint64) []uint64 {
	for _, p := range b.pages {
		at := len(to)
		to = append(to, p.base.words...)
		if len(p.diff) == 0 {
			continue
		}
		mask := (len(p.base.words) + 63) / 64
		next := p.diff[mask:]
		for i, m := range p.diff[:mask] {
			for ; m != 0; m &= m - 1 {
				to[at+64*i+bits.TrailingZeros64(m)] = next[0]
				next = next[1:]
			}
		}
	}
	return to
}

// release gives up one use of a block.
func (s *store) release(b *block) {
	if b.uses--; b.uses > 0 {
		return
	}
	s.bytes -= blockBytes
	for _, p := range b.pages {
		if p.uses--; p.uses > 0 {
			continue
		}
		s.bytes -= pageBytes + 8*len(p.diff)
		if p.base.uses--; p.base.uses == 0 {
			s.bytes -= baseBytes + 8*len(p.base.words)
		}
	}
}

// numbering gives what is seen again the number that it had.
type numbering struct {
	ids, before map[place]uint32
	free        []uint32
	next        uint32
}

// place is where a block of memory is; of what is shared, where it begins.
type place struct {
	at     address
	layout *layout
	n      int
}

// begin begins another round, in which number says what there is.
func (n *numbering) begin() { n.before, n.ids = n.ids, make(map[place]uint32, len(n.ids)) }

func (n *numbering) number(k place) uint32 {
	if id, known := n.ids[k]; known {
		return id
	}
	id, known := n.before[k]
	switch {
	case known:
		delete(n.before, k)
	case len(n.free) > 0:
		id = n.free[len(n.free)-1]
		n.free = n.free[:len(n.free)-1]
	default:
		id = n.next
		n.next++
	}
	n.ids[k] = id
	return id
}

// end lets the numbers of what is no more be used again.
func (n *numbering) end() {
	for _, id := range n.before {
		n.free = append(n.free, id)
	}
	n.before = nil
}
