package graphs

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// Generate draws graphs, each another, which arrive at random: the times between two are
// exponential. Fields that are left out are drawn as by default.
type Generate struct {
	Count int `json:"count"` // how many graphs arrive; 0: more and more
	// mean seconds between two arrivals; left out: so that load holds; 0: all come at once
	Every    *float64 `json:"every_s"`
	Load     float64  `json:"load"`     // share of the machines' speed that arrives as work, for every_s; default 0.5
	Shape    string   `json:"shape"`    // "layers", "fork-join", "chains" or "random"; "mixed": each another of these
	Vertices *Range   `json:"vertices"` // default 100
	Width    int      `json:"width"`    // of layers and forks, number of chains; default 10
	Needs    int      `json:"needs"`    // the most results that a subtask needs, of layers and random; default 3
	Work     *Range   `json:"work"`     // of a subtask, work units; default 10 to 100
	Bytes    *Range   `json:"bytes"`    // of a result; default 1e6 to 1e8
	Input    *Range   `json:"input"`    // bytes from the user to each first subtask; default none
	Output   *Range   `json:"output"`   // bytes to the user of each last one; default none
	Types    Types    `json:"types"`    // drawn evenly; default those of the machines
	// number of graphs that are drawn, which arrive in turn; 0 draws a new one each time
	Distinct int `json:"distinct"`
	Users    int `json:"users"` // graphs are of users 0, 1 … evenly; default 1
}

// mixed stands for every shape in turn.
const mixed = "mixed"

func or(r *Range, usual Range) Range {
	if r == nil {
		return usual
	}
	return *r
}

func (g *Generate) vertices() Range { return or(g.Vertices, Range{100, 100}) }

// recipe returns the parameters of a graph of a shape with a number of vertices. Fields of g that are not given have
// their defaults.
func (g *Generate) recipe(shape string, vertices int, types []string) graph.Recipe {
	width, needs := g.Width, g.Needs
	if width == 0 {
		width = 10
	}
	if needs == 0 {
		needs = 3
	}
	return graph.Recipe{
		Shape: graph.Shape(shape), Vertices: vertices, Width: width, Needs: needs, Types: types,
		Work: or(g.Work, Range{10, 100}), Bytes: or(g.Bytes, Range{1e6, 1e8}),
	}
}

// types returns the types that subtasks are drawn from: those of the document, else those of the machines, else one
// without a name.
func (g *Generate) types(w *generator) []string {
	switch {
	case len(g.Types) > 0:
		return g.Types
	case len(w.names) > 0:
		return w.names
	}
	return []string{""}
}

// maxDistinct bounds the graphs that are kept.
const maxDistinct = 100_000

// maxDrawn bounds the vertices of a graph that is drawn.
const maxDrawn = 1_000_000

// validate returns an error if a field is out of range, or if no machine of w can do a type. It sets the default
// shape.
func (g *Generate) validate(w *generator) error {
	if g.Shape == "" {
		g.Shape = mixed
	}
	v := g.vertices()
	if err := first(
		within("count", float64(g.Count), 0, 1e9), within("load", g.Load, 0, 100),
		within("users", float64(g.Users), 0, 1e9), within("distinct", float64(g.Distinct), 0, maxDistinct),
		within("vertices", v[0], 1, maxDrawn), within("vertices", v[1], 1, maxDrawn),
	); err != nil {
		return err
	}
	for _, home := range []struct {
		name string
		*Range
	}{{"input", g.Input}, {"output", g.Output}} {
		if r := home.Range; r != nil && !(r[0] >= 0 && r[1] <= 1e15) {
			return fmt.Errorf("%s is %v: choose 0 to 1e15 bytes", home.name, [2]float64(*r))
		}
	}
	if g.Every != nil {
		if err := within("every_s", *g.Every, 0, maxSeconds); err != nil {
			return err
		}
		if *g.Every == 0 && g.Count == 0 {
			return errors.New("every_s is 0, so that all graphs come at once, but count is 0: choose how many")
		}
	}
	shapes := []string{g.Shape}
	if g.Shape == mixed {
		shapes = graph.Shapes()
	}
	types := g.types(w)
	for _, shape := range shapes {
		if !slices.Contains(graph.Shapes(), shape) {
			return fmt.Errorf("shape is %q: choose one of %v or %s", shorten(shape), graph.Shapes(), mixed)
		}
		r := g.recipe(shape, int(v[1]), types)
		if err := r.Validate(); err != nil {
			return err
		}
	}
	for _, name := range types {
		if w.speed(w.number(name)) == 0 {
			return fmt.Errorf("types has %s, which no machine can do", quoted(name))
		}
	}
	return nil
}

