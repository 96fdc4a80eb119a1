package broker

import (
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// idleList holds nodes that are believed to be idle, which a search of limited
// length may never meet (section 8.2, which the paper leaves for later).
type idleList struct {
	nodes []unit.NodeID
	place []int32 // by node: its place on that list, from 1
	limit int     // to be listed; 0: no list
}

func (l *idleList) grow() { l.place = append(l.place, 0) }

func (l *idleList) clear() {
	for len(l.nodes) > 0 {
		l.drop(l.nodes[0])
	}
}

func (l *idleList) add(n unit.NodeID) {
	l.nodes = append(l.nodes, n)
	l.place[n] = int32(len(l.nodes))
}

// drop takes a node off the list; the last one takes its place.
func (l *idleList) drop(n unit.NodeID) {
	last := len(l.nodes) - 1
	at := l.place[n] - 1
	l.nodes[at] = l.nodes[last]
	l.place[l.nodes[at]] = at + 1
	l.place[n] = 0
	l.nodes = l.nodes[:last]
}

// listIdle keeps the list after news of a node.
func (b *Broker) listIdle(n unit.NodeID) {
	if b.idle.limit == 0 {
		return
	}
	switch idle := b.entry(n).idle(); {
	case b.idle.place[n] > 0 && !idle:
		b.idle.drop(n)
	case b.idle.place[n] == 0 && idle && len(b.idle.nodes) < b.idle.limit:
		b.idle.add(n)
	}
}

// scoreIdle offers the listed idle nodes that fit to the scan, and drops those whose report is too old.
// Their score is that of the task alone on them.
func (b *Broker) scoreIdle(q *Query) {
	for i := len(b.idle.nodes) - 1; i >= 0; i-- { // drop moves only nodes that were scored
		n := b.idle.nodes[i]
		if b.seen[n] < q.Oldest {
			b.idle.drop(n)
			continue
		}
		c := b.entry(n)
		per := b.machines.per(c)
		if q.wantsHeadroom() && b.breaks(q, c, &b.headroom[b.place[n]]) || !q.admits(n) {
			continue
		}
		value := q.Scorer.Score(score.Load(&q.Need, per))
		if q.Scorer.IdleFirst && value > 0 {
			value = score.Perfect
		}
		if value > 0 {
			b.scan.offer(n, value)
		}
	}
}
