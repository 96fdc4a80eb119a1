package paper

import (
	"parley/core/paper/market"
	"parley/core/scenario"
	"parley/core/workload"
)

// machineLog opens the recorded log, with the name of the paper's machine that is as
// large; empty if none is.
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
