package board

import (
	"encoding/json"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/workload"
)

// FiguresOf reads the report of a run on a number of nodes.
func FiguresOf(report run.Report, nodes int) map[string]float64 { return figuresOf(report, nodes) }

func Shortest(spans []float64) float64 { return shortest(spans) }

// Document is the scenario of a call of board/graphs.
func Document(seed uint64, nodes int, mtbf scenario.Duration) (d map[string]any, err error) {
	c := call{seed: seed, System: "board", Settings: json.RawMessage(`{"thread_rule":"ready"}`), Nodes: nodes, Until: 1, Load: 0.5, Tightness: 3, Bytes: [2]float64{2, 3}, MTBF: mtbf}
	text, err := c.document()
	if err != nil {
		return nil, err
	}
	return d, json.Unmarshal(text, &d)
}

// Only returns a source of the number-th graph of another.
func Only(source workload.Source, number int) workload.Source {
	return &one{Source: source, number: number}
}
