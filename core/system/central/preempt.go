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
	book   *book
	random *rng.Stream
	began  []unit.Time // by slot: when a task got its place
	could  []unit.NodeID
	others []runner
	chosen []unit.TaskID
}

// runner is a task of lower priority on a node.
type runner struct {
	task unit.TaskID
	kube.Victim
	t cluster.Task
}

// started tells that a task got a place.
func (p *preemption) started(id unit.TaskID, at unit.Time) {
	for int(id.Slot()) >= len(p.began) {
		p.began = append(p.began, 0)
	}
	p.began[id.Slot()] = at
}

// find returns the node on which tasks are preempted for a demand, and these tasks,
// or unit.NoNode. Nodes that are down or do not suit the task are none of those that
// could help. The search begins anywhere and ends when enough nodes were found.
func (p *preemption) find(d *demand, priority uint8) (unit.NodeID, []unit.TaskID) {
	p.could, p.chosen = p.could[:0], p.chosen[:0]
	if priority == 0 {
		return unit.NoNode, nil // nobody's is lower
	}
	v := p.book.view
	var suits cluster.Suitable
	sets(v, d, &suits)
	for n := range unit.NodeID(v.Nodes()) {
		if v.Up(n) && suits.Has(n) && d.need.Within(v.Capacity(n)) {
			p.could = append(p.could, n)
		}
	}
	if len(p.could) == 0 {
		return unit.NoNode, nil
	}
	offset, most := p.random.Intn(len(p.could)), kube.NumCandidates(len(p.could))
	best, found := unit.NoNode, 0
	candidates := [2]kube.Candidate{} // the best, and another
	for i := range p.could {
		n := p.could[(offset+i)%len(p.could)]
		victims, helps := p.on(n, d, priority)
		if !helps {
			continue
		}
		candidates[1].Victims = candidates[1].Victims[:0]
		for _, one := range victims {
			candidates[1].Victims = append(candidates[1].Victims, one.Victim)
		}
		if best == unit.NoNode || kube.Pick(candidates[:]) == 1 {
			best = n
			candidates[0], candidates[1] = candidates[1], candidates[0]
			p.chosen = p.chosen[:0]
			for _, one := range victims {
				p.chosen = append(p.chosen, one.task)
			}
		}
		if found++; found == most {
			break
		}
	}
	return best, p.chosen
}

// on returns the tasks that have to leave a node for a demand, the most important
// first: without all tasks of lower priority it fits; then as many stay as can, the
// most important first. helps is false where it does not fit, or needs nobody gone.
func (p *preemption) on(n unit.NodeID, d *demand, priority uint8) (victims []runner, helps bool) {
	v := p.book.view
	m := p.book.limits.machineType(v.Capacity(n))
	have := loadOf(v, n)
	p.others = p.others[:0]
	for id := range v.Tasks(n) {
		if t, _ := v.Task(id); t.Priority < priority {
			p.others = append(p.others, runner{id, kube.Victim{Priority: int32(t.Priority), Start: int64(p.began[id.Slot()])}, t})
			have = have.without(&t)
		}
	}
	if len(p.others) == 0 || !p.admits(d, &m, &have) {
		return nil, false
	}
	slices.Reverse(p.others) // those that are there the longest first
	slices.SortStableFunc(p.others, func(a, b runner) int {
		switch {
		case kube.MoreImportant(a.Victim, b.Victim):
			return -1
		case kube.MoreImportant(b.Victim, a.Victim):
			return 1
		}
		return 0
	})
	victims = p.others[:0]
	for _, one := range p.others {
		with := have.with(&one.t)
		if p.admits(d, &m, &with) {
			have = with
		} else {
			victims = append(victims, one)
		}
	}
	return victims, len(victims) > 0
}

func (p *preemption) admits(d *demand, m *machineType, have *load) bool {
	room := p.book.limits.room(m, have)
	return d.need.Within(room[d.class])
}
