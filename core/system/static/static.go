// Package static implements schedulers that plan ahead. When a task graph arrives, one of
// the list schedulers of package plan decides which machine computes which subtask, and in
// which order. The system then follows that plan.
//
// Model: the plan uses the machines and channels as the cluster states them. A machine that
// works on earlier graphs counts as busy until their plans end. Like its papers, the plan
// assumes that channels have no contention; the simulated cluster can have some
// (Settings.Transfers of package cluster). Subtasks of a machine that fails are planned
// again on the remaining machines, or wait for it.
//
// Source: Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002; Arabnejad, Barbosa, IEEE TPDS 25(3), 2014;
// Ibarra, Kim, JACM 24(2), 1977; the README lists our additions.
//
//	{"algorithm":"heft","recover":"replan"}
package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// planner implements system.System.
type planner struct {
	env      system.Env
	settings Settings
	graphs   map[unit.GraphID]*planned
	order    []unit.GraphID // open ones, in the order in which they were planned
	booked   bookings
	unfit    []unit.GraphID // graphs whose plan cannot be followed
	due      []unit.GraphID // graphs that lost something, to be planned when all facts have arrived
	dead     int            // of order, that ended
	numbers  uint32         // of graphs, ever
	timeline system.GraphTimeline
	figures  figures
}

// planned is a graph that was planned.
type planned struct {
	*workload.Subtasks
	number   uint32 // counted from 1, in the order of arrival
	arrived  unit.Time
	finish   unit.Time     // by the first plan
	home     []unit.NodeID // by subtask: where it was planned last; NoNode: nowhere
	ends     []float64     // by subtask: when it is done by its last plan, in seconds of the run
	rank     []int         // by subtask: its place in the order of the plans, behind all that it needs
	waiting  bool          // no plan: some subtask can be done nowhere
	disturbs bool          // it is among those due
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	return &planner{env: env, settings: s, graphs: map[unit.GraphID]*planned{}}, nil
}

// On implements system.System. Acts are errors only if the cluster refuses them for a reason that an
// event does not explain.
func (p *planner) On(e cluster.Event) error {
	if e.Kind != cluster.GraphArrived { // that is kept when it has its number
		p.keep(e)
	}
	switch e.Kind {
	case cluster.GraphArrived:
		return p.arrive(e)
	case cluster.SubtaskFinished:
		return p.pass(e.Graph(), e.Subtask())
	case cluster.SubtaskLost:
		return p.lost(e)
	case cluster.TransferBroken:
		return p.transfer(e.Graph(), e.Arc())
	case cluster.NodeDown:
		p.booked.clear(e.Node)
		return p.repair()
	case cluster.NodeUp, cluster.NodeChanged:
		return p.nodeUp(e.Node)
	case cluster.GraphDone, cluster.GraphAborted:
		p.end(e)
	}
	return nil
}

// arrive enters a graph that arrived and plans it. A graph that has ended already is ignored.
func (p *planner) arrive(e cluster.Event) error {
	g, alive := p.env.View.Graph(e.Graph())
	if !alive {
		return nil
	}
	p.numbers++
	one := &planned{
		Subtasks: g.Subtasks, number: p.numbers, arrived: e.At, home: make([]unit.NodeID, g.Len()),
		ends: make([]float64, g.Len()), rank: make([]int, g.Len()),
	}
	for v := range one.home {
		one.home[v] = unit.NoNode
	}
	p.graphs[e.Graph()] = one
	p.order = append(p.order, e.Graph())
	p.keep(e)
	return p.plan(e.Graph(), one)
}

// keep records an event of a graph, a subtask or a machine, if notes are read.
func (p *planner) keep(e cluster.Event) {
	if p.env.Note == nil {
		return
	}
	p.timeline.Keep(e, func(id unit.GraphID) (uint32, *workload.Subtasks) {
		one := p.graphs[id]
		if one == nil { // it has ended
			return 0, nil
		}
		return one.number, one.Subtasks
	})
}

// Timeline implements system.TimelineSource.
func (p *planner) Timeline() ([]system.TimelineEvent, bool) { return p.timeline.Timeline() }

