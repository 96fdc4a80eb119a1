// Package graph holds task graphs: pieces of work, and which of them need the results of
// which others.
//
// A Graph is directed and acyclic; New checks that. Vertices are numbered from 0. Amounts are
// plain numbers whose unit the caller defines: work in operations or seconds, results in
// bytes.
//
//	g, err := graph.New(
//		[]graph.Vertex{{Name: "split", Work: 3}, {Name: "join", Work: 5}},
//		[]graph.Arc{{From: 0, To: 1, Bytes: 1e6}},
//	)
package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"parley/core/words"
)

// Vertex is one piece of work, a subtask.
type Vertex struct {
	Name string  // as its file calls it; no two are equal
	Type string  // the kind of its work; resources may support some kinds only
	Work float64 // how much there is to do, at least 0
}

// Arc is a dependency: To needs the result of From.
type Arc struct {
	From, To int32
	Bytes    float64 // that the result has, at least 0
}

// Graph is a task graph without cycles. It is immutable.
type Graph struct {
	vertices  []Vertex
	out, in   []Arc   // by From and To, then by the other end
	outAt     []int32 // where the arcs of a vertex begin in out; one more than vertices
	inAt      []int32 // likewise in in
	order     []int32 // topological
	totalWork float64
}

// MaxSize is the largest number of vertices, and of arcs, of a graph.
const MaxSize = 1 << 26

// New returns the graph of these vertices and arcs, which it takes over.
// Errors are *Error, or *Cycle where vertices need each other's results.
func New(vertices []Vertex, arcs []Arc) (*Graph, error) {
	if len(vertices) > MaxSize || len(arcs) > MaxSize {
		return nil, &Error{Reason: fmt.Sprintf("it has %d vertices and %d arcs: at most %d of each are held",
			len(vertices), len(arcs), MaxSize)}
	}
	g := &Graph{vertices: vertices, in: arcs, out: slices.Clone(arcs)}
	names := make(map[string]struct{}, len(vertices))
	for i := range vertices {
		v := &vertices[i]
		if _, twice := names[v.Name]; twice {
			return nil, &Error{Vertex: v.Name, Reason: "stands there twice"}
		}
		names[v.Name] = struct{}{}
		if !amount(v.Work) {
			return nil, &Error{
				Vertex: v.Name,
				Reason: fmt.Sprintf("has work of %v: it must be a number of at least 0", v.Work),
			}
		}
		g.totalWork += v.Work
	}
	if err := g.checkArcs(arcs); err != nil {
		return nil, err
	}
	slices.SortFunc(g.out, func(a, b Arc) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	slices.SortFunc(g.in, func(a, b Arc) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	for i := 1; i < len(g.out); i++ {
		if a, b := g.out[i-1], g.out[i]; a.From == b.From && a.To == b.To {
			return nil, &Error{
				Vertex: vertices[b.To].Name,
				Reason: fmt.Sprintf("needs %s twice: join the two arcs into one", quoted(vertices[b.From].Name)),
			}
		}
	}
	g.outAt = starts(len(vertices), g.out, func(a Arc) int32 { return a.From })
	g.inAt = starts(len(vertices), g.in, func(a Arc) int32 { return a.To })
	if g.order = g.sorted(); len(g.order) < len(vertices) {
		return nil, g.cycle()
	}
	return g, nil
}

// amount reports whether x is finite and at least 0.
func amount(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }

// checkArcs returns an error about the first arc that names no vertex, joins a vertex to itself or has a size that
// is not finite or below 0.
func (g *Graph) checkArcs(arcs []Arc) error {
	n := int32(len(g.vertices))
	for _, a := range arcs {
		switch {
		case a.From < 0 || a.From >= n || a.To < 0 || a.To >= n:
			return &Error{Reason: fmt.Sprintf(
				"an arc leads from vertex %d to vertex %d, but vertices are numbered 0 to %d", a.From, a.To, n-1,
			)}
		case a.From == a.To:
			return &Cycle{Names: []string{g.vertices[a.From].Name}}
		case !amount(a.Bytes):
			return &Error{
				Vertex: g.vertices[a.To].Name,
				Reason: fmt.Sprintf("gets %v bytes from %s: it must be a number of at least 0", a.Bytes,
					quoted(g.vertices[a.From].Name)),
			}
		}
	}
	return nil
}

// starts returns where the arcs of each vertex begin among arcs sorted by it.
func starts(n int, arcs []Arc, of func(Arc) int32) []int32 {
	at := make([]int32, n+1)
	for _, a := range arcs {
		at[of(a)+1]++
	}
	for v := range n {
		at[v+1] += at[v]
	}
	return at
}

// Len returns how many vertices there are.
func (g *Graph) Len() int { return len(g.vertices) }

// Arcs returns how many arcs there are.
func (g *Graph) Arcs() int { return len(g.out) }

// Vertex returns a vertex, which belongs to the graph.
func (g *Graph) Vertex(v int) *Vertex { return &g.vertices[v] }

// Out returns the arcs that leave a vertex, by To; they belong to the graph.
func (g *Graph) Out(v int) []Arc { return g.out[g.outAt[v]:g.outAt[v+1]] }

// In returns the arcs that come to a vertex, by From; they belong to the graph.
func (g *Graph) In(v int) []Arc { return g.in[g.inAt[v]:g.inAt[v+1]] }

// Order returns the vertices so that each follows all that it needs; of those
// that could come next it takes the one that was ready first, then the lowest
// number. It belongs to the graph.
func (g *Graph) Order() []int32 { return g.order }

// Work returns the sum of all work.
func (g *Graph) Work() float64 { return g.totalWork }

// sorted is Kahn's algorithm: the order of all vertices, without those of and
// behind a cycle.
func (g *Graph) sorted() []int32 {
	order := make([]int32, 0, len(g.vertices))
	missing := make([]int32, len(g.vertices))
	for v := range g.vertices {
		if missing[v] = int32(len(g.In(v))); missing[v] == 0 {
			order = append(order, int32(v))
		}
	}
	for next := 0; next < len(order); next++ {
		for _, a := range g.Out(int(order[next])) {
			if missing[a.To]--; missing[a.To] == 0 {
				order = append(order, a.To)
			}
		}
	}
	return order
}

// cycle returns one cycle of a graph that has one: from any vertex that was not
// sorted, back along arcs from others of them, until one is met again. It is
// reported from its lowest number on.
func (g *Graph) cycle() *Cycle {
	done := make([]bool, len(g.vertices))
	for _, v := range g.order {
		done[v] = true
	}
	v := int32(slices.Index(done, false))
	met := map[int32]int{}
	var path []int32
	for {
		at, again := met[v]
		if again {
			path = path[at:]
			break
		}
		met[v] = len(path)
		path = append(path, v)
		in := g.In(int(v))
		v = in[slices.IndexFunc(in, func(a Arc) bool { return !done[a.From] })].From
	}
	slices.Reverse(path)
	first := slices.Index(path, slices.Min(path))
	c := &Cycle{}
	for i := range path {
		c.Names = append(c.Names, g.vertices[path[(first+i)%len(path)]].Name)
	}
	return c
}

// quoted shortens and quotes a name for a sentence.
func quoted(name string) string {
	return strconv.Quote(words.Cut(name, 60))
}
