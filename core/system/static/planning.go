package static

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/heap"
	"parley/core/system/static/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// plan plans the subtasks of a graph that are neither done nor being computed, and puts all of them into
// the queues of their nodes. If no node can do one of them, the graph waits for a node to come up. The
// first plan sets one.finish.
func (p *planner) plan(id unit.GraphID, one *planned) error {
	p.booked.drop(id, p.env.Clock.Now().Seconds())
	left, err := p.withdraw(id, one)
	if err != nil || len(left) == 0 {
		return err
	}
	nodes := p.machines()
	problem, err := p.problem(one, left, nodes)
	if err != nil {
		return err
	}
	if problem == nil {
		if !one.waiting {
			p.note(noteWaits, unit.NoNode, id, float64(len(left)))
		}
		one.waiting = true
		return nil
	}
	schedule, err := p.schedule(problem)
	if err != nil {
		return err
	}
	now := p.env.Clock.Now()
	if one.finish == 0 {
		one.finish = now + unit.Time(schedule.Makespan*float64(unit.Second))
		p.figures.plans++
		p.note(notePlanned, unit.NoNode, id, schedule.Makespan)
	} else {
		p.figures.replans++
		p.note(noteReplanned, unit.NoNode, id, schedule.Makespan)
	}
	one.waiting = false
	p.last(id)
	if p.env.Note != nil {
		p.timeline.Replan(now, one.number)
	}
	for i, v := range left {
		at := schedule.Slots[i]
		n := nodes[at.Processor]
		one.home[v] = n
		one.ends[v] = now.Seconds() + at.Finish
		p.booked.add(n, id, one.ends[v])
		if p.env.Note != nil {
			p.timeline.Plan(now, at.Start, at.Finish-at.Start, n, one.number)
		}
	}
	order := ordered(left, schedule, problem.Graph)
	one.renew(order)
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(one.rank[a], one.rank[b]) })
	return p.assign(id, one, order)
}

// renew sets one.rank of every subtask. order has the subtasks of the new plan; those outside it come
// first, in their order so far, but each is behind all its predecessors. Subtasks that are done or begun
// may be lost with their machine and wait again, and queues in which a subtask is before one of its
// predecessors could wait for each other for ever.
func (one *planned) renew(order []int32) {
	position := make([]int, one.Len())
	for v, r := range one.rank {
		position[v] = r - one.Len()
	}
	for i, v := range order {
		position[v] = i
	}
	needs := make([]int, one.Len())
	next := heap.New(func(a, b int32) bool { return position[a] < position[b] })
	for v := range int32(one.Len()) {
		for _, a := range one.In(v) {
			if one.Arc(a).From != workload.Home {
				needs[v]++
			}
		}
		if needs[v] == 0 {
			next.Push(v)
		}
	}
	for place := 0; next.Len() > 0; place++ {
		v := next.Pop()
		one.rank[v] = place
		first, end := one.Out(v)
		for a := first; a < end; a++ {
			if to := one.Arc(a).To; to != workload.Home {
				if needs[to]--; needs[to] == 0 {
					next.Push(to)
				}
			}
		}
	}
}

// last puts a graph behind the others: subtasks assigned now are behind those of the others in
// every queue.
func (p *planner) last(id unit.GraphID) {
	if at := slices.Index(p.order, id); at < len(p.order)-1 {
		p.order = append(slices.Delete(p.order, at, at+1), id)
	}
}

// replanUnfit replans graphs that have a subtask on a node that can no longer compute it.
func (p *planner) replanUnfit() error {
	unfit := p.unfit
	p.unfit = nil
	slices.Sort(unfit)
	for _, id := range slices.Compact(unfit) {
		if one := p.graphs[id]; one != nil {
			if err := p.plan(id, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordered returns the subtasks left by their planned start; if several begin at one moment, predecessors
// come first. Slots and vertices have the positions in left as numbers.
func ordered(left []int32, s *plan.Schedule, g *graph.Graph) []int32 {
	place := make([]int, len(left))
	for i, v := range g.Order() {
		place[v] = i
	}
	by := make([]int, len(left))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Slots[a].Start, s.Slots[b].Start), cmp.Compare(place[a], place[b]))
	})
	out := make([]int32, len(left))
	for i, at := range by {
		out[i] = left[at]
	}
	return out
}

