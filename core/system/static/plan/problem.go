// Package plan computes static schedules of task graphs: before anything runs, it decides
// which processor computes which vertex, and when.
//
// A Problem holds a graph, processors and the costs of transfers. A Schedule has one slot
// for each vertex. The algorithms are the usual list schedulers: HEFT and CPOP (Topcuoglu,
// Hariri, Wu, IEEE TPDS 13(3), 2002), PEFT (Arabnejad, Barbosa, IEEE TPDS 25(3), 2014), and
// min-min and max-min (Ibarra, Kim, JACM 24(2), 1977) over the vertices that are ready.
//
// The model is that of the papers. A processor computes one vertex at a time, without
// interruption. A result that stays on its processor costs nothing. The time of a transfer
// depends only on its size, not on other transfers.
//
//	p := plan.Uniform(g, 4, 1e9, 0)
//	s, err := p.Plan("heft")
//	fmt.Println(s.Makespan, p.Measure(s).SLR)
package plan

import (
	"fmt"
	"math"

	"parley/core/graph"
)

// Problem is a graph to be scheduled on processors. Use New or Uniform.
type Problem struct {
	Graph      *graph.Graph
	Processors []Processor
	Latency    float64 // seconds that every result takes to travel, beside its bytes

	costs [][]float64 // by vertex and processor, if they are stated one by one; nil: work / speed
	kinds *kinds      // speeds by the kind of vertex; nil: all kinds alike
	busy  []float64   // until when each processor does something else; nil if all are free
	rate  float64     // mean over the processors of seconds a byte
}

// Processor does one vertex at a time.
type Processor struct {
	Name      string  `json:"name,omitempty"`
	Speed     float64 `json:"speed"`     // work a second, above 0
	Bandwidth float64 `json:"bandwidth"` // bytes a second at which results leave it, above 0; 0: they take no time
}

// MaxProcessors is the largest number of processors of a problem.
const MaxProcessors = 1 << 20

// New returns the problem of a graph on processors. costs holds the seconds that
// each vertex takes on each processor; nil: its work / the processor's speed.
func New(g *graph.Graph, processors []Processor, latency float64, costs [][]float64) (*Problem, error) {
	p := &Problem{Graph: g, Processors: processors, Latency: latency, costs: costs}
	if len(processors) == 0 || len(processors) > MaxProcessors {
		return nil, fmt.Errorf("there are %d processors: give 1 to %d", len(processors), MaxProcessors)
	}
	if !(latency >= 0 && latency <= math.MaxFloat64) {
		return nil, fmt.Errorf("latency is %v: it must be a number of seconds of at least 0", latency)
	}
	for i, x := range processors {
		switch {
		case !(x.Speed > 0 && x.Speed <= math.MaxFloat64):
			return nil, fmt.Errorf("processor %d has a speed of %v: it must be above 0", i, x.Speed)
		case !(x.Bandwidth >= 0 && x.Bandwidth <= math.MaxFloat64):
			return nil,
				fmt.Errorf("processor %d has a bandwidth of %v: it must be above 0, or 0 where results take no time", i,
					x.Bandwidth)
		}
		if x.Bandwidth > 0 {
			p.rate += 1 / x.Bandwidth / float64(len(processors))
		}
	}
	if costs != nil && len(costs) != g.Len() {
		return nil, fmt.Errorf("%d vertices have costs, but the graph has %d", len(costs), g.Len())
	}
	for v, row := range costs {
		if len(row) != len(processors) {
			return nil, fmt.Errorf("vertex %q has %d costs for %d processors", g.Vertex(v).Name,
				len(row), len(processors))
		}
		for q, x := range row {
			if !(x >= 0 && x <= math.MaxFloat64) {
				return nil, fmt.Errorf("vertex %q costs %v on processor %d: it must be a number of at least 0",
					g.Vertex(v).Name, x, q)
			}
		}
	}
	return p, p.checkRange()
}

// checkRange refuses amounts whose sums could not be distinguished any more: one
// after the other on the slowest processor, with every result travelling.
func (p *Problem) checkRange() error {
	sum := 0.0
	for v := range p.Graph.Len() {
		slowest := 0.0
		for q := range p.Processors {
			if p.can(v, q) {
				slowest = max(slowest, p.Time(v, q))
			}
		}
		sum += slowest
		for _, a := range p.Graph.Out(v) {
			for q := range p.Processors {
				if x := p.Processors[q].Bandwidth; x > 0 && !(a.Bytes/x <= math.MaxFloat64) {
					sum = math.Inf(1)
				}
			}
			sum += p.mean(a)
		}
		if !(sum <= 1e300) {
			return fmt.Errorf(
				"vertex %q or its results take more than 1e300 s: times of that size cannot be told apart",
				p.Graph.Vertex(v).Name,
			)
		}
	}
	return nil
}

// Uniform returns the problem of a graph on n processors of speed 1 that send
// with one bandwidth; 0: results take no time.
func Uniform(g *graph.Graph, n int, bandwidth, latency float64) (*Problem, error) {
	if n < 1 || n > MaxProcessors {
		return nil, fmt.Errorf("there are %d processors: give 1 to %d", n, MaxProcessors)
	}
	processors := make([]Processor, n)
	for i := range processors {
		processors[i] = Processor{Speed: 1, Bandwidth: bandwidth}
	}
	return New(g, processors, latency, nil)
}

// can reports whether processor q can do vertex v.
func (p *Problem) can(v, q int) bool {
	return p.kinds == nil || p.kinds.speeds[p.kinds.of[v]][q] > 0
}

// Time returns the seconds that vertex v takes on processor q: infinitely many where
// it cannot be done there.
func (p *Problem) Time(v, q int) float64 {
	if p.costs != nil {
		return p.costs[v][q]
	}
	if p.kinds != nil {
		return p.kinds.time(p.Graph.Vertex(v).Work, v, q)
	}
	return p.Graph.Vertex(v).Work / p.Processors[q].Speed
}

// Travel returns the seconds that the result of an arc takes from processor q to
// processor r.
func (p *Problem) Travel(a graph.Arc, q, r int) float64 {
	if q == r {
		return 0
	}
	if b := p.Processors[q].Bandwidth; b > 0 {
		return p.Latency + a.Bytes/b
	}
	return p.Latency
}

// mean returns the mean of Travel over pairs of different processors: c̄ of the
// papers; 0 if there is one processor.
func (p *Problem) mean(a graph.Arc) float64 {
	if len(p.Processors) == 1 {
		return 0
	}
	return p.Latency + float64(a.Bytes*p.rate)
}

// meanTime returns the mean of Time over the processors that can do a vertex: w̄ of
// the papers.
func (p *Problem) meanTime(v int) float64 {
	sum, can := 0.0, 0
	for q := range p.Processors {
		if p.can(v, q) {
			sum += p.Time(v, q)
			can++
		}
	}
	return sum / float64(max(1, can))
}

// fastest returns the seconds that a vertex takes where it is fastest.
func (p *Problem) fastest(v int) float64 {
	x := p.Time(v, 0)
	for q := range p.Processors {
		x = min(x, p.Time(v, q))
	}
	return x
}
