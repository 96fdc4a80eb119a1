package central

import (
	"slices"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system/central/kube"
	"parley/core/unit"
)

// preemption finds the tasks that make room for one of higher priority, by the rules
// of kube-scheduler's DefaultPreemption, whatever the policy.
type preemption struct {
	book    *book
	random  *rng.Stream
	began   []unit.Time // by slot: when a task got its place
	tenants []tenants   // by node
	could   []unit.NodeID
	victims []tenant
	chosen  []unit.TaskID
}

// tenants are the tasks of a node, the most important first.
type tenants struct {
	read  uint32 // see page
	list  []tenant
	have  load   // of the node, when steps were made
	steps []step // the lowest priority first; none: they are not made
}

// step is the room on a node without its tasks of one priority and of lower ones.
type step struct {
	priority int32
	room     room
}

// tenant is a task on a node.
type tenant struct {
	task unit.TaskID
	kube.Victim
	load load // its part of the node's
}

// started tells that a task got a place.
func (p *preemption) started(id unit.TaskID, at unit.Time) {
	for int(id.Slot()) >= len(p.began) {
		p.began = append(p.began, 0)
	}
	p.began[id.Slot()] = at
}

// find returns the node on which tasks are preempted for a demand, and these tasks,
// or unit.NoNode. It follows a choice that found no node. Nodes that are down or do
// not suit the task are none of those that could help. The search begins anywhere and
// ends when enough nodes were found.
func (p *preemption) find(d *demand, priority uint8) (unit.NodeID, []unit.TaskID) {
	p.could, p.chosen = p.could[:0], p.chosen[:0]
	if priority == 0 {
		return unit.NoNode, nil // nobody's is lower
	}
	var suits cluster.Suitable
	sets(p.book.view, d, &suits)
	for i := range p.book.nodes {
		if n := unit.NodeID(i); p.book.nodes[n].up && suits.Has(n) {
			p.could = append(p.could, n)
		}
	}
	if len(p.could) == 0 {
		return unit.NoNode, nil
	}
	for len(p.tenants) < len(p.book.nodes) {
		p.tenants = append(p.tenants, tenants{})
	}
	offset, most := p.random.Intn(len(p.could)), kube.NumCandidates(len(p.could))
	best, found := unit.NoNode, 0
	candidates := [2]kube.Candidate{} // the best, and another
	for i := range p.could {
		n := p.could[(offset+i)%len(p.could)]
		if !p.on(n, d, int32(priority)) {
			continue
		}
		candidates[1].Victims = candidates[1].Victims[:0]
		for i := range p.victims {
			candidates[1].Victims = append(candidates[1].Victims, p.victims[i].Victim)
		}
		if best == unit.NoNode || kube.Pick(candidates[:]) == 1 {
			best = n
			candidates[0], candidates[1] = candidates[1], candidates[0]
			p.chosen = p.chosen[:0]
			for i := range p.victims {
				p.chosen = append(p.chosen, p.victims[i].task)
			}
		}
		if found++; found == most {
			break
		}
	}
	return best, p.chosen
}

// on sets victims to the tasks that have to leave a node for a demand, the most
// important first, and reports whether there are any that help: without all tasks of
// lower priority it fits; then as many stay as can, the most important first.
func (p *preemption) on(n unit.NodeID, d *demand, priority int32) (helps bool) {
	have := loadOf(p.book.view, n)
	room := p.without(n, priority, &have)
	if room == nil || !d.need.Within(room[d.class]) {
		return false
	}
	list, lower := p.tenants[n].list, 0
	for lower < len(list) && list[lower].Priority >= priority {
		lower++
	}
	for i := range list[lower:] {
		have.take(&list[lower+i].load)
	}
	m := &p.book.types[p.book.nodes[n].kind]
	p.victims = p.victims[:0]
	for _, one := range list[lower:] {
		have.add(&one.load)
		if !p.admits(d, m, &have) {
			have.take(&one.load)
			p.victims = append(p.victims, one)
		}
	}
	return len(p.victims) > 0
}

// without returns the room on a node, whose load is given, without its tasks below a
// priority, or nil where it has none. A task that waits asks every node, so the
// answers are kept as long as nothing changes there.
func (p *preemption) without(n unit.NodeID, priority int32, have *load) *room {
	p.at(n)
	here := &p.tenants[n]
	if len(here.steps) == 0 || here.have != *have { // news of a change may be still to come
		p.climb(here, &p.book.types[p.book.nodes[n].kind], *have)
	}
	for i := len(here.steps) - 1; i >= 0; i-- {
		if here.steps[i].priority < priority {
			return &here.steps[i].room
		}
	}
	return nil
}

// climb makes the steps of a node with a load.
func (p *preemption) climb(here *tenants, m *machineType, have load) {
	here.have, here.steps = have, here.steps[:0]
	for i := len(here.list) - 1; i >= 0; i-- {
		one := &here.list[i]
		have.take(&one.load)
		if i == 0 || here.list[i-1].Priority > one.Priority {
			here.steps = append(here.steps, step{one.Priority, p.book.limits.room(m, &have)})
		}
	}
}

// at returns the tasks of a node, the most important first and of those alike the
// longest there.
func (p *preemption) at(n unit.NodeID) []tenant {
	here := &p.tenants[n]
	if here.read == p.book.nodes[n].read {
		return here.list
	}
	here.read, here.list, here.steps = p.book.nodes[n].read, here.list[:0], here.steps[:0]
	for id := range p.book.view.Tasks(n) {
		t, _ := p.book.view.Task(id)
		here.list = append(here.list, tenant{id, kube.Victim{Priority: int32(t.Priority), Start: int64(p.began[id.Slot()])}, loadBy(&t)})
	}
	slices.Reverse(here.list)
	slices.SortStableFunc(here.list, func(a, b tenant) int {
		switch {
		case kube.MoreImportant(a.Victim, b.Victim):
			return -1
		case kube.MoreImportant(b.Victim, a.Victim):
			return 1
		}
		return 0
	})
	return here.list
}

func (p *preemption) admits(d *demand, m *machineType, have *load) bool {
	room := p.book.limits.room(m, have)
	return d.need.Within(room[d.class])
}
