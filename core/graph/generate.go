package graph

import (
	"fmt"
	"math"
	"strconv"
)

// Random is the source of a Recipe's random numbers; *rng.Stream is one.
type Random interface {
	Float64() float64 // in [0, 1)
	Intn(n int) int   // in 0 … n-1
}

// Shape is the form of a generated graph.
type Shape string

// The shapes.
const (
	Layers   Shape = "layers"    // layers of about Width vertices; each needs some of the layer before
	ForkJoin Shape = "fork-join" // stages of one vertex, Width that need it, and one that needs these
	Chains   Shape = "chains"    // one vertex, Width chains behind it, and one that needs their ends
	Free     Shape = "random"    // each vertex needs some of all before it; one start and one end
)

// Shapes returns all of them, as documents spell them.
func Shapes() []string {
	return []string{string(Layers), string(ForkJoin), string(Chains), string(Free)}
}

// Recipe describes the graphs that Generate makes.
type Recipe struct {
	Shape    Shape
	Vertices int        // at least 1
	Width    int        // see Shape; at least 1
	Needs    int        // of layers and random: how many results a vertex needs at most; at least 1
	Types    []string   // each vertex is of one of these, drawn evenly; at least one
	Work     [2]float64 // from and to, drawn evenly
	Bytes    [2]float64 // of each arc, likewise
}

// Validate returns an error if the recipe is invalid.
func (r *Recipe) Validate() error {
	known := false
	for _, s := range Shapes() {
		known = known || s == string(r.Shape)
	}
	switch {
	case !known:
		return fmt.Errorf("shape is %q: choose one of %v", r.Shape, Shapes())
	case r.Vertices < 1 || r.Vertices > MaxSize:
		return fmt.Errorf("vertices is %d: choose 1 to %d", r.Vertices, MaxSize)
	case r.Width < 1 || r.Width > MaxSize:
		return fmt.Errorf("width is %d: choose 1 to %d", r.Width, MaxSize)
	case r.Needs < 1 || r.Needs > 1000:
		return fmt.Errorf("needs is %d: choose 1 to 1000", r.Needs)
	case len(r.Types) == 0:
		return fmt.Errorf("types is empty: a vertex is of some type")
	}
	for _, x := range []struct {
		name string
		from [2]float64
	}{{"work", r.Work}, {"bytes", r.Bytes}} {
		if !(x.from[0] >= 0 && x.from[0] <= x.from[1] && x.from[1] <= math.MaxFloat64/2) {
			return fmt.Errorf("%s is %v: give the least and the most, at least 0", x.name, x.from)
		}
	}
	return nil
}

// Generate draws a graph by a recipe that is valid.
func (r *Recipe) Generate(random Random) *Graph {
	d := drawing{Recipe: r, random: random, vertices: make([]Vertex, r.Vertices)}
	for v := range d.vertices {
		d.vertices[v] = Vertex{Name: strconv.Itoa(v), Type: r.Types[random.Intn(len(r.Types))], Work: d.between(r.Work)}
	}
	switch r.Shape {
	case Layers:
		d.layers()
	case ForkJoin:
		d.forkJoin()
	case Chains:
		d.chains()
	case Free:
		d.free()
	}
	g, err := New(d.vertices, d.arcs)
	if err != nil {
		panic("graph: a generated graph is wrong: " + err.Error())
	}
	return g
}

// drawing is a graph under way.
type drawing struct {
	*Recipe
	random   Random
	vertices []Vertex
	arcs     []Arc
}

func (d *drawing) between(x [2]float64) float64 {
	return x[0] + float64((x[1]-x[0])*d.random.Float64())
}

func (d *drawing) arc(from, to int) {
	d.arcs = append(d.arcs, Arc{From: int32(from), To: int32(to), Bytes: d.between(d.Bytes)})
}

// needs gives vertex to between 1 and Needs different predecessors from low … high-1.
func (d *drawing) needs(to, low, high int) {
	n := min(1+d.random.Intn(d.Needs), high-low)
	taken := make([]int, 0, n)
	for len(taken) < n {
		from := low + d.random.Intn(high-low)
		fresh := true
		for _, other := range taken {
			fresh = fresh && other != from
		}
		if fresh {
			taken = append(taken, from)
			d.arc(from, to)
		}
	}
}

// layers draws layers of 1 to 2 Width - 1 vertices. Vertices without successors are
// needed by one of the next layer; the last layer is one vertex.
func (d *drawing) layers() {
	needed := make([]bool, d.Vertices)
	low, high := 0, 0 // the layer before
	for at := 0; at < d.Vertices; {
		size := 1 + d.random.Intn(2*d.Width-1)
		if at+size >= d.Vertices {
			size = max(1, d.Vertices-1-at) // the last vertex is a layer of its own
		}
		begin := len(d.arcs)
		if high > low {
			for v := at; v < at+size; v++ {
				d.needs(v, low, high)
			}
		}
		for _, a := range d.arcs[begin:] {
			needed[a.From] = true
		}
		for v := low; v < high; v++ {
			if !needed[v] {
				d.arc(v, at+d.random.Intn(size))
			}
		}
		low, high = at, at+size
		at += size
	}
	d.dedupe()
}

// dedupe drops arcs that were drawn twice.
func (d *drawing) dedupe() {
	seen := make(map[[2]int32]struct{}, len(d.arcs))
	kept := d.arcs[:0]
	for _, a := range d.arcs {
		if _, twice := seen[[2]int32{a.From, a.To}]; !twice {
			seen[[2]int32{a.From, a.To}] = struct{}{}
			kept = append(kept, a)
		}
	}
	d.arcs = kept
}

// forkJoin draws up to Width vertices between a fork and a join, which is the next fork, and so on.
func (d *drawing) forkJoin() {
	for fork := 0; fork < d.Vertices-1; {
		width := min(d.Width, d.Vertices-2-fork)
		join := fork + width + 1
		if width < 1 {
			d.arc(fork, fork+1)
			return
		}
		for v := fork + 1; v < join; v++ {
			d.arc(fork, v)
			d.arc(v, join)
		}
		fork = join
	}
}

// chains draws as many chains of equal length as Width between the first and the last vertex.
func (d *drawing) chains() {
	last := d.Vertices - 1
	inner := last - 1 // vertices between the first and the last
	if inner < 1 {
		if last > 0 {
			d.arc(0, last)
		}
		return
	}
	width := min(d.Width, inner)
	for v := 1; v <= inner; v++ {
		d.arc(max(0, v-width), v)
		if v > inner-width {
			d.arc(v, last)
		}
	}
}

// free lets each vertex need some of the Width·Needs vertices before it. A vertex that no other needs precedes the
// last one.
func (d *drawing) free() {
	last := d.Vertices - 1
	needed := make([]bool, d.Vertices)
	for v := 1; v < last; v++ {
		begin := len(d.arcs)
		d.needs(v, max(0, v-d.Width*d.Needs), v)
		for _, a := range d.arcs[begin:] {
			needed[a.From] = true
		}
	}
	for v := range last {
		if !needed[v] {
			d.arc(v, last)
		}
	}
}
