package graphs

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"parley/core/graph"
	"parley/core/unit"
	"parley/core/workload"
)

// New returns the workload of a document: its machines, then its graphs. other provides the graphs
// in place of the document; nil if there is none. If the document has none either, they are drawn
// by default.
func (d *Document) New(seed uint64, other workload.Source) workload.Source {
	if other == nil && !d.Given() {
		usual := *d
		usual.Generate = &Generate{Shape: mixed}
		if usual.Offer == (Offer{}) {
			usual.Factor = usualFactor
		}
		d = &usual
	}
	return &source{generator: d.generator(seed), document: d, other: other}
}

// source emits the machines first and then the graphs.
type source struct {
	generator *generator
	document  *Document
	other     workload.Source
	kind      int // of machines
	within    int // of the kind
	machines  int
	drawn     *drawn
	graphs    int
	current   workload.Graph
	last      unit.Time
	offset    unit.Time
	held      *workload.Subtasks // the latest of other's, counted anew
	from      *graph.Graph
}

// Header describes the machines.
func (s *source) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeGraphs, Assumed: s.assumed()}
}

func (s *source) assumed() string {
	kinds := make([]string, len(s.generator.machines))
	for i := range kinds {
		kinds[i] = s.generator.machines[i].String()
	}
	if len(s.document.Machines) == 0 {
		return "the files name no machines, so the default is assumed: " + strings.Join(kinds, "; ")
	}
	return "machines, from workload.graphs: " + strings.Join(kinds, "; ")
}

// Next implements workload.Source: the machines join at time 0, then the graphs of the other source, the
// generated or the listed ones arrive. The graph of a record is valid until the next call.
func (s *source) Next(r *workload.Record) error {
	for s.kind < len(s.generator.machines) {
		m := &s.generator.machines[s.kind]
		if s.within == m.count() {
			s.kind, s.within = s.kind+1, 0
			continue
		}
		*r = workload.Record{
			Kind: workload.NodeJoins, Machine: uint64(s.machines),
			Node: s.generator.machine(s.kind, s.within, s.machines),
		}
		s.within++
		s.machines++
		return nil
	}
	switch d := s.document; {
	case s.other != nil:
		return s.brought(r)
	case d.Generate != nil:
		if s.drawn == nil {
			s.drawn = d.Generate.begin(s.generator)
		}
		return s.draw(r)
	case s.graphs < len(d.List):
		l := &d.List[s.graphs]
		tasks, err := l.graph(s.generator)
		if err != nil {
			return fmt.Errorf("list[%d]: %w", s.graphs, err)
		}
		s.current = s.generator.offered(tasks, l.Deadline, l.Bonus)
		s.current.User = l.User
		s.arrives(r, micros(l.At))
		return nil
	}
	return io.EOF
}

// arrives fills r with the arrival of s.current at a time, or at that of the last graph if it is later.
func (s *source) arrives(r *workload.Record, at unit.Time) {
	s.last = max(s.last, at)
	*r = workload.Record{
		At: s.last, Kind: workload.GraphArrives, Key: workload.Key{Job: uint64(s.graphs)},
		Graph: &s.current,
	}
	s.graphs++
}

// brought fills r with the next record of the other source. Graphs get the types' numbers of the machines, and the
// document's deadline and bonus if they have none. The n-th graph, from 0, arrives n times every_s later than
// in that source.
func (s *source) brought(r *workload.Record) error {
	if err := s.other.Next(r); err != nil {
		return err
	}
	if r.Kind != workload.GraphArrives {
		r.At = max(r.At, s.last)
		return nil
	}
	g := r.Graph
	if s.from != g.Subtasks.Graph() {
		tasks, err := s.generator.integers(g.Subtasks.Graph(), homeArcs(g.Subtasks))
		if err != nil {
			return fmt.Errorf("graph %d: %w", s.graphs, err)
		}
		s.from, s.held = g.Subtasks.Graph(), tasks
	}
	s.current = s.generator.offered(s.held, nil, nil)
	if g.Deadline > 0 {
		s.current.Deadline = g.Deadline
	}
	if g.Bonus > 0 {
		s.current.Bonus = g.Bonus
	}
	s.current.User = g.User
	key, at := r.Key, r.At+s.offset
	s.offset += micros(s.document.Every)
	s.arrives(r, at)
	r.Key = key
	return nil
}

