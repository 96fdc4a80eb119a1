package plane

import (
	"slices"

	"parley/core/kube"
)

// Drains are drains of nodes one after another, as a script does them: after each it waits until the
// workloads whose pods have moved have as many ready pods as before.
type Drains struct {
	p      *Plane
	nodes  []int
	Drains []*Drain // those that have begun
	ready  []int    // ready pods of each workload before the drain that is under way
	moved  []int    // workloads whose pods it moves
	waits  bool     // the last node is empty
	over   bool
}

// Drains begins to drain nodes in their order, each after the one before is empty and its pods are ready
// elsewhere. If cordonAll is set, all are cordoned before the first is drained. Places for the pods that ReplicaSets
// will make are reserved here, because many at once are cheap. Call its Run to play the drains.
func (p *Plane) Drains(nodes []int, cordonAll bool) *Drains {
	d := &Drains{p: p, nodes: nodes}
	leave := map[*template]int{} // pods that leave, by template
	var order []*template
	for _, at := range nodes {
		for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(at))) {
			if set, is := p.pods[i].controller.(*replicaSet); is {
				if leave[set.template] == 0 {
					order = append(order, set.template)
				}
				leave[set.template]++
			}
		}
	}
	if len(order) > 0 {
		p.reserve(leave, order)
	}
	if cordonAll {
		for _, at := range nodes {
			p.cordon(at, true)
		}
	}
	p.after(0, d.next)
	return d
}

// next begins to drain the next node, and records the workloads whose pods it moves and how many ready pods
// each had; after the last node it sets over.
func (d *Drains) next() {
	d.waits = false
	if len(d.Drains) == len(d.nodes) {
		d.over = true
		return
	}
	d.ready, d.moved = nil, nil
	for i := range d.p.groups {
		d.ready = append(d.ready, d.p.groups[i].ready)
	}
	at := d.nodes[len(d.Drains)]
	for _, i := range d.p.s.PodsOn(at) {
		if l := &d.p.pods[i]; l.ready && l.controller != nil && !d.p.c.Pods[i].DaemonSet() &&
			!slices.Contains(d.moved, l.group) {
			d.moved = append(d.moved, l.group)
		}
	}
	d.Drains = append(d.Drains, nil)
	place := len(d.Drains) - 1
	d.Drains[place] = d.p.drain(at, func() { d.p.after(0, func() { d.waits = true }) })
}

// Run plays the drains for a day, and for another as long as the node under way is not older than
// half a day: a longer drain is assumed to be stuck.
func (d *Drains) Run() {
	for horizon := Day; ; horizon += Day {
		d.p.Run(horizon, d.Over)
		if n := len(d.Drains); d.over || n == 0 || d.p.Cut || d.Drains[n-1].begun < horizon-Day/2 {
			return
		}
	}
}

// Over reports whether all nodes are empty and their workloads ready again. It must be called at the end of
// each moment: Plane.Run does if it is given to it.
func (d *Drains) Over() bool {
	if d.waits && !slices.ContainsFunc(d.moved, func(g int) bool { return d.p.groups[g].ready < d.ready[g] }) {
		d.next()
		d.p.settle()
	}
	return d.over
}

// Stuck returns the node at which the drains stop, kube.Nowhere if they do not.
func (d *Drains) Stuck() int {
	if d.over || len(d.Drains) == 0 {
		return kube.Nowhere
	}
	return d.nodes[len(d.Drains)-1]
}
