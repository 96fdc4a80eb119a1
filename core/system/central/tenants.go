package central

import (
	"slices"

	"parley/core/kube/score"
	"parley/core/unit"
)

// tenants are the tasks of a node that preemption considers.
type tenants struct {
	read  uint32   // which read of the book's page it is as old as
	have  load     // of the node
	list  []tenant // its tasks, the most important first, of those alike the longest there
	steps []step   // the lowest priority first
}

// tenant is a task on a node.
type tenant struct {
	task unit.TaskID
	score.Victim
	load load // its part of the node's
}

// step is the room on a node without its tasks of one priority and of lower ones.
type step struct {
	priority int32
	room     room
}

// lowest returns the first step below a priority at which a demand fits, nil if there
// is none.
func (t *tenants) lowest(d *demand, priority int32) *step {
	for i := range t.steps {
		s := &t.steps[i]
		if s.priority >= priority {
			break
		}
		if d.need.Within(s.room[d.class]) {
			return s
		}
	}
	return nil
}

// without returns the room on the node without its tasks below a priority; noRoom if it has no such
// tasks, because then preemption frees nothing.
func (t *tenants) without(priority int32) *room {
	for i := len(t.steps) - 1; i >= 0; i-- {
		if t.steps[i].priority < priority {
			return &t.steps[i].room
		}
	}
	return &noRoom
}

// visit reads a node's tasks, the most important first, and computes a step for each priority among
// them: the room on the node without its tasks of that priority and below.
func (p *preemption) visit(n unit.NodeID) {
	t := &p.tenants[n]
	t.read, t.have, t.list, t.steps = p.book.nodes[n].read, loadOf(p.book.view, n), t.list[:0], t.steps[:0]
	for id := range p.book.view.Tasks(n) {
		one, _ := p.book.view.Task(id)
		t.list = append(t.list,
			tenant{id, score.Victim{Priority: int32(one.Priority), Start: int64(p.began[id.Slot()])}, loadBy(&one)})
	}
	slices.Reverse(t.list)
	slices.SortStableFunc(t.list, func(a, b tenant) int {
		switch {
		case score.MoreImportant(a.Victim, b.Victim):
			return -1
		case score.MoreImportant(b.Victim, a.Victim):
			return 1
		}
		return 0
	})
	m, have := &p.book.types[p.book.nodes[n].kind], t.have
	for i := len(t.list) - 1; i >= 0; i-- {
		have.take(&t.list[i].load)
		if i == 0 || t.list[i-1].Priority > t.list[i].Priority {
			t.steps = append(t.steps, step{t.list[i].Priority, p.book.limits.room(m, &have)})
		}
	}
}
