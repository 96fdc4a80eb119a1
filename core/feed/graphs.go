package feed

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// withGraphs joins task graphs with the machines that compute them: graphs of the
// scenario, or of files. A system that can schedule nothing else gets some by
// default.
func withGraphs(e system.Entry, s *scenario.Scenario, source workload.Source) (workload.Source, error) {
	provided, supported := isOfGraphs(source), slices.Contains(e.Supports, workload.ShapeGraphs)
	switch given := len(s.Workload.Graphs) > 0; {
	case !given && !provided && (source != nil || !supported || len(e.Supports) > 1):
		return source, nil
	case source != nil && !provided:
		return nil, errors.New("workload.graphs is given beside another workload: leave one of them out")
	case !supported:
		return nil,
			fmt.Errorf("workload.graphs is given, but the system %s cannot schedule task graphs: choose another", e.ID)
	}
	return machinesFor(s, source)
}

// isOfGraphs reports whether a workload says that it is of graphs.
func isOfGraphs(source workload.Source) bool {
	return workload.HeaderOf(source).Shape == workload.ShapeGraphs
}

// machinesFor puts the machines of a scenario's workload.graphs before its graphs,
// or before those of source.
func machinesFor(s *scenario.Scenario, source workload.Source) (workload.Source, error) {
	if source != nil && !workload.HeaderOf(source).Machineless {
		return source, nil
	}
	d, err := graphs.Parse(s.Workload.Graphs)
	if err != nil {
		return nil, fmt.Errorf("workload.graphs: %w", err)
	}
	if source != nil && d.Given() {
		return nil, errors.New("workload.graphs tells of graphs, but these come from files: leave one of them out")
	}
	return d.New(s.Seed, source), nil
}

// filed is a workload of graphs that stand in files, with machines.
type filed struct {
	trace.Source
	joined workload.Source
}

// Next implements workload.Source.
func (f *filed) Next(r *workload.Record) error { return f.joined.Next(r) }

// Header describes the machines, which are the scenario's.
func (f *filed) Header() workload.Header { return workload.HeaderOf(f.joined) }
