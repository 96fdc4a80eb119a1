package negotiation

import (
	"cmp"
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// Tasks that fit nowhere are tried again once a minute, each at the cost of a
// search of the whole cache: as many as read that many of its entries, or 64.
const (
	readAMinute = 800_000
	minRetries  = 64
)

// retryParked tries the tasks that fitted nowhere once more, the longest
// waiting first; with preemption half of them are the most urgent ones. Those
// that a quota holds back cost no search.
func (p *placements) retryParked() {
	left := max(minRetries, readAMinute/max(1, p.brokers.nodes))
	p.retried = p.retried[:0]
	if p.settings.Later.Preempt {
		left /= 2
		p.retried = append(p.retried, p.urgent(left)...)
	}
	kept := p.parked[:0]
	for _, id := range p.parked {
		task, alive := p.View.Task(id)
		switch {
		case !alive || task.State != cluster.Waiting || slices.Contains(p.retried, id):
		case left == 0 || p.accounts.overQuota(&task):
			kept = append(kept, id)
		default:
			left--
			p.retried = append(p.retried, id)
		}
	}
	p.parked = kept
	for _, id := range p.retried {
		p.allocate(id)
	}
}

// urgent returns up to n of the parked tasks, the highest priority first.
func (p *placements) urgent(n int) []unit.TaskID {
	priority := func(id unit.TaskID) int {
		t, alive := p.View.Task(id)
		if !alive || t.State != cluster.Waiting || p.accounts.overQuota(&t) {
			return -1
		}
		return int(t.Priority)
	}
	tasks := slices.DeleteFunc(slices.Clone(p.parked), func(id unit.TaskID) bool { return priority(id) < 0 })
	slices.SortStableFunc(tasks, func(x, y unit.TaskID) int { return cmp.Compare(priority(y), priority(x)) })
	return tasks[:min(n, len(tasks))]
}
