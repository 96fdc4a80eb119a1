package paper

import (
	"parley/core/paper/market"
	"parley/core/scenario"
	"parley/core/workload"
)

// marketExperiments wraps package paper/market.
func marketExperiments() []Experiment {
	var out []Experiment
	for _, x := range market.All() {
		e := Experiment{ID: "market/" + x.ID, Title: x.Title, Source: x.Source, Seconds: x.Seconds}
		e.Run = func(o Options) (Result, error) {
			result := Result{ID: e.ID, Source: x.Source, Seeds: or(o.Seeds, x.Seeds)}
			var err error
			result.Rows, err = x.Run(o.ofMarket(result.Seeds))
			return result, err
		}
		out = append(out, e)
	}
	return out
}

// ofMarket are the options as package paper/market takes them.
func (o Options) ofMarket(seeds int) market.Effort {
	effort := market.Effort{Seeds: seeds, Quick: o.Until > 0, Tell: o.Progress}
	if o.Trace != nil {
		effort.Log = o.machineLog
	}
	return effort
}

// machineLog opens the recorded log, with the name of the paper's machine that is as
// large; empty where none is.
func (o Options) machineLog() (source workload.Source, machine string, err error) {
	s := &scenario.Scenario{System: "market"}
	if source, err = o.Trace(s); err != nil {
		return nil, "", err
	}
	processors := int32(0)
	var r workload.Record
	for source.Next(&r) == nil && r.Kind == workload.NodeJoins {
		processors += r.Node.Processors
	}
	source, err = o.Trace(s)
	return source, market.Machine(int(processors)), err
}
