package graph_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
)

// vertices returns vertices of these names with work of 1.
func vertices(names string) (out []graph.Vertex) {
	for _, name := range strings.Fields(names) {
		out = append(out, graph.Vertex{Name: name, Work: 1})
	}
	return out
}

// arcs reads "0>1 1>2".
func arcs(text string) (out []graph.Arc) {
	for _, word := range strings.Fields(text) {
		var a graph.Arc
		fmt.Sscanf(word, "%d>%d", &a.From, &a.To)
		out = append(out, a)
	}
	return out
}

func TestWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		names, arcs, want string
	}{
		{"a b c", "0>1 1>2", ""},
		{"", "", ""},
		{"a a", "", `vertex "a" stands there twice`},
		{"a b", "0>2", "the graph cannot be used: an arc leads from vertex 0 to vertex 2, but vertices are numbered 0 to 1"},
		{"a b", "-1>0", "the graph cannot be used: an arc leads from vertex -1 to vertex 0, but vertices are numbered 0 to 1"},
		{"a b", "0>1 0>1", `vertex "b" needs "a" twice: join the two arcs into one`},
		{"a b", "1>1", `task "b" depends on itself: remove that dependency`},
		{"a b c", "0>1 1>0 1>2", `the graph has a cycle: "a" → "b" → "a"; remove one of these dependencies: a task graph cannot contain a cycle`},
		{"s a b c d", "0>1 1>2 2>3 3>1 3>4", `the graph has a cycle: "a" → "b" → "c" → "a"; remove one of these dependencies: a task graph cannot contain a cycle`},
		{"a b c d e f g h", "0>1 1>2 2>3 3>4 4>5 5>6 6>7 7>0", `the graph has a cycle: "a" → "b" → "c" → "d" → "e" → … (3 more) → "a"; remove one of these dependencies: a task graph cannot contain a cycle`},
	} {
		_, err := graph.New(vertices(c.names), arcs(c.arcs))
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%s with %s: %v\nwant %s", c.names, c.arcs, got, c.want)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := graph.New([]graph.Vertex{{Name: "a", Work: bad}}, nil); err == nil {
			t.Errorf("work of %v passes", bad)
		}
		if _, err := graph.New(vertices("a b"), []graph.Arc{{From: 0, To: 1, Bytes: bad}}); err == nil {
			t.Errorf("an arc of %v bytes passes", bad)
		}
	}
}

// TestNamesCycles: a cycle that is reported is one, whatever else is there.
func TestNamesCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "vertices")
		var all []graph.Vertex
		for v := range n {
			all = append(all, graph.Vertex{Name: fmt.Sprint(v)})
		}
		there := map[[2]int32]bool{}
		var drawn []graph.Arc
		for range rapid.IntRange(0, 24).Draw(t, "arcs") {
			a := graph.Arc{From: rapid.Int32Range(0, int32(n-1)).Draw(t, "from"), To: rapid.Int32Range(0, int32(n-1)).Draw(t, "to")}
			if key := [2]int32{a.From, a.To}; !there[key] {
				there[key] = true
				drawn = append(drawn, a)
			}
		}
		g, err := graph.New(all, slices.Clone(drawn))
		var cycle *graph.Cycle
		if errors.As(err, &cycle) {
			for i, name := range cycle.Names {
				var from, to int32
				fmt.Sscan(name, &from)
				fmt.Sscan(cycle.Names[(i+1)%len(cycle.Names)], &to)
				if !there[[2]int32{from, to}] {
					t.Fatalf("%v: nothing leads from %d to %d", cycle, from, to)
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		place := make([]int, n)
		for i, v := range g.Order() {
			place[v] = i
		}
		for _, a := range drawn {
			if place[a.From] >= place[a.To] {
				t.Fatalf("%d stands at %d, but needs %d at %d", a.To, place[a.To], a.From, place[a.From])
			}
		}
		if len(g.Order()) != n || g.Arcs() != len(drawn) {
			t.Fatalf("%d of %d vertices in order, %d of %d arcs", len(g.Order()), n, g.Arcs(), len(drawn))
		}
	})
}

// TestPathsAgainstAllPaths compares the longest paths with those found by walking
// every path.
func TestPathsAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "vertices")
		var all []graph.Vertex
		var drawn []graph.Arc
		for v := range n {
			all = append(all, graph.Vertex{Name: fmt.Sprint(v), Work: float64(rapid.IntRange(0, 9).Draw(t, "work"))})
			for u := range v {
				if rapid.Bool().Draw(t, "arc") {
					drawn = append(drawn, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(rapid.IntRange(0, 9).Draw(t, "bytes"))})
				}
			}
		}
		g, err := graph.New(all, drawn)
		if err != nil {
			t.Fatal(err)
		}
		work, bytes := func(v int) float64 { return g.Vertex(v).Work }, func(a graph.Arc) float64 { return a.Bytes }
		var walk func(v int) float64
		walk = func(v int) float64 {
			largest := 0.0
			for _, a := range g.Out(v) {
				largest = max(largest, a.Bytes+walk(int(a.To)))
			}
			return work(v) + largest
		}
		toEnd, fromStart := g.Longest(work, bytes), g.FromStart(work, bytes)
		whole := 0.0
		for v := range n {
			if walk(v) != toEnd[v] {
				t.Fatalf("from %d it is %v, walked %v", v, toEnd[v], walk(v))
			}
			whole = max(whole, toEnd[v])
		}
		path, length := g.Critical(work, bytes)
		sum := 0.0
		for i, v := range path {
			sum += work(v)
			if i > 0 {
				in := g.In(v)
				at := slices.IndexFunc(in, func(a graph.Arc) bool { return int(a.From) == path[i-1] })
				if at < 0 {
					t.Fatalf("the critical path %v has no arc to %d", path, v)
				}
				sum += in[at].Bytes
			}
			if fromStart[v]+toEnd[v] != whole {
				t.Fatalf("%d of the critical path lies on a path of %v, the longest has %v", v, fromStart[v]+toEnd[v], whole)
			}
		}
		if length != whole || sum != whole {
			t.Fatalf("the critical path %v has %v, is said to have %v, the longest %v", path, sum, length, whole)
		}
	})
}

func Example() {
	g, err := graph.New(
		[]graph.Vertex{{Name: "split", Work: 3}, {Name: "left", Work: 2}, {Name: "right", Work: 4}, {Name: "join", Work: 1}},
		[]graph.Arc{{From: 0, To: 1, Bytes: 10}, {From: 0, To: 2, Bytes: 10}, {From: 1, To: 3}, {From: 2, To: 3}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	path, length := g.Critical(func(v int) float64 { return g.Vertex(v).Work }, func(graph.Arc) float64 { return 0 })
	for _, v := range path {
		fmt.Print(g.Vertex(v).Name, " ")
	}
	fmt.Println(length)
	// Output: split right join 8
}
