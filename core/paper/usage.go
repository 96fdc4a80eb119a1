package paper

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
	"parley/core/workload"
)

// usageCall are the arguments of negotiation/usage: whose usage is played while nothing
// comes, goes or moves. Those are the tasks of a cell at time 0, where Borg put them if that
// was recorded, or where a stand-in does that does not look at usage.
type usageCall struct {
	seed       uint64
	Name       string         `json:"name"` // for progress
	Nodes      int            `json:"nodes"`
	Production string         `json:"production"` // which classes are drawn
	Usage      workload.Usage `json:"usage"`
	Among      int            `json:"among"` // the least requested of this many random nodes gets a task
	// "generated" or "recorded": the cell is played only if it is; empty: it is generated in any case
	Only  string            `json:"only"`
	Until scenario.Duration `json:"until"`
}

// callUsage is the function negotiation/usage of documents: the use of a standing cell.
func (o Options) callUsage(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	of := usageCall{
		seed: seed, Nodes: publishedNodes, Production: workload.TraceProduction,
		Usage: workload.DefaultUsage(), Among: 4, Until: scenario.Duration(unit.Day),
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	if played, err := o.plays(of.Only); err != nil || !played {
		return nil, err
	}
	until := unit.Time(of.Until)
	if o.Until > 0 {
		until = min(until, o.Until)
	}
	switch {
	case until < 2*workload.UsageWindow:
		return nil, fmt.Errorf("runs of %v show nothing, because usage changes every %v: play them longer", until,
			workload.UsageWindow)
	case of.Among < 1:
		return nil, errors.New("among is how many nodes are drawn for a task, at least 1")
	}
	s, err := of.stand(o)
	if err != nil {
		return nil, err
	}
	f, err := s.play(int(until/workload.UsageWindow), func(w int) error {
		if w%dayWindows != 0 || w == 0 {
			return nil
		}
		return o.tell("%s, seed %d, day %d", of.Name, seed, w/dayWindows+1)
	})
	if err != nil {
		return nil, err
	}
	return f.values(s.requests()), nil
}

// stand returns the population whose use is measured: that of the recorded cell, or a generated one with each task
// placed on the node with the least requested among a few.
func (of *usageCall) stand(o Options) (*placement, error) {
	if of.Only == "recorded" {
		c := cell{
			name: "Borg, replayed", system: "central", settings: json.RawMessage(`{"policy":"replay"}`),
			nodes: of.Nodes, seed: of.seed, until: unit.Hour, altered: unaltered,
		}
		s, err := c.scenario()
		if err != nil {
			return nil, err
		}
		s.Workload.Usage = &of.Usage
		if err := s.Validate(); err != nil {
			return nil, err
		}
		source, err := o.Trace(s)
		if err != nil {
			return nil, err
		}
		return stand(source, nil)
	}
	g := workload.DefaultGenerated()
	g.Nodes, g.Production, g.Usage = of.Nodes, of.Production, of.Usage
	source, err := g.New(of.seed)
	if err != nil {
		return nil, fmt.Errorf("cluster.%w", err)
	}
	return stand(source, leastRequestedOf(of.Among, rng.New(of.seed, "paper/calibration")))
}

// values returns the figures of a standing cell, by their names. Runs of less than a day have none
// of series of jobs.
func (f *usageFigures) values(production [unit.Resources]float64) map[string]float64 {
	values := map[string]float64{
		"CPU used": f.used[unit.CPU], "memory used": f.used[unit.Memory],
		"production requests, CPU": production[unit.CPU], "production requests, memory": production[unit.Memory],
		"overloaded nodes": f.overloaded, "overloaded nodes, worst window": f.worst, "PA:DA": f.ratio(),
		"nodes that rise by a tenth of their capacity, mean": f.rises,
		"nodes that rise by a tenth of their capacity, peak": f.peak,
		"nodes that rise by a tenth of what they used":       f.relative,
	}
	if len(f.days) > 0 {
		for i, x := range f.series() {
			values["job series, "+seriesNames[i]] = x
		}
	}
	return values
}