// end drops a graph that is done or was aborted. Its id stays in p.order until half of the ids there are
// of ended graphs.
func (p *planner) end(e cluster.Event) {
	one := p.graphs[e.Graph()]
	if one == nil {
		return
	}
	delete(p.graphs, e.Graph())
	if p.dead++; p.dead > 64 && 2*p.dead > len(p.order) {
		kept := p.order[:0]
		for _, id := range p.order {
			if p.graphs[id] != nil {
				kept = append(kept, id)
			}
		}
		p.order, p.dead = kept, 0
	}
	if e.Kind == cluster.GraphDone {
		if one.finish > one.arrived { // else there is nothing to compare with
			p.figures.ended(one, e.At)
		}
		p.note(noteDone, unit.NoNode, e.Graph(), (e.At - one.arrived).Seconds())
	}
}

// lost records a graph that lost a subtask, until all facts have arrived that its node takes
// along. A node that is up can no longer do it: then nothing else follows.
func (p *planner) lost(e cluster.Event) error {
	one := p.graphs[e.Graph()]
	if one == nil {
		return nil
	}
	p.figures.lost++
	if !one.disturbs {
		one.disturbs = true
		p.due = append(p.due, e.Graph())
	}
	if p.env.View.Up(e.Node) {
		return p.repair()
	}
	return nil
}

// repair plans the graphs that lost subtasks: all of the rest anew, or, if Recover is waits, only the
// waiting subtasks go back into the queues of their planned nodes that are up.
func (p *planner) repair() error {
	due := p.due
	p.due = nil
	var homes []unit.NodeID // up, of waiting subtasks
	for _, id := range due {
		one := p.graphs[id]
		if one == nil {
			continue
		}
		one.disturbs = false
		if p.settings.Recover == replans {
			if err := p.plan(id, one); err != nil {
				return err
			}
			continue
		}
		for v, n := range one.home {
			if s, _ := p.env.View.Subtask(id, int32(v)); s.State == cluster.SubtaskWaiting && n != unit.NoNode &&
				p.env.View.Up(n) {
				homes = append(homes, n)
			}
		}
	}
	slices.Sort(homes)
	for _, n := range slices.Compact(homes) {
		if err := p.refill(n); err != nil {
			return err
		}
	}
	return p.replanUnfit()
}

// nodeUp gives a node that is back its planned subtasks, and plans the graphs that no machine could
// do.
func (p *planner) nodeUp(n unit.NodeID) error {
	for _, id := range slices.Clone(p.order) {
		if one := p.graphs[id]; one != nil && one.waiting {
			if err := p.plan(id, one); err != nil {
				return err
			}
		}
	}
	if p.settings.Recover == waits {
		if err := p.refill(n); err != nil {
			return err
		}
	}
	return p.replanUnfit()
}

// pass sends the results of a subtask to the nodes that need them.
func (p *planner) pass(id unit.GraphID, v int32) error {
	one := p.graphs[id]
	if one == nil {
		return nil
	}
	first, end := one.Out(v)
	for a := first; a < end; a++ {
		if err := p.transfer(id, a); err != nil {
			return err
		}
	}
	return nil
}

// transfer sends the data of an arc to the node whose queue has the subtask that needs it, or home,
// unless it is on its way there. Data that is on its way elsewhere is stopped first. It is no error if
// the data does not exist yet, is there already, or the node or graph is gone.
func (p *planner) transfer(id unit.GraphID, a int32) error {
	one := p.graphs[id]
	if one == nil {
		return nil
	}
	view, to := p.env.View, unit.NoNode
	if v := one.Arc(a).To; v != workload.Home {
		s, alive := view.Subtask(id, v)
		if !alive || s.State != cluster.SubtaskQueued {
			return nil
		}
		to = s.Node
	}
	r, alive := view.Result(id, a)
	switch {
	case !alive || r.Moving && r.To == to:
		return nil
	case r.Moving:
		if err := p.env.Acts.StopTransfer(id, a); err != nil {
			return fmt.Errorf("stopping a transfer: %w", err)
		}
	}
	err := p.env.Acts.Transfer(id, a, to)
	for _, usual := range []error{cluster.ErrNoResult, cluster.ErrThere, cluster.ErrDown, cluster.ErrGone} {
		if errors.Is(err, usual) {
			return nil
		}
	}
	return err
}
