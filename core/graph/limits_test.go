package graph_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/core/graph"
)

// What is just within a limit is taken: the largest number, the last vertex, a name
// of sixty letters, a cycle of six.
func TestJustWithin(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: math.MaxFloat64}, {Name: "b"}}, []graph.Arc{{From: 0, To: 1, Bytes: math.MaxFloat64}})
	if err != nil || g.Arcs() != 1 {
		t.Errorf("%v", err)
	}
	for _, arc := range []graph.Arc{{From: 2, To: 0}, {From: 0, To: 2}, {From: -1, To: 0}, {From: 0, To: -1}} {
		_, err := graph.New(vertices("a b"), []graph.Arc{arc})
		if want := fmt.Sprintf("the graph cannot be used: an arc leads from vertex %d to vertex %d, but vertices are numbered 0 to 1", arc.From, arc.To); err == nil || err.Error() != want {
			t.Errorf("%v: %v", arc, err)
		}
	}
	for _, letters := range []int{60, 61} {
		name := strings.Repeat("é", letters)
		_, err := graph.New([]graph.Vertex{{Name: name}, {Name: name}}, nil)
		if whole := err != nil && strings.Contains(err.Error(), name); whole != (letters == 60) {
			t.Errorf("%d letters: %v", letters, err)
		}
	}
	for n, want := range map[int]string{
		6: `"v0" → "v1" → "v2" → "v3" → "v4" → "v5" → "v0"; remove one`,
		7: `"v0" → "v1" → "v2" → "v3" → "v4" → … (2 more) → "v0"; remove one`,
	} {
		var all []graph.Vertex
		var ring []graph.Arc
		for i := range n {
			all = append(all, graph.Vertex{Name: fmt.Sprint("v", i)})
			ring = append(ring, graph.Arc{From: int32(i), To: int32((i + 1) % n)})
		}
		if _, err := graph.New(all, ring); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// Of longest paths that are equally long, Critical takes that of the lowest numbers;
// arcs and vertices without a cost lead on as well.
func TestCriticalTakesTheLowestNumbers(t *testing.T) {
	nothing := func(graph.Arc) float64 { return 0 }
	for _, c := range []struct {
		vertices, arcs, want string
		cost                 float64
	}{
		{"a b c d", "a-c a-d b-c b-d", "[0 2]", 1},
		{"a b c d", "b-d b-c a-d a-c", "[0 2]", 1},
		{"a b c d", "a-c a-d b-c b-d", "[0 2]", 0},
		{"a b c", "", "[0]", 1},
	} {
		var list []graph.Arc
		for word := range strings.FieldsSeq(c.arcs) {
			list = append(list, graph.Arc{From: int32(word[0] - 'a'), To: int32(word[2] - 'a')})
		}
		g, err := graph.New(vertices(c.vertices), list)
		if err != nil {
			t.Fatal(err)
		}
		path, _ := g.Critical(func(int) float64 { return c.cost }, nothing)
		if fmt.Sprint(path) != c.want {
			t.Errorf("%s with a cost of %v: %v, want %s", c.arcs, c.cost, path, c.want)
		}
	}
}

// A longest path may lead to vertex 0.
func TestCriticalToTheFirst(t *testing.T) {
	g, err := graph.New(vertices("a b c"), []graph.Arc{{From: 2, To: 0, Bytes: 5}, {From: 2, To: 1, Bytes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	path, length := g.Critical(func(int) float64 { return 1 }, func(a graph.Arc) float64 { return a.Bytes })
	if fmt.Sprint(path) != "[2 0]" || length != 7 {
		t.Errorf("the longest path is %v, of %v", path, length)
	}
}
