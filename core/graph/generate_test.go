package graph_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/rng"
	_ "parley/core/testkit/scripttest/seed"
)

// TestGenerated: a generated graph has the vertices it was asked for, one start and
// one end that all others lead to, amounts within their ranges, and is the same for
// the same seed.
func TestGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := graph.Recipe{
			Shape: graph.Shape(rapid.SampledFrom(graph.Shapes()).Draw(t, "shape")), Vertices: rapid.IntRange(1, 60).Draw(t, "vertices"),
			Width: rapid.IntRange(1, 9).Draw(t, "width"), Needs: rapid.IntRange(1, 5).Draw(t, "needs"),
			Types: []string{"a", "b", "c"}, Work: [2]float64{2, 5}, Bytes: [2]float64{10, 10},
		}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		g, again := r.Generate(rng.New(seed, "graph")), r.Generate(rng.New(seed, "graph"))
		if g.Len() != r.Vertices {
			t.Fatalf("%d vertices", g.Len())
		}
		ends := 0
		for v := range g.Len() {
			if len(g.Out(v)) == 0 {
				ends++
			}
			if one := *g.Vertex(v); one.Work < 2 || one.Work > 5 || one != *again.Vertex(v) {
				t.Fatalf("vertex %+v, again %+v", one, *again.Vertex(v))
			}
			for _, a := range g.Out(v) {
				if a.Bytes != 10 {
					t.Fatalf("arc %+v", a)
				}
			}
		}
		if ends != 1 || len(g.Out(g.Len()-1)) != 0 {
			t.Fatalf("%s of %d vertices, width %d: %d ends", r.Shape, r.Vertices, r.Width, ends)
		}
		if again.Arcs() != g.Arcs() {
			t.Fatal("another graph of the same seed")
		}
	})
}

// TestShapes: what each shape is called for.
func TestShapes(t *testing.T) {
	make := func(shape graph.Shape, vertices, width int) *graph.Graph {
		r := graph.Recipe{Shape: shape, Vertices: vertices, Width: width, Needs: 3, Types: []string{"a"}, Work: [2]float64{1, 1}}
		return r.Generate(rng.New(1, "graph"))
	}
	depth := func(g *graph.Graph) int {
		_, length := g.Critical(func(int) float64 { return 1 }, func(graph.Arc) float64 { return 0 })
		return int(length)
	}
	for _, c := range []struct {
		shape                  graph.Shape
		vertices, width, depth int
	}{{graph.ForkJoin, 7, 5, 3}, {graph.ForkJoin, 13, 5, 5}, {graph.Chains, 12, 5, 4}, {graph.Chains, 12, 1, 12}} {
		if g := make(c.shape, c.vertices, c.width); depth(g) != c.depth {
			t.Errorf("%s of %d, width %d: %d deep, want %d", c.shape, c.vertices, c.width, depth(g), c.depth)
		}
	}
	if g := make(graph.Layers, 1000, 10); depth(g) < 60 || depth(g) > 160 {
		t.Errorf("1000 vertices in layers of about 10 are %d deep", depth(g))
	}
}

// TestRecipeLimits: what the limits name is allowed, and one more or less is not.
func TestRecipeLimits(t *testing.T) {
	good := graph.Recipe{Shape: graph.Layers, Vertices: 1, Width: 1, Needs: 1, Types: []string{"a"}}
	for subject, change := range map[string]func(r *graph.Recipe) (bad func()){
		"shape":    func(r *graph.Recipe) func() { return func() { r.Shape = "star" } },
		"vertices": func(r *graph.Recipe) func() { r.Vertices = graph.MaxSize; return func() { r.Vertices++ } },
		"few":      func(r *graph.Recipe) func() { return func() { r.Vertices = 0 } },
		"width":    func(r *graph.Recipe) func() { r.Width = graph.MaxSize; return func() { r.Width++ } },
		"narrow":   func(r *graph.Recipe) func() { return func() { r.Width = 0 } },
		"needs":    func(r *graph.Recipe) func() { r.Needs = 1000; return func() { r.Needs++ } },
		"none":     func(r *graph.Recipe) func() { return func() { r.Needs = 0 } },
		"types":    func(r *graph.Recipe) func() { return func() { r.Types = nil } },
		"work": func(r *graph.Recipe) func() {
			r.Work = [2]float64{0, math.MaxFloat64 / 2}
			return func() { r.Work[1] = math.MaxFloat64 }
		},
		"bytes": func(r *graph.Recipe) func() {
			r.Bytes = [2]float64{7, 7}
			return func() { r.Bytes[1] = 6.9 }
		},
	} {
		r := good
		bad := change(&r)
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
		if bad(); r.Validate() == nil {
			t.Errorf("%s: %+v is allowed", subject, r)
		}
	}
}

// TestNeeds: in layers only the first layer, of 1 to 2 Width - 1 vertices, needs
// nothing; elsewhere only the first vertex does. Free vertices need up to Needs others.
func TestNeeds(t *testing.T) {
	layers, largest := map[int]bool{}, 0
	for seed := range uint64(100) {
		for _, shape := range graph.Shapes() {
			for _, n := range []int{1, 2, 3, 40} {
				r := graph.Recipe{Shape: graph.Shape(shape), Vertices: n, Width: 2, Needs: 3, Types: []string{"a"}, Work: [2]float64{1, 1}}
				g := r.Generate(rng.New(seed, "graph"))
				starts := 0
				for v := range n {
					in := len(g.In(v))
					if in == 0 && v == starts {
						starts++
					} else if in == 0 {
						t.Fatalf("%s: vertex %d of %d needs nothing", shape, v, n)
					}
					if graph.Shape(shape) == graph.Free && v < n-1 {
						largest = max(largest, in)
					}
				}
				if graph.Shape(shape) != graph.Layers && starts != 1 {
					t.Fatalf("%s: %d of %d vertices need nothing", shape, starts, n)
				}
				if graph.Shape(shape) == graph.Layers && n == 40 {
					layers[starts] = true
				}
			}
		}
	}
	if len(layers) != 3 || !layers[1] || !layers[2] || !layers[3] || largest != 3 {
		t.Errorf("first layers of %v vertices; free ones need up to %d", layers, largest)
	}
}

// TestWidthOfShapes: forks of one branch and chains as wide as asked for.
func TestWidthOfShapes(t *testing.T) {
	for _, width := range []int{1, 2, 3} {
		r := graph.Recipe{Shape: graph.Chains, Vertices: 14, Width: width, Needs: 1, Types: []string{"a"}}
		if g := r.Generate(rng.New(1, "graph")); len(g.Out(0)) != width || len(g.In(13)) != width {
			t.Errorf("%d chains begin and %d end, want %d", len(g.Out(0)), len(g.In(13)), width)
		}
	}
	r := graph.Recipe{Shape: graph.ForkJoin, Vertices: 6, Width: 1, Needs: 1, Types: []string{"a"}}
	g := r.Generate(rng.New(1, "graph"))
	for v := range 5 {
		if out := g.Out(v); len(out) != 1 || int(out[0].To) != v+1 {
			t.Errorf("vertex %d leads to %v", v, out)
		}
	}
}
