package plan

import (
	"fmt"
	"math"

	"parley/core/graph"
)

// kinds are speeds by the kind of vertex.
type kinds struct {
	of      []int32     // the kind of each vertex
	speeds  [][]float64 // by kind and processor; 0: it cannot
	startup []float64   // seconds that each vertex takes on a processor beside its work
}

func (k *kinds) time(work float64, v, q int) float64 {
	speed := k.speeds[k.of[v]][q]
	if speed == 0 {
		return math.Inf(1)
	}
	return k.startup[q] + work/speed
}

// Kinds returns the problem of a graph whose vertices are of kinds, on processors
// that do each kind at a speed of its own, or not at all: speeds by kind and
// processor, 0 if it cannot. startup are seconds that every vertex takes on a
// processor beside its work, and busy until when a processor does something else.
// Of the processors only Bandwidth counts. Every vertex needs one that can do it.
func Kinds(g *graph.Graph, processors []Processor, latency float64, of []int32, speeds [][]float64, startup,
	busy []float64,
) (*Problem, error) {
	plain := make([]Processor, len(processors))
	for q, x := range processors {
		plain[q] = Processor{Name: x.Name, Speed: 1, Bandwidth: x.Bandwidth}
	}
	p, err := New(g, plain, latency, nil)
	if err != nil {
		return nil, err
	}
	if len(of) != g.Len() || len(startup) != len(processors) || len(busy) != len(processors) {
		return nil, fmt.Errorf("there are kinds of %d vertices of %d, %d startups and %d busy times of %d processors",
			len(of), g.Len(), len(startup), len(busy), len(processors))
	}
	can := make([]bool, len(speeds))
	for k, row := range speeds {
		if len(row) != len(processors) {
			return nil, fmt.Errorf("kind %d has speeds on %d of %d processors", k, len(row), len(processors))
		}
		for q, x := range row {
			if !(x >= 0 && x <= math.MaxFloat64) {
				return nil,
					fmt.Errorf(
						"kind %d has the speed %v on processor %d: it must be above 0, or 0 where it cannot be done", k,
						x, q,
					)
			}
			can[k] = can[k] || x > 0
		}
	}
	for v, k := range of {
		if k < 0 || int(k) >= len(can) || !can[k] {
			return nil, fmt.Errorf("vertex %q is of the kind %d, which no processor can do", g.Vertex(v).Name, k)
		}
	}
	for q := range processors {
		if !(startup[q] >= 0 && startup[q] <= 1e15 && busy[q] >= 0 && busy[q] <= 1e15) {
			return nil, fmt.Errorf("processor %d has a startup of %v s and is busy until %v s: choose 0 to 1e15",
				q, startup[q], busy[q])
		}
	}
	p.kinds, p.busy = &kinds{of, speeds, startup}, busy
	return p, p.checkRange()
}