// drawn is a generator under way.
type drawn struct {
	*Generate
	random *rng.Stream
	mean   float64 // seconds between two arrivals
	at     unit.Time
	shapes []string
	types  []string
	kept   []*workload.Subtasks // if few are drawn
}

// begin returns the state of drawing graphs. Without every_s, the mean time between arrivals is that of the
// load: mean work of a graph divided by load times the total speed of the machines.
func (g *Generate) begin(w *generator) *drawn {
	d := &drawn{Generate: g, random: rng.New(w.seed, "graphs/generate"), shapes: []string{g.Shape}, types: g.types(w)}
	if g.Shape == mixed {
		d.shapes = graph.Shapes()
	}
	if g.Every != nil {
		d.mean = *g.Every
		return d
	}
	load := g.Load
	if load == 0 {
		load = 0.5
	}
	v, work := g.vertices(), or(g.Work, Range{10, 100})
	d.mean = (v[0] + v[1]) / 2 * ((work[0] + work[1]) / 2) / (load * w.total)
	return d
}

// draw fills r with the next graph.
func (s *source) draw(r *workload.Record) error {
	d := s.drawn
	if d.Count > 0 && s.graphs == d.Count {
		return io.EOF
	}
	d.at += micros(d.mean * d.random.Exponential())
	tasks, err := d.subtasks(s)
	if err != nil {
		return fmt.Errorf("the graph drawn at %v: %w", d.at, err)
	}
	s.current = s.generator.offered(tasks, nil, nil)
	s.current.User = uint32(s.graphs % max(1, d.Users))
	s.arrives(r, d.at)
	return nil
}

// subtasks draws the next graph, or takes one that was drawn.
func (d *drawn) subtasks(s *source) (*workload.Subtasks, error) {
	if d.Distinct > 0 && s.graphs >= d.Distinct {
		return d.kept[s.graphs%d.Distinct], nil
	}
	v := d.vertices()
	recipe := d.recipe(d.shapes[s.graphs%len(d.shapes)], int(v[0])+d.random.Intn(int(v[1]-v[0])+1), d.types)
	g := recipe.Generate(d.random)
	tasks, err := s.generator.integers(g, d.home(g))
	if d.Distinct > 0 {
		d.kept = append(d.kept, tasks)
	}
	return tasks, err
}

// home draws the inputs of the first subtasks from the user, and the outputs of the last ones.
func (d *drawn) home(g *graph.Graph) (arcs []workload.GraphArc) {
	draw := func(r Range) unit.Bytes { return unit.Bytes(r[0] + float64((r[1]-r[0])*d.random.Float64()) + 0.5) }
	for v := range g.Len() {
		if d.Input != nil && len(g.In(v)) == 0 {
			arcs = append(arcs, workload.GraphArc{From: workload.Home, To: int32(v), Bytes: draw(*d.Input)})
		}
		if d.Output != nil && len(g.Out(v)) == 0 {
			arcs = append(arcs, workload.GraphArc{From: int32(v), To: workload.Home, Bytes: draw(*d.Output)})
		}
	}
	return arcs
}
