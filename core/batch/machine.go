package batch

import (
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// Node is an amount of a node's resources.
type Node struct {
	Processors, GPUs int32
	Memory           unit.Bytes
}

// Part is a job's part of a node.
type Part struct {
	Node       int32
	Processors int32
	holds      Node // for its own use or, on a node that it has alone, all
}

// machine is a site of nodes. A job fits if each of its parts fits on one node; the free resources
// of a node over time are a staircase of their own.
//
// A job with a number of nodes gets equal parts on the lowest nodes that have room, each with as
// much memory as the largest part needs. Without that number it gets processors of the lowest nodes
// with room, each with its share of memory. With GPUs it gets as few nodes as it would need if they
// were empty. If it asks for few leaf switches, its nodes are under those that choose chooses.
type machine struct {
	site  *Site
	nodes []machineNode
	total Profile // free processors of all nodes; a job fits only if they suffice
	found []Part
	now   unit.Time // of the latest pass
	holds [][]Part  // of blocks, as they are listed in the site
	stale bool      // nodes changed: the staircases are of before
	sleep int       // nodes that are asleep

	leaves leaves
	waited unit.Time // of the job that is placed, since its place was first sought
}

type machineNode struct {
	has, full Node // now, and at any time
	steps     []nodeStep
	asleep    bool
	leaf      int32 // index of its leaf switch
}

// nodeStep is the free part of a node from a time on.
type nodeStep struct {
	at   unit.Time
	free Node
}

// SetNode sets the resources of a site's node, by number, from now on; zero if it is down. Running
// jobs stay counted, as with Resize. Call it before the first Submit for at least one node.
func (s *Site) SetNode(n int, has Node) {
	if s.machine == nil {
		s.machine = &machine{site: s}
		s.machine.total.edges = true
	}
	m := s.machine
	for n >= len(m.nodes) {
		m.nodes = append(m.nodes, machineNode{})
	}
	d := &m.nodes[n]
	s.size += int(has.Processors - d.has.Processors)
	d.has, m.stale, s.hole.known = has, true, false
	s.happened++
	if m := &d.full; d.full.Processors < has.Processors || d.full == (Node{}) {
		*m = has
	}
}

// Sleep sets whether a node is asleep: others that have room come before it.
func (s *Site) Sleep(n int, asleep bool) {
	if d := &s.machine.nodes[n]; d.asleep != asleep {
		if d.asleep = asleep; asleep {
			s.machine.sleep++
		} else {
			s.machine.sleep--
		}
	}
}

// Parts returns the parts of nodes that a running job holds. They belong to the site.
func (s *Site) Parts(h Handle) []Part { return s.jobs[h].parts }

// Possible reports whether a job would fit on a site that is empty, with the nodes that it had
// at any time.
func (s *Site) Possible(j Job) bool {
	m := s.machine
	if m == nil {
		return j.Processors <= s.size
	}
	full := func(n *machineNode) Node { return n.full }
	m.spread(&j)
	m.waited = unit.Forever
	if len(j.Components) > 0 {
		return m.placeAll(&j, full, full, false) // as all nodes may be awake or not
	}
	return m.place(&j, full, full)
}

// spread sets Need.Nodes of a job, or of each of its components, that asks for GPUs and leaves the
// number of nodes open; see spreadOne. It works on copies of the components, so those of the caller
// stay.
func (m *machine) spread(j *Job) {
	if len(j.Components) == 0 {
		m.spreadOne(int32(j.Processors), &j.Need)
		return
	}
	j.Components = slices.Clone(j.Components)
	for i := range j.Components {
		c := &j.Components[i]
		m.spreadOne(c.Processors, &c.Need)
	}
}

// spreadOne sets need.Nodes. A given number is cut to the number of processors. If it is 0 and the need
// has GPUs, it becomes the smallest k such that k nodes, when empty, each hold a k-th of the need; 1 if
// no k does, and then the job fits nowhere. Without GPUs it stays 0.
func (m *machine) spreadOne(processors int32, need *workload.Need) {
	if need.Nodes = min(need.Nodes, processors); need.Nodes > 0 || need.GPUs == 0 {
		return
	}
	for k := int32(1); k <= min(processors, int32(len(m.nodes))); k++ {
		part, room := partOf(processors, need, k), int32(0)
		for i := range m.nodes {
			if part.within(m.nodes[i].full) {
				room++
			}
		}
		if room >= k {
			need.Nodes = k
			return
		}
	}
	need.Nodes = 1
}

// partOf returns the largest part of a need that is divided among a number of nodes.
func partOf(processors int32, need *workload.Need, nodes int32) Node {
	up := func(n, k int64) int64 { return (n + k - 1) / k }
	k := int64(nodes)
	return Node{int32(up(int64(processors), k)), int32(up(int64(need.GPUs), k)), unit.Bytes(up(int64(need.Memory), k))}
}

func (a Node) within(b Node) bool {
	return a.Processors <= b.Processors && a.GPUs <= b.GPUs && a.Memory <= b.Memory
}

// add returns a with a number times b.
func (a Node) add(b Node, times int) Node {
	return Node{
		a.Processors + int32(times)*b.Processors, a.GPUs + int32(times)*b.GPUs,
		a.Memory + unit.Bytes(times)*b.Memory,
	}
}

// place finds the parts of a job and leaves them in m.found; it reports whether the whole job has room.
// free and has return the free and the total resources of a node. Nodes that are awake are tried first.
// If the components do not fit beside each other in that order, they are tried with the nodes in the
// order of their numbers.
func (m *machine) place(j *Job, free, has func(*machineNode) Node) bool {
	if len(j.Components) == 0 {
		m.found = m.found[:0]
		return m.placeOne(int32(j.Processors), &j.Need, free, has, m.sleep > 0)
	}
	return m.sleep > 0 && m.placeAll(j, free, has, true) || m.placeAll(j, free, has, false)
}

// placeAll finds the parts of all components and leaves them in m.found; false if one of them has no
// room beside those before it. awakeFirst tries all nodes that are awake before those that sleep.
func (m *machine) placeAll(j *Job, free, has func(*machineNode) Node, awakeFirst bool) bool {
	m.found = m.found[:0]
	for i := range j.Components {
		c := &j.Components[i]
		before := m.found
		left := func(n *machineNode) Node {
			room := free(n)
			for i := range before {
				if &m.nodes[before[i].Node] == n {
					room = room.add(before[i].holds, -1)
				}
			}
			return room
		}
		if !m.placeOne(c.Processors, &c.Need, left, has, awakeFirst) {
			return false
		}
	}
	return true
}

// placeOne appends the parts for one need to m.found, and reports whether they cover all processors; if
// not, m.found has an incomplete list. With awakeFirst the nodes are walked twice: those that are awake,
// then those that sleep. need.Nodes of 0 takes single processors of any number of nodes. A job that
// still waits for few leaf switches is limited to the nodes under those that choose picks.
func (m *machine) placeOne(processors int32, need *workload.Need, free, has func(*machineNode) Node,
	awakeFirst bool,
) bool {
	first, missing := len(m.found), processors
	part := Node{Processors: 1, Memory: partOf(processors, need, processors).Memory}
	if need.Nodes > 0 {
		part = partOf(processors, need, need.Nodes)
	}
	few := need.Switches > 0 && m.waited < need.SwitchWait
	if few && !m.choose(processors, need, part, free, has) {
		return false
	}
	rounds := 1
	if awakeFirst {
		rounds = 2
	}
	for at := range rounds * len(m.nodes) {
		i := at % len(m.nodes)
		n := &m.nodes[i]
		if awakeFirst && n.asleep != (at >= len(m.nodes)) || few && !m.leaves.chosen[n.leaf] {
			continue
		}
		room := free(n)
		if !admits(n, need, part, room, has) {
			continue
		}
		p := Part{Node: int32(i), holds: part}
		if k := int32(len(m.found) - first); need.Nodes > 0 {
			p.holds.Processors, p.holds.GPUs = evenly(processors, need.Nodes, k), evenly(need.GPUs, need.Nodes, k)
		} else {
			p.holds.Processors = min(missing, singles(part, room))
			p.holds.Memory = part.Memory * unit.Bytes(p.holds.Processors)
		}
		if p.Processors = p.holds.Processors; need.Alone {
			p.holds = has(n)
		}
		m.found = append(m.found, p)
		if missing -= p.Processors; missing == 0 {
			return true
		}
	}
	return false
}

// admits reports whether a node with some room can take a part of the need.
func admits(n *machineNode, need *workload.Need, part, room Node, has func(*machineNode) Node) bool {
	return part.within(room) && !(need.Alone && room != has(n))
}

// singles returns how many processors, each with its memory, there is room for.
func singles(part, room Node) int32 {
	if part.Memory == 0 {
		return room.Processors
	}
	return int32(min(unit.Bytes(room.Processors), room.Memory/part.Memory))
}

// evenly returns the k-th of n parts of an amount: the first ones are larger by one.
func evenly(amount, n, k int32) int32 {
	if k < amount%n {
		return amount/n + 1
	}
	return amount / n
}

// begin implements space: it drops the steps before now. The staircases are rebuilt if nodes changed, if
// a job is past its estimate, or if they have many more steps than there are jobs.
func (m *machine) begin(now unit.Time) {
	s := m.site
	if m.now = now; m.stale || s.running.outlived(now) ||
		len(m.total.steps) > 64+4*(len(s.jobs)-len(s.free)-s.queue.len()) {
		m.rebuild(now)
	}
	m.total.Forget(now)
}

// rebuild makes the staircases of the nodes anew from the running jobs and the blocks. A job past its
// estimate is assumed to end at any moment: its nodes count as taken until just after now, and the
// staircases are stale again at the next pass. A job that ends exactly now takes nothing.
func (m *machine) rebuild(now unit.Time) {
	s := m.site
	m.total.Reset(now, s.size)
	for i := range m.nodes {
		n := &m.nodes[i]
		n.steps = append(n.steps[:0], nodeStep{now, n.has})
	}
	s.running.each(func(r ending) {
		if until := r.at; until != now {
			m.take(s.jobs[r.handle].parts, now, max(until, now+1), -1)
		}
	})
	for i := range m.holds {
		b := &s.blocks[i]
		m.take(m.holds[i], max(now, b.Start), b.End, -1)
	}
	m.stale = s.running.outlived(now)
}

// fits implements space: it reports whether the job has room from at until at plus its estimate. The
// parts that it finds are in m.found, from which keep takes them.
func (m *machine) fits(at unit.Time, h Handle) bool {
	e := &m.site.jobs[h]
	j, until := &e.Job, after(at, e.Estimate)
	m.waited = at - max(0, e.looked)
	return m.place(j, func(n *machineNode) Node { return n.throughout(at, until) },
		func(n *machineNode) Node { return n.has })
}

// earliest implements space: the first time from from on at which the job fits for its whole estimate,
// unit.Forever if there is none. Only two kinds of times are candidates: steps of the staircases, and
// the end of the job's wait for few switches, which relaxes its request. If it returns a time, m.found
// has the parts.
func (m *machine) earliest(from unit.Time, h Handle) unit.Time {
	j := &m.site.jobs[h].Job
	for at := from; ; {
		if at = m.total.Earliest(at, j.Estimate, j.Processors); at == unit.Forever || m.fits(at, h) {
			return at
		}
		if at = min(m.total.next(at), m.site.patienceOf(h, at)); at == unit.Forever {
			return at
		}
	}
}

// next returns the first step after a time; unit.Forever if there is none.
func (p *Profile) next(at unit.Time) unit.Time {
	if i := p.index(at) + 1; i < len(p.steps) {
		return p.steps[i].at
	}
	return unit.Forever
}

// keep implements space.
func (m *machine) keep(h Handle, from, until unit.Time) {
	e := &m.site.jobs[h]
	e.parts = append(e.parts[:0], m.found...)
	m.shift(h, from, until, -1)
}

// shift implements space.
func (m *machine) shift(h Handle, from, until unit.Time, sign int) {
	m.take(m.site.jobs[h].parts, from, until, sign)
}

// take adds sign times parts to the free resources in [from, until), of their nodes and of the total: -1
// takes, +1 gives back. It does nothing if the span is empty.
func (m *machine) take(parts []Part, from, until unit.Time, sign int) {
	if from >= until {
		return
	}
	processors := 0
	for i := range parts {
		p := &parts[i]
		processors += sign * int(p.holds.Processors)
		n := &m.nodes[p.Node]
		n.forget(m.now)
		n.add(from, until, p.holds, sign)
	}
	m.total.Add(from, until, processors)
}

// throughout returns the resources that are free at every moment of [from, until), each the minimum over
// the steps; zero if the node has no steps, as before the first pass.
func (n *machineNode) throughout(from, until unit.Time) Node {
	i := 0
	for i+1 < len(n.steps) && n.steps[i+1].at <= from {
		i++
	}
	if len(n.steps) == 0 {
		return Node{}
	}
	lowest := n.steps[i].free
	for i++; i < len(n.steps) && n.steps[i].at < until; i++ {
		f := &n.steps[i].free
		lowest = Node{min(lowest.Processors, f.Processors), min(lowest.GPUs, f.GPUs), min(lowest.Memory, f.Memory)}
	}
	return lowest
}

// add adds sign times an amount to the free resources of a node from one time until another.
func (n *machineNode) add(from, until unit.Time, amount Node, sign int) {
	i := n.split(from)
	j := len(n.steps)
	if until < unit.Forever {
		j = n.split(until)
	}
	for k := i; k < j; k++ {
		n.steps[k].free = n.steps[k].free.add(amount, sign)
	}
	n.join(j)
	n.join(i)
}

// split makes a step begin at a time and returns its index. A time before the first step changes nothing
// and returns 0. Steps of the past stay until the node is written the next time.
func (n *machineNode) split(at unit.Time) int {
	i := len(n.steps) - 1
	for i > 0 && n.steps[i].at > at {
		i--
	}
	if n.steps[i].at >= at {
		return i
	}
	n.steps = slices.Insert(n.steps, i+1, nodeStep{at, n.steps[i].free})
	return i + 1
}

// join drops a step that is as high as the one before.
func (n *machineNode) join(i int) {
	if i > 0 && i < len(n.steps) && n.steps[i].free == n.steps[i-1].free {
		n.steps = slices.Delete(n.steps, i, i+1)
	}
}

// forget removes the steps that ended at or before a time. The step that contains it stays, with its old
// start.
func (n *machineNode) forget(before unit.Time) {
	i := 0
	for i+1 < len(n.steps) && n.steps[i+1].at <= before {
		i++
	}
	n.steps = slices.Delete(n.steps, 0, i)
}

// reserve takes the processors of a block for its whole span, from the nodes with the highest numbers,
// and appends its parts to m.holds. If too few are free throughout, it returns false and takes none.
func (m *machine) reserve(b Block) bool {
	m.found = m.found[:0]
	need := int32(b.Processors)
	for i := len(m.nodes) - 1; i >= 0 && need > 0; i-- {
		if take := min(need, m.nodes[i].throughout(b.Start, b.End).Processors); take > 0 {
			m.found = append(m.found, Part{Node: int32(i), Processors: take, holds: Node{Processors: take}})
			need -= take
		}
	}
	if need > 0 {
		return false
	}
	m.holds = append(m.holds, slices.Clone(m.found))
	m.take(m.found, b.Start, b.End, -1)
	return true
}