// assign puts subtasks, in the given order, into the queues of their planned nodes, and sends these the
// results that they need. If a node can no longer compute a subtask, the graph is added to p.unfit. If a
// node is down or the graph is gone, the subtask is left out: an event about it follows.
func (p *planner) assign(id unit.GraphID, one *planned, order []int32) error {
	for _, v := range order {
		switch err := p.env.Acts.Assign(id, v, one.home[v]); {
		case errors.Is(err, cluster.ErrNoWorker):
			p.unfit = append(p.unfit, id)
			continue
		case errors.Is(err, cluster.ErrDown), errors.Is(err, cluster.ErrGone), errors.Is(err, cluster.ErrState):
			continue // its event is yet to come
		case err != nil:
			return fmt.Errorf("assigning a subtask: %w", err)
		}
		for _, a := range one.In(v) {
			if err := p.transfer(id, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// refill makes the queue of a node anew from all subtasks that were planned for it and are waiting or
// queued, in the order of the plans. If a single one were put behind the rest, two nodes could wait for
// each other for ever.
func (p *planner) refill(n unit.NodeID) error {
	for _, id := range p.order {
		one := p.graphs[id]
		if one == nil {
			continue
		}
		var back []int32
		for v := range one.home {
			if one.home[v] != n {
				continue
			}
			s, _ := p.env.View.Subtask(id, int32(v))
			if s.State == cluster.SubtaskQueued {
				if err := p.env.Acts.Withdraw(id, int32(v)); err != nil {
					return fmt.Errorf("withdrawing a subtask: %w", err)
				}
			}
			if s.State == cluster.SubtaskQueued || s.State == cluster.SubtaskWaiting {
				back = append(back, int32(v))
			}
		}
		slices.SortFunc(back, func(a, b int32) int { return cmp.Compare(one.rank[a], one.rank[b]) })
		if err := p.assign(id, one, back); err != nil {
			return err
		}
	}
	return nil
}

// withdraw takes the queued subtasks of a graph out of their queues and returns them with the waiting
// ones, lowest first; nil if the graph has ended. A subtask that is being computed keeps its node
// booked.
func (p *planner) withdraw(id unit.GraphID, one *planned) (left []int32, err error) {
	for v := range int32(one.Len()) {
		s, alive := p.env.View.Subtask(id, v)
		if !alive {
			return nil, nil
		}
		switch s.State {
		case cluster.SubtaskQueued:
			if err := p.env.Acts.Withdraw(id, v); err != nil {
				return nil, fmt.Errorf("withdrawing a subtask: %w", err)
			}
			left = append(left, v)
		case cluster.SubtaskWaiting:
			left = append(left, v)
		case cluster.SubtaskComputing:
			p.booked.add(s.Node, id, one.ends[v])
		}
	}
	return left, nil
}

// machines returns the nodes that are up and compute. It also clears the bookings of nodes whose queues
// are empty, because these were done before their time.
func (p *planner) machines() (nodes []unit.NodeID) {
	view := p.env.View
	for n := range unit.NodeID(view.Nodes()) {
		for int(n) >= len(p.booked) {
			p.booked = append(p.booked, nil)
		}
		if view.Queued(n) == 0 {
			p.booked.clear(n) // it was done before its time
		}
		if _, is := view.Worker(n); is && view.Up(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// problem states the rest of a graph on some nodes as a scheduling problem. Vertex i is left[i],
// processor q is nodes[q], and time 0 is now. It returns nil without an error if no node can do one of
// the subtasks. Arcs from subtasks outside of left are left out: their results are there or on their
// way.
func (p *planner) problem(one *planned, left []int32, nodes []unit.NodeID) (*plan.Problem, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	now := p.env.Clock.Now().Seconds()
	types := map[workload.SubtaskType]int32{}
	var known []workload.SubtaskType
	of := make([]int32, len(left))
	number := make(map[int32]int32, len(left))
	vertices := make([]graph.Vertex, len(left))
	for i, v := range left {
		s := one.Subtask(v)
		k, seen := types[s.Type]
		if !seen {
			k = int32(len(known))
			types[s.Type] = k
			known = append(known, s.Type)
		}
		of[i], number[v] = k, int32(i)
		vertices[i] = graph.Vertex{Name: one.Name(v), Work: s.Work.Float()}
	}
	speeds, can := make([][]float64, len(known)), make([]bool, len(known))
	for k := range speeds {
		speeds[k] = make([]float64, len(nodes))
	}
	processors, startup, busy := make([]plan.Processor, len(nodes)), make([]float64, len(nodes)),
		make([]float64, len(nodes))
	latency := 0.0
	for q, n := range nodes {
		w, _ := p.env.View.Worker(n)
		for k, t := range known {
			speeds[k][q] = w.SpeedFor(t).Float()
			can[k] = can[k] || speeds[k][q] > 0
		}
		processors[q] = plan.Processor{Speed: 1, Bandwidth: float64(w.Channel)}
		startup[q], busy[q] = w.CompLatency.Seconds(), max(0, p.booked.until(n)-now)
		latency = max(latency, w.CommLatency.Seconds())
	}
	if slices.Contains(can, false) {
		return nil, nil
	}
	var arcs []graph.Arc
	for i, v := range left {
		first, end := one.Out(v)
		for a := first; a < end; a++ {
			if to, is := number[one.Arc(a).To]; is {
				arcs = append(arcs, graph.Arc{From: int32(i), To: to, Bytes: float64(one.Arc(a).Bytes)})
			}
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		return nil, fmt.Errorf("what is left of a graph: %w", err)
	}
	problem, err := plan.Kinds(g, processors, latency, of, speeds, startup, busy)
	if err != nil {
		return nil, fmt.Errorf("planning a graph: %w", err)
	}
	return problem, nil
}

func (p *planner) schedule(problem *plan.Problem) (*plan.Schedule, error) {
	if p.settings.Algorithm == "best" {
		_, s, err := problem.Best()
		return s, err
	}
	return problem.Plan(p.settings.Algorithm)
}
