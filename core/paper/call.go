package paper

import (
	"encoding/json"
	"errors"

	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

// figures are all that a run of a cell tells, by their names.
var figures = []figure{
	figPA, figDA, figIdle, figOverloaded, figMigrations, figMoved, figCPU, figMemory, figAsked, figPromisedCPU, figPromisedMemory, figTight, figRatio,
	figWorst, figWaiting, figForced, figUnserved, figPreempted, figNegotiations, figAttempts, figRefused, figForcedMoves, figCost,
}

// cellCall are the arguments of the functions that play a Google cell, generated or
// recorded, under a system with its settings.
type cellCall struct {
	Name      string            `json:"name"` // for progress
	System    string            `json:"system"`
	Settings  map[string]any    `json:"settings"`
	Nodes     int               `json:"nodes"`
	MostNodes int               `json:"most_nodes"` // the cell has at most so many; 0: as many as Nodes says
	Times     int               `json:"times"`      // the cell has so many times as many; 0: once
	Scale     float64           `json:"scale"`      // of the workload
	Keep      float64           `json:"keep"`       // of the nodes
	Arrive    string            `json:"arrive"`     // "submitted" or "scheduled", as Borg did it
	Until     scenario.Duration `json:"until"`
	Seeds     uint64            `json:"seeds"` // the cell is played with the seeds 1 to this only; 0: with all
	Only      string            `json:"only"`  // "generated" or "recorded": the cell is played only if it is
}

// read reads arguments and returns their cell; false if it is not played with the seed.
func (o Options) read(arguments json.RawMessage, seed uint64) (c cell, played bool, err error) {
	of := cellCall{Nodes: publishedNodes, Until: scenario.Duration(shortRun)}
	if err := strict.Part(arguments, &of); err != nil {
		return c, false, err
	}
	if of.Seeds > 0 && seed > of.Seeds {
		return c, false, nil
	}
	switch of.Only {
	case "":
	case "generated", "recorded":
		if (of.Only == "recorded") != (o.Trace != nil) {
			return c, false, nil
		}
	default:
		return c, false, errors.New(`only is neither "generated" nor "recorded"`)
	}
	if of.Times > 1 && o.Trace != nil {
		return c, false, errors.New("a recorded cell has one size: leave --trace out")
	}
	until, err := o.until(unit.Time(of.Until))
	if err != nil {
		return c, false, err
	}
	nodes := of.Nodes
	if of.MostNodes > 0 {
		nodes = min(nodes, of.MostNodes)
	}
	nodes *= max(1, of.Times)
	return cell{contender: contender{of.Name, of.System, of.Settings}, nodes: nodes, scale: of.Scale, keep: of.Keep, arrive: of.Arrive, seed: seed, until: until}, true, nil
}

// callCell is the function negotiation/cell of documents: the figures of a cell.
func (o Options) callCell(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	c, played, err := o.read(arguments, seed)
	if err != nil || !played {
		return nil, err
	}
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
