package central

import (
	"slices"

	"parley/core/kube/score"
	"parley/core/unit"
	"parley/core/workload"
)

// memo keeps the scores of nodes for one kind of task without constraints: the tasks of a job ask
// for the same, and a node that has not changed has the same score.
type memo struct {
	need, request unit.Vec
	class         workload.PriorityClass
	scores        []int16 // by node; empty: of no kind of task
}

// A score of a memo that is none.
const (
	unscored = -2
	full     = -1 // the node has no room
)

// of reports whether the memo is about tasks like those of a demand.
func (m *memo) of(d *demand) bool {
	return len(m.scores) > 0 && m.need == d.need && m.request == d.request && m.class == d.class
}

// forget drops the scores of nodes that changed, or all of them.
func (m *memo) forget(changed []unit.NodeID, whole bool) {
	switch {
	case !whole:
		m.scores = m.scores[:0]
	case len(m.scores) > 0:
		for _, n := range changed {
			m.scores[n] = unscored
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
	if cap(m.scores) < len(p.nodes) {
		m.scores = make([]int16, len(p.nodes))
	}
	m.need, m.request, m.class, m.scores = d.need, d.request, d.class, m.scores[:len(p.nodes)]
	for i := range m.scores {
		m.scores[i] = unscored
	}
	return m
}

// recall is sample and scoreAll for a task without constraints.
func (p *sampled) recall(d *demand) (best int16, equal int) {
	n := len(p.nodes)
	enough := score.NumFeasibleNodesToFind(n, p.profile.Percentage)
	kept, pairs := p.memoOf(d).scores, p.pairable(d)
	list, scores := slices.Grow(p.enough[:0], enough)[:enough], slices.Grow(p.scores[:0], enough)[:enough]
	found, at := 0, p.start
	p.looked = 0
	best = full
	for p.looked < n && found < enough {
		row := kept[at:min(n, at+n-p.looked)]
		i := 0
		for ; i < len(row) && found < enough; i++ {
			s := row[i]
			if s == unscored {
				s = p.rate(unit.NodeID(at+i), d, pairs)
				row[i] = s
			}
			if s == full {
				continue
			}
			list[found], scores[found] = unit.NodeID(at+i), s
			found++
			if s >= best {
				if s > best {
					best, equal = s, 0
				}
				equal++
			}
		}
		p.looked += i
		if at += i; at == n {
			at = 0
		}
	}
	p.enough, p.scores, p.start = list[:found], scores[:found], at
	return best, equal
}

// rate returns the score of a node, or full.
func (p *sampled) rate(n unit.NodeID, d *demand, pairs bool) int16 {
	if !within(&d.need, &p.nodes[n].room[d.class]) {
		return full
	}
	return p.scoreOf(n, d, pairs)
}
