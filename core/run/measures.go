package run

import (
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/feed"
	"parley/core/metric"
	"parley/core/score"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// measures are a run's measurements of its cluster.
type measures struct {
	digest   cluster.Digest
	table    *metric.Table
	tasks    *metric.Tasks
	jobs     *metric.Jobs
	graphs   *metric.Graphs
	energy   *metric.Energy // nil: nodes draw nothing
	sampleAt unit.Time
	recorded bool      // the workload stands in files
	began    unit.Time // arrival of the first work of the files; -1 before it, and without files
}

func newMeasures(v cluster.View, window metric.Window, inputs *feed.Assembly, power []cluster.PowerKind) measures {
	m := measures{
		table: metric.New(SampleStep), tasks: metric.NewTasks(v), jobs: metric.NewJobs(v), graphs: metric.NewGraphs(v),
		sampleAt: SampleStep, recorded: inputs.Recorded, began: -1,
	}
	m.table.Within(window)
	m.jobs.Within(window)
	if inputs.Shape == workload.ShapeJobs {
		m.table.Exact()
		if slices.ContainsFunc(power, func(k cluster.PowerKind) bool { return k.Busy > 0 }) {
			m.energy = metric.NewEnergy(v)
		}
	}
	return m
}

// ChartColumn is the id of the column that the scenario's chart fills.
const ChartColumn = "chart"

// track adds the columns of a run's system, of its work and of its chart to the samples.
func (m *measures) track(r *Run) error {
	if s, ok := r.system.(system.MetricSource); ok {
		m.table.Track(r.entry.Metrics, s)
	}
	switch r.inputs.Shape {
	case workload.ShapeJobs:
		m.table.TrackState(metric.JobColumns(), m.jobs)
	case workload.ShapeGraphs:
		m.table.TrackState(metric.GraphColumns(), m.graphs)
	}
	if columns := r.Supplies(); len(columns) > 0 {
		m.table.TrackState(columns, &r.Inspector)
	}
	chart := r.scenario.Chart
	if chart == "" {
		return nil
	}
	figure, err := score.NewFigure(chart, r.cluster.View())
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	m.table.TrackState([]metric.Column{{ID: ChartColumn, Name: chart, Unit: figure.Unit(), About: "the scenario's chart, over the nodes that are up"}}, figure)
	return nil
}

// observe passes one event to all measurements. The first work of a recorded workload begins the table.
func (m *measures) observe(e cluster.Event) {
	if m.recorded && m.began < 0 && arrives(e.Kind) {
		m.began = e.At
		m.table.Began(e.At)
	}
	m.digest.Observe(e)
	m.tasks.Observe(e)
	m.jobs.Observe(e)
	m.graphs.Observe(e)
	if m.energy != nil {
		m.energy.Observe(e)
	}
}

// sample adds a row to the table if its time has come, and reports whether it had.
func (m *measures) sample(now unit.Time, v cluster.View) bool {
	if now < m.sampleAt {
		return false
	}
	m.table.Sample(now, v)
	m.sampleAt += SampleStep
	return true
}
