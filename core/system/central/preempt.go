package central

import (
	"math/bits"

	"parley/core/cluster"
	"parley/core/kube/score"
	"parley/core/rng"
	"parley/core/unit"
)

// preemption finds the tasks that make room for one of higher priority, by the rules of
// kube-scheduler's DefaultPreemption, for every policy. It sees the nodes as the book does. Few
// nodes can help in a full cell, and an index (see freed) finds them; the choice is the same as
// that of a search of all nodes.
type preemption struct {
	book     *book
	policy   policy
	random   *rng.Stream
	began    []unit.Time // by slot: when a task got its place
	tenants  []tenants   // by node
	up       []uint64    // a bit for each node that is up
	freed    [2][]freed  // by class and priority; made when one is asked for
	suitable cluster.Suitable
	found    [2]score.Candidate // the best node, and another
	tasks    [2][]unit.TaskID   // the victims there
}

func newPreemption(b *book, p policy, random *rng.Stream) *preemption {
	b.logs = true
	return &preemption{book: b, policy: p, random: random}
}

// started records that a task got a place.
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
	if priority == 0 {
		return unit.NoNode, nil // no task has a lower one
	}
	p.sync()
	p.book.view.Suitable(d.task, &p.suitable)
	could := 0
	for i := range p.up {
		could += bits.OnesCount64(p.candidates(i))
	}
	if could == 0 {
		return unit.NoNode, nil
	}
	from, largest := p.nth(p.random.Intn(could)), score.NumCandidates(could)
	f := p.of(d, priority)
	best, found := unit.NoNode, 0
	first, before := int(from)/groupSize, uint64(1)<<(uint32(from)%groupSize)-1
	for i := range len(p.up) + 1 { // the first group twice: its end at first, its beginning at last
		g := (first + i) % len(p.up)
		group := p.candidates(g)
		switch i {
		case 0:
			group &^= before
		case len(p.up):
			group &= before
		}
		if group == 0 || !f.mayHelp(g, d) {
			continue
		}
		for ; group != 0; group &= group - 1 {
			n := unit.NodeID(g*groupSize + bits.TrailingZeros64(group))
			if !d.need.Within(f.rooms[n]) || !p.policy.allows(d, n) {
				continue
			}
			helps, better := p.on(n, d, int32(priority), best != unit.NoNode)
			if better {
				best = n
				p.found[0], p.found[1] = p.found[1], p.found[0]
				p.tasks[0], p.tasks[1] = p.tasks[1], p.tasks[0]
			}
			if helps {
				if found++; found == largest {
					return best, p.tasks[0]
				}
			}
		}
	}
	if best == unit.NoNode {
		return unit.NoNode, nil
	}
	return best, p.tasks[0]
}

// candidates returns the nodes of a group that are up and suit the task, as bits.
func (p *preemption) candidates(group int) uint64 { return p.up[group] & p.suitable.Group(group) }

// nth returns the node before which there are k of those that could help.
func (p *preemption) nth(k int) unit.NodeID {
	for g := range p.up {
		group := p.candidates(g)
		if n := bits.OnesCount64(group); k >= n {
			k -= n
			continue
		}
		for ; k > 0; k-- {
			group &= group - 1
		}
		return unit.NodeID(g*groupSize + bits.TrailingZeros64(group))
	}
	return unit.NoNode
}

// on reports whether a demand fits a node without tasks of lower priority and, if it does, whether
// the cost is lower than that of the best node found so far. In that case found[1] and tasks[1]
// hold the cost: without all tasks of lower priority the demand fits; then as many as possible are
// kept, the most important first.
func (p *preemption) on(n unit.NodeID, d *demand, priority int32, another bool) (helps, better bool) {
	own := &p.tenants[n]
	last := own.lowest(d, priority)
	if last == nil {
		return false, false
	}
	// Without the tasks of this priority and of lower ones there is room, without the
	// lower ones alone there is not: so all above stay, and one of these has to go.
	if another && last.priority > p.found[0].Victims[0].Priority {
		return true, false
	}
	have := own.have
	list := own.list
	for list[0].Priority > last.priority {
		list = list[1:]
	}
	for i := range list {
		have.take(&list[i].load)
	}
	m := &p.book.types[p.book.nodes[n].kind]
	c := &p.found[1]
	c.Victims, p.tasks[1] = c.Victims[:0], p.tasks[1][:0]
	for i := range list {
		have.add(&list[i].load)
		if p.admits(d, m, &have) {
			continue
		}
		have.take(&list[i].load)
		c.Victims, p.tasks[1] = append(c.Victims, list[i].Victim), append(p.tasks[1], list[i].task)
	}
	if len(c.Victims) == 0 {
		return false, false // there is room as it is
	}
	return true, !another || score.Pick(p.found[:]) == 1
}

func (p *preemption) admits(d *demand, m *machineType, have *load) bool {
	room := p.book.limits.room(m, have)
	return d.need.Within(room[d.class])
}
