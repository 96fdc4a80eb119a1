package systemtest

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Schedule checks the execution of task graphs by the events alone. It uses the graphs, the machines
// and the definitions of the model, and no state of package cluster or of a system. Fields are set
// once, before the first event.
type Schedule struct {
	Graph   func(unit.GraphID) (workload.Graph, bool) // called once a graph, when it arrives
	Machine func(unit.NodeID) (workload.Worker, bool) // called when a node comes up
	OnePort bool                                      // a channel carries one result at a time

	machines map[unit.NodeID]*machine
	graphs   map[unit.GraphID]*followed
	Met      int        // graphs that were done by their deadline
	Offers   unit.Money // of these
}

// machine is the state of a node by the events.
type machine struct {
	workload.Worker
	up    bool
	busy  bool
	graph unit.GraphID // that it computes a subtask of
	task  int32
	since unit.Time
	takes unit.Time // duration of its computation, as described when it began
	sends int       // transfers with bytes on its channel
}

// followed is the state of a graph by the events.
type followed struct {
	workload.Graph
	arrived unit.Time
	done    []bool
	made    []unit.NodeID          // where each result was made and still is
	lies    []map[unit.NodeID]bool // by arc: the nodes that have the result
	home    []bool
	began   map[int32]unit.Time // transfers under way, by arc
}

// Observe processes the next event and returns an error if it breaks a rule.
func (s *Schedule) Observe(e cluster.Event) error {
	if s.machines == nil {
		s.machines, s.graphs = map[unit.NodeID]*machine{}, map[unit.GraphID]*followed{}
	}
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeChanged:
		s.join(e.Node)
	case cluster.NodeDown:
		s.leave(e.Node)
	case cluster.GraphArrived:
		return s.arrives(e)
	case cluster.SubtaskStarted, cluster.SubtaskFinished, cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		return s.computes(e)
	case cluster.TransferBegan, cluster.TransferEnded, cluster.TransferBroken:
		return s.carries(e)
	case cluster.GraphDone:
		return s.ends(e)
	case cluster.GraphAborted:
		delete(s.graphs, e.Graph())
	}
	return nil
}

func (s *Schedule) join(n unit.NodeID) {
	w, is := s.Machine(n)
	if !is {
		return
	}
	if s.machines[n] == nil {
		s.machines[n] = &machine{}
	}
	m := s.machines[n]
	m.Worker, m.up = w, true
}

func (s *Schedule) leave(n unit.NodeID) {
	if m := s.machines[n]; m != nil {
		m.up, m.busy = false, false
	}
	for _, g := range s.graphs {
		for v := range g.made {
			if g.made[v] == n {
				g.made[v] = unit.NoNode
			}
		}
		for a := range g.lies {
			delete(g.lies[a], n)
		}
	}
}

func (s *Schedule) arrives(e cluster.Event) error {
	w, ok := s.Graph(e.Graph())
	if !ok {
		return fmt.Errorf("%v: graph %x arrives and was never planned", e.At, e.Graph())
	}
	g := &followed{Graph: w, arrived: e.At, began: map[int32]unit.Time{}}
	g.done, g.made = make([]bool, w.Len()), make([]unit.NodeID, w.Len())
	g.lies, g.home = make([]map[unit.NodeID]bool, w.Arcs()), make([]bool, w.Arcs())
	for v := range g.made {
		g.made[v] = unit.NoNode
	}
	for a := range g.lies {
		g.lies[a] = map[unit.NodeID]bool{}
		g.home[a] = w.Arc(int32(a)).From == workload.Home
	}
	s.graphs[e.Graph()] = g
	return nil
}

// rounded returns the time of an amount at a rate, by definition.
func rounded(amount, rate int64) unit.Time {
	if rate <= 0 {
		return 0
	}
	return unit.Time(float64(float64(amount)/float64(rate)*1e6) + 0.5)
}

// off reports whether two spans differ by more than the rounding of floats of this size.
func off(a, b unit.Time) bool { return a-b > 1+b/1e9 || b-a > 1+b/1e9 }

