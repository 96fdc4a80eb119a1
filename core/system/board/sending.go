package board

import (
	"parley/core/unit"
	"parley/core/workload"
)

// redirect receives the address for the result of a subtask that the agent has.
func (d *dispatch) redirect(p *payload) {
	d.direct(p.task, p.arc, address{p.node, p.stamp})
	d.push(p.task, p.arc)
}

// direct records the destination of a result, unless a later message gave another. A message may
// arrive when all subtasks are done.
func (d *dispatch) direct(t *task, arc int32, to address) {
	if t.addresses != nil && to.stamp > t.addresses[arc].stamp {
		t.addresses[arc] = to
	}
}

// push sends the data of an arc to its destination, if it is computed, is elsewhere and is not on
// its way.
func (d *dispatch) push(t *task, arc int32) {
	r, ok := d.env.View.Result(t.id, arc)
	home := t.posted.Graph.Arc(arc).To == workload.Home
	if !ok || r.Moving || t.addresses == nil || t.addresses[arc].stamp == 0 && !home {
		return
	}
	to := t.addresses[arc].to
	if home {
		to = unit.NoNode
	}
	if to == unit.NoNode && r.Home || to != unit.NoNode && (r.Made == to || r.Delivered == to) {
		return
	}
	_ = d.env.Acts.Transfer(t.id, arc, to) // it may not be made yet, or its recipient be down: a later word repairs it
}

// fetch sends an agent the inputs of its thread that no maker is there to send: data at home, and
// results whose maker is down and that were delivered elsewhere.
func (d *dispatch) fetch(c *claim) {
	t := c.task
	g := t.posted.Graph
	for _, v := range c.vertices[c.at:] {
		for _, arc := range g.In(v) {
			r, ok := d.env.View.Result(t.id, arc)
			if ok && r.Made == unit.NoNode && (r.Home || r.Delivered != unit.NoNode) {
				t.stamp++
				d.direct(t, arc, address{c.node, t.stamp})
				d.push(t, arc) // or when it has come where it is on its way to
			}
		}
	}
}
