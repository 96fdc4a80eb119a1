package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// AfterLimit is the action if a node is not empty within the limit of its drain.
type AfterLimit uint8

// The actions.
const (
	Waits  AfterLimit = iota // there is no limit
	Forces                   // the pods that are left are deleted
	Stops                    // the upgrade ends there
)

// Pool is nodes that are upgraded together.
type Pool struct {
	Nodes []int // in their order
	// Surge is how many new nodes join before old ones leave, Unavailable how many nodes more are emptied at a
	// time. With Surge 0 a node is upgraded in place: it leaves and comes back.
	Surge, Unavailable int
	Limit              unit.Time // of a drain
	After              AfterLimit
	// Boot is how long a node takes from its creation, or from when it is empty, to Ready.
	Boot unit.Time
}

// Step is the upgrade of a node.
type Step struct {
	Node     int
	New      int // the place of the node that takes its part, kube.Nowhere if it is upgraded in place
	Began    unit.Time
	Cordoned unit.Time // -1 if it never was
	Done     unit.Time // -1 if it is not
	TimedOut bool      // its drain passed its limit
	Drain    *Drain    // nil before it is cordoned
	pool     int
}

// Upgrade is an upgrade of nodes in a play.
type Upgrade struct {
	p          *Plane
	pools      []Pool
	Steps      []*Step // in the order in which they began
	successors []int   // by step of all pools: places of new nodes
	next       int     // node of the pool
	pool       int
	open       int // nodes that are being upgraded
	total      int
	done       int
	// Stopped is the step at which the upgrade ended, nil if none did.
	Stopped *Step
	// Peak is the most pods that waited for a node at one moment, beyond those of the dump.
	Peak  int
	first int // pods that waited before
	quiet unit.Time
	// mirrors are the static pods of each old node that its successor has too.
	mirrors map[int][]*template
}

// Upgrade begins to upgrade pools of nodes, one pool after another. fresh returns the n-th new node, from 1
// over all pools, like the node at, with the drivers of its volumes. The new nodes are added at once, as
// absent, and join when they are ready. Run it with Plane.Run until Over.
func (p *Plane) Upgrade(pools []Pool, fresh func(at, n int) (kube.Node, []kube.CSINode)) *Upgrade {
	u := &Upgrade{p: p, pools: pools, mirrors: map[int][]*template{}}
	var nodes []kube.Node
	var drivers []kube.CSINode
	for _, pool := range pools {
		for _, at := range pool.Nodes {
			u.total++
			if pool.Surge == 0 {
				u.successors = append(u.successors, kube.Nowhere)
				continue
			}
			n, d := fresh(at, len(nodes)+1)
			u.successors = append(u.successors, len(p.c.Nodes)+len(nodes))
			nodes, drivers = append(nodes, n), append(drivers, d...)
		}
	}
	if len(nodes) > 0 {
		p.addNodes(nodes, drivers)
	}
	p.spare(u)
	u.first = len(p.Waiting())
	p.after(0, u.advance)
	return u
}

// spare reserves places for the successors of all pods on the nodes of pools, and for the pods of
// DaemonSets on nodes that join: one large reservation costs less than many. It also sets u.mirrors, and
// u.quiet to the longest grace of these pods.
func (p *Plane) spare(u *Upgrade) {
	pools := u.pools
	n := map[*template]int{}
	var order []*template
	add := func(t *template) {
		if n[t] == 0 {
			order = append(order, t)
		}
		n[t]++
	}
	for _, pool := range pools {
		for _, at := range pool.Nodes {
			for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(at))) {
				q := &p.c.Pods[i]
				u.quiet = max(u.quiet, unit.Time(q.Spec.Grace)*unit.Second)
				if set, is := p.pods[i].controller.(*replicaSet); is {
					add(set.template)
				}
			}
			if pool.Surge > 0 {
				u.mirrors[at] = p.staticsOf(at)
				for _, t := range u.mirrors[at] {
					add(t)
				}
			}
		}
	}
	for _, s := range p.daemonsInOrder {
		for at := range p.c.Nodes {
			if at < p.today && (len(pools) == 0 ||
				!slices.ContainsFunc(pools,
					func(pool Pool) bool { return pool.Surge == 0 && slices.Contains(pool.Nodes, at) })) {
				continue
			}
			add(s.template(at))
		}
	}
	if len(order) > 0 {
		p.reserve(n, order)
	}
}

// staticsOf returns templates of the static pods of a node, which a node that takes its part has too. They
// have no places yet: see reserve.
func (p *Plane) staticsOf(at int) (all []*template) {
	for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(at))) {
		if q := &p.c.Pods[i]; q.Mirror {
			t := &template{base: likePod(q)}
			t.base.Mirror, t.base.Name, t.base.Claims, t.base.Ephemeral = true, q.Name, nil, 0
			all = append(all, t)
		}
	}
	return all
}

