package paper

import (
	"encoding/json"

	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

// figures are all that a run of a cell tells, by their names.
var figures = []figure{
	figPA, figDA, figIdle, figOverloaded, figMigrations, figMoved, figCPU, figMemory, figAsked, figPromisedCPU, figPromisedMemory, figTight, figRatio,
	figWorst, figWaiting, figForced, figUnserved, figPreempted, figNegotiations, figRefused, figForcedMoves, figCost,
}

// callCell is the function negotiation/cell of documents: a Google cell, generated or
// recorded, under a system with its settings.
func (o Options) callCell(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		Name     string            `json:"name"` // for progress
		System   string            `json:"system"`
		Settings map[string]any    `json:"settings"`
		Nodes    int               `json:"nodes"`
		Scale    float64           `json:"scale"`  // of the workload
		Keep     float64           `json:"keep"`   // of the nodes
		Arrive   string            `json:"arrive"` // "submitted" or "scheduled", as Borg did it
		Until    scenario.Duration `json:"until"`
	}
	of.Nodes, of.Until = publishedNodes, scenario.Duration(shortRun)
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	until, err := o.until(unit.Time(of.Until))
	if err != nil {
		return nil, err
	}
	c := cell{contender: contender{of.Name, of.System, of.Settings}, nodes: of.Nodes, scale: of.Scale, keep: of.Keep, arrive: of.Arrive, seed: seed, until: until}
	x, err := c.play(o)
	if err != nil {
		return nil, err
	}
	told := map[string]float64{}
	for _, f := range figures {
		told[f.name] = f.of(x)
	}
	return told, nil
}