func (s *Schedule) computes(e cluster.Event) error {
	g, m := s.graphs[e.Graph()], s.machines[e.Node]
	if g == nil || m == nil {
		return fmt.Errorf("%v: %v of graph %x on node %d, of which one is unknown", e.At, e.Kind, e.Graph(), e.Node)
	}
	v := e.Subtask()
	name := func() string { return fmt.Sprintf("%v: subtask %q on node %d", e.At, g.Name(v), e.Node) }
	own := m.busy && m.graph == e.Graph() && m.task == v
	switch e.Kind {
	case cluster.SubtaskStarted:
		if m.busy || !m.up {
			return fmt.Errorf("%s starts, but the node is up %v and busy %v", name(), m.up, m.busy)
		}
		if m.SpeedFor(g.Subtask(v).Type) <= 0 {
			return fmt.Errorf("%s is of type %d, which the node cannot do", name(), g.Subtask(v).Type)
		}
		if g.done[v] {
			return fmt.Errorf("%s starts, but is done already", name())
		}
		for _, a := range g.In(v) {
			from := g.Arc(a).From
			if !g.lies[a][e.Node] && (from == workload.Home || g.made[from] != e.Node) {
				return fmt.Errorf("%s starts without the result of %q", name(), g.Name(from))
			}
		}
		m.busy, m.graph, m.task, m.since = true, e.Graph(), v, e.At
		m.takes = m.CompLatency + rounded(int64(g.Subtask(v).Work), int64(m.SpeedFor(g.Subtask(v).Type)))
	case cluster.SubtaskFinished:
		if !own {
			return fmt.Errorf("%s is done, but was not computed there", name())
		}
		if took := e.At - m.since; off(took, m.takes) {
			return fmt.Errorf("%s took %v, but needs %v", name(), took, m.takes)
		}
		m.busy = false
		g.done[v], g.made[v] = true, e.Node
	case cluster.SubtaskLost:
		if e.Detail == cluster.Stored {
			g.done[v] = false
		}
		fallthrough
	default:
		if own {
			m.busy = false
		}
	}
	return nil
}

func (s *Schedule) carries(e cluster.Event) error {
	g := s.graphs[e.Graph()]
	if g == nil {
		return fmt.Errorf("%v: %v of graph %x, which is unknown", e.At, e.Kind, e.Graph())
	}
	a := e.Arc()
	arc := g.Arc(a)
	name := func() string {
		return fmt.Sprintf("%v: what %q gives %q, from node %d to node %d", e.At, g.Name(arc.From), g.Name(arc.To),
			e.Other, e.Node)
	}
	carrier := s.machines[e.Other]
	if e.Other == unit.NoNode {
		carrier = s.machines[e.Node]
	}
	if carrier == nil {
		return fmt.Errorf("%s has no channel", name())
	}
	began, moves := g.began[a]
	counts := s.OnePort && arc.Bytes > 0
	if e.Kind != cluster.TransferBegan && moves {
		delete(g.began, a)
		if counts {
			carrier.sends--
		}
	}
	switch e.Kind {
	case cluster.TransferBegan:
		there := e.Other == unit.NoNode && g.home[a] || e.Other != unit.NoNode &&
			(g.lies[a][e.Other] || arc.From != workload.Home && g.made[arc.From] == e.Other)
		if !there {
			return fmt.Errorf("%s begins, but does not lie there", name())
		}
		if counts {
			if carrier.sends++; carrier.sends > 1 {
				return fmt.Errorf("%s begins while the channel carries something else", name())
			}
		}
		g.began[a] = e.At
	case cluster.TransferEnded:
		want := carrier.CommLatency + rounded(int64(arc.Bytes), int64(carrier.Channel))
		if !moves || off(e.At-began, want) {
			return fmt.Errorf("%s took %v (under way: %v), but needs %v", name(), e.At-began, moves, want)
		}
		if e.Node == unit.NoNode {
			g.home[a] = true
		} else {
			g.lies[a][e.Node] = true
		}
	}
	return nil
}

// ends judges a graph that is done, and its deadline.
func (s *Schedule) ends(e cluster.Event) error {
	g := s.graphs[e.Graph()]
	if g == nil {
		return fmt.Errorf("%v: graph %x is done, but unknown", e.At, e.Graph())
	}
	delete(s.graphs, e.Graph())
	for v := range g.done {
		if !g.done[v] {
			return fmt.Errorf("%v: graph %x is done, but subtask %q is not", e.At, e.Graph(), g.Name(int32(v)))
		}
	}
	for _, a := range g.In(workload.Home) {
		if !g.home[a] {
			return fmt.Errorf("%v: graph %x is done, but the result of %q is not home", e.At, e.Graph(),
				g.Name(g.Arc(a).From))
		}
	}
	late := g.Deadline > 0 && e.At > g.arrived+g.Deadline
	if late != (e.Detail == 1) {
		return fmt.Errorf("%v: graph %x, which arrived at %v with %v to go, is said to be late: %v", e.At, e.Graph(),
			g.arrived, g.Deadline, !late)
	}
	if !late {
		s.Met++
		s.Offers += g.Bonus
	}
	return nil
}
