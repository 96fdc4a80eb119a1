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
	figPA, figDA, figIdle, figOverloaded, figMigrations, figMoved, figCPU, figMemory, figRequested, figProductionCPU,
	figProductionMemory, figTight, figRatio,
	figWorst, figLoss, figWaiting, figForced, figUnserved, figPreempted, figNegotiations, figAttempts, figRefused,
	figForcedMoves, figCost,
}

// cellCall are the arguments of the functions that play a Google cell, generated or
// recorded, under a system with its settings.
type cellCall struct {
	Name     string            `json:"name"` // for progress
	System   string            `json:"system"`
	Settings json.RawMessage   `json:"settings"`
	Nodes    int               `json:"nodes"`
	MaxNodes int               `json:"max_nodes" was:"most_nodes"` // the most nodes of the cell; 0: as many as Nodes says
	Times    int               `json:"times"`                      // how many copies of its nodes the cell has; 0: one
	Scale    float64           `json:"scale"`                      // of the workload
	Keep     float64           `json:"keep"`                       // of the nodes
	Arrive   string            `json:"arrive"`                     // "submitted" or "scheduled", as Borg did it
	Until    scenario.Duration `json:"until"`
	Seeds    uint64            `json:"seeds"` // the cell is played with the seeds 1 to this only; 0: with all
	Only     string            `json:"only"`  // "generated" or "recorded": the cell is played only if it is
	Altered  altered           `json:"altered"`
	Search   *search           `json:"search"` // nil: the cell is played as it is
}

// read reads arguments and returns their cell; false if it is not played with the seed.
func (o Options) read(arguments json.RawMessage, seed uint64) (c cell, q *search, played bool, err error) {
	of := cellCall{Nodes: publishedNodes, Until: scenario.Duration(shortRun), Altered: unaltered}
	if err := strict.Part(arguments, &of); err != nil {
		return c, nil, false, err
	}
	if of.Seeds > 0 && seed > of.Seeds {
		return c, nil, false, nil
	}
	if played, err := o.plays(of.Only); err != nil || !played {
		return c, nil, false, err
	}
	if of.Times > 1 && o.Trace != nil {
		return c, nil, false, errors.New("a recorded cell has one size: leave --trace out")
	}
	if err := of.Altered.check(); err != nil {
		return c, nil, false, err
	}
	until, err := o.until(unit.Time(of.Until))
	if err != nil {
		return c, nil, false, err
	}
	nodes := of.Nodes
	if of.MaxNodes > 0 {
		nodes = min(nodes, of.MaxNodes)
	}
	nodes *= max(1, of.Times)
	return cell{
		name: of.Name, system: of.System, settings: of.Settings, nodes: nodes, scale: of.Scale, keep: of.Keep,
		arrive: of.Arrive,
		seed:   seed, until: until, altered: of.Altered,
	}, of.Search, true, nil
}

// plays reports whether a cell is played that is played only if it is "generated", or
// "recorded", or, with an empty text, in any case.
func (o Options) plays(only string) (bool, error) {
	switch only {
	case "":
		return true, nil
	case "generated", "recorded":
		return (only == "recorded") == (o.Trace != nil), nil
	}
	return false, errors.New(`only is neither "generated" nor "recorded"`)
}

// readPlain is read of a function that searches nothing.
func (o Options) readPlain(arguments json.RawMessage, seed uint64) (cell, bool, error) {
	c, q, played, err := o.read(arguments, seed)
	if err == nil && q != nil {
		err = errors.New("search is an argument of negotiation/cell alone: leave it out")
	}
	return c, played, err
}

// callCell is the function negotiation/cell of documents: the figures of a cell, or the limits
// that a search finds in it.
func (o Options) callCell(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	c, q, played, err := o.read(arguments, seed)
	if err != nil || !played {
		return nil, err
	}
	if q != nil {
		return c.limits(o, q)
	}
	x, err := c.play(o)
	if err != nil {
		return nil, err
	}
	return x.values(), nil
}
