package run

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// withGraphs joins task graphs with the machines that compute them: graphs of the
// scenario, or of files. A system that can schedule nothing else gets some without
// being asked.
func withGraphs(e system.Entry, s *scenario.Scenario, source workload.Source) (workload.Source, error) {
	brought, suits := isOfGraphs(source), slices.Contains(e.Supports, workload.ShapeGraphs)
	switch told := len(s.Workload.Graphs) > 0; {
	case !told && !brought && (source != nil || !suits || len(e.Supports) > 1):
		return source, nil
	case source != nil && !brought:
		return nil, errors.New("workload.graphs is given beside another workload: leave one of them out")
	case !suits:
		return nil, fmt.Errorf("workload.graphs is given, but the system %s cannot schedule task graphs: choose another", e.ID)
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

// slowest bounds how long graphs take: one subtask and one transfer after the other,
// each where that takes longest.
type slowest struct {
	speeds  []unit.Work // by type, of those that can do it
	any     unit.Work   // of machines that do every type
	channel unit.Bytes
	latency unit.Time
	sum     float64 // seconds
}

func (x *slowest) machine(w *workload.Worker) {
	least := func(a, b int64) int64 {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	if w.Speeds == nil {
		x.any = unit.Work(least(int64(x.any), int64(w.Speed)))
	}
	for t, s := range w.Speeds {
		for t >= len(x.speeds) {
			x.speeds = append(x.speeds, 0)
		}
		x.speeds[t] = unit.Work(least(int64(x.speeds[t]), int64(s)))
	}
	x.channel = unit.Bytes(least(int64(x.channel), int64(w.Channel)))
	x.latency = max(x.latency, w.CompLatency, w.CommLatency)
}

func (x *slowest) graph(g *workload.Graph) {
	for v := range g.Len() {
		s := g.Subtask(int32(v))
		speed := x.any
		if t := int(s.Type); t < len(x.speeds) && x.speeds[t] > 0 && (speed == 0 || x.speeds[t] < speed) {
			speed = x.speeds[t]
		}
		x.sum += x.latency.Seconds() + s.Work.Float()/max(1e-6, speed.Float())
	}
	for i := range g.Arcs() {
		if x.sum += x.latency.Seconds(); x.channel > 0 {
			x.sum += float64(g.Arc(int32(i)).Bytes) / float64(x.channel)
		}
	}
}
