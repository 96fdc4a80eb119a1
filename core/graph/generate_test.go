package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/rng"
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
