package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/core/graph"
	"parley/core/unit"
)

// Graph is a task graph that somebody submits.
type Graph struct {
	*Subtasks
	Deadline unit.Time  // how long after its arrival it is to be done; 0: whenever
	Bonus    unit.Money // offered for being done by then
	User     uint32
}

// SubtaskType is the number of a type of subtasks in its workload: names are
// interned by the source.
type SubtaskType int32

// Home is the source of a graph's inputs and the destination of its results: a user, a board, a
// storage outside the cluster. An arc names it in place of a subtask.
const Home int32 = -1

// GraphArc carries bytes from one subtask to another, or from or to Home.
type GraphArc struct {
	From, To int32
	Bytes    unit.Bytes
}

// Subtask is a vertex of a graph.
type Subtask struct {
	Type SubtaskType
	Work unit.Work
}

// Subtasks are the contents of a graph, in whole units. They are immutable, so
// that many graphs can share them. Arcs are numbered: those from Home first, then
// those of each subtask together, by the subtask they lead to.
type Subtasks struct {
	graph *graph.Graph
	tasks []Subtask
	arcs  []GraphArc
	outAt []int32 // where the arcs from Home, of subtask 0, 1 … begin; one more than those
	in    []int32 // numbers of the arcs to subtask 0, 1 …, then to Home
	inAt  []int32
	work  unit.Work
}

// Limits of a graph's sums, so that no sum over graphs overflows.
const (
	maxGraphWork  = unit.Work(1) << 58
	maxGraphBytes = unit.Bytes(1) << 53
)

// NewSubtasks counts a graph in whole units: work in millionths of its unit, data in bytes, each
// rounded. types gives the number of a vertex's type. home are arcs from and to Home, which the
// graph does not have: the inputs of the first subtasks from the user, and the outputs of the last
// ones.
func NewSubtasks(g *graph.Graph, types func(name string) SubtaskType, home []GraphArc) (*Subtasks, error) {
	if g.Len() == 0 {
		return nil, fmt.Errorf("the graph has no subtasks")
	}
	s := &Subtasks{graph: g, tasks: make([]Subtask, g.Len()), arcs: slices.Clone(home)}
	total := 0.0
	for v := range s.tasks {
		x := g.Vertex(v)
		total += x.Work
		s.tasks[v] = Subtask{Type: types(x.Type), Work: unit.WorkOf(x.Work)}
	}
	if total > maxGraphWork.Float() {
		return nil, fmt.Errorf("the graph holds work of %g: at most %g can be counted; state it in a larger unit",
			total, maxGraphWork.Float())
	}
	bytes := 0.0
	for v := range s.tasks {
		s.work += s.tasks[v].Work
		for _, a := range g.Out(v) {
			bytes += a.Bytes
			s.arcs = append(s.arcs, GraphArc{From: a.From, To: a.To, Bytes: unit.Bytes(math.Min(a.Bytes, 1<<62) + 0.5)})
		}
	}
	for _, a := range home {
		if n := int32(g.Len()); a.Bytes < 0 || (a.From == Home) == (a.To == Home) || max(a.From, a.To) >= n ||
			min(a.From, a.To) < Home {
			return nil,
				fmt.Errorf(
					"an arc leads from %d to %d with %d bytes: it must lead from or to home and one of %d subtasks",
					a.From, a.To, a.Bytes, n,
				)
		}
		bytes += float64(a.Bytes)
	}
	if bytes > float64(maxGraphBytes) {
		return nil, fmt.Errorf("the graph's arcs hold %g bytes: at most %d can be counted", bytes, maxGraphBytes)
	}
	s.number()
	return s, nil
}

// number sorts and indexes the arcs.
func (s *Subtasks) number() {
	slices.SortStableFunc(s.arcs,
		func(a, b GraphArc) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	n := len(s.tasks)
	s.outAt, s.inAt, s.in = make([]int32, n+2), make([]int32, n+2), make([]int32, len(s.arcs))
	for _, a := range s.arcs {
		s.outAt[a.From+2]++
		s.inAt[s.place(a.To)+1]++
	}
	for v := range n + 1 {
		s.outAt[v+1] += s.outAt[v]
		s.inAt[v+1] += s.inAt[v]
	}
	next := slices.Clone(s.inAt)
	for i, a := range s.arcs {
		to := s.place(a.To)
		s.in[next[to]] = int32(i)
		next[to]++
	}
}

// place is the index of the arcs to a subtask, or to Home: Home's are the last.
func (s *Subtasks) place(to int32) int32 {
	if to == Home {
		return int32(len(s.tasks))
	}
	return to
}

// Graph returns the graph with its names.
func (s *Subtasks) Graph() *graph.Graph { return s.graph }

// Len returns how many subtasks there are.
func (s *Subtasks) Len() int { return len(s.tasks) }

// Subtask returns a subtask.
func (s *Subtasks) Subtask(v int32) Subtask { return s.tasks[v] }

// Name returns a subtask's name; Home's is empty.
func (s *Subtasks) Name(v int32) string {
	if v == Home {
		return ""
	}
	return s.graph.Vertex(int(v)).Name
}

// Arcs returns how many arcs there are, those from and to Home included.
func (s *Subtasks) Arcs() int { return len(s.arcs) }

// Arc returns an arc by its number.
func (s *Subtasks) Arc(i int32) GraphArc { return s.arcs[i] }

// Out returns the numbers of the arcs that leave a subtask, or Home: from first to
// the one before end.
func (s *Subtasks) Out(v int32) (first, end int32) { return s.outAt[v+1], s.outAt[v+2] }

// In returns the numbers of the arcs that come to a subtask, or to Home. The slice
// belongs to the graph.
func (s *Subtasks) In(v int32) []int32 {
	at := s.place(v)
	return s.in[s.inAt[at]:s.inAt[at+1]]
}

// Work returns the sum of all work.
func (s *Subtasks) Work() unit.Work { return s.work }