// advance begins the upgrade of as many nodes of the current pool as may be upgraded at a time, and goes on
// to the next pool when all of this one are done. Call it whenever a node is done.
func (u *Upgrade) advance() {
	for u.Stopped == nil && u.pool < len(u.pools) {
		pool := &u.pools[u.pool]
		if u.next == len(pool.Nodes) {
			if u.open > 0 {
				return
			}
			u.pool, u.next = u.pool+1, 0
			continue
		}
		if u.open >= max(1, pool.Surge+pool.Unavailable) {
			return
		}
		s := &Step{
			Node: pool.Nodes[u.next], New: u.successors[len(u.Steps)], Began: u.p.kernel.Now(), Cordoned: -1,
			Done: -1, pool: u.pool,
		}
		u.Steps = append(u.Steps, s)
		u.next++
		u.open++
		if s.New == kube.Nowhere {
			u.empty(s)
			continue
		}
		u.p.after(pool.Boot, func() {
			if u.Stopped == nil {
				u.p.join(s.New)
				for _, t := range u.mirrors[s.Node] {
					u.p.settleOn(t, s.New)
				}
				u.empty(s)
			}
		})
	}
}

// empty drains the old node of a step. When the limit of the pool has passed, the pods that are left are
// deleted, or the upgrade stops there.
func (u *Upgrade) empty(s *Step) {
	pool := &u.pools[s.pool]
	s.Cordoned = u.p.kernel.Now()
	d := u.p.drain(s.Node, func() { u.p.after(0, func() { u.emptied(s) }) })
	s.Drain = d
	if pool.After == Waits || d.over {
		return
	}
	u.p.after(pool.Limit, func() {
		if d.over || u.Stopped != nil {
			return
		}
		s.TimedOut = true
		u.p.record(TimedOut, u.p.c.Nodes[s.Node].Name, "", "its drain has passed its limit")
		if pool.After == Forces {
			d.force()
			return
		}
		d.giveUp()
		u.Stopped = s
	})
}

// emptied ends a step whose node is empty: the node leaves, or, in place, is away for the boot time and is
// then uncordoned.
func (u *Upgrade) emptied(s *Step) {
	finish := func() {
		s.Done = u.p.kernel.Now()
		u.p.show(Upgraded, s.Node)
		u.open--
		u.done++
		u.advance()
	}
	if s.New != kube.Nowhere {
		u.p.leave(s.Node)
		finish()
		return
	}
	u.p.after(u.pools[s.pool].Boot, func() { // its DaemonSets and static pods stay
		u.p.cordon(s.Node, u.p.c.Nodes[s.Node].Unschedulable)
		finish()
	})
}

// Over reports whether all nodes are upgraded, or the upgrade has stopped. It records the peak of waiting
// pods, and stops the upgrade at its first open step if nothing has happened for longer than any boot or
// start takes. Call it at the end of each moment, as Plane.Run does with its argument done.
func (u *Upgrade) Over() bool {
	u.Peak = max(u.Peak, u.p.waitingPods()-u.first)
	if u.Stopped == nil && u.p.factCount > 0 &&
		(u.p.kernel.Now()-u.p.last > quiet+u.quiet || u.p.kernel.Next() == unit.Forever) {
		for _, s := range u.Steps { // nothing happens any more
			if s.Done < 0 && u.Stopped == nil {
				u.Stopped = s
			}
		}
	}
	return u.Stopped != nil || u.done == u.total
}

// quiet is for how long nothing but refusals happens before a drain without a limit is taken to be stuck:
// more than any node takes to boot and any pod to start.
const quiet = 4 * 60 * unit.Minute

// settleOn lets a static pod of a template run, ready, on a node from now on. The template must have a free
// place.
func (p *Plane) settleOn(t *template, at int) {
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	q := &p.c.Pods[i]
	q.Name, q.Node, q.NodeName, q.Phase, q.Ready = t.base.Name+"-new", at, p.c.Nodes[at].Name, kube.PhaseRunning, true
	p.pods[i] = pod{
		state: settled, group: p.group(q.Namespace, p.keep.Of(q)), created: p.kernel.Now(),
		life: p.pods[i].life,
	}
	p.s.Bind(i, at)
	p.changes++
	if p.o.Recording != nil {
		p.o.Recording.add(p, &Fact{p.kernel.Now(), Placed, i, p.pods[i].group, p.full(i), p.node(i), ""})
	}
}

// Complete reports whether all nodes are upgraded.
func (u *Upgrade) Complete() bool { return u.done == u.total }

// Done counts the nodes that are upgraded.
func (u *Upgrade) Done() int { return u.done }

// waitingPods counts the pods that wait for a node.
func (p *Plane) waitingPods() int {
	return len(p.queue.waiting) + len(p.queue.active) + p.queue.backing
}
