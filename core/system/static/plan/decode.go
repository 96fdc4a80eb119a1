package plan

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"parley/core/graph"
	"parley/core/strict"
)

// maxDocument bounds what Decode reads.
const maxDocument = 256 << 20

// Decode reads the input of `parley plan graph`:
//
//	{"processors":[{"speed":1,"bandwidth":1e8},{"speed":2,"bandwidth":1e8}],"latency_s":0.001,
//	 "tasks":[{"name":"a","work":3},{"name":"b","cost":[2,5]}],"arcs":[{"from":"a","to":"b","bytes":1e6}]}
//
// A task has work, or its seconds on each processor as cost; all tasks the same.
// Unknown fields, a second document and values that New refuses are errors of one
// sentence.
func Decode(r io.Reader) (*Problem, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("reading the graph: %w", err)
	}
	if len(text) > maxDocument {
		return nil, fmt.Errorf("the graph is longer than %d bytes: leave tasks out", maxDocument)
	}
	var doc document
	if err := strict.Decode(text, &doc); err != nil {
		return nil, fmt.Errorf("the graph cannot be read: %w", err)
	}
	return doc.problem()
}

type document struct {
	Processors []Processor `json:"processors"`
	Latency    float64     `json:"latency_s"`
	Tasks      []struct {
		Name string    `json:"name"`
		Type string    `json:"type"`
		Work float64   `json:"work"`
		Cost []float64 `json:"cost"`
	} `json:"tasks"`
	Arcs []struct {
		From  string  `json:"from"`
		To    string  `json:"to"`
		Bytes float64 `json:"bytes"`
	} `json:"arcs"`
}

// problem returns the problem of a document. It checks that tasks have names, and that all of them have
// work or all have costs; graph.New and New check the rest.
func (d *document) problem() (*Problem, error) {
	if len(d.Tasks) == 0 {
		return nil, errors.New(`the graph has no tasks: add "tasks" with a name and work each`)
	}
	vertices, index := make([]graph.Vertex, len(d.Tasks)), make(map[string]int32, len(d.Tasks))
	var costs [][]float64
	for i, t := range d.Tasks {
		if t.Name == "" {
			return nil, fmt.Errorf("task %d has no name: give each one of its own", i)
		}
		if t.Cost != nil && t.Work != 0 || (t.Cost != nil) != (d.Tasks[0].Cost != nil) {
			return nil,
				fmt.Errorf("task %s has work where others have costs: give all tasks work, or all of them costs",
					strconv.Quote(t.Name))
		}
		vertices[i], index[t.Name] = graph.Vertex{Name: t.Name, Type: t.Type, Work: t.Work}, int32(i)
		if t.Cost != nil {
			costs = append(costs, t.Cost)
		}
	}
	arcs := make([]graph.Arc, len(d.Arcs))
	for i, a := range d.Arcs {
		from, knowsFrom := index[a.From]
		to, knowsTo := index[a.To]
		if !knowsFrom || !knowsTo {
			missing := a.From
			if knowsFrom {
				missing = a.To
			}
			return nil, fmt.Errorf("arc %d names %s, which is no task", i, strconv.Quote(missing))
		}
		arcs[i] = graph.Arc{From: from, To: to, Bytes: a.Bytes}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		return nil, err
	}
	return New(g, d.Processors, d.Latency, costs)
}
