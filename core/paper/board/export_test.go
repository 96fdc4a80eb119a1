package board

import (
	"encoding/json"

	"parley/core/run"
	"parley/core/workload"
)

// Seen is what is read of a run.
type Seen struct {
	Guarantee, Computing, Engaged, Impossible, Stalled, Length, Releases, Messages float64
	Judged                                                                         int64
}

func outcomes(all []Seen) (out []outcome) {
	for _, o := range all {
		out = append(out, outcome{o.Guarantee, o.Computing, o.Engaged, o.Impossible, o.Stalled, o.Length, o.Releases, o.Messages, o.Judged})
	}
	return out
}

// SeenIn reads a report of so many resources.
func SeenIn(report run.Report, nodes int) Seen {
	o := outcomeOf(report, nodes)
	return Seen{o.guarantee, o.computing, o.engaged, o.impossible, o.stalled, o.length, o.releases, o.messages, o.judged}
}

// Cell returns the rows of a place of the map for the paper's rule, the same with agents
// that wait to the last, and a dispatcher.
func Cell(who string, load, tightness float64, all []Seen) []Row {
	return cell(map[string]contender{"rule": safe, "waits": safeWaits, "dispatcher": dispatcher}[who], load, tightness, outcomes(all))
}

// Scaled and Gained return the rows of a number of resources, and of two methods.
func Scaled(nodes int, all []Seen) []Row { return scaled("", nodes, outcomes(all)) }

func Gained(older, channels []Seen) []Row   { return gained("", outcomes(older), outcomes(channels)) }
func Shortest(spans []float64) float64      { return shortest(spans) }
func Against(others, published bool) string { return against(others, published) }

// Document is the scenario of a setting.
func Document(e Effort, settings string, load, tightness float64, nodes, seed int) (map[string]any, error) {
	s := setting{system: "board", settings: settings, load: load, tightness: tightness, nodes: nodes}
	text, err := s.document(e, seed)
	if err != nil {
		return nil, err
	}
	var d map[string]any
	return d, json.Unmarshal(text, &d)
}

// Only returns a source of the number-th graph of another.
func Only(source workload.Source, number int) workload.Source {
	return &one{Source: source, number: number}
}
