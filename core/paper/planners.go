package paper

import (
	"parley/core/paper/market"
	"parley/core/paper/yield"
	"parley/core/scenario"
	"parley/core/workload"
)

// yieldExperiments wraps what package paper/yield computes: repetitions
// count as seeds, and run times are left out, for the core knows no clock.
var yieldExperiments = []Experiment{
	ofYield("table1", "Packing variants on small instances", "section 4.2.1, table 1", 5, 20, 10, yield.Table1),
	ofYield("table7", "Packing variants on large instances", "section 4.2.2, table 7", 40, 10, 10, yield.Table7),
	ofYield("small", "All algorithms against the exact optimum", "section 4.2.1, figures 11 to 14", 5, 20, 1, yield.Small),
	ofYield("large", "All algorithms on 64 hosts", "section 4.2.2, figures 15 to 18", 60, 20, 1, yield.Large),
	ofYield("parallel", "Parallel jobs", "section 5.2, figures 19 to 22", 10, 20, 1, yield.Parallel),
	ofYield("migration", "Yield within a limit on migrated memory", "sections 2.3 and 6.1", 20, 1, 2, yield.Migration),
}

func ofYield(name, title, source string, seconds, seeds, instances int, compute func(yield.Effort) []yield.Row) Experiment {
	e := Experiment{ID: "yield/" + name, Title: title, Source: source, Seconds: seconds}
	e.Run = func(o Options) (Result, error) {
		n := or(o.Seeds, seeds)
		if err := o.tell("%s, %d repetitions", e.ID, n); err != nil {
			return Result{}, err
		}
		result := Result{ID: e.ID, Source: source, Seeds: n}
		result.Rows = compute(yield.Effort{Seeds: n, PerFamily: instances})
		return result, nil
	}
	return e
}

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