// homeArcs returns the arcs from and to home.
func homeArcs(s *workload.Subtasks) (arcs []workload.GraphArc) {
	for i := range s.Arcs() {
		if a := s.Arc(int32(i)); a.From == workload.Home || a.To == workload.Home {
			arcs = append(arcs, a)
		}
	}
	return arcs
}

// integers converts a graph to whole units, with arcs from and to home, and returns an error if no machine can
// do one of its types.
func (w *generator) integers(g *graph.Graph, home []workload.GraphArc) (*workload.Subtasks, error) {
	for v := range g.Len() {
		x := g.Vertex(v)
		if w.speed(w.number(x.Type)) == 0 {
			return nil, fmt.Errorf("task %s is of the type %s, which no machine can do", quoted(x.Name), quoted(x.Type))
		}
	}
	return workload.NewSubtasks(g, w.number, home)
}

func quoted(name string) string { return strconv.Quote(shorten(name)) }

// offered returns a graph with a deadline and a bonus: those given, or the document's if they are nil. A
// deadline factor multiplies the graph's critical path.
func (w *generator) offered(tasks *workload.Subtasks, deadline, bonus *float64) workload.Graph {
	o := &w.document.Offer
	g := workload.Graph{Subtasks: tasks, Bonus: money(o.Bonus)}
	switch {
	case deadline != nil:
		g.Deadline = micros(*deadline)
	case o.Factor > 0:
		g.Deadline = max(1, micros(float64(o.Factor*w.critical(tasks.Graph()))))
	default:
		g.Deadline = micros(o.Deadline)
	}
	if bonus != nil {
		g.Bonus = money(*bonus)
	}
	return g
}

// critical returns the length of a graph's critical path in seconds, with each
// vertex at the mean speed of the machines that can do it and each arc at the mean
// bandwidth, as if every result travelled.
func (w *generator) critical(g *graph.Graph) float64 {
	_, length := g.Critical(
		func(v int) float64 { x := g.Vertex(v); return x.Work / w.speed(w.number(x.Type)) },
		func(a graph.Arc) float64 {
			if w.bandwidth == 0 {
				return 0
			}
			return a.Bytes / w.bandwidth
		},
	)
	return length
}

// graph returns the subtasks of a listed graph. An arc without from or to begins or ends at home; an arc without
// both is an error.
func (l *Listed) graph(w *generator) (*workload.Subtasks, error) {
	if len(l.Tasks) == 0 {
		return nil, errors.New(`the graph has no tasks: add "tasks" with a name and work each`)
	}
	if l.Deadline != nil {
		if err := within("deadline_s", *l.Deadline, 0, maxSeconds); err != nil {
			return nil, err
		}
	}
	if l.Bonus != nil {
		if err := within("bonus", *l.Bonus, 0, maxRate); err != nil {
			return nil, err
		}
	}
	vertices, index := make([]graph.Vertex, len(l.Tasks)), map[string]int32{"": workload.Home}
	for i, t := range l.Tasks {
		if t.Name == "" {
			return nil, fmt.Errorf("task %d has no name: give each one of its own", i)
		}
		vertices[i], index[t.Name] = graph.Vertex{Name: t.Name, Type: t.Type, Work: t.Work}, int32(i)
	}
	var arcs []graph.Arc
	var home []workload.GraphArc
	for i, a := range l.Arcs {
		from, knowsFrom := index[a.From]
		to, knowsTo := index[a.To]
		switch {
		case !knowsFrom:
			return nil, fmt.Errorf("arc %d names %s, which is no task", i, quoted(a.From))
		case !knowsTo:
			return nil, fmt.Errorf("arc %d names %s, which is no task", i, quoted(a.To))
		case from != workload.Home && to != workload.Home:
			arcs = append(arcs, graph.Arc{From: from, To: to, Bytes: a.Bytes})
			continue
		case from == to:
			return nil, fmt.Errorf("arc %d has neither from nor to", i)
		}
		if err := within("bytes", a.Bytes, 0, 1e15); err != nil {
			return nil, fmt.Errorf("arc %d: %w", i, err)
		}
		home = append(home, workload.GraphArc{From: from, To: to, Bytes: unit.Bytes(a.Bytes + 0.5)})
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		return nil, err
	}
	return w.integers(g, home)
}
