package plan_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/system/static/plan"
	_ "parley/core/testkit/scripttest/seed"
)

// Whatever kinds of vertices and processors there are: every schedule passes the
// checker, nobody does what he cannot, and nobody begins while he is busy.
func TestKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, kinds, processors := rapid.IntRange(1, 12).Draw(t, "vertices"), rapid.IntRange(1, 3).Draw(t, "kinds"), rapid.IntRange(1, 4).Draw(t, "processors")
		var vertices []graph.Vertex
		var arcs []graph.Arc
		of := make([]int32, n)
		for v := range n {
			of[v] = rapid.Int32Range(0, int32(kinds-1)).Draw(t, "kind")
			vertices = append(vertices, graph.Vertex{Name: fmt.Sprint(v), Work: float64(rapid.IntRange(0, 9).Draw(t, "work"))})
			for u := range v {
				if rapid.IntRange(0, 2).Draw(t, "arc") == 0 {
					arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(rapid.IntRange(0, 9).Draw(t, "bytes"))})
				}
			}
		}
		g, err := graph.New(vertices, arcs)
		if err != nil {
			t.Fatal(err)
		}
		speeds := make([][]float64, kinds)
		for k := range speeds {
			for range processors {
				speeds[k] = append(speeds[k], float64(rapid.IntRange(0, 3).Draw(t, "speed")))
			}
			speeds[k][rapid.IntRange(0, processors-1).Draw(t, "who can")]++
		}
		stated, startup, busy := make([]plan.Processor, processors), make([]float64, processors), make([]float64, processors)
		for q := range processors {
			stated[q] = plan.Processor{Speed: 1, Bandwidth: float64(rapid.IntRange(0, 3).Draw(t, "bandwidth"))}
			startup[q], busy[q] = float64(rapid.IntRange(0, 2).Draw(t, "startup")), float64(rapid.IntRange(0, 9).Draw(t, "busy"))
		}
		p, err := plan.Kinds(g, stated, 1, of, speeds, startup, busy)
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range plan.Algorithms() {
			s, err := p.Plan(algorithm)
			if err == nil {
				err = p.Check(s)
			}
			if err != nil {
				t.Fatalf("%s: %v", algorithm, err)
			}
			for v, at := range s.Slots {
				q := at.Processor
				if speeds[of[v]][q] == 0 || math.IsInf(at.Finish, 0) {
					t.Fatalf("%s: vertex %d of kind %d is on processor %d", algorithm, v, of[v], q)
				}
				if at.Finish > at.Start && at.Start < busy[q] {
					t.Fatalf("%s: vertex %d begins at %v on a processor that is busy until %v", algorithm, v, at.Start, busy[q])
				}
			}
		}
	})
}

func TestKindsThatAreWrong(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, zero := []plan.Processor{{Speed: 1}}, []float64{0}
	for _, c := range []struct {
		of            []int32
		speeds        [][]float64
		startup, busy []float64
		want          string
	}{
		{nil, [][]float64{{1}}, zero, zero, "there are kinds of 0 vertices of 1, 1 startups and 1 busy times of 1 processors"},
		{[]int32{0}, [][]float64{{0}}, zero, zero, `vertex "a" is of the kind 0, which no processor can do`},
		{[]int32{1}, [][]float64{{1}}, zero, zero, `vertex "a" is of the kind 1, which no processor can do`},
		{[]int32{0}, [][]float64{{1, 2}}, zero, zero, "kind 0 has speeds on 2 of 1 processors"},
		{[]int32{0}, [][]float64{{-1}}, zero, zero, "kind 0 has the speed -1 on processor 0: it must be above 0, or 0 where it cannot be done"},
		{[]int32{0}, [][]float64{{1}}, zero, []float64{math.NaN()}, "processor 0 has a startup of 0 s and is busy until NaN s: choose 0 to 1e15"},
	} {
		if _, err := plan.Kinds(g, one, 0, c.of, c.speeds, c.startup, c.busy); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
