package thread_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	"parley/core/unit"
	"parley/core/workload"
)

// shapes are large graphs: which vertices a vertex of n needs; numbers that are not
// below its own do not count.
var shapes = []struct {
	name   string
	before func(v, n int, random *rng.Stream) []int
}{
	{"one chain", func(v, _ int, _ *rng.Stream) []int { return []int{v - 1} }},
	{"300 chains", func(v, _ int, _ *rng.Stream) []int { return []int{v - 300} }},
	{"tree", func(v, n int, _ *rng.Stream) []int {
		return []int{-(n - 1 - 2*(n-1-v) - 1), -(n - 1 - 2*(n-1-v) - 2)}
	}},
	{"layers", func(v, _ int, random *rng.Stream) []int {
		w := v/300*300 - 300
		return []int{w + random.Intn(300), w + random.Intn(300)}
	}},
	{"any", func(v, _ int, random *rng.Stream) []int { return []int{random.Intn(v + 1), random.Intn(v + 1)} }},
	{"fork and join", func(v, n int, _ *rng.Stream) []int {
		if v < n-1 {
			return []int{0}
		}
		all := make([]int, n-2)
		for i := range all {
			all[i] = i + 1
		}
		return all
	}},
}

// large returns the graph of a shape.
func large(t *testing.T, n int, before func(v, n int, random *rng.Stream) []int) *workload.Subtasks {
	random := rng.New(1, "large")
	vertices := make([]graph.Vertex, n)
	var arcs []graph.Arc
	for v := range vertices {
		vertices[v] = graph.Vertex{Name: fmt.Sprint(v), Work: 1 + float64(random.Intn(9))}
		own := before(v, n, random)
		slices.Sort(own)
		for _, u := range slices.Compact(own) {
			if u >= 0 && u < v {
				arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: 1})
			}
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	subtasks, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return subtasks
}

// TestLargeGraphs takes threads of graphs of 3,000 vertices until none is left, and the
// first of graphs of 100,000. It counts what was looked at, so that no machine is too
// slow for it: a search looks at so many candidates, however large the graph is.
func TestLargeGraphs(t *testing.T) {
	sizes := map[int]int{3000: 3000, 100_000: 30}
	if testing.Short() {
		delete(sizes, 100_000)
	}
	for n, largest := range sizes {
		for _, shape := range shapes {
			subtasks := large(t, n, shape.before)
			for _, rule := range []thread.Rule{thread.Safe, thread.Literal, thread.Ready} {
				limit := largest
				if rule == thread.Literal {
					limit = 3 // each looks at the whole graph: the paper's own cost
				}
				take(t, fmt.Sprintf("%s of %d, rule %d", shape.name, n, rule), subtasks, rule, limit)
			}
		}
	}
}

// take takes threads until none is left, at most so many.
func take(t *testing.T, name string, subtasks *workload.Subtasks, rule thread.Rule, limit int) {
	task := posted.New(subtasks, unit.Forever/4)
	search := thread.Search{Rule: rule}
	threads := 0
	for ; task.Count(posted.Open) > 0 && threads < limit; threads++ {
		found, ok := search.Find(task, &thread.Resource{Node: unit.NodeID(threads), Worker: workload.Worker{Speed: unit.WorkUnit, Channel: 1}}, 0)
		if !ok {
			t.Fatalf("%s: nothing to take, but %d vertices are open", name, task.Count(posted.Open))
		}
		if search.Seen() > thread.DefaultLooks+1 {
			t.Fatalf("%s: a search looked at %d candidates", name, search.Seen())
		}
		task.Take(int32(threads), found.Vertices, found.Starts)
		for _, v := range found.Vertices {
			if rule == thread.Ready {
				task.Finish(v)
			}
		}
	}
	if err := task.Audit(); err != nil {
		t.Fatal(err)
	}
}
