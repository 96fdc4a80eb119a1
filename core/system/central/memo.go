package central

import (
	"parley/core/kube/score"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// memo keeps the scores of nodes for one kind of task without constraints: the tasks of a job have
// equal requests, and a node that has not changed has the same score. Nodes are in blocks, so that
// a search skips blocks as a whole.
type memo struct {
	need, request unit.Vec
	class         workload.PriorityClass
	scores        []int16     // by node
	blocks        []memoBlock // empty: of no kind of task
}

// memoBlock is memoSize nodes that follow each other; the last one may have fewer.
type memoBlock struct {
	state memoState
	best  int16 // the highest score
	equal uint8 // nodes that have it
	fits  uint8 // nodes with room
}

// memoSize is the number of nodes of a block.
const memoSize = 32

type memoState uint8

// How much of a block is known.
const (
	memoUnread memoState = iota // nothing
	memoStale                   // the scores, but of nodes that changed
	memoKnown
)

// A score of a memo that is none.
const (
	unscored = -2
	full     = -1 // the node has no room
)

// of reports whether the memo is about tasks like those of a demand.
func (m *memo) of(d *demand) bool {
	return len(m.blocks) > 0 && m.need == d.need && m.request == d.request && m.class == d.class
}

// forget drops the scores of nodes that changed, or all of them.
func (m *memo) forget(changed []unit.NodeID, whole bool) {
	switch {
	case !whole:
		m.blocks = m.blocks[:0]
	case len(m.blocks) > 0:
		for _, n := range changed {
			m.scores[n] = unscored
			if b := &m.blocks[n/memoSize]; b.state == memoKnown {
				b.state = memoStale
			}
		}
	}
}

// memoOf returns the memo about tasks like those of a demand, which replaces the one that was used
// longest ago by then if there is none.
func (p *sampled) memoOf(d *demand) *memo {
	for i := range p.memos {
		if p.memos[i].of(d) {
			p.recent = i
			return &p.memos[i]
		}
	}
	p.recent = (p.recent + 1) % len(p.memos)
	m := &p.memos[p.recent]
	if n := len(p.nodes); cap(m.scores) < n {
		m.scores, m.blocks = make([]int16, n), make([]memoBlock, (n+memoSize-1)/memoSize)
	}
	m.need, m.request, m.class, m.scores = d.need, d.request, d.class, m.scores[:len(p.nodes)]
	m.blocks = m.blocks[:(len(p.nodes)+memoSize-1)/memoSize]
	clear(m.blocks)
	return m
}

// window is the nodes that a search in a memo looked at, in turn from one on.
type window struct {
	latest bool // the latest search was one in the memo that was used last
	from   int
	found  int // nodes with room
}

// recall is sample and scoreAll for a task without constraints. It returns the highest score among the
// nodes with room, and how many have it.
func (p *sampled) recall(d *demand) (best int16, equal int) {
	n := len(p.nodes)
	enough, found, at := score.NumFeasibleNodesToFind(n, p.profile.Percentage), 0, p.start
	m, pairs := p.memoOf(d), p.pairable(d)
	p.window.latest, p.window.from, p.looked = true, at, 0
	best = full
	for p.looked < n && found < enough {
		b := &m.blocks[at/memoSize]
		if b.state != memoKnown {
			p.renew(m, at/memoSize, d, pairs)
		}
		end, whole := m.part(at, n-p.looked)
		if whole && found+int(b.fits) < enough {
			found += int(b.fits)
			switch {
			case b.best > best:
				best, equal = b.best, int(b.equal)
			case b.best == best:
				equal += int(b.equal)
			}
			p.looked += end - at
			at = end
		} else {
			for ; at < end && found < enough; at++ {
				p.looked++
				s := m.scores[at]
				if s == full {
					continue
				}
				found++
				if s > best {
					best, equal = s, 0
				}
				if s == best {
					equal++
				}
			}
		}
		if at == n {
			at = 0
		}
	}
	p.window.found, p.start = found, at
	return best, equal
}

// part returns the end of the part of a block that begins at node at and has at most limit nodes, and
// whether that part is the whole block.
func (m *memo) part(at, limit int) (end int, whole bool) {
	last := min(at-at%memoSize+memoSize, len(m.scores))
	return min(last, at+limit), at%memoSize == 0 && last-at <= limit
}

// pick returns a node of the latest search in a memo: of those with the score best, the one that comes
// after behind others. unit.NoNode if there are not enough.
func (p *sampled) pick(best int16, behind int) unit.NodeID {
	m, at := &p.memos[p.recent], p.window.from
	for left := p.looked; left > 0; {
		b := &m.blocks[at/memoSize]
		end, whole := m.part(at, left)
		left -= end - at
		if whole && (b.best != best || int(b.equal) <= behind) {
			if b.best == best {
				behind -= int(b.equal)
			}
			at = end
		}
		for ; at < end; at++ {
			if m.scores[at] != best {
				continue
			}
			if behind == 0 {
				return unit.NodeID(at)
			}
			behind--
		}
		if at == len(m.scores) {
			at = 0
		}
	}
	return unit.NoNode
}

// bestOf is best for the latest search in a memo.
func (p *sampled) bestOf(k int) (list []system.Candidate) {
	m := &p.memos[p.recent]
	for i := range p.looked {
		n := (p.window.from + i) % len(m.scores)
		switch s := m.scores[n]; {
		case s == full:
		case p.window.found == 1:
			list = enter(list, k, unit.NodeID(n), 0) // without scores, as the original
		default:
			list = enter(list, k, unit.NodeID(n), float64(s))
		}
	}
	return list
}

// renew brings a block of a memo up to date: it scores the nodes that changed or are new to it, and sums
// up how many fit, the best score and how many nodes have it.
func (p *sampled) renew(m *memo, block int, d *demand, pairs bool) {
	b, from := &m.blocks[block], block*memoSize
	scores, nodes := m.scores[from:min(from+memoSize, len(m.scores))], p.nodes[from:]
	for i := range scores {
		switch {
		case scores[i] != unscored && b.state != memoUnread:
		case within(&d.need, &nodes[i].room[d.class]):
			scores[i] = unscored
		default:
			scores[i] = full
		}
	}
	p.rate(scores, from, d, pairs)
	best, equal, fits := int16(full), 0, 0
	for _, s := range scores {
		if s == full {
			continue
		}
		fits++
		if s > best {
			best, equal = s, 0
		}
		if s == best {
			equal++
		}
	}
	*b = memoBlock{state: memoKnown, best: best, equal: uint8(equal), fits: uint8(fits)}
}
